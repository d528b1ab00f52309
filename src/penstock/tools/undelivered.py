"""Messages that a channel did not deliver, at one queue manager: counted, and found on its dead-letter queue.

The counts are of the running queue manager, and lost when it ends; letters are found after that, too.
Called by `channel_checks`; nothing is changed here.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.model.peeked import EXPIRED, LAST
from penstock.model.reasons import REASONS
from penstock.tools.channel_facts import Check, displayed
from penstock.tools.dead_letters import HEADER_BYTES, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.status import UndeliveredFigures
    from penstock.tools.dead_letters import Letter

LETTERS_MAX = 10_000  # that are looked at, the last ones first
SLICE = 500


def checks(qm: BlockingQueueManager, channel: str) -> Iterator[Check]:
    """Yield checks of one end of a channel; none if it has delivered everything."""
    for row in qm.status().message_channels:
        if row.channel == channel:
            if row.undelivered.number:
                yield _count(f"{row.undelivered.number} not delivered by {qm.name}", row.undelivered)
            if row.reported.number:
                who = row.partner or "the other end"
                batches = "1 batch" if row.reported.number == 1 else f"{row.reported.number} batches"
                yield _count(f"{who} did not deliver messages of {batches}", row.reported)
            break
    yield from _lying(qm, channel)


def _count(what: str, known: UndeliveredFigures) -> Check:
    now = time.time()
    first, last = _clock(now - known.first_seconds), _clock(now - known.last_seconds)
    return Check("delivery", not known.is_recent, f"{what} since {first}, the last at {last}: {known.text}")


def _lying(qm: BlockingQueueManager, channel: str) -> Iterator[Check]:
    """Yield a check of the channel's letters on the dead-letter queue."""
    queue = displayed(qm, "DISPLAY QMGR DEADQ")[0]["DEADQ"]
    if not queue:
        return
    try:
        letters = list(_letters(qm, queue, channel))
    except MQError as failure:
        yield Check("dead letters", True, f"{queue} of {qm.name} cannot be looked at: {failure}")
        return
    if letters:
        causes = Counter(_named(letter.reason) for letter in letters)
        why = ", ".join(f"{number} x {cause}" for cause, number in causes.most_common())
        since = _clock(min(letter.since for letter in letters))
        text = f"{len(letters)} on {queue} of {qm.name} since {since}: {why}"
        advice = f"penstock dlq list --channel {channel} -m {qm.name}"
        yield Check("dead letters", False, text, advice)


def _letters(qm: BlockingQueueManager, queue: str, channel: str) -> Iterator[Letter]:
    """Yield the last letters of a channel; of bodies only the header is read."""
    place, looked_at = LAST, 0
    while looked_at < LETTERS_MAX:
        rows = qm.peek(queue, after=place, count=SLICE, body_bytes=HEADER_BYTES, backwards=True)
        if not rows:
            return
        for row in rows:
            letter = read(row.message)
            if letter.channel == channel and row.holder != EXPIRED:
                yield letter
        looked_at += len(rows)
        place = rows[-1].lane, rows[-1].place


def _named(reason: int) -> str:
    return f"{reason} {REASONS[reason].name}" if reason in REASONS else str(reason)


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
