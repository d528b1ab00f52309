"""`penstock top`: queues, channels, flows and the log, live in the terminal, or once for programs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, connected, named

if TYPE_CHECKING:
    from penstock.cli.top.keys import Keys
    from penstock.cli.top.screen import Screen
    from penstock.cli.top.views import Looker, Sample

ONCE_SECONDS = 1.0  # between the two looks that a single output of rates needs


def top(
    name: QmgrArgument = "",
    qmgr: QmgrOption = "",
    view: Annotated[str, typer.Option("--view", help="queues, channels, flows or log")] = "queues",
    sort: Annotated[str, typer.Option("--sort", help="column to sort by, largest first")] = "",
    everything: Annotated[bool, typer.Option("--all", help="also queues SYSTEM.* and AMQ.*")] = False,
    once: Annotated[bool, typer.Option("--once", help="print once, after a second, and end")] = False,
    as_json: JsonOption = False,
) -> None:
    """Watch queues, channels, flows and the log; press ? for the keys. Also over mq://.

    Without a terminal, or with --once or --json, it prints once and ends.
    """
    from penstock.cli.top.screen import Screen
    from penstock.cli.top.views import COLUMNS, VIEWS, Looker

    if view not in VIEWS:
        raise typer.BadParameter(f"--view {view}: there are {', '.join(VIEWS)}")
    if sort and sort not in COLUMNS[view]:
        raise typer.BadParameter(f"--sort {sort}: {view} has {', '.join(COLUMNS[view])}")
    screen = Screen(view=view, sort=COLUMNS[view].index(sort) if sort else 1)
    with connected(named(name, qmgr), commands_only=True) as qm:
        looker = Looker(qm, everything)
        if once or as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            _print_once(looker, screen, as_json)
        else:
            _watch(looker, screen)


def _print_once(looker: Looker, screen: Screen, as_json: bool) -> None:
    from penstock.cli.printing import show_columns, show_json
    from penstock.cli.top.views import COLUMNS, arranged, text_of

    looker.look()
    time.sleep(ONCE_SECONDS)
    sample = looker.look()
    if as_json:
        show_json(facts_of(sample))
        return
    columns = COLUMNS[screen.view]
    rows = arranged(sample.rows[screen.view], columns, screen.sorted_by, True, "")
    show_columns(columns, [[text_of(row.get(column)) for column in columns] for row in rows])


def facts_of(sample: Sample) -> dict[str, Any]:
    """Return a sample for JSON."""
    return {"name": sample.name, "time": sample.at, "totals": sample.totals, **sample.rows}


def _watch(looker: Looker, screen: Screen) -> None:
    """Draw until the user quits; the terminal is as before at the end."""
    from rich.console import Console
    from rich.live import Live

    from penstock.cli.top.keys import single_keys

    console = Console()
    sample = looker.look()
    with single_keys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        while not screen.ended:
            live.update(screen.draw(sample, console.size.height), refresh=True)
            if _wait(screen, keys) or screen.ended:
                continue  # a key changes what is shown at once
            if not screen.paused:
                sample = looker.look()


def _wait(screen: Screen, keys: Keys) -> bool:
    """Wait for a key until the next look is due; return whether one came."""
    key = keys.next(screen.seconds)
    if key:
        screen.press(key)
    return bool(key)
