"""Which engine runs a flow, and why; properties given from outside; counts of nodes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Kind, Node, Project, nodes
from penstock.flow.engines import why_not_spark
from penstock.flow.overrides import apply_overrides, parse_overrides
from penstock.flow.running.counters import Counters
from tests.patience import attempts

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


class Resting(Node):
    """Takes a while."""

    def start(self, at: Any) -> Any:
        onward = at.wire("out")

        def process(assembly: Any) -> None:
            time.sleep(0.01)
            onward(assembly)

        return process


def test_nodes_and_wires_are_counted_and_a_node_has_only_its_own_time(
    qm: Any, run: Callable[..., Any]
) -> None:
    flow = Flow("tried")
    path = [flow.add(nodes.MQInput("IN")), flow.add(nodes.Passthrough()), flow.add(Resting())]
    path[0].out >> path[1].in_
    path[1].out >> path[2].in_
    path[2].out >> flow.add(nodes.MQOutput("OUT")).in_
    for _ in attempts():
        counters = Counters(every=1)
        for _ in range(10):
            qm.put("IN", b"x")
        run(flow, counters=counters)
        rows = {each.node: each for each in counters.rows()}
        counted = {name: (each.messages, each.failed, sum(each.histogram)) for name, each in rows.items()}
        assert counted == dict.fromkeys(("Passthrough", "Resting", "MQOutput"), (10, 0, 10))
        assert rows["Resting"].seconds >= 0.1
        if (
            rows["Passthrough"].seconds < rows["Resting"].seconds
        ):  # never, if it had the time of nodes behind it
            break
    wires = ("MQInput.out -> Passthrough", "Passthrough.out -> Resting", "Resting.out -> MQOutput")
    assert counters.wires() == dict.fromkeys(wires, 10)


def test_one_message_of_so_many_is_timed_and_all_are_counted(qm: Any, run: Callable[..., Any]) -> None:
    counters = Counters(every=4)
    for _ in range(10):
        qm.put("IN", b"x")
    run(flow_of(nodes.Passthrough()), counters=counters)
    assert {(each.messages, sum(each.histogram)) for each in counters.rows()} == {(10, 3)}


def test_failures_are_counted_at_the_node_and_at_those_before_it(qm: Any, run: Callable[..., Any]) -> None:
    counters = Counters()
    qm.put("IN", b"x", persistent=True)
    qm.mqsc("ALTER QLOCAL(OUT) PUT(DISABLED)", check=True)
    with pytest.raises(penstock.FlowError):
        run(flow_of(nodes.Passthrough()), counters=counters)
    rows = {each.node: (each.messages, each.failed) for each in counters.rows()}
    assert rows["MQOutput"] == rows["Passthrough"]
    assert rows["MQOutput"][1] >= 1


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
