"""The message assembly, which travels along a wire: Message, LocalEnvironment, ExceptionList, Environment.

An `Invocation` is the run of one message through a flow: what all its assemblies share (Environment, ports,
transaction). An `Assembly` is cheap; every node that sends another message makes a new one. A receiver does
not change the trees of an assembly, except Environment. Compiled through `assembly.pxd`: every message makes
some of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.tree import Message

if TYPE_CHECKING:
    from penstock.flow.ports import Ports
    from penstock.model.message import Message as QueueMessage


@cython.freelist(16)
@cython.cclass
class Invocation:
    """The run of one message through a flow."""

    def __init__(self, ports: Ports, transactional: bool = False, source: QueueMessage | None = None) -> None:
        self.ports = ports
        self.transactional = transactional  # was the input got in the unit of work?
        self.source = source
        self._environment: Message | None = None
        self._notes: dict[Any, Any] | None = None

    @property
    def environment(self) -> Message:
        """The tree that all nodes share; it lives as long as the invocation."""
        if self._environment is None:
            self._environment = Message()
        return self._environment

    @property
    def notes(self) -> dict[Any, Any]:
        """Data that related nodes leave for each other during the invocation."""
        if self._notes is None:
            self._notes = {}
        return self._notes

    def share_environment(self, environment: Message | None) -> None:
        """Let all nodes see an Environment that one of them created; the first one wins."""
        if self._environment is None:
            self._environment = environment


@cython.freelist(32)
@cython.cclass
class Assembly:
    """What a wire carries. Trees are created at the first access."""

    def __init__(
        self,
        message: Message,
        invocation: Invocation,
        local_environment: Message | None = None,
        exception_list: Message | None = None,
    ) -> None:
        self.message = message
        self.invocation = invocation
        self._local_environment = local_environment
        self._exception_list = exception_list

    @property
    def local_environment(self) -> Message:
        """The tree that goes along with the message."""
        if self._local_environment is None:
            self._local_environment = Message()
        return self._local_environment

    @property
    def exception_list(self) -> Message:
        """What failed, on a catch or failure wire; empty elsewhere."""
        if self._exception_list is None:
            self._exception_list = Message()
        return self._exception_list

    @property
    def environment(self) -> Message:
        """The tree that all nodes of the invocation share."""
        return self.invocation.environment

    @property
    def ports(self) -> Ports:
        """The node's access to the outside world."""
        return self.invocation.ports

    @property
    def has_local_environment(self) -> bool:
        """Return whether a LocalEnvironment was created."""
        return self._local_environment is not None

    def copied_local_environment(self) -> Message:
        """Return a copy of LocalEnvironment, to be changed and sent on."""
        return Message() if self._local_environment is None else self._local_environment.copy()

    def take_back(self, local_environment: Message | None, exception_list: Message | None) -> None:
        """Keep trees that were created for the user of this assembly, if it had none."""
        if self._local_environment is None:
            self._local_environment = local_environment
        if self._exception_list is None:
            self._exception_list = exception_list

    def sending(
        self,
        message: Message | None = None,
        local_environment: Message | None = None,
        exception_list: Message | None = None,
    ) -> Assembly:
        """Return an assembly with some of the trees replaced; the others are shared."""
        return assembled(
            self.message if message is None else message,
            self.invocation,
            self._local_environment if local_environment is None else local_environment,
            self._exception_list if exception_list is None else exception_list,
        )


def begun(ports: Ports, transactional: bool, source: QueueMessage | None) -> Invocation:
    """Return an invocation; the fast constructor, for messages of a queue."""
    made = Invocation.__new__(Invocation)
    made.ports = ports
    made.transactional = transactional
    made.source = source
    made._environment = None
    made._notes = None
    return made


def assembled(
    message: Message,
    invocation: Invocation,
    local_environment: Message | None = None,
    exception_list: Message | None = None,
) -> Assembly:
    """Return an assembly; the fast constructor, which every message uses at every node."""
    made = Assembly.__new__(Assembly)
    made.message = message
    made.invocation = invocation
    made._local_environment = local_environment
    made._exception_list = exception_list
    return made
