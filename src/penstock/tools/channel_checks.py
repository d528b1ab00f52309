"""Why a message channel does not move messages: one check after another, at one end or at both.

Each check has a subject, a verdict, and advice if something is wrong. Everything is read with
DISPLAY commands; nothing is started or changed. Called by `penstock channel explain`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.reasons import REASONS
from penstock.tools import undelivered
from penstock.tools.channel_facts import (
    RECEIVING,
    SENDING,
    Check,
    channel_of,
    channels_of,
    displayed,
    mqsc_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.tools.channel_facts import ChannelFacts

FITTING = {
    "SDR": ("RCVR", "RQSTR"),
    "SVR": ("RCVR", "RQSTR"),
    "RCVR": ("SDR", "SVR"),
    "RQSTR": ("SDR", "SVR"),
}
DIALLING = ("SDR", "RQSTR")  # they need an address
CLUSTERED = ("CLUSSDR", "CLUSRCVR")
MUST_AGREE = ("SEQWRAP", "SSLCIPH")
PORT = re.compile(r"\((\d+)\)\s*$")
PORT_DEFAULT = "1414"
MILESTONES = 5  # the last ones, that explain the state


def examined(
    qm: BlockingQueueManager, channel: str, connect: Callable[[str], BlockingQueueManager]
) -> dict[str, Any]:
    """Return the facts about a channel and the checks; `connect` gives the partner, or says why not."""
    milestones = [each for each in qm.trace("CHANNEL", channel) if "text" in each][-MILESTONES:]
    facts = channel_of(qm, channel)
    if facts.type in RECEIVING and facts.state == "INACTIVE" and not facts.last_error:
        facts = msgspec.structs.replace(facts, last_error=_last_end(facts, milestones))
    [definition] = _defined(qm, channel)
    checks = [*_served(qm), _state(facts), *undelivered.checks(qm, channel)]
    if facts.type in CLUSTERED:
        checks += _other_member(facts, connect)
    else:
        if facts.type in DIALLING and not definition.get("CONNAME"):
            example = f"ALTER CHANNEL({mqsc_name(facts.channel)}) CHLTYPE({facts.type}) CONNAME('host(1414)')"
            checks.append(Check("address", False, "CONNAME is blank", example))
        if facts.type in SENDING:
            checks += _queue(qm, facts)
        checks += _other_end(facts, definition, connect)
    shown = [msgspec.to_builtins(each) for each in checks]
    return {"channel": msgspec.to_builtins(facts), "checks": shown, "milestones": milestones}


def _last_end(facts: ChannelFacts, milestones: list[dict[str, Any]]) -> str:
    """Return why the last link of a receiving channel failed; empty if it ended normally."""
    last = milestones[-1] if milestones else {"event": "", "text": ""}
    said = f"Channel {facts.channel} has ended: "
    return str(last["text"]).removeprefix(said).rstrip(".") if last["event"] == "AMQ9999E" else ""


def _defined(qm: BlockingQueueManager, channel: str) -> list[dict[str, Any]]:
    """Return the definition of a channel; a client's end may have the same name and is left out."""
    rows = displayed(qm, f"DISPLAY CHANNEL({mqsc_name(channel)}) ALL")
    return [row for row in rows if row["CHLTYPE"] != "CLNTCONN"]


def _served(qm: BlockingQueueManager) -> Iterator[Check]:
    """Yield a check for a queue manager that no server runs: none of its channels can run."""
    if displayed(qm, "DISPLAY QMSTATUS CHINIT")[0]["CHINIT"] != "RUNNING":
        text = f"{qm.name} is not started, and channels run only in a started one"
        yield Check("queue manager", False, text, f"penstock qmgr start {qm.name}")


def _state(facts: ChannelFacts) -> Check:
    doubt = "; a batch is in doubt and is decided when both ends meet" if facts.in_doubt else ""
    if facts.state == "STOPPED":
        return Check("state", False, f"it was stopped{doubt}", f"START CHANNEL({mqsc_name(facts.channel)})")
    if facts.state in ("RETRYING", "PAUSED"):
        again = f", tried again in {facts.next_try_seconds} s" if facts.state == "RETRYING" else ""
        text = f"{facts.state}{again}: {facts.last_error}{doubt}"
        return Check("state", False, text, _advice(facts.last_error))
    if facts.state == "INACTIVE" and facts.last_error:
        return Check("state", False, f"INACTIVE: {facts.last_error}{doubt}", _advice(facts.last_error))
    idle = facts.in_doubt and facts.state == "INACTIVE"
    advice = f"START CHANNEL({mqsc_name(facts.channel)})" if idle else ""
    return Check("state", not idle, f"{facts.state}{doubt}", advice)


def _advice(failure: str) -> str:
    number = failure.partition(" ")[0].rstrip(":")
    return REASONS[int(number)].action if number.isdigit() and int(number) in REASONS else ""


