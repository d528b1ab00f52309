"""CallableFlowReply: answers the call that LocalEnvironment names, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.calls import put_call
from penstock.flow.kinds import Kind
from penstock.flow.node import OUT, Node
from penstock.flow.nodes.callable_flow_input import ASKED, REPLY_SECONDS, REPLY_TO
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class CallableFlowReply(Node):
    """Answers a call: the message is what the caller continues with."""

    kind = Kind.EFFECT

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        told = assembly.local_environment
        queue, asked = told.get(REPLY_TO), told.get(ASKED)
        if not isinstance(queue, str) or not isinstance(asked, bytes):
            raise error(mq.PSRC_FLOW_CALL, "LocalEnvironment names no call to answer")
        if queue:
            put_call(assembly.ports, queue, assembly, REPLY_SECONDS, "", asked)
        at.send(OUT, assembly)
