"""`penstock flow`: what concerns message flows; one file a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from penstock.cli.gathering import gather

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "reservations": "flow.reservations:app",
    "list": "flow.listing_flows:list_flows",
    "check": "flow.check:check",
    "graph": "flow.graph:graph",
    "import": "flow.importing:import_",
    "run": "flow.run:run",
    "test": "flow.testing:run_tests",
    "trace": "flow.trace:trace",
}


def application(words: Sequence[str]) -> typer.Typer:
    """Return the app of the command that comes next, or of all."""
    return gather(typer.Typer(help="Message flows.", no_args_is_help=True), COMMANDS, words)
