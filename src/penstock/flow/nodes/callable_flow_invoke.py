"""CallableFlowInvoke: calls another flow, in any process of the queue manager, and continues with its reply.

The called flow has its own unit of work: what it did stays, whatever becomes of the caller. No reply in time,
or a failure of the called flow, is the node's failure (8338).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.calls import REPLIES, call_in, endpoint_queue, put_call
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process


class CallableFlowInvoke(Node):
    """Calls a flow: `CallableFlowInvoke("price", application="Shop", timeout=10)`."""

    kind = Kind.EFFECT

    endpoint: str
    _: KW_ONLY
    application: str = ""
    timeout: float = 120.0

    def check(self) -> Iterable[str]:
        yield from wrong_call(self.endpoint, self.timeout)

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return endpoint_queue(self.application, self.endpoint), REPLIES

    def start(self, at: NodeContext) -> Process:
        queue, project = endpoint_queue(self.application, self.endpoint), at.instance.project

        def process(assembly: Assembly) -> None:
            ports = assembly.ports
            asked = put_call(ports, queue, assembly, self.timeout, REPLIES)
            found = ports.get(REPLIES, wait=self.timeout, in_unit=False, correl_id=asked)
            if found is None:
                what = f"endpoint {self.endpoint!r} of {self.application or 'any application'}"
                raise error(mq.PSRC_FLOW_CALL, f"{what} did not reply within {self.timeout:g} seconds")
            reply = call_in(found)
            if reply.problem is not None:
                raise reply.problem
            tree = reply.stored.tree(project, assembly.invocation.transactional)
            at.send(OUT, assembly.sending(tree))

        return process


def wrong_call(endpoint: str, timeout: float) -> Iterable[str]:
    """Return the mistakes in the properties of a call."""
    if not endpoint:
        yield "a call needs the name of an endpoint"
    if timeout <= 0:
        yield "timeout has to be more than 0 seconds"
