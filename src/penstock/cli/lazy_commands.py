"""Commands by name: a table maps each to its module, and only the requested one is imported.

A command line that begins with a command gets an app with only that one: importing the others and their
options would take more time than most commands. Everything else (help, completion, an unknown name) sees all
of them. Every command that uses a queue manager gets the options of a connection here, and the help of every
group shows whole sentences.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from penstock.cli.connection_options import with_connection_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

USAGE_EXIT, UNKNOWN_EXIT = 2, 3
SHORT_HELP_MAX = 500  # characters of a command's first sentence


class Group(NamedTuple):
    """Commands under one name, such as `penstock qmgr start`."""

    help: str
    commands: Mapping[str, str]  # as in `gather`
    is_probe: bool = False  # its exit codes are verdicts


def group(help: str, package: str, *names: str) -> Group:
    """Return a group with one module per command and a function of its name in it (`list_` for list)."""
    return Group(help, {name: f"{package}.{name}:{'list_' if name == 'list' else name}" for name in names})


class CommandGroup(TyperGroup):
    """A group of commands whose help shows whole sentences, under headings where there are some."""

    headings: ClassVar[Mapping[str, Sequence[str]]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with their first sentences."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        shown = {name: each for name, each in found.items() if each is not None and not each.hidden}
        headed = {name for names in self.headings.values() for name in names}
        sections = {**self.headings, "Commands": [name for name in shown if name not in headed]}
        width = max((len(name) for name in shown), default=0)
        for heading, names in sections.items():
            rows = [
                (name.ljust(width), shown[name].get_short_help_str(SHORT_HELP_MAX))
                for name in names
                if name in shown
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


class ProbeGroup(CommandGroup):
    """Commands whose exit codes are verdicts: a wrong command line is "unknown", not "critical"."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except TyperException as failure:
            if getattr(failure, "exit_code", 0) == USAGE_EXIT:
                failure.exit_code = UNKNOWN_EXIT
            raise


def gather(
    app: typer.Typer, table: Mapping[str, str] | Mapping[str, str | Group], words: Sequence[str] = ()
) -> typer.Typer:
    """Add commands to an app: the one that the first word names, or all. Returns the app.

    An entry of the table is a group, or "module:name" below `penstock.cli`: a function or an app.
    """
    chosen = words[:1] if words and words[0] in table else table
    for name in chosen:
        entry = table[name]
        cls = CommandGroup
        if isinstance(entry, Group):
            cls = ProbeGroup if entry.is_probe else CommandGroup
            found = gather(typer.Typer(help=entry.help, no_args_is_help=True), entry.commands, words[1:])
        else:
            module, _, what = entry.partition(":")
            found = getattr(import_module(f"penstock.cli.{module}"), what)
        if isinstance(found, typer.Typer):
            app.add_typer(with_all_options(found), name=name, cls=cls)
        else:
            app.command(name)(with_connection_options(found))
    return app


def with_all_options(app: typer.Typer) -> typer.Typer:
    """Give the commands of an app, and of the apps in it, the options that they share with all others."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = with_connection_options(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            with_all_options(group.typer_instance)
    return app
