"""The steps that a client's verbs are made of. A verb is written once, as a generator, for both clients.

A verb yields steps and is sent the answer to each, or has its failure thrown in. `client/driver.py`
performs steps for blocking programs, `client/aio/driver.py` for asyncio. Invariant: nothing in
`client/core` waits, sends or receives.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from penstock.client.open_units import OpenUnits
    from penstock.client.returned_messages import Entry, ReturnedMessages
    from penstock.face.units import Scope

T = TypeVar("T")
HandleT_co = TypeVar("HandleT_co", covariant=True)
SubscriptionT_co = TypeVar("SubscriptionT_co", covariant=True)
LONG_CALL_SECONDS = -1.0  # MQSC, backups: as long as they take


class Call(NamedTuple):
    """Call a verb by name; the answer is its result.

    `undo` returns the call that takes back what came of one whose caller was cancelled.
    """

    verb: str
    arguments: dict[str, Any]
    unit: int = 0
    timeout: float | None = None
    undo: Callable[[Any], Call] | None = None


class Rows(NamedTuple):
    """Call a verb whose result comes in parts; the answer is the list of all rows, read as they come."""

    verb: str
    arguments: dict[str, Any]
    read: Callable[[Any], Any] | None = None


class Say(NamedTuple):
    """Call a verb without waiting for an answer."""

    verb: str
    arguments: dict[str, Any]
    unit: int = 0


class Get(NamedTuple):
    """Call `get`, which may wait; the answer is a message or None. `queue` is None for a browse.

    A message that comes after the caller was interrupted or cancelled is kept for the next get of this way,
    which `way_of` returns.
    """

    arguments: dict[str, Any]
    unit: int
    patience: float
    queue: str | None
    way_of: Callable[[], Any]


class Settle(NamedTuple):
    """Wait for the answers to gets of a unit that were given up; the answer is False when one is late."""

    unit: int


class PutBack(NamedTuple):
    """Put kept messages back on their queues, whatever interrupts the caller."""

    entries: list[Entry]


class Make(NamedTuple):
    """Call a method of the client; the answer is what it returns."""

    call: Callable[[], Any]


class Pause(NamedTuple):
    """Wait for some seconds."""

    seconds: float


class Alone(NamedTuple):
    """Perform steps exclusively on this connection; the answer is their result."""

    work: Callable[[], Generator[Any, Any, Any]]


class Dial(NamedTuple):
    """Connect again in place of a broken link; the answer is the link and a conversation on it."""

    token: bytes
    sent_to: str = ""  # the queue manager that the old one names, which is tried first


class Leave(NamedTuple):
    """End a conversation on a link."""

    link: Any
    conversation: int


Step: TypeAlias = Call | Rows | Say | Get | Settle | PutBack | Make | Pause | Alone | Dial | Leave
Steps: TypeAlias = Generator[Step, Any, T]


class Connection(Protocol[HandleT_co, SubscriptionT_co]):
    """What verbs need of a client's connection."""

    name: str
    message_max: int
    kept: ReturnedMessages
    link: Any  # a ClientLink or an AioLink
    closed: bool

    @property
    def open_units(self) -> OpenUnits:
        """The units of work that are open on it."""

    def check_open(self) -> None:
        """Raise 2018 when the connection is closed."""

    def patience(self, wait: float | None) -> float:
        """Return how long an answer may take."""

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Give the caller's context a unit of work."""

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a call that has failed."""

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that has ended."""

    def end_scope(self, scope: Scope, commit: bool) -> Any:
        """Commit or back out a unit."""

    def unit_number(self) -> int:
        """Return the unit that calls without syncpoint options are in, 0 for none."""

    def opened(self, facts: list[Any], arguments: dict[str, Any]) -> HandleT_co:
        """Return the handle of an object that was opened."""

    def subscribed(self, facts: list[Any], arguments: dict[str, Any]) -> SubscriptionT_co:
        """Return a subscription that was made."""

    @property
    def put(self) -> Callable[..., Any]:
        """Put a message."""

    @property
    def get(self) -> Callable[..., Any]:
        """Get a message."""


def describe(verb: Callable[..., Any], method: Callable[..., Any], answers: str) -> None:
    """Let a method's signature name what callers get of it, for `help` and `inspect`.

    `answers` is for a verb that each client answers with an object of its own.
    """
    notes = verb.__annotations__
    notes.pop("self", None)
    returned = notes.get("return", "")
    if returned.startswith("Steps["):
        notes["return"] = returned.removeprefix("Steps[").removesuffix("]")
    if answers or hasattr(verb, "__signature__"):
        method.__signature__ = signature(verb).replace(return_annotation=answers or notes["return"])  # type: ignore[attr-defined]
