"""`penstock health qmgr`: the queue manager answers, its log has room, its disk too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.connecting import QmgrOption
from penstock.cli.health.answering import health_check

if TYPE_CHECKING:
    from penstock.cli.health.answering import Limits
    from penstock.tools.health import Check


@health_check("QMGR", warning="80", critical="95")
def qmgr(qmgr: QmgrOption = "", *, limits: Limits) -> tuple[Check, str]:
    """Check a queue manager: critical if it does not run; the ranges are percent of its log."""
    import penstock
    from penstock.cli.connecting import chosen, connected
    from penstock.model import constants as mq
    from penstock.tools.health import Check, Verdict, qmgr_check

    try:
        with connected(qmgr, commands_only=True) as qm:
            check = qmgr_check(qm.status(), *limits)
    except penstock.MQError as failure:
        if failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE:
            raise
        check = Check("QMGR")
        check.note(Verdict.CRITICAL, f"{chosen(qmgr)} does not run")
    return check, f"{chosen(qmgr)} runs"
