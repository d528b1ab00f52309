"""CallableFlowAsyncInvoke: calls another flow and does not wait for its reply.

The reply starts the flow of the CallableFlowAsyncResponse with the same correlator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.calls import correlator_queue, endpoint_queue, put_call
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, OUT
from penstock.flow.nodes.callable_flow_invoke import wrong_call
from penstock.flow.nodes.group_request import GroupProperties
from penstock.flow.writing import noted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class CallableFlowAsyncInvoke(GroupProperties):
    """Calls a flow: `CallableFlowAsyncInvoke("price", correlator="prices")`; `timeout` is how long the call
    waits until a flow takes it.
    """

    kind = Kind.EFFECT

    endpoint: str
    _: KW_ONLY
    correlator: str = ""
    application: str = ""
    timeout: float = 120.0

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from wrong_call(self.endpoint, self.timeout)
        if not self.correlator:
            yield "an asynchronous call needs the correlator of its response node"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return endpoint_queue(self.application, self.endpoint), correlator_queue(self.correlator)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        queue, group = endpoint_queue(self.application, self.endpoint), self.group_around(assembly)
        asked = put_call(assembly.ports, queue, assembly, self.timeout, correlator_queue(self.correlator))
        written = [{"replyIdentifier": asked, "endpoint": self.endpoint}]
        self.note_requests(group, written)
        at.send(OUT, assembly.sending(local_environment=noted(assembly, "CallableFlow", written)))
