"""What the declarations for blocking and for asyncio programs share: keyword arguments, and facts of objects.

A dictionary here is the table of a call's keyword arguments. Their defaults are in the signatures of the
embedded queue manager and of the clients, which a test compares with these tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.model.message import Descriptor, Message
    from penstock.model.message_handle import MessageHandle


class DescriptorParameters(TypedDict, total=False):
    """Of every call that puts: the fields of a descriptor but `reply_to`, and what is given beside them."""

    qmgr: str
    context_from: Any
    descriptor: Descriptor | None
    report: int
    msg_type: int
    feedback: int
    encoding: int
    ccsid: int
    format: str
    reply_to_qmgr: str
    user_id: str
    accounting_token: bytes
    appl_identity_data: str
    put_appl_type: int
    put_appl_name: str
    appl_origin_data: str
    group_id: bytes
    seq_number: int
    offset: int
    flags: int
    original_length: int


class PutParameters(DescriptorParameters, total=False):
    """Of every put."""

    reply_to: str
    options: int
    persistent: bool | None
    correl_id: bytes | None
    msg_id: bytes | None
    priority: int | None
    expiry: float | None
    properties: Mapping[str, Any] | MessageHandle | None


class RequestParameters(DescriptorParameters, total=False):
    """Of a request whose reply is waited for."""

    wait: float | None
    persistent: bool | None


class HandlePutParameters(PutParameters, total=False):
    """Of a put to an open object."""

    put_time: float | None


class PublishParameters(PutParameters, total=False):
    """Of a publication."""

    retain: bool
    topic_object: str
    level: int


class SelectParameters(TypedDict, total=False):
    """Which messages a call takes."""

    correl_id: bytes | None
    msg_id: bytes | None
    selector: str | None


class GetParameters(SelectParameters, total=False):
    """Of a get from a queue."""

    wait: float | None


class MessagesParameters(GetParameters, total=False):
    """Of iteration over messages."""

    unit_of_work: bool


class ConsumeParameters(SelectParameters, total=False):
    """Of a consumer."""

    unit_of_work: bool
    on_error: Callable[[BaseException, Message], Any] | None


class PublicationGetParameters(GetParameters, total=False):
    """Of a get from a subscription: all that MQGET takes."""

    options: int
    max_length: int | None
    group_id: bytes | None
    seq_number: int
    offset: int
    token: bytes | None
    ccsid: int
    encoding: int


class HandleGetParameters(PublicationGetParameters, total=False):
    """Of a get from an open queue."""

    quiet: bool


class OpenParameters(TypedDict, total=False):
    """Of an open."""

    object_type: int
    qmgr: str
    dynamic_name: str
    selector: str | None
    alternate_user: str
    object_string: str


class SubscribeParameters(TypedDict, total=False):
    """Of a subscription that is made or resumed."""

    durable: str | None
    name: str | None
    selector: str | None
    queue: str | None
    qmgr: str | None
    topic_object: str | None
    wildcard: str | None
    level: int | None
    user_data: str | None
    expiry: float | None
    correl_id: bytes | None
    priority: int | None
    persistence: str | None
    properties: str | None
    accounting_token: bytes | None
    appl_identity_data: str | None
    new_only: bool
    on_request: bool
    options: int


class AlterParameters(TypedDict, total=False):
    """Of a change to a subscription."""

    selector: str | None
    user_data: str | None
    expiry: float | None
    priority: int | None
    persistence: str | None
    properties: str | None
    level: int | None
    correl_id: bytes | None
    queue: str
    qmgr: str


class AccessParameters(TypedDict, total=False):
    """Of a question about authority."""

    channel: str
    address: str
    host: str
    peer: str
    issuer: str
    object: str
    object_type: str
    verb: str


class PeekParameters(TypedDict, total=False):
    """Of a look at messages."""

    after: tuple[int, int] | None
    count: int
    body_bytes: int
    backwards: bool


class ObjectFacts(Protocol):
    """What is known of an open object."""

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


class SubscriptionFacts(Protocol):
    """What is known of an open subscription."""

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

    def describe(self) -> dict[str, Any]:
        """Return the attributes of the subscription as plain data."""


class UnitFacts(Protocol):
    """What a unit of work has that waits for nothing."""

    committed: bool

    def set_aside(self) -> None:
        """Let the calls of this context be outside the unit until it ends."""


class ConnectionFacts(Protocol):
    """What is known of a connection."""

    @property
    def name(self) -> str:
        """The queue manager's name."""

    @property
    def closed(self) -> bool:
        """Whether it is closed."""

    @property
    def batches(self) -> Any:
        """Batches of outside engines."""

    def in_unit(self) -> bool:
        """Say whether calls without syncpoint options are in a unit of work."""
