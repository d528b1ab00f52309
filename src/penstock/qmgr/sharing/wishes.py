"""What the engine asks of a group's facility, and what it gets back: values between `qmgr` and `share`.

A wish with a ticket is work that a caller's answer waits for; a `Claim` or `Look` is fetched before the same
call is made again, as a spilled body is (`Step.load`). Made by `sharing`, carried out by room `share`, and
answered under the gate by `host.sharing`. No behaviour but construction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.model.errors import MQError
    from penstock.model.message import Message
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.unit_of_work import UnitOfWork


@dataclass(slots=True)
class Put:
    """A message that a unit puts to a shared queue, as the facility stores it."""

    queue: int
    structure: str
    lane: int
    persistent: bool
    key: bytes | None
    expires_at: float | None
    head: bytes
    body: bytes
    place: int = 0  # where the body is: 0 here, 1 database table, 2 data set, 3 object
    failure: MQError | None = None
    whole: bytes | None = None  # the body, when `body` is a reference to where it is


@dataclass(slots=True)
class Row:
    """A message of a shared queue, as the facility gives it."""

    queue: int
    lane: int
    seq: int
    persistent: bool
    expires_at: float | None
    place: int
    backouts: int
    head: bytes
    body: bytes
    failure: MQError | None = None


class Ticket:
    """What a caller waits for: a round that carries its wish."""

    __slots__ = ("__weakref__", "age", "before", "done", "failure", "number", "position", "wake")

    def __init__(self, number: int) -> None:
        self.number = number
        self.before: Ticket | None = None  # of the same step
        self.age = 0
        self.position = 0  # of the journal, which has to get there too
        self.done = False
        self.failure: MQError | None = None
        self.wake: Any = None  # called under the gate when it is done


@dataclass(slots=True, eq=False, weakref_slot=True)
class Claim:
    """Fetch messages for a get: the first that fit become this member's."""

    queue: SharedQueue
    key: bytes | None = None  # the id that INDXTYPE names
    msg_id: bytes | None = None
    correl_id: bytes | None = None
    seqs: list[int] | None = None  # these messages and no others
    count: int = 1
    look: Look | None = None  # the search that it belongs to
    wakes: int = 0  # of the queue when it was wished
    found: Any = 0  # how many, or why it cannot be said

    @property
    def takes_any(self) -> bool:
        """Whether the first message of the queue will do."""
        if self.count > 1:
            return False
        return self.key is None and self.msg_id is None and self.correl_id is None and self.seqs is None


@dataclass(slots=True, eq=False)
class Look:
    """Fetch messages behind a place, which stay where they are (for browses, selectors and groups)."""

    queue: SharedQueue
    view: list[tuple[Row, Message]]  # what was found
    lane: int
    seq: int
    count: int
    wakes: int = 0
    found: Any = 0
    unmarked: bool = False  # pass by what a cooperating browser has marked
    unread: list[Row] = field(default_factory=list)  # messages that are there and cannot be read
    seen: list[tuple[Row, Message]] = field(default_factory=list)  # by the looks before it
    own: tuple[Row, Message] | None = None  # what the browse itself has locked, not yet among what was found
    chosen: list[tuple[Row, Message]] = field(default_factory=list)  # while it is marked or locked
    tried: tuple[int, int] | None = None  # the place of the last choice, in the order of groups

    @property
    def last(self) -> tuple[int, int]:
        """The place where the next look goes on."""
        return self.lane, self.seq


@dataclass(slots=True, eq=False)
class Mark:
    """Mark a message for the cooperating browsers of the group, if nobody has."""

    queue: SharedQueue
    row: Row
    message: Message
    look: Look  # the search that it belongs to
    change: int  # 1 mark it, 0 remove the mark, 2 only see whether it is free
    seconds: float  # until the mark ends
    wakes: int = 0
    found: Any = 0  # whether it was free, or why it cannot be said


@dataclass(slots=True, eq=False)
class Unmark:
    """Remove the marks of a handle that was closed."""

    queue: SharedQueue
    seqs: list[int]


@dataclass(slots=True, eq=False)
class Untag:
    """Free the connection tag of a connection that has ended."""

    tag: str


@dataclass(slots=True, eq=False)
class Commit:
    """End a unit: remove what it got and insert what it put, or nothing of it."""

    unit: UnitOfWork
    gets: list[Row]
    puts: list[Put]
    outcome: int  # the key of a mixed unit; 0 for a unit without a local part
    ticket: Ticket

    @property
    def size(self) -> int:
        """How many bytes of messages it sends, about."""
        return sum(len(put.body) for put in self.puts)


@dataclass(slots=True, eq=False)
class Hold:
    """Have the group hold a prepared unit."""

    unit: UnitOfWork
    xid: str
    user: str
    gets: list[Row]
    puts: list[Put]
    ticket: Ticket
    outcome: int = 0  # the key of a unit with a private half; 0 for others


@dataclass(slots=True, eq=False)
class Settle:
    """End a unit that the group holds."""

    xid: str
    commit: bool
    user: str | None  # who must have prepared it; None for any
    ticket: Ticket
    record: tuple[str, str, int, int] | None = None  # of a batch: channel, partner, LUWID, number


@dataclass(slots=True, eq=False)
class Release:
    """Give claimed messages back."""

    rows: list[Row]
    counted: bool  # whether their backout counts go up
    ticket: Ticket | None


@dataclass(slots=True, eq=False)
class Open:
    """Report to the group how this member has a queue open; refused where another has it exclusively."""

    queue: SharedQueue
    inputs: int
    outputs: int
    exclusive: bool
    ticket: Ticket | None
    handle: Any = None


@dataclass(slots=True)
class Figures:
    """What is known of a shared queue in the whole group."""

    messages: int = 0
    bytes: int = 0
    inputs: int = 0  # of other members
    outputs: int = 0
    extra: dict[str, Any] = field(default_factory=dict)
