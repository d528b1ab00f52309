"""What a queue manager is to a blocking program, whether it is embedded or at the other end of a socket.

`penstock.QueueManager` and `penstock.ClientQueueManager` satisfy these protocols, which the type checker
proves where they are made. Code that works with either names these types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.face.arguments import DYNAMIC_NAME
from penstock.model import constants as mq
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Never, Self

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.face.consuming import Consumer
    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.model.peeked import Peeked
    from penstock.model.status import QueueFigures, Status


class BlockingHandle(Protocol):
    """An open object."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def options(self) -> int:
        """How it was opened."""

    @property
    def resolved(self) -> tuple[str, str]:
        """Queue and queue manager that the name resolved to."""

    @property
    def closed(self) -> bool:
        """Whether it is closed."""

    def put(
        self,
        body: bytes | str,
        *,
        options: int = 0,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        put_time: float | None = None,
        **fields: Any,
    ) -> Receipt:
        """Put a message to this object (MQPUT)."""

    def get(
        self,
        *,
        options: int = 0,
        wait: float | None = 0.0,
        max_length: int | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        seq_number: int = -1,
        offset: int = -1,
        token: bytes | None = None,
        selector: str | None = None,
        ccsid: int = 0,
        encoding: int = mq.MQENC_NATIVE,
        quiet: bool = False,
        **unknown: Never,
    ) -> Message | None:
        """Get or browse a message (MQGET); raises 2033 when there is none, unless `quiet`."""

    def inquire(self, *selectors: str | int) -> Inquired:
        """Return attributes by MQSC name or MQIA_/MQCA_ number (MQINQ); all when none is named."""

    def set(self, values: Mapping[str | int, Any] | None = None, /, **named: Any) -> None:
        """Change attributes of the open queue (MQSET): GET, PUT, TRIGGER ..., by name or number."""

    def close(self, options: int = 0) -> int:
        """Close the object (MQCLOSE); return a warning reason, such as 2241, or 0."""

    def __enter__(self) -> Self:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave."""


class BlockingSubscription(Protocol):
    """An open subscription."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def id(self) -> bytes:
        """Its id."""

    @property
    def topic(self) -> str:
        """Its topic string."""

    @property
    def queue(self) -> str:
        """Where its publications go."""

    @property
    def durable(self) -> bool:
        """Whether it survives its connection."""

    @property
    def options(self) -> int:
        """How it was made."""

    @property
    def closed(self) -> bool:
        """Whether it is closed."""

    def get(
        self,
        *,
        options: int = 0,
        wait: float | None = 0.0,
        max_length: int | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        seq_number: int = -1,
        offset: int = -1,
        token: bytes | None = None,
        selector: str | None = None,
        ccsid: int = 0,
        encoding: int = mq.MQENC_NATIVE,
        **unknown: Never,
    ) -> Message | None:
        """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""

    def messages(self, *, wait: float | None = 0.0, unit_of_work: bool = True) -> Iterator[Message]:
        """Yield publications until none has come for `wait` seconds; units as for `qm.messages`."""

    def consume(
        self,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Consumer:
        """Call back with each publication, in a thread of its own, from now on; see `Consumer`."""

    def request(self) -> int:
        """Request retained publications (MQSUBRQ); return their number."""

    def alter(
        self,
        *,
        selector: str | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        level: int | None = None,
        correl_id: bytes | None = None,
        queue: str = "",
        qmgr: str = "",
        **unknown: Never,
    ) -> None:
        """Change the given attributes only (MQSO_ALTER)."""

    def describe(self) -> dict[str, Any]:
        """Return the attributes of the subscription as plain data."""

    def close(self, *, remove: bool = False) -> None:
        """Close the subscription: a durable one stays, unless it is to be removed."""

    def __enter__(self) -> Self:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave."""


