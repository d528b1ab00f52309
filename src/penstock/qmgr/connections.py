"""Connections and object handles: who is using the queue manager, and what each has open.

Plain records. `opening` fills them in, the verbs read them. A connection's context (who puts) is
made once, as the descriptor that its messages share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Descriptor
from penstock.qmgr.monitoring.accounts import Account

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.authorization import Permissions
    from penstock.qmgr.deep.window import Window
    from penstock.qmgr.groups.logical_order import LogicalGet, LogicalPut
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.pubsub.delivering import Delivery
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.selectors.selector import Selector


@dataclass(eq=False)
class Connection:
    """One application's link to the queue manager (MQ's hConn)."""

    number: int
    user: str
    application: str
    started: float
    process: int = 0
    context: Descriptor = field(default_factory=Descriptor)
    handles: dict[int, Handle] = field(default_factory=dict)
    next_handle: int = 1
    closed: bool = False
    permissions: Permissions | None = None  # None: everything is allowed
    channel: str = ""  # by which a client came
    address: str = ""
    local: bool = False  # by the local socket
    account: Account = None  # type: ignore[assignment]  # counts what it does; made with the connection

    def __post_init__(self) -> None:
        self.account = Account(self.number, self.started)


@dataclass(eq=False)
class Cursor:
    """The position of a browse: the message last seen, or the place where it was.

    `before` is a neighbour that finds the place again without a walk. `group` and `logical` are for
    browsing in logical order: where the group began and which message is next.
    """

    message: Message | None = None
    lane: int = 0
    place: int = 0
    locked: Message | None = None
    before: Message | None = None
    in_order: bool | None = None
    group: Cursor | None = None
    logical: LogicalGet | None = None
    window: Window | None = None  # of packed messages that are read for it

    def move_to(self, message: Message) -> None:
        self.message = message
        self.lane = message.lane
        self.place = message.place
        self.before = None


@dataclass(eq=False)
class Handle:
    """One open object (MQ's hObj)."""

    connection: Connection
    number: int
    name: str
    options: int
    definition: Definition | None
    route: Route | None = None
    queue: Queue | None = None
    selector: Selector | None = None
    cursor: Cursor | None = None
    saved_context: Message | None = None
    logical_put: LogicalPut | None = None
    logical_get: LogicalGet | None = None
    creator: bool = False
    subscription: Any = None  # of the handle that MQSUB gives
    delivery: Delivery | None = None  # of retained publications, in progress
    topic: str = ""  # the topic string that it publishes to
    closed: bool = False
    changed: bool = False  # by an ALTER with FORCE: it is of no use any more
    extra: dict[str, Any] = field(default_factory=dict)

    def has(self, options: int) -> bool:
        return bool(self.options & options)

    def check(self) -> None:
        """Raise 2019 for a handle that is closed, 2041 for one whose object was changed with FORCE."""
        if self.closed:
            raise error(mq.MQRC_HOBJ_ERROR, "the handle is closed")
        if self.changed:
            raise error(
                mq.MQRC_OBJECT_CHANGED,
                f"{self.name} was altered with FORCE: close and open it again",
                object=self.name,
            )
