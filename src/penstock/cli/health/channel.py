"""`penstock health channel`: the state of a channel, and what waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import QmgrOption
from penstock.cli.health.answering import health_check

if TYPE_CHECKING:
    from penstock.cli.health.answering import Limits
    from penstock.tools.health import Check


@health_check("CHANNEL")
def channel(
    channel: Annotated[str, typer.Argument(help="the channel")], qmgr: QmgrOption = "", *, limits: Limits
) -> tuple[Check, str]:
    """Check a channel: its state, what it has not delivered; the ranges are waiting messages.

    Retrying and undelivered messages are warnings, stopped is critical.
    """
    from penstock.cli.connecting import connected
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.tools.channel_facts import mqsc_name
    from penstock.tools.health import Figure, channel_check

    with connected(qmgr, commands_only=True) as qm:
        name = mqsc_name(channel)
        ends = [each.attributes or {} for each in qm.mqsc(f"DISPLAY CHANNEL({name}) ALL", check=True)]
        ends = [each for each in ends if each["CHANNEL"] == channel]
        if not ends:
            raise error(mq.MQRCCF_CHANNEL_NOT_FOUND, f"{channel} is not a channel of {qm.name}")
        status = [each.attributes for each in qm.mqsc(f"DISPLAY CHSTATUS({name}) ALL")]
        sent_from = [str(each["XMITQ"]) for each in ends if each.get("XMITQ")]
        queues = qm.queues(sent_from[0]) if sent_from else []
        figures = [each for each in qm.status().message_channels if each.channel == channel]
    states = [str(each["STATUS"]) for each in status if each is not None] or ["INACTIVE"]
    waiting = Figure("waiting", queues[0].depth, "", *limits) if queues else None
    undelivered = figures[0].trouble if figures else ""
    return channel_check(channel, states, waiting, undelivered), f"{channel} is {', '.join(states)}"
