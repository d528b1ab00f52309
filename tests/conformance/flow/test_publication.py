"""Publication: topics of the message, of LocalEnvironment and of the node; content filters; retained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Kind, Node, nodes
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext

BATCHES = pytest.mark.parametrize("batch", [1, 100])
APPLE = b"<Quote><Price>120</Price></Quote>"
PEAR = b"<Quote><Price>80</Price></Quote>"


class Topics(Node):
    """Names topics in Properties or in LocalEnvironment."""

    def __init__(self, where: str, *topics: str) -> None:
        super().__init__()
        self._where, self._topics = where, topics

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message, trees = assembly.message.copy(), assembly.copied_local_environment()
        if self._where == "properties":
            folder = message.create(Path("Properties"))
            folder.delete(Path("Topic"))
        else:
            folder = trees.create(Path("Destination", "Publication"))
        for topic in self._topics:
            folder.add_last_child("Topic", topic)
        at.send("out", assembly.sending(message, trees))


def published(*before: Node, no_match: bool = False, **properties: Any) -> Flow:
    flow = Flow("published")
    place = flow.add(nodes.MQInput("IN", domain="XMLNSC")).out
    publication = nodes.Publication(**properties)
    for each in (*before, publication, nodes.MQOutput("OUT")):
        flow.add(each)
        place >> each.in_
        place = each.out
    if no_match:
        publication.noMatch >> flow.add(nodes.MQOutput("OUT2")).in_
    publication.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def received(subscription: Any) -> list[bytes]:
    found = []
    while (message := subscription.get()) is not None:
        found.append(message.body)
    return found


@BATCHES
def test_the_topic_of_the_node(qm: Any, run: Callable[..., Any], batch: int) -> None:
    with qm.subscribe("price/#") as all_prices, qm.subscribe("news") as news:
        qm.put("IN", APPLE)
        run(published(topic="price/apple"), batch=batch)
        assert (received(all_prices), received(news)) == ([APPLE], [])
    assert bodies(qm, "OUT") == [APPLE]


@BATCHES
@pytest.mark.parametrize("where", ["properties", "local environment"])
def test_topics_of_the_message_come_first(qm: Any, run: Callable[..., Any], batch: int, where: str) -> None:
    with qm.subscribe("a") as one, qm.subscribe("b") as other, qm.subscribe("node") as node:
        qm.put("IN", APPLE)
        run(published(Topics(where, "a", "b"), topic="node"), batch=batch)
        assert (received(one), received(other), received(node)) == ([APPLE], [APPLE], [])


@BATCHES
def test_filters_look_into_the_body(qm: Any, run: Callable[..., Any], batch: int) -> None:
    with (
        qm.subscribe("price/#", selector="Body.Quote.Price > 100") as dear,
        qm.subscribe("price/#", selector="Body.Quote.Price <= 100") as cheap,
    ):
        qm.put("IN", APPLE)
        qm.put("IN", PEAR)
        run(published(topic="price/fruit"), batch=batch)
        assert (received(dear), received(cheap)) == ([APPLE], [PEAR])


@BATCHES
@pytest.mark.parametrize(("retain", "seen"), [(True, [APPLE]), (False, [])])
def test_retained_publications_wait_for_subscribers(
    qm: Any, run: Callable[..., Any], batch: int, retain: bool, seen: list[bytes]
) -> None:
    qm.put("IN", APPLE)
    run(published(topic="price/apple", retain=retain), batch=batch)
    with qm.subscribe("price/#") as late:
        assert received(late) == seen


def test_nobody_who_matches_goes_to_no_match(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", APPLE)
    flow = published(topic="price/apple", no_match=True)
    run(flow)
    assert (bodies(qm, "OUT"), bodies(qm, "OUT2")) == ([], [APPLE])
    with qm.subscribe("price/#") as sub:
        qm.put("IN", PEAR)
        run(flow)
        assert received(sub) == [PEAR]
    assert (bodies(qm, "OUT"), bodies(qm, "OUT2")) == ([PEAR], [])


@BATCHES
def test_no_topic_at_all_fails(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", APPLE)
    run(published(), batch=batch)
    assert bodies(qm, "FAILED") == [APPLE]


@BATCHES
def test_a_topic_that_cannot_be_goes_to_failure(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", APPLE)
    run(published(topic="x" * 20_000), batch=batch)
    assert bodies(qm, "FAILED") == [APPLE]


@BATCHES
def test_publications_of_a_failing_message_are_taken_back(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACKOUT)")
    qm.put("IN", APPLE, persistent=True)
    flow = published(topic="price/apple")
    flow.node("MQOutput").out >> flow.add(nodes.Throw("no")).in_
    with qm.subscribe("price/#") as sub:
        run(flow, batch=batch)
        assert received(sub) == []
    assert bodies(qm, "BACKOUT") == [APPLE]


def test_kinds() -> None:
    assert CompiledFlow(published(topic="t")).kind is Kind.QUEUE
    assert CompiledFlow(published(topic="t", no_match=True)).kind is Kind.EFFECT
    assert CompiledFlow(published(topic="t", transaction="no")).kind is Kind.EFFECT
