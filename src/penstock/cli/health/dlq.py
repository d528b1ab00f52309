"""`penstock health dlq`: dead letters that wait for an operator."""

from __future__ import annotations

import time

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.health.answering import TIMEOUT_SECONDS, CriticalOption, TimeoutOption, WarningOption


def dlq(
    qmgr: QmgrOption = "",
    warning: WarningOption = "0",
    critical: CriticalOption = "",
    timeout: TimeoutOption = TIMEOUT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Check the dead-letter queue: a warning if there is any letter, or as the ranges say."""
    from penstock.cli.connecting import connected
    from penstock.cli.health.answering import answer, answering
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.health import queue_check, range_of

    with answering("DLQ", timeout, as_json):
        limits = {"warning": range_of(warning), "critical": range_of(critical)}
        with connected(qmgr, commands_only=True) as qm:
            [about] = (each.attributes for each in qm.mqsc("DISPLAY QMGR DEADQ", check=True))
            name = str((about or {}).get("DEADQ", ""))
            found = qm.queues(name) if name else []
        if not found:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "the queue manager has no dead-letter queue")
        check = queue_check(found[0], time.time(), {**limits, "warning_age": None, "critical_age": None})
        check.subject = "DLQ"
        answer(check, "no dead letters", as_json)
