"""Figures of message channels for metrics and `qmgr status`: what waits, how old it is, how well it moves.

Every defined sending channel has its figures, also when it is inactive: what waits and does not move is what
an operator must see. Called under the engine's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.channel.counts import Undelivered
from penstock.model.status import MessageChannelFigures, UndeliveredFigures
from penstock.serve.message_channels.definitions import MESSAGE_CHANNELS, SENDERS, definition_of
from penstock.serve.message_channels.run import INACTIVE, PAUSED, RETRYING, RUNNING, STOPPED
from penstock.serve.message_channels.status import state_of

if TYPE_CHECKING:
    from penstock.qmgr.objects import Definition
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.serve.message_channels.run import Run

OLD_SECONDS = 60.0  # age of a message or a batch in doubt that is a warning
WELL, LOOK, STUCK = 0, 1, 2


def figures(channels: MessageChannels, now: float) -> list[MessageChannelFigures]:
    """Return the figures of all channels that are defined, or run."""
    runs: dict[str, list[Run]] = {}
    for run in channels.runs():
        runs.setdefault(run.name, []).append(run)
    found = []
    in_doubt = channels.server.engine.in_doubt
    for definition in channels.server.engine.objects.all("CHANNEL"):
        if definition.subtype in MESSAGE_CHANNELS and not definition.name.startswith("SYSTEM."):
            of_it = runs.get(definition.name, [])
            if definition.subtype in SENDERS:
                doubt = [unit.started for unit in in_doubt.get(definition.name, {}).values()]
                found.append(_sending(channels, definition, of_it[0] if of_it else None, doubt, now))
            else:
                found += [_counted(channels, definition, run, now) for run in of_it]
                if not of_it and _undelivered_of(channels, definition, now)[0].number:
                    found.append(_counted(channels, definition, None, now))
    for made in found:
        made.health = _health(made)
    return found


def _counted(
    channels: MessageChannels, definition: Definition, run: Run | None, now: float
) -> MessageChannelFigures:
    made = MessageChannelFigures(channel=definition.name, type=definition.subtype, state=INACTIVE)
    made.undelivered, made.reported = _undelivered_of(channels, definition, now)
    made.confirmed = channels.totals.get(definition.name, 0)
    if run is not None:
        made.state = state_of(run)
        made.messages = run.counts.messages
        made.confirmed += run.counts.confirmed
        made.confirmed_per_second = run.counts.confirmed_rate.value(now)
        made.batch_size = run.counts.batch_size.value
        if run.end is not None:
            made.partner = run.end.partner_name
    return made


def _undelivered_of(
    channels: MessageChannels, definition: Definition, now: float
) -> list[UndeliveredFigures]:
    """Return what an end has not delivered, and what the other end has reported."""
    known = channels.undelivered.get(definition.name) or (Undelivered(), Undelivered())
    return [
        UndeliveredFigures(
            number=each.number,
            first_seconds=max(0.0, now - each.since) if each.number else 0.0,
            last_seconds=max(0.0, now - each.last_at) if each.number else 0.0,
            text=each.text,
        )
        for each in known
    ]


def _sending(
    channels: MessageChannels, definition: Definition, run: Run | None, doubt: list[float], now: float
) -> MessageChannelFigures:
    engine = channels.server.engine
    made = _counted(channels, definition, run, now)
    if run is None and engine.sync_book.is_held(definition.name):
        made.state = STOPPED
    made_of = (
        definition_of(channels.server, definition.name) or definition
    )  # a cluster sender's has the queue
    queue = engine.queues.get(str(made_of.attributes.get("XMITQ", "")))
    if queue is not None:
        made.waiting_messages = queue.depth
        made.waiting_bytes = queue.memory_bytes + queue.spilled_bytes
        oldest = queue.oldest() if queue.depth else None
        made.oldest_seconds = max(0.0, now - oldest.put_time) if oldest is not None else 0.0
    made.in_doubt = len(doubt)
    made.in_doubt_seconds = max(0.0, now - min(doubt)) if doubt else 0.0
    return made


def _health(made: MessageChannelFigures) -> int:
    """Return the health of a channel: 0 well, 1 a warning, 2 messages wait and do not move."""
    return max(_movement(made), LOOK if made.trouble else WELL)


def _movement(made: MessageChannelFigures) -> int:
    old = made.oldest_seconds > OLD_SECONDS or made.in_doubt_seconds > OLD_SECONDS
    if made.state == STOPPED:
        return STUCK if made.waiting_messages or made.in_doubt else WELL
    if made.state in (RUNNING, INACTIVE):
        waits = made.state == INACTIVE and bool(made.waiting_messages or made.in_doubt)
        return STUCK if old else LOOK if waits else WELL
    return STUCK if old else LOOK if made.state in (RETRYING, PAUSED) else WELL
