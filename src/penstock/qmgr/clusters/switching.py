"""How a cluster channel goes from one transmission queue to another, without loss and in order.

A change takes effect when the channel starts: `switch` moves its messages, many in a call, while new ones
still go to the old queue; when none is left the new one is in use. That it has begun is durable: a change
that a crash interrupts is finished first, and only then may the channel go elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr import opening
from penstock.qmgr.channels import batches
from penstock.qmgr.clusters.cluster_names import MODEL, OWN_PREFIX, SHARED, key_of
from penstock.qmgr.clusters.state import SWITCH, XMITQ
from penstock.qmgr.clusters.work import Work
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from penstock.qmgr.clusters.transmission import Transmission
    from penstock.qmgr.queue import Queue

MOVED_AT_ONCE = 500


class Switching:
    """The changes of transmission queues at one queue manager."""

    def __init__(self, transmission: Transmission) -> None:
        self._transmission = transmission
        self._clusters = transmission.clusters
        self._engine = transmission.engine

    def next_queue(self, channel: str) -> str:
        """Return the queue that a channel is to use from its next start: a change that has begun goes on."""
        return self._clusters.state.switching.get(channel) or self._transmission.wanted_queue(channel)

    def switch(self, channel: str, now: float) -> bool:
        """Go on with the change to another queue; True when nothing is left to move.

        A channel with batches in doubt, or with messages of units that are open, stays where it is until its
        next start. What has begun is finished first, whatever is wanted by then: so the order stays.
        """
        state = self._clusters.state
        old, new, begun = (
            self._transmission.queue_of(channel),
            self.next_queue(channel),
            channel in state.switching,
        )
        if old == new:
            return not self.collect(channel, now)
        if not begun and (batches.in_doubt(self._engine, channel) or self._has_open(channel, old)):
            return True
        target = self._made(new, now)
        if target is None:
            if begun:
                self._clusters.note_now(now, SWITCH, channel, "")
            return True
        if not begun:
            self._clusters.note_now(now, SWITCH, channel, new)
        if self._move(channel, old, target, now):
            return False
        work = Work(self._clusters, now)
        work.note(XMITQ, channel, "" if new == SHARED else new)
        work.note(SWITCH, channel, "")
        work.finish()
        self._clusters.channel_rerouted(channel)  # handles that are bound must not put to the old queue
        self._engine.wishes.notices.append(
            ("AMQ7341I", f"The transmission queue of channel {channel} is {new} now, before it was {old}.")
        )
        return new == self._transmission.wanted_queue(channel)

    def has_left(self, channel: str, name: str) -> bool:
        """Return whether a channel uses another queue, and is not on its way to this one."""
        return self._transmission.queue_of(channel) != name and channel not in self._clusters.state.switching

    def _has_open(self, channel: str, name: str) -> bool:
        """Return whether a unit of work has put messages of a channel to a queue, and has not ended."""
        queue, key = self._engine.queues.get(name), key_of(channel)
        return queue is not None and any(
            message.queue is queue and message.correl_id == key
            for unit in (self._engine.units.values() if queue.uncommitted else ())
            for message in unit.puts
        )

    def collect(self, channel: str, now: float) -> bool:
        """Move messages that have come to a queue which the channel has left; return whether there were any.

        Their unit of work began before the change and ended after it.
        """
        current = self._transmission.queue_of(channel)
        target = self._engine.queues.get(current)
        if target is None or channel in self._clusters.state.switching:
            return False
        return any(
            self._move(channel, name, target, now)
            for name in dict.fromkeys((SHARED, *self._transmission.watched))
            if name != current and self._transmission.has_messages(channel, name)
        )

    def _made(self, name: str, now: float) -> Queue | None:
        """Return the queue that a channel is to have, made from the model if it does not exist."""
        queue = self._engine.queues.get(name)
        if queue is not None or not name.startswith(OWN_PREFIX):
            return queue
        model = self._engine.objects.find("QUEUE", MODEL)
        if model is None:
            text = f"{MODEL} is not defined: {name} cannot be made, its channel stays where it is."
            self._engine.wishes.notices.append(("AMQ9999W", text))
            return None
        return opening.make_dynamic(self._engine, model, name, now).queue

    def _move(self, channel: str, old: str, target: Queue, now: float) -> int:
        """Move messages of a channel from its old queue, oldest first; return how many."""
        source, match = self._engine.queues.get(old), Match(correl_id=key_of(channel))
        if source is None:
            return 0
        unit, moved = self._engine.new_unit(None, now), 0
        while moved < MOVED_AT_ONCE:
            message = self._engine.select(source, match, None, now)
            if message is None:
                self._clusters.unread(self._engine.step.take_load())
                break
            self._engine.check_put(target, message, unit)
            taken = self._engine.remove(source, message, unit, now)
            taken.seq = taken.place = taken.location = taken.lane = 0
            self._engine.enqueue(target, taken, unit)
            moved += 1
        if moved:
            self._engine.commit(unit, now)
        return moved
