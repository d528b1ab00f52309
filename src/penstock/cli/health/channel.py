"""`penstock health channel`: the state of a channel, and what waits for it."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
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
    from penstock.cli.connecting import connected
    from penstock.cli.health.answering import answer, answering
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.channel_facts import mqsc_name
    from penstock.tools.health import Figure, channel_check, range_of

    with answering("CHANNEL", timeout, as_json):
        limits = range_of(warning), range_of(critical)
        with connected(qmgr, commands_only=True) as qm:
            name = mqsc_name(channel)
            ends = [each.attributes or {} for each in qm.mqsc(f"DISPLAY CHANNEL({name}) ALL", check=True)]
            ends = [each for each in ends if each["CHANNEL"] == channel]
            if not ends:
                raise error(mq.MQRCCF_CHANNEL_NOT_FOUND, f"{channel} is not a channel of {qm.name}")
            status = [each.attributes for each in qm.mqsc(f"DISPLAY CHSTATUS({name}) ALL")]
            sent_from = [str(each["XMITQ"]) for each in ends if each.get("XMITQ")]
            queues = qm.queues(sent_from[0]) if sent_from else []
        states = [str(each["STATUS"]) for each in status if each is not None] or ["INACTIVE"]
        waiting = Figure("waiting", queues[0].depth, "", *limits) if queues else None
        answer(channel_check(channel, states, waiting), f"{channel} is {', '.join(states)}", as_json)
