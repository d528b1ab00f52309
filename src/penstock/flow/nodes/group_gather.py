"""GroupGather: takes a reply to a request of a group. GroupComplete sends the group on.

The reply is kept on the queue of the group in the flow's unit of work. It is known by the correlation id of
its MQMD, else by Properties.ReplyIdentifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.aggregation.stored_reply import stored_reply
from penstock.flow.events.event import keep
from penstock.flow.events.grouping import REPLY, queue_of_group
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, KW_ONLY, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class GroupGather(Node):
    """Takes replies: `GroupGather("QUOTES", unknown_timeout=5)`.

    A reply waits that many seconds for its group.
    """

    outputs = (FAILURE,)
    kind = Kind.QUEUE

    group: str
    _: KW_ONLY
    unknown_timeout: float = 0.0

    def check(self) -> Iterable[str]:
        if not self.group:
            yield "a GroupGather needs a group name, the one of its GroupScatter and GroupComplete"
        if self.unknown_timeout < 0:
            yield f"unknown_timeout {self.unknown_timeout} is negative"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (queue_of_group(self.group),)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        identifier = stored_reply(assembly).reply_identifier.hex()
        keep(assembly, queue_of_group(self.group), REPLY, identifier, round(self.unknown_timeout * 1000))
