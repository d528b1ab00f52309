"""CallableFlowInput: a flow that other flows call by the name of its endpoint.

Each call runs in its own unit of work. LocalEnvironment.CallableFlow.Input names the caller that
CallableFlowReply has to answer. A call that fails is answered with the failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.calls import call_in, endpoint_queue, put_problem
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, InputNode
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.async_listener import Response
    from penstock.flow.running.listener import Listener
    from penstock.flow.running.unit_runner import UnitRunner
    from penstock.model.errors import MQError

REPLY_TO, ASKED = Path("CallableFlow", "Input", "ReplyTo"), Path("CallableFlow", "Input", "ReplyIdentifier")
REPLY_SECONDS = 120.0  # how long a reply waits for a caller that sets no time limit


class CallableFlowInput(InputNode):
    """Takes calls: `CallableFlowInput("price", application="Shop")`."""

    kind = Kind.EFFECT

    endpoint: str
    _: KW_ONLY
    application: str = ""

    def check(self) -> Iterable[str]:
        if not self.endpoint:
            yield "a CallableFlowInput needs the name of its endpoint"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (endpoint_queue(self.application, self.endpoint),)

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.async_listener import AsyncListener, Response

        queue = endpoint_queue(self.application, self.endpoint)

        def take(runner: UnitRunner, wait: float) -> Response | None:
            found = runner.ports.get(queue, wait=wait, in_unit=False)
            if found is None:
                return None
            asked, reply_to = found.msg_id, found.descriptor.reply_to.strip()

            def answer(problem: MQError) -> None:
                if reply_to:
                    put_problem(runner.ports, reply_to, problem, found.expiry or REPLY_SECONDS, asked)

            told = Message()
            told.set(REPLY_TO, reply_to)
            told.set(ASKED, asked)
            tree = call_in(found).stored.tree(flow.project, True)
            return Response(tree, told, on_failure=answer)

        return AsyncListener(flow, label, connect(), take, **options)
