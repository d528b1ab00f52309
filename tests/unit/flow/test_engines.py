"""Which engine runs a flow, and why; properties given from outside; counts of nodes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Kind, Node, Project, nodes
from penstock.flow.engines import why_not_spark
from penstock.flow.overrides import apply_overrides, parse_overrides
from penstock.flow.running.counters import Counters

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHARED = """
DECLARE seen SHARED INTEGER 0;
CREATE COMPUTE MODULE Counting
  CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN SET seen = seen + 1; RETURN TRUE; END;
END MODULE;
"""


class Marking(Node):
    """Leaves a mark outside."""

    kind = Kind.EFFECT


def flow_of(node: Node, transaction: str = "yes", **options: Any) -> Flow:
    flow = Flow("tried", **options)
    start, out = flow.add(nodes.MQInput("IN", transaction=transaction)), flow.add(nodes.MQOutput("OUT"))
    flow.add(node)
    start.out >> node.in_
    node.out >> out.in_
    return flow


def reasons(flow: Flow, folder: Path) -> list[tuple[str, str]]:
    return [(each.node, each.text) for each in why_not_spark(CompiledFlow(flow, Project(folder)))]


def test_queues_and_pure_nodes_may_run_on_spark(tmp_path: Path) -> None:
    assert reasons(flow_of(nodes.Passthrough()), tmp_path) == []


def test_an_effect_is_named_unless_the_flow_accepts_it_twice(tmp_path: Path) -> None:
    ((node, text),) = reasons(flow_of(Marking()), tmp_path)
    assert node == "Marking"
    assert "twice" in text
    assert reasons(flow_of(Marking(), effects="at-least-once"), tmp_path) == []


def test_gets_outside_units_and_coordination_need_the_inline_engine(tmp_path: Path) -> None:
    assert reasons(flow_of(nodes.Passthrough(), transaction="no"), tmp_path)[0][0] == "MQInput"
    assert reasons(flow_of(nodes.Passthrough(), coordinated=True), tmp_path)[0][0] == "tried"


def test_shared_variables_need_one_process_unless_they_are_a_cache(tmp_path: Path) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "counting.esql").write_text(SHARED)
    ((_, text),) = reasons(flow_of(nodes.Compute(module="Counting")), tmp_path)
    assert "seen" in text
    assert reasons(flow_of(nodes.Compute(module="Counting"), shared="cache"), tmp_path) == []
    assert reasons(flow_of(nodes.Passthrough()), tmp_path) == []


def test_overrides_become_what_the_property_is(tmp_path: Path) -> None:
    flow = flow_of(nodes.Passthrough(), properties={"limit": 5})
    lines = [
        "# a comment",
        "",
        "limit = 7",
        "MQOutput.new_msg_id=true",
        "other#MQOutput.queue=X",
        "tried#MQInput.queue=A=B",
    ]
    apply_overrides(flow, parse_overrides(lines))
    assert flow.properties["limit"] == 7
    assert flow.node("MQOutput").properties()["new_msg_id"] is True
    assert flow.node("MQOutput").properties()["queue"] == "OUT"
    assert flow.node("MQInput").properties()["queue"] == "A=B"


@pytest.mark.parametrize(
    "line", ["limit", "=5", "limit=many", "MQOutput.new_msg_id=maybe", "nothing=1", "Nobody.queue=X"]
)
def test_overrides_that_make_no_sense_are_refused(line: str) -> None:
    flow = flow_of(nodes.Passthrough(), properties={"limit": 5})
    with pytest.raises(penstock.FlowError) as raised:
        apply_overrides(flow, parse_overrides([line]))
    assert raised.value.reason == 8301


def test_a_misspelt_property_is_reported_for_the_flow_that_has_the_node() -> None:
    intake, book = Flow("intake"), Flow("book")
    book.add(nodes.MQOutput("OUT"), "Host")
    with pytest.raises(
        penstock.FlowError,
        match=r"node Host of flow book has no property 'quue'; did you mean 'queue'\?",
    ):
        apply_overrides(intake, parse_overrides(["Host.quue=X"]), [intake, book])


def test_counters_count_every_node_and_only_its_own_time(
    qm: Any, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count()
    monkeypatch.setattr("penstock.flow.running.counters.perf_counter", lambda: float(next(ticks)))
    counters = Counters()
    for _ in range(10):
        qm.put("IN", b"x")
    run(flow_of(nodes.Passthrough()), tap=counters.tap)
    rows = {each.node: each for each in counters.rows()}
    assert {name: each.messages for name, each in rows.items()} == {"Passthrough": 10, "MQOutput": 10}
    # A message is four ticks: Passthrough begins, MQOutput begins, MQOutput ends, Passthrough ends.
    assert {name: each.seconds for name, each in rows.items()} == {"Passthrough": 20.0, "MQOutput": 10.0}


@pytest.mark.parametrize(
    "node",
    [
        nodes.Publication("prices", retain=True),
        nodes.MQOutput("OUT", persistence="asQdef"),
        nodes.AggregateReply("TRIP"),
    ],
)
def test_what_a_batch_of_spark_keeps_is_allowed(node: Node, tmp_path: Path) -> None:
    flow = Flow("tried")
    start = flow.add(nodes.MQInput("IN"))
    flow.add(node, name="kept")
    start.out >> node.in_
    assert why_not_spark(CompiledFlow(flow, Project(tmp_path))) == []


def test_coordination_is_refused_where_no_queue_begins_the_unit(tmp_path: Path) -> None:
    flow = Flow("timed", coordinated=True)
    start, out = flow.add(nodes.TimeoutNotification("T", interval=1)), flow.add(nodes.MQOutput("OUT"))
    start.out >> out.in_
    with pytest.raises(penstock.FlowError, match="coordinated=True"):
        CompiledFlow(flow, Project(tmp_path))
