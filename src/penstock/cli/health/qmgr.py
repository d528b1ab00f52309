"""`penstock health qmgr`: the queue manager answers, its log has room, its disk too."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.health.answering import TIMEOUT_SECONDS, CriticalOption, TimeoutOption, WarningOption


def qmgr(
    qmgr: QmgrOption = "",
    warning: WarningOption = "80",
    critical: CriticalOption = "95",
    timeout: TimeoutOption = TIMEOUT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Check a queue manager: critical if it does not run; the ranges are percent of its log."""
    import penstock
    from penstock.cli.connecting import chosen, connected
    from penstock.cli.health.answering import answer, answering
    from penstock.model import constants as mq
    from penstock.tools.health import Check, Verdict, qmgr_check, range_of

    with answering("QMGR", timeout, as_json):
        limits = range_of(warning), range_of(critical)
        try:
            with connected(qmgr, commands_only=True) as qm:
                check = qmgr_check(qm.status(), *limits)
        except penstock.MQError as failure:
            if failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE:
                raise
            check = Check("QMGR")
            check.note(Verdict.CRITICAL, f"{chosen(qmgr)} does not run")
        answer(check, f"{chosen(qmgr)} runs", as_json)
