"""Route: XPath decides; terminals of the table, default, failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, nodes
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL, LARGE, RUSH = (
    b"<Order><Total>5</Total></Order>",
    b"<Order><Total>2000</Total></Order>",
    b'<Order rush="y"><Total>3000</Total></Order>',
)
TABLE = [("$Body/Order/Total > 1000", "large"), ("$Root/XMLNSC/Order/@rush", "rush")]


def routed(table: list[tuple[str, str]], **properties: Any) -> Flow:
    flow = Flow("routed")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    route = flow.add(nodes.Route(table, **properties))
    start.out >> route.in_
    queues = iter(("OUT", "OUT2"))
    for terminal in dict.fromkeys(terminal for _, terminal in table):
        route.terminal(terminal) >> flow.add(nodes.MQOutput(next(queues))).in_
    route.default >> flow.add(nodes.MQOutput("OUT3")).in_
    route.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


@pytest.mark.parametrize(("distribution", "rush"), [("all", [RUSH]), ("first", [])])
def test_terminals_of_the_table_and_default(
    qm: Any, run: Callable[..., Any], distribution: str, rush: list[bytes]
) -> None:
    for body in (SMALL, LARGE, RUSH):
        qm.put("IN", body)
    run(routed(TABLE, distribution=distribution))
    assert bodies(qm, "OUT") == [LARGE, RUSH]
    assert bodies(qm, "OUT2") == rush
    assert bodies(qm, "OUT3") == [SMALL]


def test_two_expressions_for_one_terminal_send_once(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", RUSH)
    run(routed([("$Body/Order", "all"), ("true()", "all")]))
    assert bodies(qm, "OUT") == [RUSH]


def test_namespaces_are_those_of_the_node(qm: Any, run: Callable[..., Any]) -> None:
    body = b'<o:Order xmlns:o="urn:o"><o:Total>5</o:Total></o:Order>'
    qm.put("IN", body)
    run(routed([("$Body/x:Order/x:Total = 5", "found")], namespaces={"x": "urn:o"}))
    assert bodies(qm, "OUT") == [body]


def test_descriptor_and_properties_are_seen(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", SMALL, priority=7)
    run(routed([("$Root/MQMD/Priority = 7 and $Properties/Priority = 7", "high")]))
    assert bodies(qm, "OUT") == [SMALL]


def test_a_message_that_cannot_be_parsed_goes_to_failure(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<Order><Total>")
    run(routed(TABLE))
    assert bodies(qm, "FAILED") == [b"<Order><Total>"]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ([("$Body/Order[", "x")], r"Route: .*\(column 13\)"),
        ([("$Rot/a", "x")], r"there is no variable \$Rot"),
        ([("shout($Body)", "x")], r"there is no function shout\(\)"),
        ([("$Body/p:a", "x")], "prefix p has no namespace"),
        ([("count()", "x")], r"count\(\) does not take 0 arguments"),
    ],
)
def test_expressions_are_checked_when_the_flow_is_built(table: list[tuple[str, str]], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        CompiledFlow(routed(table))
