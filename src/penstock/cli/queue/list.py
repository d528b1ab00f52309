"""`penstock queue list`: local queues with their depth, oldest message, readers and writers."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.durations import largest_units

COLUMNS = ("queue", "depth", "oldest", "readers", "writers", "waiting")
SYSTEM = ("SYSTEM.", "AMQ.")
NAMING_SYSTEM = ("SYSTEM", "AMQ")  # how patterns begin that ask for them


def list_(
    pattern: Annotated[
        str,
        typer.Argument(help="only queues of these names, such as 'APP.*'", autocompletion=completion.queues),
    ] = "*",
    qmgr: QmgrOption = "",
    everything: Annotated[bool, typer.Option("--all", help="also queues SYSTEM.* and AMQ.*")] = False,
    as_json: JsonOption = False,
) -> None:
    """List local queues: depth, age of the oldest message, programs that read and write, gets that wait."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.model.status import values

    with connected(qmgr, commands_only=True) as qm:
        found = qm.queues(pattern)
    if not found and "*" not in pattern:
        raise error(
            mq.MQRC_UNKNOWN_OBJECT_NAME,
            f"{pattern} is not a local queue here; `penstock resolve {pattern}` shows where a name leads",
        )
    if not everything and not pattern.startswith(NAMING_SYSTEM):
        found = [each for each in found if not each.queue.startswith(SYSTEM)]
    if as_json:
        times = ("oldest", "last_put", "last_get")
        rows = [{**values(each), **{name: moment(getattr(each, name)) for name in times}} for each in found]
        show_json(rows)
        return
    now = time.time()
    rows = [{**values(each), "oldest": age(now - each.oldest) if each.oldest else ""} for each in found]
    show_columns(COLUMNS, [[row[column] for column in COLUMNS] for row in rows])


def moment(when: float | None) -> str | None:
    """Return a time for JSON; None for none."""
    from penstock.cli.message_view import iso_time

    return iso_time(when) if when else None


def age(seconds: float) -> str:
    """Return how long something is ago, in its two largest units.

    >>> age(4), age(75), age(90061)
    ('4s', '1m15s', '1d1h')
    """
    return "".join(f"{count}{unit[0]}" for count, unit in largest_units(seconds))
