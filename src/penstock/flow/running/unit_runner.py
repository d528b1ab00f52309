"""Runs a flow on one message in its own unit: for inputs that are not queues (timers, files, HTTP).

A failure goes to the input's catch terminal; if that is not wired, or fails too, queues and databases are
backed out and the failure is returned: the listener decides what happens to the message.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import define_missing
from penstock.flow.assembly import Assembly, Invocation
from penstock.flow.failing import (
    CANNOT_BE_HANDLED,
    CONNECTION_GONE,
    as_pause,
    exceptions_of,
    failed,
    type_name,
)
from penstock.flow.node import CATCH, FAILURE, OUT
from penstock.flow.ports import DirectPorts
from penstock.flow.running.pausing import Pause
from penstock.flow.running.reporting import report_failed
from penstock.flow.running.retrying import Tally
from penstock.flow.running.unit_of_work import UnitOfWork
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, MQError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.tree import Message

AGAIN_MAX = 100  # destination lists of one message that a queue refuses


class UnitRunner:
    """An input, or another node with its own listener, in a running flow, with its connection.

    `options` are those of `CompiledFlow.start`.

    With `pauses`, an unreachable resource pauses the input until `stop`; without `stop`, 8312 is raised. Else
    it is the message's failure.
    """

    def __init__(
        self,
        flow: CompiledFlow,
        label: str,
        qm: BlockingQueueManager,
        *,
        pauses: bool = True,
        tally: Tally | None = None,
        **options: Any,
    ) -> None:
        self.qm = qm
        self.tally = Tally(flow.name) if tally is None else tally
        self._told: MessageFailed | None = None
        self._reference = ""
        self.pause = Pause(flow.name, label)
        self.stop: threading.Event | None = None
        options.pop("batch", None)  # every message has its own unit here
        self.ports = DirectPorts(qm, **options.pop("sources", {}))
        self.ports.pauses = pauses
        define_missing(qm, flow.state_queues)
        deployment = options.pop("deployment", None) or flow.new_deployment(flow.project.databases)
        self.unit = UnitOfWork(qm, deployment.databases)
        self.at = flow.start(self.ports, deployment=deployment, **options).all_places[label]
        self.kind = type_name(flow.flat.nodes[label])

    def run(
        self,
        message: Message,
        local_environment: Message | None = None,
        *,
        terminal: str = OUT,
        last: MessageFailed | None = None,
        reference: str = "",
    ) -> MessageFailed | None:
        """Send a message along a terminal in a unit of its own; return a failure that nothing handled.

        A failure that is the same as the `last` of this message is not logged again. The log names the
        message by its `reference`.
        """
        self._told, self._reference = last, reference
        return self._counted(self.in_unit(lambda: self.send(message, local_environment, terminal)))

    def fail(
        self,
        message: Message,
        problem: Exception,
        reference: str = "",
        local_environment: Message | None = None,
    ) -> MessageFailed | None:
        """Send a message that the input itself could not handle to the failure terminal, in a unit."""
        failure = self._failure(problem)
        self._reference = reference
        self._told = failure if isinstance(problem, MessageFailed) else None  # the caller has logged it
        return self._counted(self.in_unit(lambda: self.send_failed(message, failure, local_environment)))

    def _counted(self, failure: MessageFailed | None) -> MessageFailed | None:
        self.tally.messages += failure is None
        return failure

    def in_unit(self, work: Callable[[], None]) -> MessageFailed | None:
        """Do some work in a unit of work: commit it, or back it out and return the error."""
        failure = self._pausing(work)
        for _ in range(AGAIN_MAX):
            if failure is None or failure.reason != mq.PSRC_FLOW_LIST_AGAIN:
                break
            failure = self._pausing(work)
        self.ports.message_done(None)
        return failure

    def _pausing(self, work: Callable[[], None]) -> MessageFailed | None:
        """Do some work in a unit, again and again while something that it needs cannot be reached."""
        while True:
            try:
                failure = self._in_unit(work)
            except MQError as raised:
                if raised.reason != mq.PSRC_FLOW_PAUSED or self.stop is None or self.stop.is_set():
                    raise
                self.pause.wait(raised, self.stop)
                continue
            self.pause.over()
            return failure

    def _in_unit(self, work: Callable[[], None]) -> MessageFailed | None:
        self.ports.new_outputs()  # of a unit that failed
        self.qm.begin()
        try:
            work()
            self.unit.commit()
            self.tally.outputs += self.ports.new_outputs()
        except MQError as raised:
            failure = self._failure(raised)
            self.unit.undo(counted=failure.reason != mq.PSRC_FLOW_PAUSED)
            if failure.reason == mq.PSRC_FLOW_PAUSED:
                raise failure from raised
            self._note(failure)
            if failure.reason in CONNECTION_GONE:
                raise
            return failure
        except BaseException:
            self.unit.undo()
            raise
        return None

    def _failure(self, raised: Exception) -> MessageFailed:
        """Return an error as the message's failure: at the input, if no node has raised it."""
        if isinstance(raised, MessageFailed):
            return raised
        failure = failed(raised, self.at.label, self.kind, self.at.instance.flow_name)
        return as_pause(failure) if self.ports.pauses else failure

    def send(self, message: Message, local_environment: Message | None, terminal: str = OUT) -> None:
        """Send a message to a terminal, and to `catch` if that fails. The caller owns the unit."""
        invocation = Invocation(self.ports, transactional=True)
        try:
            self.at.send(terminal, Assembly(message, invocation, local_environment))
        except MessageFailed as raised:
            if self.at.wire(CATCH) is None or raised.reason in CANNOT_BE_HANDLED:
                raise
            raised.fields["nodes"].append((self.at.label, self.kind))
            caught = exceptions_of(raised)
            self.at.send(CATCH, Assembly(message, invocation, local_environment, caught))

    def send_failed(
        self, message: Message, problem: MessageFailed, local_environment: Message | None
    ) -> None:
        """Send a message to the failure terminal; raise its problem if nothing is wired there."""
        invocation = Invocation(self.ports, transactional=True)
        assembly = Assembly(message, invocation, local_environment, exceptions_of(problem))
        if not self.at.send(FAILURE, assembly):
            raise problem
        self.tally.given_up += 1

    def _note(self, raised: MessageFailed) -> None:
        self.tally.failed += 1
        self.tally.backed_out += 1
        is_known = self._told is not None and str(self._told) == str(raised)
        self._told = raised
        level = logging.DEBUG if is_known else logging.WARNING
        report_failed(level, raised, input=self.at.label, message=self._reference)
