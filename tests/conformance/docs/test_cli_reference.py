"""The reference page of the commands names every command and every option, and no other."""

import re

import pytest
import typer.main

from tests.uncompiled import ROOT

PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text()
GENERAL = {
    "--help",
    "--version",
    "--install-completion",
    "--show-completion",
    "--user",
    "--password-file",
    "--running",
    "--context",
}
pytestmark = pytest.mark.installed


def commands():
    from penstock.cli.main import application

    top = typer.main.get_command(application())
    found = []
    for name, command in top.commands.items():
        inner = getattr(command, "commands", None)
        found += [(f"{name} {word}", each) for word, each in inner.items()] if inner else [(name, command)]
    return found


def section_of(word):
    """Return the part of the page whose title names a command, alone or with others."""
    sections = re.split(r"^## penstock ", PAGE, flags=re.MULTILINE)[1:]
    return next(each for each in sections if word in re.findall(r"[\w-]+", each.splitlines()[0]))


def test_every_command_has_its_place_on_the_page():
    missing = [name for name, _ in commands() if f"penstock {name}" not in PAGE]

    assert missing == []


def test_every_option_is_on_the_page_below_its_command():
    missing = []
    for name, command in commands():
        section = section_of(name.split()[0]) + PAGE.split("\n## ")[0]
        for parameter in command.params:
            words = [*getattr(parameter, "opts", []), *getattr(parameter, "secondary_opts", [])]
            missing += [
                f"{name}: {word}"
                for word in words
                if word.startswith("--") and word not in GENERAL and f"{word}" not in section
            ]

    assert missing == []


def test_the_page_names_no_option_that_does_not_exist():
    known = {
        word for _, command in commands() for p in command.params for word in (*p.opts, *p.secondary_opts)
    }

    named = set(re.findall(r"--[a-z][a-z-]*", PAGE))

    assert named - known - GENERAL == set()
