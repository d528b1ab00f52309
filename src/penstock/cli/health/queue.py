"""`penstock health queue`: depth and age of the oldest message of a queue."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption, QueueArgument
from penstock.cli.health.answering import TIMEOUT_SECONDS, CriticalOption, TimeoutOption, WarningOption


def queue(
    queue: QueueArgument,
    qmgr: QmgrOption = "",
    warning: WarningOption = "",
    critical: CriticalOption = "",
    warning_age: Annotated[str, typer.Option("--warning-age", help="the same, of the age in seconds")] = "",
    critical_age: Annotated[str, typer.Option("--critical-age", help="the same, of the age in seconds")] = "",
    timeout: TimeoutOption = TIMEOUT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Check a queue: number of messages, age of the oldest."""
    from penstock.cli.connecting import connected
    from penstock.cli.health.answering import answer, answering
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.health import queue_check, range_of

    texts = {
        "warning": warning,
        "critical": critical,
        "warning_age": warning_age,
        "critical_age": critical_age,
    }
    with answering("QUEUE", timeout, as_json):
        limits = {name: range_of(text) for name, text in texts.items()}
        with connected(qmgr, commands_only=True) as qm:
            found = qm.queues(queue)
        if len(found) != 1:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"no local queue {queue}", object=queue)
        answer(queue_check(found[0], time.time(), limits), f"{queue} depth {found[0].depth}", as_json)
