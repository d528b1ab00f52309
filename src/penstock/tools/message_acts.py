"""Acts on many messages of a queue: purge, copy, move. Planned and counted first, then done in units of work.

A plan fixes its upper end: what arrives later is not touched. Moving takes and puts a message in one unit of
work, so that it is always on exactly one queue; messages keep their ids, properties, context and lifetime. A
failure stops the act; the unit that it was in is backed out. Called by `penstock queue` and by the console.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.peeked import FREE
from penstock.tools import dead_letters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.face.blocking import BlockingHandle, BlockingQueueManager
    from penstock.model.peeked import Peeked

SLICE = 256  # messages looked at in one call
UNIT_MESSAGES = 100
BODY_BYTES_MAX = 100 << 20
PURGE, COPY, MOVE = "purge", "copy", "move"


@dataclass(frozen=True)
class Wanted:
    """Which messages are meant; the defaults mean all."""

    msg_id: bytes | None = None
    text: str = ""  # in the body, or the beginning of an id
    age_seconds: float = 0.0  # at least this old
    count: int = 0  # at most; 0 for all

    def accepts(self, row: Peeked, now: float) -> bool:
        """Return whether a message is meant; `count` is the caller's."""
        message = row.message
        if self.msg_id not in (None, message.msg_id) or now - message.put_time < self.age_seconds:
            return False
        return not self.text or self.text.encode() in bytes(message.body or b"")


@dataclass
class Plan:
    """What an act would do."""

    queue: str
    messages: int = 0
    bytes: int = 0
    held: int = 0  # in units of work or reserved: they stay where they are
    oldest: float = 0.0
    newest: float = 0.0
    upper: int = 0  # no message behind this place is touched


@dataclass
class Outcome:
    """What an act has done."""

    found: int = 0
    done: int = 0
    gone: int = 0  # taken by somebody else meanwhile
    failed: list[dict[str, object]] = field(default_factory=list)


def chosen(qm: BlockingQueueManager, queue: str, wanted: Wanted, upper: int = 0) -> Iterator[Peeked]:
    """Yield the messages that are meant, without changing any; those behind `upper` are left out."""
    place, found, now = None, 0, time.time()
    size = BODY_BYTES_MAX if wanted.text else 0
    while rows := qm.peek(queue, after=place, count=16 if wanted.text else SLICE, body_bytes=size):
        for row in rows:
            place = (row.lane, row.place)
            if (upper and row.place > upper) or not wanted.accepts(row, now):
                continue
            yield row
            found += 1
            if found == wanted.count:
                return


def plan(qm: BlockingQueueManager, queue: str, wanted: Wanted) -> Plan:
    """Count what an act would do. Nothing is done."""
    made = Plan(queue)
    for row in chosen(qm, queue, wanted):
        if row.holder != FREE:
            made.held += 1
            continue
        put = row.message.put_time
        made.messages += 1
        made.bytes += row.length
        made.oldest = min(made.oldest or put, put)
        made.newest = max(made.newest, put)
        made.upper = max(made.upper, row.place)
    return made


def carry_out(
    qm: BlockingQueueManager,
    act: str,
    made: Plan,
    wanted: Wanted,
    target: str = "",
    rate: float = 0.0,
    progress: Callable[[int], None] = lambda done: None,
) -> Outcome:
    """Do what was planned, 100 messages per unit of work, at most `rate` a second (0 for no limit)."""
    outcome = Outcome(found=made.messages)
    rows = (
        [row for row in chosen(qm, made.queue, wanted, made.upper) if row.holder == FREE]
        if made.upper
        else []
    )
    began = time.monotonic()
    for start in range(0, len(rows), UNIT_MESSAGES):
        part = rows[start : start + UNIT_MESSAGES]
        try:
            with qm.unit_of_work():
                done = sum(_each(qm, act, made.queue, target, part))
        except MQError as failure:
            outcome.failed.append({"reason": failure.reason, "text": str(failure)})
            break
        outcome.done += done
        outcome.gone += len(part) - done
        progress(outcome.done)
        if rate:
            time.sleep(max(0.0, began + (start + len(part)) / rate - time.monotonic()))
    return outcome


def one(qm: BlockingQueueManager, act: str, queue: str, target: str, row: Peeked) -> bool:
    """Do an act to one message, in a unit of its own; False if the message has gone."""
    with qm.unit_of_work():
        return next(_each(qm, act, queue, target, [row]))


def _each(qm: BlockingQueueManager, act: str, queue: str, target: str, rows: list[Peeked]) -> Iterator[bool]:
    with ExitStack() as opened:
        there = None if act == PURGE else opened.enter_context(qm.open(target, dead_letters.AS_IT_IS))
        here = None if act == COPY else opened.enter_context(qm.open(queue, mq.MQOO_INPUT_SHARED))
        for row in rows:
            yield _copy(qm, queue, there, row) if here is None else _take(here, there, row)


def _take(here: BlockingHandle, there: BlockingHandle | None, row: Peeked) -> bool:
    message = here.get(token=row.message.token, quiet=True)
    if message is None:
        return False
    if there is not None:
        dead_letters.put_as_it_is(there, message)
    return True


def _copy(qm: BlockingQueueManager, queue: str, there: BlockingHandle | None, row: Peeked) -> bool:
    assert there is not None
    found = peek_one(qm, queue, (row.lane, row.place), BODY_BYTES_MAX)
    if found is None or found.message.token != row.message.token:
        return False
    dead_letters.put_as_it_is(there, found.message)
    return True


def peek_one(qm: BlockingQueueManager, queue: str, place: tuple[int, int], body_bytes: int) -> Peeked | None:
    """Return the message at a place; None if it is gone."""
    lane, number = place
    rows = qm.peek(queue, after=(lane, number - 1), count=1, body_bytes=body_bytes)
    return rows[0] if rows and (rows[0].lane, rows[0].place) == place else None


def check_target(queue: str, target: str) -> None:
    """Refuse a target that is the queue itself, or none; 2046."""
    if not target or target == queue:
        raise error(mq.MQRC_OPTIONS_ERROR, "name another queue as the target")
