"""Listening to a topic: a subscription of the person's own, which ends when nobody looks any more.

It is not durable and keeps nothing on the queue manager: what is not read in time falls out here, oldest
first, and is counted. The first message is the retained one, if there is one.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.console.masking import masked, rules
from penstock.console.people import APPLICATION
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.queue_manager import ClientQueueManager
    from penstock.model.message import Message

KEPT_MAX = 200
LISTENERS_MAX = 20
OF_ONE_PERSON_MAX = 3
UNSEEN_SECONDS = 30.0
WAIT_SECONDS = 1.0
BODY_BYTES_MAX = 64 << 10


@dataclass
class Listener:
    """One subscription, and what came."""

    user: str
    qmgr: str
    topic: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    came: int = 0
    kept: deque[tuple[float, str, Message]] = field(default_factory=lambda: deque(maxlen=KEPT_MAX))
    seen: float = field(default_factory=time.monotonic)
    state: str = "listening"
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def fell_out(self) -> int:
        """How many messages are no longer kept."""
        return self.came - len(self.kept)

    def run(self, qm: ClientQueueManager, subscription: Any) -> None:
        """Take what comes until it is stopped, or nobody looks."""
        try:
            with qm, subscription:
                while not self.stopped.is_set() and time.monotonic() - self.seen < UNSEEN_SECONDS:
                    message = subscription.get(wait=WAIT_SECONDS)
                    if message is not None:
                        self._keep(message)
            self.state = "ended"
        except MQError as failure:
            self.state = str(failure)

    def _keep(self, message: Message) -> None:
        topic = str((message.properties or {}).get("MQTopicString", self.topic))
        shown = masked(message, topic, rules())
        if shown is message:
            shown = message.snapshot()
        shown.body = bytes(shown.body or b"")[:BODY_BYTES_MAX]
        self.came += 1
        self.kept.append((time.time(), topic, shown))


class Listening:
    """The listeners of a web process."""

    def __init__(self, connect: Callable[[str, str], ClientQueueManager]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._listeners: dict[str, Listener] = {}

    def begin(self, user: str, qmgr: str, topic: str) -> Listener:
        """Subscribe with a person's authority; 2102 when there are too many."""
        with self._lock:
            self._listeners = {each.id: each for each in self._listeners.values() if _is_alive(each)}
            own = [each for each in self._listeners.values() if each.user == user]
            if len(own) >= OF_ONE_PERSON_MAX:
                own[0].stopped.set()
            elif len(self._listeners) >= LISTENERS_MAX:
                raise error(mq.MQRC_RESOURCE_PROBLEM, f"{LISTENERS_MAX} people listen now; try later")
        qm = self._connect(user, qmgr)
        try:
            subscription = qm.subscribe(topic)
        except BaseException:
            qm.close()
            raise
        made = Listener(user, qmgr, topic)
        with self._lock:
            self._listeners[made.id] = made
        name = f"penstock-listening-{made.id}"
        threading.Thread(target=made.run, args=(qm, subscription), name=name, daemon=True).start()
        return made

    def find(self, user: str, id: str) -> Listener:
        """Return a person's listener; 2085 if it is over."""
        found = self._listeners.get(id)
        if found is None or found.user != user:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "listening has ended here; listen again")
        found.seen = time.monotonic()
        return found

    def stop(self) -> None:
        """End all."""
        for each in self._listeners.values():
            each.stopped.set()


def _is_alive(listener: Listener) -> bool:
    return time.monotonic() - listener.seen < UNSEEN_SECONDS and not listener.stopped.is_set()


def connecting(with_login: bool) -> Callable[[str, str], ClientQueueManager]:
    """Return what connects as a person."""
    import penstock

    def connect(user: str, qmgr: str) -> ClientQueueManager:
        act_as = user if with_login else ""
        return penstock.connect(qmgr, application=APPLICATION, act_as=act_as, share=False)

    return connect
