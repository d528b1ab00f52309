"""`penstock explain CODE`: the meaning of a reason code and what to do about it.

Prints from the catalogue in `model.reasons`; no queue manager is needed. `cli.main` registers `explain` as a
command. A code is a number or a name, with or without its prefix; an unknown one ends with exit code 1 and
similar names.
"""

from __future__ import annotations

import difflib
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from penstock.model.reasons import Reason

NEAR_MATCHES_MAX = 5
NEAR_LIKENESS_MIN = 0.7  # of two names, from 0 to 1
NEAR_NUMBERS = 3  # how far a number may be away to be suggested


def explain(
    code: Annotated[
        str, typer.Argument(help="a reason code: 2035, MQRC_NOT_AUTHORIZED or NOT_AUTHORIZED")
    ] = "",
    as_list: Annotated[bool, typer.Option("--list", help="List all reason codes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explain a reason code: its name, what it means and what to do."""
    from rich.console import Console

    from penstock.model.reasons import REASONS

    if as_list:
        _print_list(sorted(REASONS.values(), key=lambda entry: entry.number), as_json)
        return
    if not code:
        Console(stderr=True).print("Give a reason code, such as 2035, or --list.")
        raise typer.Exit(2)
    try:
        entry = _find(code)
    except LookupError as unknown:
        _print_unknown(str(unknown), near_matches(code), as_json)
        raise typer.Exit(1) from None
    _print_one(entry, as_json)


def near_matches(code: str) -> list[Reason]:
    """Return the entries that the user may have meant by `code`, the nearest first."""
    from penstock.model.reasons import NUMBERS, REASONS

    if code.strip().isdigit():
        number = int(code)
        near = [entry for entry in REASONS.values() if abs(entry.number - number) <= NEAR_NUMBERS]
        return sorted(near, key=lambda entry: (abs(entry.number - number), entry.number))[:NEAR_MATCHES_MAX]
    bare = {_bare(name): number for name, number in reversed(list(NUMBERS.items()))}
    wanted = _bare(code.strip().upper())
    inside = sorted((name for name in bare if wanted and wanted in name), key=len)
    close = difflib.get_close_matches(wanted, bare, NEAR_MATCHES_MAX, NEAR_LIKENESS_MIN)
    found = dict.fromkeys([*inside, *close])
    return [REASONS[bare[name]] for name in found][:NEAR_MATCHES_MAX]


def _find(code: str) -> Reason:
    from penstock.model.reasons import by_name, reason

    words = code.replace(":", " ").split()  # a line of an error message names both: "2033 MQRC_..."
    text = words[0] if words else ""
    return reason(int(text)) if text.isascii() and text.isdigit() else by_name(text)


def _bare(name: str) -> str:
    from penstock.model.reasons import PREFIXES

    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _print_one(entry: Reason, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(entry), indent=2))
        return
    import textwrap

    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"[bold]{entry.number} {entry.name}[/bold]")
    for text in (entry.meaning, f"What to do: {entry.action}"):
        wrapped = textwrap.fill(text, console.width, initial_indent="  ", subsequent_indent="  ")
        console.print(wrapped, markup=False, soft_wrap=True)


def _print_list(entries: list[Reason], as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(entry) for entry in entries], indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("number", "name", "meaning", box=None, pad_edge=False)
    table.columns[0].justify = "right"
    table.columns[1].no_wrap = True
    for entry in entries:
        table.add_row(str(entry.number), entry.name, entry.meaning)
    Console().print(table)


def _print_unknown(text: str, near: list[Reason], as_json: bool) -> None:
    if as_json:
        facts = {"text": text, "near": [asdict(entry) for entry in near]}
        print(json.dumps({"error": facts}), file=sys.stderr)
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"penstock: {text}", markup=False)
    if near:
        console.print("Did you mean:")
    for entry in near:
        console.print(f"  {entry.number} {entry.name}", markup=False)
