"""The context of one invocation: what a module may touch while it works on one message.

Made by whoever runs a module (room `flow`, a test) and used by one thread. Trees are References to
roots; time, randomness and waiting come in as arguments. Output trees are emptied in place, so that a
reference to a root stays good over PROPAGATE.
"""

from __future__ import annotations

import random
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.esql.runtime.deployment import Deployment
from penstock.esql.runtime.errors import NO_ERROR, state_of
from penstock.tree import Message, Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.errors import MQError

T = TypeVar("T")
SQLCODE_FAILED = -1
OUTPUT_TREES = ("output_root", "output_local_environment", "output_exception_list")


@dataclass(frozen=True, slots=True)
class Propagation:
    """What PROPAGATE sends on: a terminal or a label, and the trees; None means the output tree at hand."""

    terminal: str | int = "out"
    label: str | None = None
    message: Reference | None = None
    environment: Reference | None = None
    exceptions: Reference | None = None
    finalize: bool = True


def _nowhere(_: Propagation) -> None:
    """Send a message nowhere: what a context does whose maker gives no terminals."""


def root_reference(message: Message | None = None) -> Reference:
    """Return a Reference to the root of a message, or of a new empty one."""
    found = (Message() if message is None else message).reference()
    assert found is not None  # every message has a root
    return found


class LazyTree:
    """A tree of the context: made when it is first touched, from the message given for it or empty."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, context: Context, owner: type | None = None) -> Reference:
        made = root_reference(context.given.get(self.name))
        context.__dict__[self.name] = made  # found there from now on, before this descriptor
        return made


class OwnDeployment:
    """The deployment of a context that was given none: one of its own."""

    def __get__(self, context: Context, owner: type | None = None) -> Deployment:
        made = context.__dict__["deployment"] = Deployment()
        return made


class Context:
    """Trees, names, clock and terminals of one invocation.

    `propagate` is called for PROPAGATE, `log` for LOG with (target, text, fields). `labels` are names
    such as NODELABEL and MESSAGEFLOWLABEL. `now` is an aware time; it stands still during one invocation.
    """

    input_root = LazyTree()
    input_local_environment = LazyTree()
    input_exception_list = LazyTree()
    output_root = LazyTree()
    output_local_environment = LazyTree()
    output_exception_list = LazyTree()
    environment = LazyTree()
    deployment = OwnDeployment()
    # What SQLCODE and its like say while nothing has failed; an error being handled sets its own.
    sqlcode: int = 0
    sqlstate: str = NO_ERROR
    sqlnativeerror: int = 0
    sqlerrortext: str = ""
    handled: MQError | None = None

    def __init__(
        self,
        root: Message | None = None,
        *,
        deployment: Deployment | None = None,
        environment: Message | None = None,
        local_environment: Message | None = None,
        exception_list: Message | None = None,
        output: Message | None = None,
        output_local_environment: Message | None = None,
        output_exception_list: Message | None = None,
        labels: dict[str, str] | None = None,
        propagate: Callable[[Propagation], None] = _nowhere,
        log: Callable[[str, str, dict[str, Any]], None] | None = None,
        now: datetime | None = None,
        zone: tzinfo | None = None,
        randomness: random.Random | None = None,
        make_uuid: Callable[[], uuid.UUID] = uuid.uuid4,
        sleep: Callable[[float], None] = time.sleep,
        throws_database_errors: bool = True,
    ) -> None:
        if deployment is not None:
            self.deployment = deployment
        self.given = {
            "input_root": root,
            "input_local_environment": local_environment,
            "input_exception_list": exception_list,
            "output_root": output,
            "output_local_environment": output_local_environment,
            "output_exception_list": output_exception_list,
            "environment": environment,
        }
        self.labels = {} if labels is None else labels
        self.emit = propagate
        self.log = log
        self.sleep = sleep
        self.uuid = make_uuid
        self.throws_database_errors = throws_database_errors
        self._now = now
        self._zone = zone
        self._random = randomness
        self._scopes: dict[type, Any] = {}

    @property
    def databases(self) -> Any:
        """What SQL statements talk to, or None."""
        return self.deployment.databases

    @property
    def now(self) -> datetime:
        """The time of this invocation, in UTC."""
        if self._now is None:
            self._now = datetime.now(UTC)
        return self._now

    @property
    def zone(self) -> tzinfo:
        """The zone of local times."""
        if self._zone is None:
            self._zone = self.now.astimezone().tzinfo or UTC
        return self._zone

    @property
    def random(self) -> random.Random:
        """Where RAND takes its numbers from."""
        if self._random is None:
            self._random = random.Random()
        return self._random

    def scope(self, kind: type[T]) -> T:
        """Return the ordinary variables of a module or schema: made anew for every invocation."""
        found: T | None = self._scopes.get(kind)
        if found is None:
            made: Any = kind.__new__(kind)
            self._scopes[kind] = found = made  # an initial value may call a routine that asks for it
            made.__init__(self)
        return found

    def deployed(self, kind: type[T]) -> T:
        """Return the SHARED and EXTERNAL variables of a module or schema."""
        return self.deployment.scope(kind, self)

    def propagate(self, sent: Propagation, delete: bool = True) -> None:
        """Send the output trees on; afterwards they are empty unless DELETE NONE was written."""
        self.emit(sent)
        if delete:
            for name in OUTPUT_TREES:
                getattr(self, name).clear()

    def begin_handling(self, raised: MQError) -> tuple[Any, ...]:
        """Let SQLSTATE and the others speak of an error; returns what they said before."""
        before = (self.sqlcode, self.sqlstate, self.sqlnativeerror, self.sqlerrortext, self.handled)
        self.sqlstate = state_of(raised)
        self.sqlcode = raised.fields.get("sqlcode", SQLCODE_FAILED)
        self.sqlnativeerror = raised.fields.get("native", 0)
        self.sqlerrortext = raised.detail
        self.handled = raised
        return before

    def end_handling(self, before: tuple[Any, ...]) -> None:
        """Let the handler that stands around this one have its values back."""
        self.sqlcode, self.sqlstate, self.sqlnativeerror, self.sqlerrortext, self.handled = before
