"""`penstock health channel`: the state of a channel, and what waits for it."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.choosing import JsonOption, QmgrOption
from penstock.cli.health.answering import TIMEOUT_SECONDS, CriticalOption, TimeoutOption, WarningOption


def channel(
    channel: Annotated[str, typer.Argument(help="the channel")],
    qmgr: QmgrOption = "",
    warning: WarningOption = "",
    critical: CriticalOption = "",
    timeout: TimeoutOption = TIMEOUT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Check a channel: retrying is a warning, stopped is critical; the ranges are waiting messages."""
    from penstock.cli.choosing import connected
    from penstock.cli.health.answering import answer, answering
    from penstock.tools.health import Figure, channel_check, range_of

    with answering("CHANNEL", timeout, as_json):
        limits = range_of(warning), range_of(critical)
        with connected(qmgr, commands_only=True) as qm:
            [about] = (
                each.attributes or {} for each in qm.mqsc(f"DISPLAY CHANNEL({channel}) ALL", check=True)
            )
            status = [each.attributes for each in qm.mqsc(f"DISPLAY CHSTATUS({channel}) ALL")]
            queues = qm.queues(str(about["XMITQ"])) if about.get("XMITQ") else []
        states = [str(each["STATUS"]) for each in status if each is not None] or ["INACTIVE"]
        waiting = Figure("waiting", queues[0].depth, "", *limits) if queues else None
        answer(channel_check(channel, states, waiting), f"{channel} is {', '.join(states)}", as_json)
