"""The queue-sharing group, as commands see it: where shared definitions are kept and structures are run.

`Group` is what a host sets as `engine.group` when its queue manager is a member; without it every
command about a group is refused by `required`. Its calls go to the facility and take their time, so
commands run them with `outside`, without the engine. Nothing here knows how a facility works.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from penstock.admin import replies
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from penstock.admin.context import Context
    from penstock.admin.machinery import Request
    from penstock.admin.replies import Pause
    from penstock.model.status import Row
    from penstock.qmgr.catalogue.attributes import Value

NO_GROUP = (
    "this queue manager is in no queue-sharing group; "
    "`penstock qsg create` makes one, `penstock qsg join` joins it"
)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class GroupObject:
    """A definition that the group keeps: SHARED, GROUP, or a structure."""

    kind: str
    name: str
    disposition: str
    attributes: Mapping[str, Value]
    id: int = 0
    created: float = 0.0
    altered: float = 0.0


@dataclass(frozen=True, slots=True)
class MemberAnswer:
    """What a member answered to a command that was sent to it."""

    member: str
    text: str
    failed: bool = False


class Group(Protocol):
    """The group of this queue manager. Its methods wait for the facility; MQError says why one failed."""

    @property
    def name(self) -> str:
        """The group's name."""

    def store(self, definition: GroupObject, *, new: bool) -> GroupObject:
        """Keep a definition for all members; `new` refuses one that exists (2100)."""

    def apply(self, definition: GroupObject) -> None:
        """Put a shared queue or structure in force here. Called with the engine held."""

    def clear(self, name: str) -> None:
        """Remove the messages of a shared queue; 2042 if members use it."""

    def drop(self, kind: str, name: str) -> None:
        """Take a shared queue or structure out of force here. Called with the engine held."""

    def remove(self, kind: str, name: str, *, purge: bool) -> None:
        """Remove a definition; 2042 or 2055 if members use it."""

    def find(self, kind: str, name: str) -> GroupObject | None:
        """Return a definition, also one that was not copied here."""

    def matching(self, kind: str, pattern: str) -> Sequence[GroupObject]:
        """Return the definitions of a kind that match a name, generic or not."""

    def rows(self, what: str, name: str, structure: str) -> Sequence[Row]:
        """Return the lines of a display: GROUP, CFSTATUS and its types, SMDS, SMDSCONN, USAGE."""

    def act(self, request: Request) -> Sequence[str]:
        """Carry out BACKUP, RECOVER, RESET, START, STOP or ALTER; return messages about it."""

    def send(self, text: str, member: str) -> Sequence[MemberAnswer]:
        """Have a command carried out by a member, or by all that are active (*); return their answers."""


def required(context: Context, what: str) -> Group:
    """Return the group; a refusal that names what needs it if there is none."""
    group = context.group
    if group is None:
        raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, f"{what} is refused: {NO_GROUP}", subject=what)
    return group


class _Outcome(Generic[Result]):
    """What a call outside the engine returned or raised."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._call = call
        self._result: Result | None = None
        self._failure: MQError | None = None

    def run(self) -> None:
        try:
            self._result = self._call()
        except MQError as failure:
            self._failure = failure

    def take(self) -> Result:
        if self._failure is not None:
            raise self._failure
        return self._result  # type: ignore[return-value]


def outside(call: Callable[[], Result]) -> Generator[Pause, None, Result]:
    """Run a call without the engine; its result is the value of `yield from`, its MQError is raised there."""
    outcome = _Outcome(call)
    yield replies.Await(outcome.run)
    return outcome.take()
