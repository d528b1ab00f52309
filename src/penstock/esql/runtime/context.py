"""The context of one invocation: what a module may access while it processes one message.

The caller that runs a module (room `flow`, a test) makes it; one thread uses it. Trees are References to
roots; time, randomness and waiting are arguments. Output trees are emptied in place, so that a reference to a
root stays valid after PROPAGATE. Compiled through `context.pxd`: every message has one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID, uuid4

import cython

from penstock.esql.runtime.deployment import Deployment
from penstock.esql.runtime.errors import NO_ERROR, state_of
from penstock.esql.runtime.terminals import terminal_name
from penstock.tree.core._message import Message
from penstock.tree.core._reference import Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.errors import MQError

T = TypeVar("T")
SQLCODE_FAILED = -1
OUTPUT_TREES = ("output_root", "output_local_environment", "output_exception_list")


@dataclass(frozen=True, slots=True)
class Propagation:
    """What PROPAGATE sends: a terminal or a label, and the trees; None means the current output tree."""

    terminal: str | int = "out"
    label: str | None = None
    message: Reference | None = None
    environment: Reference | None = None
    exceptions: Reference | None = None
    finalize: bool = True


def nowhere(_: Propagation) -> None:
    """Discard a message: the default without terminals."""


def root_reference(message: Message | None = None) -> Reference:
    """Return a Reference to the root of a message, or of a new empty one."""
    tree = Message() if message is None else message
    return tree.reference()


@cython.freelist(16)
@cython.cclass
class Context:
    """Trees, names, clock and terminals of one invocation.

    `propagate` is called for PROPAGATE, `log` for LOG with (target, text, fields). `labels` are names such as
    NODELABEL and MESSAGEFLOWLABEL. `now` is an aware time; it is constant during one invocation. Every tree
    is created at its first access, from the message given for it or empty.
    """

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
        propagate: Callable[[Propagation], None] = nowhere,
        log: Callable[[str, str, dict[str, Any]], None] | None = None,
        now: datetime | None = None,
        zone: tzinfo | None = None,
        randomness: Random | None = None,
        make_uuid: Callable[[], UUID] = uuid4,
        sleep: Callable[[float], None] = time.sleep,
        throws_database_errors: bool = True,
        databases: Any = None,
    ) -> None:
        self._deployment = deployment
        # A Message until the first access, then the Reference to its root.
        self._input_root: Any = root
        self._input_local_environment: Any = local_environment
        self._input_exception_list: Any = exception_list
        self._output_root: Any = output
        self._output_local_environment: Any = output_local_environment
        self._output_exception_list: Any = output_exception_list
        self._environment: Any = environment
        self.labels = {} if labels is None else labels
        self.emit = propagate
        self.log = log
        self.sleep = sleep
        self.uuid = make_uuid
        self.throws_database_errors = throws_database_errors
        self._databases = databases
        self._now = now
        self._zone = zone
        self._random = randomness
        self._scopes: dict[type, Any] | None = None
        # Context trees of the enclosing (sub)flows, innermost first, by name; see `context_nodes`.
        self.levels: list[tuple[str, Message]] | None = None
        # The values of SQLCODE and so on while nothing has failed; an error being handled sets its own.
        self.sqlcode: int = 0
        self.sqlstate: str = NO_ERROR
        self.sqlnativeerror: int = 0
        self.sqlerrortext: str = ""
        self.handled: MQError | None = None

    def renewed(
        self,
        root: Message,
        environment: Message | None,
        local_environment: Message | None,
        exception_list: Message | None,
        now: datetime | None,
    ) -> Context:
        """Return a context for another message, with this one's names, randomness, logs and data sources."""
        made = Context.__new__(Context)
        made._deployment = self._deployment
        made._input_root = root
        made._input_local_environment = local_environment
        made._input_exception_list = exception_list
        made._output_root = None
        made._output_local_environment = None
        made._output_exception_list = None
        made._environment = environment
        made.labels = self.labels
        made.emit = self.emit
        made.log = self.log
        made.sleep = self.sleep
        made.uuid = self.uuid
        made.throws_database_errors = self.throws_database_errors
        made._databases = self._databases
        made._now = now
        made._zone = self._zone
        made._random = self._random
        made._scopes = None
        made.levels = None
        made.sqlcode = 0
        made.sqlstate = NO_ERROR
        made.sqlnativeerror = 0
        made.sqlerrortext = ""
        made.handled = None
        return made

    def made_environment(self) -> Message | None:
        """Return Environment; None if it was neither given nor accessed."""
        return _tree_of(self._environment)

    def made_local_environment(self) -> Message | None:
        """Return the input LocalEnvironment; None if it was neither given nor accessed."""
        return _tree_of(self._input_local_environment)

    def made_exception_list(self) -> Message | None:
        """Return the input ExceptionList; None if it was neither given nor accessed."""
        return _tree_of(self._input_exception_list)

    @property
    def input_root(self) -> Reference:
        """The input message."""
        if not isinstance(self._input_root, Reference):
            self._input_root = root_reference(self._input_root)
        return self._input_root

    @property
    def input_local_environment(self) -> Reference:
        """The input LocalEnvironment."""
        if not isinstance(self._input_local_environment, Reference):
            self._input_local_environment = root_reference(self._input_local_environment)
        return self._input_local_environment

    @property
    def input_exception_list(self) -> Reference:
        """The input ExceptionList."""
        if not isinstance(self._input_exception_list, Reference):
            self._input_exception_list = root_reference(self._input_exception_list)
        return self._input_exception_list

    @property
    def output_root(self) -> Reference:
        """The output message."""
        if not isinstance(self._output_root, Reference):
            self._output_root = root_reference(self._output_root)
        return self._output_root

    @property
    def output_local_environment(self) -> Reference:
        """The output LocalEnvironment."""
        if not isinstance(self._output_local_environment, Reference):
            self._output_local_environment = root_reference(self._output_local_environment)
        return self._output_local_environment

    @property
    def output_exception_list(self) -> Reference:
        """The output ExceptionList."""
        if not isinstance(self._output_exception_list, Reference):
            self._output_exception_list = root_reference(self._output_exception_list)
        return self._output_exception_list

    @property
    def environment(self) -> Reference:
        """The tree that all nodes of a flow share."""
        if not isinstance(self._environment, Reference):
            self._environment = root_reference(self._environment)
        return self._environment

    @property
    def context_tree(self) -> Reference:
        """What the nodes of this flow, or subflow, sent so far, and the origin of the message."""
        if not self.levels:
            self.levels = [("", Message())]
        return root_reference(self.levels[0][1])

    @property
    def deployment(self) -> Deployment:
        """Data that the threads of a flow share; private if the context was given none."""
        if self._deployment is None:
            self._deployment = Deployment()
        return self._deployment

    @property
    def databases(self) -> Any:
        """The targets of SQL statements: this node's data sources, else the deployment's; None for none."""
        return self.deployment.databases if self._databases is None else self._databases

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
    def random(self) -> Random:
        """The source of RAND."""
        if self._random is None:
            self._random = Random()
        return self._random

    def scope(self, kind: type[T]) -> T:
        """Return the ordinary variables of a module or schema, created for every invocation."""
        if self._scopes is None:
            self._scopes = {}
        found: T | None = self._scopes.get(kind)
        if found is None:
            made: Any = kind.__new__(kind)
            self._scopes[kind] = found = made  # an initial value may call a routine that needs it
            made.__init__(self)
        return found

    def deployed(self, kind: type[T]) -> T:
        """Return the SHARED and EXTERNAL variables of a module or schema."""
        return self.deployment.scope(kind, self)

    def propagate(self, sent: Propagation, delete: bool = True) -> None:
        """Send the output trees; afterwards they are empty unless DELETE NONE was specified."""
        if sent.label is None:
            terminal_name(sent.terminal)  # raises if there is none
        self.emit(sent)
        if delete:
            for name in OUTPUT_TREES:
                getattr(self, name).clear()

    def begin_handling(self, raised: MQError) -> tuple[Any, ...]:
        """Set SQLSTATE and so on from an error; returns the previous values."""
        before = (self.sqlcode, self.sqlstate, self.sqlnativeerror, self.sqlerrortext, self.handled)
        self.sqlstate = state_of(raised)
        self.sqlcode = raised.fields.get("sqlcode", SQLCODE_FAILED)
        self.sqlnativeerror = raised.fields.get("native", 0)
        self.sqlerrortext = raised.detail
        self.handled = raised
        return before

    def end_handling(self, before: tuple[Any, ...]) -> None:
        """Restore the values of the enclosing handler."""
        self.sqlcode, self.sqlstate, self.sqlnativeerror, self.sqlerrortext, self.handled = before


def _tree_of(held: Any) -> Message | None:
    """Return a tree of the context, as it was given or by its root."""
    return held.message if isinstance(held, Reference) else held
