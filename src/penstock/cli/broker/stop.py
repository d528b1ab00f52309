"""`penstock broker stop`: ends a broker; its workers complete their units of work."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from penstock.cli.broker.start import NameArgument
from penstock.cli.connecting import JsonOption
from penstock.model import constants as mq

TICK_SECONDS = 0.05


def stop(
    name: NameArgument = "default",
    wait: Annotated[float, typer.Option("--wait", help="return after this many seconds at most")] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Stop a broker; exit 1 when it has not ended in time. What is deployed runs again when it starts."""
    from penstock.cli.printing import show_json
    from penstock.flow.broker.home import broker_home
    from penstock.model.errors import error

    home = broker_home(name)
    holder = home.holder
    if holder is None:
        raise error(mq.PSRC_BROKER, f"broker {name} does not run", broker=name)
    home.end(holder)
    end = time.monotonic() + wait
    while home.holder is not None and time.monotonic() < end:
        time.sleep(TICK_SECONDS)
    ended = home.holder is None
    if as_json:
        show_json({"name": name, "process": holder.pid, "outcome": "ended" if ended else "ending"})
    else:
        print(f"Broker {name} has ended." if ended else f"Broker {name} is still ending.")
    raise typer.Exit(0 if ended or not wait else 1)