def _queue(qm: BlockingQueueManager, facts: ChannelFacts) -> Iterator[Check]:
    name = facts.transmission_queue
    written, started = mqsc_name(name), mqsc_name(facts.channel)
    rows = displayed(qm, f"DISPLAY QLOCAL({written}) ALL") if name else []
    if not rows:
        text = f"{name} is not a local queue" if name else "XMITQ is blank"
        yield Check("transmission queue", False, text, "set XMITQ")
        return
    queue = rows[0]
    if queue["USAGE"] != "XMITQ":
        yield Check(
            "transmission queue",
            False,
            f"{name} is not USAGE(XMITQ)",
            f"ALTER QLOCAL({written}) USAGE(XMITQ)",
        )
        return
    disabled = queue["GET"] == "DISABLED"
    advice = f"ALTER QLOCAL({written}) GET(ENABLED)" if disabled else ""
    shut = ", but GET(DISABLED)" if disabled else ""
    yield Check("transmission queue", not disabled, f"{name}, {facts.waiting} waiting{shut}", advice)
    triggered = queue["TRIGGER"] == "YES" and queue["INITQ"] == "SYSTEM.CHANNEL.INITQ"
    how = "messages start the channel" if triggered else "only START CHANNEL starts it"
    advice = (
        f"ALTER QLOCAL({written}) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA({started})"
    )
    idle = not triggered and facts.state == "INACTIVE" and facts.waiting > 0
    yield Check("trigger", not idle, how, advice if idle else "")


def _other_member(facts: ChannelFacts, connect: Callable[[str], BlockingQueueManager]) -> Iterator[Check]:
    """Yield what the other end of a cluster's channel has not delivered, if it can be asked."""
    yield Check("other end", True, "defined by the cluster; penstock cluster check asks all members")
    with suppress(MQError), connect(facts.partner) as partner:
        yield from undelivered.checks(partner, facts.channel)


def _other_end(
    facts: ChannelFacts, definition: dict[str, Any], connect: Callable[[str], BlockingQueueManager]
) -> Iterator[Check]:
    try:
        partner = connect(facts.partner)
    except MQError as failure:
        yield _not_asked(facts, failure)
        return
    with partner as qm:
        there = _defined(qm, facts.channel)
        other = channels_of(qm, facts.channel)
        listeners = displayed(qm, "DISPLAY LSSTATUS(*) ALL")
        troubles = [*undelivered.checks(qm, facts.channel)]
    if facts.state != "RUNNING" and definition.get("CONNAME"):
        yield from _address(facts, str(definition["CONNAME"]), [str(row["PORT"]) for row in listeners])
    if not there:
        kind = FITTING[facts.type][0]
        advice = f"DEFINE CHANNEL({mqsc_name(facts.channel)}) CHLTYPE({kind}) at {facts.partner}"
        yield Check("other end", False, f"{facts.channel} is not defined at {facts.partner}", advice)
        return
    kind = there[0]["CHLTYPE"]
    fits = kind in FITTING[facts.type]
    advice = "" if fits else f"it must be {' or '.join(FITTING[facts.type])}"
    state = other[0].state if other else ""
    yield Check("other end", fits, f"{kind} at {facts.partner}, {state}", advice)
    yield from troubles
    for name in MUST_AGREE:
        same = definition.get(name) == there[0].get(name)
        text = f"{definition.get(name) or 'none'} here, {there[0].get(name) or 'none'} there"
        if not same:
            yield Check(name, False, text, f"give {name} the same value at both ends")


def _not_asked(facts: ChannelFacts, failure: MQError) -> Check:
    """Say why the partner was not asked: only one that is of this home and does not run is a mistake."""
    if failure.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE and facts.state != "RUNNING":
        text = f"{facts.partner} is in this home and does not run"
        return Check("other end", False, text, f"penstock qmgr start {facts.partner}")
    if not facts.partner:
        return Check("other end", True, "no partner has connected yet: not compared")
    missing = failure.reason in (mq.MQRC_Q_MGR_NAME_ERROR, mq.MQRC_Q_MGR_NOT_AVAILABLE)
    why = "does not run in this home" if missing else f"cannot be asked ({failure.reason} {failure.name})"
    return Check("other end", True, f"{facts.partner} {why}: not compared")


def _address(facts: ChannelFacts, address: str, listening: list[str]) -> Iterator[Check]:
    """Yield a check if no port of the channel's address is one that the partner listens at."""
    ports = [found[1] if (found := PORT.search(each)) else PORT_DEFAULT for each in address.split(",")]
    if set(ports) & set(listening):
        return
    if not listening:
        yield Check("address", False, f"{facts.partner} has no listener that runs", "START LISTENER there")
        return
    host = address.partition(",")[0].partition("(")[0]
    advice = (
        f"ALTER CHANNEL({mqsc_name(facts.channel)}) CHLTYPE({facts.type}) CONNAME('{host}({listening[0]})')"
    )
    text = f"CONNAME({address}), but {facts.partner} listens at {', '.join(listening)}"
    yield Check("address", False, text, advice)
