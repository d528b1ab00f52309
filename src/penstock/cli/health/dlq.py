"""`penstock health dlq`: dead letters that wait for an operator."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.cli.connecting import QmgrOption
from penstock.cli.health.answering import health_check

if TYPE_CHECKING:
    from penstock.cli.health.answering import Limits
    from penstock.tools.health import Check


@health_check("DLQ", warning="0")
def dlq(qmgr: QmgrOption = "", *, limits: Limits) -> tuple[Check, str]:
    """Check the dead-letter queue: a warning if there is any letter, or as the ranges say."""
    from penstock.cli.connecting import connected
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.health import queue_check

    with connected(qmgr, commands_only=True) as qm:
        [about] = (each.attributes for each in qm.mqsc("DISPLAY QMGR DEADQ", check=True))
        name = str((about or {}).get("DEADQ", ""))
        found = qm.queues(name) if name else []
    if not found:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "the queue manager has no dead-letter queue")
    check = queue_check(found[0], time.time(), *limits)
    check.subject = "DLQ"
    return check, "no dead letters"