class BlockingUnitOfWork(Protocol):
    """A unit of work: committed at the end, backed out on an exception."""

    committed: bool

    def set_aside(self) -> None:
        """Let the calls of this context be outside the unit until it ends."""

    def __enter__(self) -> Any:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave."""


class BlockingQueueManager(Protocol):
    """A connection to a queue manager."""

    @property
    def name(self) -> str:
        """The queue manager's name."""

    @property
    def closed(self) -> bool:
        """Whether it is closed."""

    @property
    def batches(self) -> Any:
        """Batches of outside engines."""

    def put(
        self,
        queue: str,
        body: bytes | str,
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> Receipt:
        """Put a message to a queue."""

    def put_many(
        self,
        queue: str,
        bodies: Iterable[bytes | str],
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""

    def put_list(
        self,
        destinations: Iterable[Any],
        body: bytes | str,
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> list[Receipt]:
        """Put one message to several queues (a distribution list); return a receipt for each."""

    def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with queue, queue manager (or "") and put options, in one unit."""

    def get(
        self,
        queue: str,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever)."""

    def get_many(
        self,
        queue: str,
        count: int,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""

    def request(
        self,
        queue: str,
        body: bytes | str,
        reply_to: str,
        *,
        wait: float | None = 30.0,
        persistent: bool | None = None,
        **fields: Any,
    ) -> Message | None:
        """Put a request and get its reply: what `reply_to` holds with the request's id as correlation id."""

    def browse(self, queue: str, *, selector: str | None = None, **unknown: Never) -> Iterator[Message]:
        """Yield the messages of a queue in delivery order and leave them there."""

    def messages(
        self,
        queue: str,
        *,
        wait: float | None = None,
        unit_of_work: bool = True,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Iterator[Message]:
        """Yield messages as they arrive, until none has arrived for `wait` seconds; None never ends."""

    def consume(
        self,
        queue: str,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Consumer:
        """Call back with each message, in a thread of its own, from now on; see `Consumer`."""

    def publish(
        self,
        topic: str,
        body: bytes | str,
        *,
        retain: bool = False,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        topic_object: str = "",
        level: int = LEVEL_MAX,
        options: int = 0,
        **fields: Any,
    ) -> Receipt:
        """Publish to a topic; every subscription that matches gets a copy."""

    def subscribe(
        self,
        topic: str = "",
        *,
        durable: str | None = None,
        name: str | None = None,
        selector: str | None = None,
        queue: str | None = None,
        qmgr: str | None = None,
        topic_object: str | None = None,
        wildcard: str | None = None,
        level: int | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        correl_id: bytes | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        accounting_token: bytes | None = None,
        appl_identity_data: str | None = None,
        new_only: bool = False,
        on_request: bool = False,
        options: int = 0,
        **unknown: Never,
    ) -> BlockingSubscription:
        """Subscribe to a topic, or to all that a pattern fits; see `Subscription`."""

    def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that is not open, with its messages."""

    def open(
        self,
        name: str,
        options: int = 0,
        *,
        object_type: int = mq.MQOT_Q,
        qmgr: str = "",
        dynamic_name: str = DYNAMIC_NAME,
        selector: str | None = None,
        alternate_user: str = "",
        object_string: str = "",
        **unknown: Never,
    ) -> BlockingHandle:
        """Open an object with MQ's open options; see `ObjectHandle`."""

    def unit_of_work(self) -> BlockingUnitOfWork:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""

    def begin(self) -> int:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one."""

    def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""

    def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed."""

    def backout_uncounted(self) -> None:
        """Back this context's unit out for a reason that is not its messages': their counts stay."""

    def prepare(self, xid: str) -> None:
        """Prepare this context's unit under an external id; it survives a restart until resolved."""

    def commit_prepared(self, xid: str) -> None:
        """Commit a prepared unit."""

    def backout_prepared(self, xid: str) -> None:
        """Back a prepared unit out."""

    def prepared(self) -> list[dict[str, Any]]:
        """List the prepared units."""

    def mqsc(self, text: str, *, check: bool = False, **unknown: Never) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply."""

    def mqsc_script(
        self, lines: Iterable[str], *, verify: bool = False, **unknown: Never
    ) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC as its lines come: yield echoes, replies and, last, a summary."""

    def export(self, everything: bool = False, **unknown: Never) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""

    def explain_access(
        self,
        user: str,
        *,
        channel: str = "",
        address: str = "",
        host: str = "",
        peer: str = "",
        issuer: str = "",
        object: str = "",
        object_type: str = "",
        verb: str = "",
        **unknown: Never,
    ) -> dict[str, Any]:
        """Explain why a user may or may not connect and do something: `allowed`, `user`, and the steps."""

    def explain_route(self, name: str, qmgr: str = "", **unknown: Never) -> dict[str, Any]:
        """Explain where messages put to a name go: the definitions looked up, and queue or reason."""

    def status(self) -> Status:
        """Return figures about the queue manager: log, syncs, units, waiters, queues."""

    def queues(self, pattern: str = "*", **unknown: Never) -> list[QueueFigures]:
        """Return depth, oldest message, readers and writers of the local queues that you may display."""

    def peek(
        self,
        queue: str,
        *,
        after: tuple[int, int] | None = None,
        count: int = 50,
        body_bytes: int = 256,
        backwards: bool = False,
        **unknown: Never,
    ) -> list[Peeked]:
        """Look at messages behind a place (`lane`, `place`), also held ones; nothing changes or expires."""

    def trace(
        self, kind: str, name: str, after: int = 0, seconds: float = 0.0, **unknown: Never
    ) -> list[dict[str, Any]]:
        """Watch a CHANNEL, a QUEUE or ALL, and return recorded events behind a number.

        The watch lasts for `seconds`, or some seconds if 0; a negative number ends it.
        """

    def checkpoint(self) -> None:
        """Take a checkpoint now."""

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """Copy the queue manager, as it is now, to a folder that can be restored from."""

    def record_image(self, *names: str, object_type: str = "all") -> dict[str, Any]:
        """Record a media image of all objects, or of some, for linear logging; return needed log files.

        A name may end in an asterisk. `object_type` is one of rcdmqimg's: queue, channel, topic and so on.
        """

    def close(self) -> None:
        """Disconnect: commit what is open, close handles; the last connection stops the queue manager."""

    def disconnect(self) -> None:
        """Disconnect: commit what is open, close handles; the last connection stops the queue manager."""

    def __enter__(self) -> Self:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave."""
