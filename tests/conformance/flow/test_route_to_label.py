"""RouteToLabel and Label: the entry of RouterList that was followed is taken off the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, Node, nodes
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext


class Listing(Node):
    """Writes a RouterList."""

    def __init__(self, *labels: str, field: str = "labelName") -> None:
        super().__init__()
        self._labels, self._field = labels, field

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        trees = assembly.copied_local_environment()
        folder = trees.reference().add_last_child("Destination").add_last_child("RouterList")
        for label in self._labels:
            folder.add_last_child("DestinationData").add_last_child(self._field, label)
        at.send("out", assembly.sending(local_environment=trees))


def routed(labels: tuple[str, ...], mode: str, field: str = "labelName") -> Flow:
    flow = Flow("routed")
    start, listing = flow.add(nodes.MQInput("IN")), flow.add(Listing(*labels, field=field))
    router, failed = flow.add(nodes.RouteToLabel(mode)), flow.add(nodes.MQOutput("FAILED"))
    start.out >> listing.in_
    listing.out >> router.in_
    router.failure >> failed.in_
    for label, queue in (("one", "OUT"), ("two", "OUT2")):
        entrance, out = flow.add(nodes.Label(label)), flow.add(nodes.MQOutput(queue))
        again = flow.add(nodes.RouteToLabel(mode, name=f"after {label}"))
        entrance.out >> out.in_
        out.out >> again.in_
        again.failure >> flow.add(nodes.Passthrough()).in_
    return flow


@pytest.mark.parametrize(("mode", "queue"), [("last", "OUT2"), ("first", "OUT")])
def test_the_mode_says_which_entry_is_followed(
    qm: Any, run: Callable[..., Any], mode: str, queue: str
) -> None:
    flow = routed(("one", "two"), mode)
    for each in [each for each in flow.wires if each.source.name.startswith("MQOutput")]:
        flow.wires.remove(each)
    qm.put("IN", b"x")
    run(flow)
    assert bodies(qm, queue) == [b"x"]
    assert bodies(qm, "OUT" if queue == "OUT2" else "OUT2") == []


def test_a_later_router_follows_the_next_entry(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"x")
    run(routed(("one", "two"), "last"))
    assert bodies(qm, "OUT2") == [b"x"]
    assert bodies(qm, "OUT") == [b"x"]


def test_labelname_of_old_flows_is_understood(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"x")
    run(routed(("one",), "last", field="labelname"))
    assert bodies(qm, "OUT") == [b"x"]


@pytest.mark.parametrize("labels", [(), ("three",)])
def test_no_entry_or_an_unknown_label_goes_to_failure(
    qm: Any, run: Callable[..., Any], labels: tuple[str, ...]
) -> None:
    qm.put("IN", b"x")
    run(routed(labels, "last"))
    assert bodies(qm, "FAILED") == [b"x"]
