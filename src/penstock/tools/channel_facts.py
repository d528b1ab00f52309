"""Facts about message channels for operators: state, partner, waiting messages, last error, health.

Read with DISPLAY commands from one queue manager, embedded or connected. `penstock channel` shows it,
`network_map` draws it. Nothing is started or changed here.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.status import MessageChannelFigures

SENDING = frozenset({"SDR", "SVR", "CLUSSDR"})
RECEIVING = frozenset({"RCVR", "RQSTR", "CLUSRCVR"})
WAITING_SECONDS_MAX = 60.0  # that messages may wait for an inactive channel before it is a warning
WELL, DOUBTFUL, BAD = 0, 1, 2
UNQUOTED = re.compile(r"[A-Z0-9._/%*]+")  # what MQSC reads as it is


class ChannelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A message channel of one queue manager."""

    queue_manager: str
    channel: str
    type: str
    partner: str  # queue manager, or the address where that is not known
    address: str
    state: str
    substate: str = ""
    transmission_queue: str = ""
    waiting: int = 0
    oldest: float | None = None  # put time of the oldest message that waits
    messages: int = 0
    batches: int = 0
    in_doubt: bool = False
    last_error: str = ""
    next_try_seconds: int = 0
    undelivered: int = 0  # messages that this end has not put or sent, since the server started
    trouble: str = ""  # the last message that either end has not delivered, if that was within an hour
    health: int = WELL  # 0 well, 1 look at it, 2 bad


class Check(msgspec.Struct, frozen=True):
    """One look."""

    check: str
    passed: bool
    text: str
    advice: str = ""


def channels_of(qm: BlockingQueueManager, pattern: str = "*") -> list[ChannelFacts]:
    """Return the message channels of a queue manager, those of SYSTEM left out."""
    defined = [
        row
        for row in displayed(qm, f"DISPLAY CHANNEL({mqsc_name(pattern)}) ALL")
        if row["CHLTYPE"] in SENDING | RECEIVING and not row["CHANNEL"].startswith("SYSTEM.")
    ]
    if not defined:
        return []
    asked = f"DISPLAY CHSTATUS({mqsc_name(pattern)})"
    saved = {row["CHANNEL"]: {"INDOUBT": row["INDOUBT"]} for row in displayed(qm, f"{asked} SAVED INDOUBT")}
    status = saved | {row["CHANNEL"]: row for row in displayed(qm, f"{asked} ALL")}
    remote = {row["XMITQ"]: row["RQMNAME"] for row in displayed(qm, "DISPLAY QREMOTE(*) ALL") if row["XMITQ"]}
    queues = {row.queue: row for row in qm.queues()}
    figures = {row.channel: row for row in qm.status().message_channels}
    found = [_facts(qm.name, row, status.get(row["CHANNEL"], {}), remote, queues) for row in defined]
    return [_with_undelivered(each, figures.get(each.channel)) for each in found]


def channel_of(qm: BlockingQueueManager, channel: str) -> ChannelFacts:
    """Return the facts about the message channel of exactly this name; 4032 if there is none."""
    for each in channels_of(qm, channel):
        if each.channel == channel:
            return each
    raise error(mq.MQRCCF_CHANNEL_NOT_FOUND, f"{channel} is not a message channel of {qm.name}")


def displayed(qm: BlockingQueueManager, command: str) -> list[dict[str, Any]]:
    """Run a DISPLAY command; return its rows, none if nothing is found."""
    return [dict(each.attributes) for each in qm.mqsc(command) if each.attributes is not None]


def mqsc_name(name: str) -> str:
    """Return a name for an MQSC command, quoted unless MQSC keeps it without quotes."""
    return name if UNQUOTED.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def _facts(
    owner: str,
    channel: dict[str, Any],
    status: dict[str, Any],
    remote: dict[str, str],
    queues: dict[str, Any],
) -> ChannelFacts:
    queue = str(channel.get("XMITQ", ""))
    figures = queues.get(queue)
    known = status.get("RQMNAME") or remote.get(queue) or queue or channel.get("CONNAME")
    return ChannelFacts(
        queue_manager=owner,
        channel=channel["CHANNEL"],
        type=channel["CHLTYPE"],
        partner=str(known or ""),
        address=str(status.get("CONNAME") or channel.get("CONNAME", "")),
        state=status.get("STATUS", "INACTIVE"),
        substate=status.get("SUBSTATE", ""),
        transmission_queue=queue,
        waiting=figures.depth if figures is not None else 0,
        oldest=figures.oldest if figures is not None else None,
        messages=status.get("MSGS", 0),
        batches=status.get("BATCHES", 0),
        in_doubt=status.get("INDOUBT") == "YES",
        last_error=status.get("LSTERR", ""),
        next_try_seconds=status.get("NEXTRTRY", 0),
    )


def _with_undelivered(facts: ChannelFacts, figures: MessageChannelFigures | None) -> ChannelFacts:
    """Return the facts with what was not delivered, and the health."""
    if figures is not None:
        facts = msgspec.structs.replace(
            facts, undelivered=figures.undelivered.number, trouble=figures.trouble
        )
    return msgspec.structs.replace(facts, health=health_of(facts, time.time()))


def health_of(facts: ChannelFacts, now: float) -> int:
    """Return the health: 0 well, 1 a warning, 2 bad."""
    if facts.state == "STOPPED":
        return BAD if facts.waiting or facts.in_doubt else DOUBTFUL
    if facts.state in ("RETRYING", "PAUSED"):
        return DOUBTFUL
    late = facts.oldest is not None and now - facts.oldest > WAITING_SECONDS_MAX
    if facts.state == "INACTIVE" and facts.waiting and late:
        return BAD
    return DOUBTFUL if facts.trouble else WELL
