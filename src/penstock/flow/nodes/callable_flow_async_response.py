"""CallableFlowAsyncResponse: a flow that starts with the replies to the calls of a CallableFlowAsyncInvoke.

Properties.ReplyIdentifier is the identifier of the call, which an AggregateReply behind it knows. A call that
failed goes to `failure`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.calls import call_in, correlator_queue
from penstock.flow.kinds import Kind
from penstock.flow.node import InputNode
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.async_listener import Response
    from penstock.flow.running.listener import Listener
    from penstock.flow.running.unit_runner import UnitRunner

_ASKED = Path("Properties", "ReplyIdentifier")


class CallableFlowAsyncResponse(InputNode):
    """Takes replies: `CallableFlowAsyncResponse("prices")`."""

    kind = Kind.EFFECT

    correlator: str

    def check(self) -> Iterable[str]:
        if not self.correlator:
            yield "a response node needs the correlator of its invoke node"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (correlator_queue(self.correlator),)

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.async_listener import AsyncListener, Response

        queue = correlator_queue(self.correlator)

        def take(runner: UnitRunner, wait: float) -> Response | None:
            found = runner.ports.get(queue, wait=wait, in_unit=False)
            if found is None:
                return None
            call = call_in(found)
            tree = call.stored.tree(flow.project, True)
            tree.delete(Path("MQMD"))
            tree.set(_ASKED, found.correl_id)
            return Response(tree, Message(), problem=call.problem)

        return AsyncListener(flow, label, connect(), take, **options)
