"""`penstock health queue`: depth and age of the oldest message of a queue."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import QmgrOption, QueueArgument
from penstock.cli.health.answering import health_check

if TYPE_CHECKING:
    from penstock.cli.health.answering import Limits
    from penstock.tools.health import Check


@health_check("QUEUE")
def queue(
    queue: QueueArgument,
    qmgr: QmgrOption = "",
    warning_age: Annotated[str, typer.Option("--warning-age", help="the same, of the age in seconds")] = "",
    critical_age: Annotated[str, typer.Option("--critical-age", help="the same, of the age in seconds")] = "",
    *,
    limits: Limits,
) -> tuple[Check, str]:
    """Check a queue: number of messages, age of the oldest."""
    from penstock.cli.connecting import connected
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.health import queue_check, range_of

    ages = range_of(warning_age), range_of(critical_age)
    with connected(qmgr, commands_only=True) as qm:
        found = qm.queues(queue)
    if len(found) != 1:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"no local queue {queue}", object=queue)
    return queue_check(found[0], time.time(), *limits, *ages), f"{queue} depth {found[0].depth}"
