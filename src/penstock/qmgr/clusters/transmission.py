"""Cluster transmission queues: which one a channel uses, what is put to it, and who is informed of arrivals.

All channels share SYSTEM.CLUSTER.TRANSMIT.QUEUE, unless DEFCLXQ(CHANNEL) gives each its own or a queue has
CLCHNAME with the channel's name or a pattern. The correlation id of a message there is the channel's name.
How a channel goes from one queue to another is in `switching`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import NEVER, Descriptor, Message
from penstock.qmgr.clusters.cluster_names import COMMAND, OWN_PREFIX, SHARED, key_of
from penstock.qmgr.clusters.switching import Switching
from penstock.qmgr.names.name_resolution import Route
from penstock.qmgr.states import AVAILABLE
from penstock.qmgr.waiters import Match, Waiter, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

FORMAT = "PSKCLUST"
NAMES_MAX = 10_000
CONTROL_PRIORITY = 9  # repository messages need no order, and must not wait behind a backlog


class Claim:
    """A cluster transmission queue in the hands of one of its channels."""

    def __init__(
        self, transmission: Transmission, queue: Queue, channel: str, bell: Callable[[], None]
    ) -> None:
        self._transmission = transmission
        self._channel = channel
        self.queue = queue
        queue.inputs += 1
        transmission.bells[channel] = bell

    def listen(self) -> None:
        """Note arrivals."""
        self._transmission.watch(self.queue)

    @property
    def listens(self) -> bool:
        """Whether arrivals are noted."""
        return self._transmission.watches(self.queue)

    def give_back(self, now: float) -> None:
        """Close the queue."""
        self.queue.inputs -= 1
        self._transmission.bells.pop(self._channel, None)

    @property
    def waiting(self) -> bool:
        """Whether a message of the channel is on the queue."""
        return self._transmission.has_messages(self._channel, self.queue.name)


class Transmission:
    """The transmission queues of all cluster sender channels."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.engine = clusters.engine
        self.bells: dict[str, Callable[[], None]] = {}  # of channels that run
        self.starter: Callable[[str], None] | None = None  # starts a channel, where a server runs
        self.collector: Callable[[str], None] | None = None  # has messages of a channel collected, likewise
        self.watched: dict[str, Waiter] = {}
        self._names: dict[bytes, str] = {}  # of channels, by the correlation id of their messages
        self.switching = Switching(self)

    # -- which queue -----------------------------------------------------------------------

    def queue_of(self, channel: str) -> str:
        """Return the transmission queue that a channel uses now."""
        return self.clusters.state.xmitqs.get(channel, SHARED)

    def wanted_queue(self, channel: str) -> str:
        """Return the queue that the definitions want a channel to use."""
        best, found = -1, ""
        for queue in self.engine.queues.values():
            pattern = str(queue.definition.attributes.get("CLCHNAME", "")).strip()
            if pattern and fnmatchcase(channel, pattern) and queue.definition.attributes["USAGE"] == "XMITQ":
                precision = len(pattern.replace("*", "")) * 2 + ("*" not in pattern)
                if precision > best:
                    best, found = precision, queue.name
        if found:
            return found
        separate = self.engine.definition.attributes.get("DEFCLXQ") == "CHANNEL"
        return f"{OWN_PREFIX}{channel}" if separate else SHARED

    # -- putting ---------------------------------------------------------------------------

    def route(self, channel: str, queue: str, qmgr: str, **details: Any) -> Route:
        """Return the route to a queue at the other end of a channel; 2195 when its queue is gone."""
        name = self.queue_of(channel)
        xmitq = self.engine.queues.get(name)
        if xmitq is None:
            raise error(mq.MQRC_UNKNOWN_XMIT_Q, f"transmission queue {name} is not defined", object=name)
        if name not in self.watched:
            self.watch(xmitq)
        path = (xmitq.definition,)
        details = {"first": xmitq.definition, "path": path, **details}
        return Route(xmitq, queue, qmgr, remote=True, channel=channel, key=key_of(channel), **details)

    def put_control(
        self, channel: str, body: bytes, unit: UnitOfWork | None, now: float, expires_at: float = NEVER
    ) -> None:
        """Put a message of the repository for the member at the other end of a channel."""
        descriptor = Descriptor(format=FORMAT, put_appl_name=self.engine.name[:28])
        message = Message(
            body, self.engine.ids.next(), persistent=True, priority=CONTROL_PRIORITY, put_time=now
        )
        message.descriptor = descriptor
        message.expires_at = expires_at
        self.engine.put_message(self.route(channel, COMMAND, ""), message, unit, now)

    # -- arrivals --------------------------------------------------------------------------

    def claim(self, channel: str, bell: Callable[[], None]) -> Claim:
        """Open the queue of a channel for it; 2085, 2016 or 2042 when that cannot be."""
        name = self.queue_of(channel)
        queue = self.engine.queues.get(name)
        if queue is None:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"queue {name} is not defined", object=name)
        if not queue.get_enabled:
            raise error(mq.MQRC_GET_INHIBITED, f"queue {name} is GET(DISABLED)", object=name)
        if queue.exclusive:
            raise error(mq.MQRC_OBJECT_IN_USE, f"queue {name} is open elsewhere", object=name)
        claim = Claim(self, queue, channel, bell)
        claim.listen()
        return claim

    def has_messages(self, channel: str, name: str = "") -> bool:
        """Return whether messages of a channel wait."""
        queue = self.engine.queues.get(name or self.queue_of(channel))
        if queue is None or not queue.depth:
            return False
        match = Match(correl_id=key_of(channel))
        return queue.complete_index_for(match).find(match) is not None

    def waiting(self, channel: str) -> int:
        """Return how many messages of a channel are on its queue."""
        queue = self.engine.queues.get(self.queue_of(channel))
        if queue is None or not queue.depth:
            return 0
        key = key_of(channel)
        return len(queue.complete_index_for(Match(correl_id=key)).all(key))

    def watches(self, queue: Queue) -> bool:
        """Return whether arrivals on a queue are noted."""
        waiter = self.watched.get(queue.name)
        return waiter is not None and bool(waiter.active) and waiter.queue is queue

    def watch(self, queue: Queue) -> None:
        """Note messages that arrive on a cluster transmission queue."""
        if self.watches(queue):
            return
        waiter = Waiter(queue, None, None, self._changed, self._arrived)
        if queue.waiting is None:
            queue.waiting = Waiting()
        queue.waiting.add(waiter)
        self.watched[queue.name] = waiter

    def watch_all(self) -> list[str]:
        """Watch all queues in use; return the channels that have messages."""
        found: dict[str, None] = {}
        own = [name for name in self.engine.queues if name.startswith(OWN_PREFIX)]
        for name in dict.fromkeys((SHARED, *self.clusters.state.xmitqs.values(), *own)):
            queue = self.engine.queues.get(name)
            if queue is not None:
                self.watch(queue)
                for message in queue.messages():
                    if message.state == AVAILABLE and message.onward is not None:
                        found[message.correl_id.decode("ascii", "replace").strip()] = None
        return [channel for channel in found if channel]

    def _changed(self, waiter: Any) -> None:
        self.watched.pop(waiter.queue.name, None)
        for bell in list(self.bells.values()):
            bell()

    def _arrived(self, waiter: Any, came: Message | None) -> bool:
        if came is None:
            for bell in list(self.bells.values()):
                bell()
        elif came.onward is not None:
            channel = self._names.get(came.correl_id) or self._name_of(came.correl_id)
            ring = self.bells.get(channel)
            if self.collector is not None and self.switching.has_left(channel, waiter.queue.name):
                self.collector(channel)
            if ring is not None:
                ring()
            elif self.starter is not None:
                self.starter(channel)
        return False

    def _name_of(self, correl_id: bytes) -> str:
        if len(self._names) >= NAMES_MAX:
            self._names.clear()
        name = self._names[correl_id] = correl_id.rstrip().decode("ascii", "replace")
        return name
