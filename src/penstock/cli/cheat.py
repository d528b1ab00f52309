"""`penstock cheat`: short lists of commands by subject."""

from __future__ import annotations

from importlib import resources
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption

SHEETS = "penstock.cli.cheat_sheets"


def cheat(
    subject: Annotated[str, typer.Argument(help="such as queues; without it the subjects are listed")] = "",
    as_json: JsonOption = False,
) -> None:
    """Show a cheat sheet: the commands for a subject, ready to copy."""
    from penstock.cli.printing import show_json

    found = sheets()
    if subject and subject not in found:
        raise typer.BadParameter(f"there is no sheet {subject}; there are {', '.join(found)}")
    if as_json:
        show_json({name: text for name, text in found.items() if subject in ("", name)})
        return
    if subject:
        print(found[subject].rstrip())
        return
    for name, text in found.items():
        print(f"{name:12}{text.splitlines()[0].lstrip('# ')}")


def sheets() -> dict[str, str]:
    """Return all sheets by subject."""
    files = [each for each in resources.files(SHEETS).iterdir() if each.name.endswith(".md")]
    return {each.name.removesuffix(".md"): each.read_text("utf-8") for each in sorted(files, key=str)}
