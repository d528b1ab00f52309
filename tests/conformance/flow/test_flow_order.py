"""FlowOrder: first, then second; a failure of the first way keeps a message from the second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow import Flow, Node, nodes
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext


class Noting(Node):
    """Notes in Environment that it was passed, and remembers what it found there."""

    def __init__(self, mark: str, seen: list[str]) -> None:
        super().__init__(name=mark)
        self._seen = seen

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        found = [field.name for field in assembly.environment]
        self._seen.append(f"{self.name} after {found}")
        assembly.environment.reference().add_last_child(self.name, 1)
        at.send("out", assembly)


def test_the_second_way_begins_when_the_first_has_ended(qm: Any, run: Callable[..., Any]) -> None:
    seen: list[str] = []
    flow = Flow("ordered")
    start, order = flow.add(nodes.MQInput("IN")), flow.add(nodes.FlowOrder())
    second, first, further = (flow.add(Noting(mark, seen)) for mark in ("second", "first", "further"))
    out = flow.add(nodes.MQOutput("OUT"))
    start.out >> order.in_
    order.second >> second.in_
    order.first >> first.in_
    first.out >> further.in_
    second.out >> out.in_
    qm.put("IN", b"x")
    run(flow)
    assert seen == ["first after []", "further after ['first']", "second after ['first', 'further']"]
    assert bodies(qm, "OUT") == [b"x"]


def test_a_failure_of_the_first_way_ends_the_message(qm: Any, run: Callable[..., Any]) -> None:
    flow = Flow("ordered")
    start, order = flow.add(nodes.MQInput("IN")), flow.add(nodes.FlowOrder())
    away, out = flow.add(nodes.Throw("no")), flow.add(nodes.MQOutput("OUT"))
    caught = flow.add(nodes.MQOutput("CAUGHT"))
    start.out >> order.in_
    start.catch >> caught.in_
    order.first >> away.in_
    order.second >> out.in_
    qm.put("IN", b"x", persistent=True)
    run(flow)
    assert bodies(qm, "CAUGHT") == [b"x"]
    assert bodies(qm, "OUT") == []
