"""Failures in a flow: which node they come from, which terminal gets them, and the ExceptionList.

The first guard that sees an error is the one around the node that raised it. It sends the error to that
node's failure terminal, or turns it into a `MessageFailed` that all nodes above pass on (and record), up to a
TryCatch or an input node. This costs nothing while nothing fails.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import cython

from penstock.esql.runtime.trees.exception_list import exception_list
from penstock.face._clock import monotonic
from penstock.flow.processing import Processing, forward
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, MQError, error

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Node, Process
    from penstock.flow.node_counts import NodeCount, Probe, Stopwatch
    from penstock.flow.running.counters import InstanceCounts
    from penstock.tree import Message

CONNECTION_GONE = (
    mq.MQRC_CONNECTION_BROKEN,
    mq.MQRC_Q_MGR_QUIESCING,
    mq.MQRC_Q_MGR_STOPPING,
    mq.MQRC_CONNECTION_QUIESCING,
    mq.MQRC_CONNECTION_STOPPING,
)
# the connection is gone, another unit of work is in the way, this one has to begin again, something that the
# flow needs cannot be reached: no terminal helps
CANNOT_BE_HANDLED = (
    *CONNECTION_GONE,
    mq.PSRC_FLOW_AGGREGATION_BUSY,
    mq.PSRC_FLOW_LIST_AGAIN,
    mq.PSRC_FLOW_PAUSED,
)
UNREACHABLE = "unreachable"  # the field of an error that is about no message


def guarded(
    process: Process, node: Node, label: str, flow: str, failure: Process | None, counts: InstanceCounts
) -> Process:
    """Return a node's function with a guard around it."""
    count = counts.node(label, type(node).__name__)
    return Guard(process, label, type_name(node), flow, failure, count, counts.watch, counts.probe)


@cython.cclass
class Guard(Processing):
    """A node's function with the handling of its failures, and with its counts."""

    def __init__(
        self,
        process: Process,
        label: str,
        kind: str,
        flow: str,
        failure: Process | None,
        count: NodeCount,
        watch: Stopwatch,
        probe: Probe,
    ) -> None:
        self.inner = process
        self.label = label
        self.kind = kind
        self.flow = flow
        self.failure = failure
        self.count = count
        self.watch = watch
        self.probe = probe

    def process(self, assembly: Assembly) -> None:
        """Run the node, count and time it, and route its failures."""
        self.count.messages += 1
        if self.watch.timing:
            self._timed(assembly)
        else:
            self._run(assembly)

    def _timed(self, assembly: Assembly) -> None:
        outer, self.watch.inside, begun = self.watch.inside, 0.0, monotonic()
        try:
            self._run(assembly)
        finally:
            took = monotonic() - begun
            self.count.add_time(max(0.0, took - self.watch.inside))
            self.watch.inside = outer + took

    def _run(self, assembly: Assembly) -> None:
        try:
            forward(self.inner, assembly)
        except MessageFailed as raised:
            self.count.failed += 1
            raised.fields["nodes"].append((self.label, self.kind))
            raise
        except Exception as raised:  # the edge between a node's code and the flow
            self.count.failed += 1
            if self.probe.is_on:
                self.probe.failed(self.label, raised)
            problem = failed(raised, self.label, self.kind, self.flow)
            if assembly.invocation.ports.pauses:
                problem = as_pause(problem)
            if self.failure is None or problem.reason in CANNOT_BE_HANDLED:
                raise problem from raised
            forward(self.failure, assembly.sending(None, None, exceptions_of(problem)))


def failed(raised: Exception, label: str, kind: str, flow: str) -> MessageFailed:
    """Return the failure of a message for an error that a node raised."""
    cause = raised if isinstance(raised, MQError) else error(mq.PSRC_FLOW_NODE, _of_python(raised))
    fields = {"frames": (), **cause.fields, "nodes": [(label, kind)]}
    fields["nodelabel"], fields["messageflowlabel"] = label, flow
    return MessageFailed(cause.reason, cause.detail, fields)


def as_pause(problem: MessageFailed) -> MessageFailed:
    """Return a failure to reach something as what pauses a flow (8312); any other failure as it is."""
    if not problem.fields.get(UNREACHABLE):
        return problem
    return MessageFailed(
        mq.PSRC_FLOW_PAUSED, f"{problem.reason} {problem.name}: {problem.detail}", problem.fields
    )


def exceptions_of(problem: MQError) -> Message:
    """Return the ExceptionList of a failure."""
    return exception_list(problem)


def type_name(node: Node) -> str:
    """Return what ExceptionList calls a node's type."""
    return node.type_name or f"ComIbm{type(node).__name__}Node"


def _of_python(raised: Exception) -> str:
    at = traceback.extract_tb(raised.__traceback__)[-1]
    return f"{type(raised).__name__}: {raised} ({at.filename}, line {at.lineno})"
