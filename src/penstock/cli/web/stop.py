"""`penstock web stop`: ends the web process of this home."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.model import constants as mq

TICK_SECONDS = 0.05


def stop(
    wait: Annotated[float, typer.Option("--wait", help="come back after so many seconds at most")] = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Stop the web console; jobs end after the message they are at. Exit 1 when it has not ended in time."""
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_json
    from penstock.model.errors import error

    with needs_extra("console"):
        from penstock.console.process import ask_to_end, holder

    found = holder()
    if found is None:
        raise error(mq.PSRC_BROKER, "the web console does not run")
    ask_to_end(found)
    end = time.monotonic() + wait
    while holder() is not None and time.monotonic() < end:
        time.sleep(TICK_SECONDS)
    ended = holder() is None
    if as_json:
        show_json({"process": found.pid, "outcome": "ended" if ended else "ending"})
    else:
        print("The web console has ended." if ended else "The web console is still ending.")
    raise typer.Exit(0 if ended else 1)
