"""What a queue manager is to a blocking program, whether it is embedded or at the other end of a socket.

`penstock.QueueManager` and `penstock.ClientQueueManager` satisfy these protocols, which the type checker
proves where they are made. Code that works with either names these types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.face.declared import ConnectionFacts, ObjectFacts, SubscriptionFacts, UnitFacts

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Never, Self, Unpack

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.face.consuming import Consumer
    from penstock.face.declared import (
        AccessParameters,
        AlterParameters,
        ConsumeParameters,
        GetParameters,
        HandleGetParameters,
        HandlePutParameters,
        MessagesParameters,
        OpenParameters,
        PeekParameters,
        PublicationGetParameters,
        PublishParameters,
        PutParameters,
        RequestParameters,
        SubscribeParameters,
    )
    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt
    from penstock.model.peeked import Peeked
    from penstock.model.status import QueueFigures, Status


class BlockingHandle(ObjectFacts, Protocol):
    """An open object."""

    def put(self, body: bytes | str, **parameters: Unpack[HandlePutParameters]) -> Receipt:
        """Put a message to this object (MQPUT)."""

    def get(self, **parameters: Unpack[HandleGetParameters]) -> Message | None:
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


class BlockingSubscription(SubscriptionFacts, Protocol):
    """An open subscription."""

    def get(self, **parameters: Unpack[PublicationGetParameters]) -> Message | None:
        """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""

    def messages(self, *, wait: float | None = 0.0, unit_of_work: bool = True) -> Iterator[Message]:
        """Yield publications until none has come for `wait` seconds; units as for `qm.messages`."""

    def consume(
        self, callback: Callable[[Message], Any], **parameters: Unpack[ConsumeParameters]
    ) -> Consumer:
        """Call back with each publication, in a thread of its own, from now on; see `Consumer`."""

    def request(self) -> int:
        """Request retained publications (MQSUBRQ); return their number."""

    def alter(self, **parameters: Unpack[AlterParameters]) -> None:
        """Change the given attributes only (MQSO_ALTER)."""

    def close(self, *, remove: bool = False) -> None:
        """Close the subscription: a durable one stays, unless it is to be removed."""

    def __enter__(self) -> Self:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave."""


class BlockingUnitOfWork(UnitFacts, Protocol):
    """A unit of work: committed at the end, backed out on an exception."""

    def __enter__(self) -> Any:
        """Enter."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave."""


class BlockingQueueManager(ConnectionFacts, Protocol):
    """A connection to a queue manager."""

    def put(self, queue: str, body: bytes | str, **parameters: Unpack[PutParameters]) -> Receipt:
        """Put a message to a queue."""

    def put_many(
        self, queue: str, bodies: Iterable[bytes | str], **parameters: Unpack[PutParameters]
    ) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""

    def put_list(
        self, destinations: Iterable[Any], body: bytes | str, **parameters: Unpack[PutParameters]
    ) -> list[Receipt]:
        """Put one message to several queues (a distribution list); return a receipt for each."""

    def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with queue, queue manager (or "") and put options, in one unit."""

    def get(self, queue: str, **parameters: Unpack[GetParameters]) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever)."""

    def get_many(self, queue: str, count: int, **parameters: Unpack[GetParameters]) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""

    def request(
        self, queue: str, body: bytes | str, reply_to: str, **parameters: Unpack[RequestParameters]
    ) -> Message | None:
        """Put a request and get its reply: what `reply_to` holds with the request's id as correlation id."""

    def browse(self, queue: str, *, selector: str | None = None, **unknown: Never) -> Iterator[Message]:
        """Yield the messages of a queue in delivery order and leave them there."""

    def messages(self, queue: str, **parameters: Unpack[MessagesParameters]) -> Iterator[Message]:
        """Yield messages as they arrive, until none has arrived for `wait` seconds; None never ends."""

    def consume(
        self, queue: str, callback: Callable[[Message], Any], **parameters: Unpack[ConsumeParameters]
    ) -> Consumer:
        """Call back with each message, in a thread of its own, from now on; see `Consumer`."""

    def publish(self, topic: str, body: bytes | str, **parameters: Unpack[PublishParameters]) -> Receipt:
        """Publish to a topic; every subscription that matches gets a copy."""

    def subscribe(self, topic: str = "", **parameters: Unpack[SubscribeParameters]) -> BlockingSubscription:
        """Subscribe to a topic, or to all that a pattern fits; see `Subscription`."""

    def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that is not open, with its messages."""

    def open(self, name: str, options: int = 0, **parameters: Unpack[OpenParameters]) -> BlockingHandle:
        """Open an object with MQ's open options; see `ObjectHandle`."""

    def unit_of_work(self) -> BlockingUnitOfWork:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""

    def unit_aside(self) -> BlockingUnitOfWork:
        """Enter a unit beside the one that is open, if there is one."""

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

    def take_connection_tag(self, tag: str) -> None:
        """Make this the only connection of the queue-sharing group with a tag, until it ends."""

    def mqsc(self, text: str, *, check: bool = False, **unknown: Never) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply."""

    def mqsc_script(
        self, lines: Iterable[str], *, verify: bool = False, **unknown: Never
    ) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC as its lines come: yield echoes, replies and, last, a summary."""

    def export(self, everything: bool = False, **unknown: Never) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""

    def explain_access(self, user: str, **parameters: Unpack[AccessParameters]) -> dict[str, Any]:
        """Explain why a user may or may not connect and do something: `allowed`, `user`, and the steps."""

    def explain_route(self, name: str, qmgr: str = "", **unknown: Never) -> dict[str, Any]:
        """Explain where messages put to a name go: the definitions looked up, and queue or reason."""

    def status(self) -> Status:
        """Return figures about the queue manager: log, syncs, units, waiters, queues."""

    def queues(self, pattern: str = "*", **unknown: Never) -> list[QueueFigures]:
        """Return depth, oldest message, readers and writers of the local queues that you may display."""

    def peek(self, queue: str, **parameters: Unpack[PeekParameters]) -> list[Peeked]:
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
