"""The graph: wires, subflows, promoted and user-defined properties, and what is wrong with a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, nodes
from penstock.model.errors import FlowError
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable


def simple() -> tuple[Flow, nodes.MQInput, nodes.MQOutput]:
    flow = Flow("simple")
    start, out = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT"))
    start.out >> out.in_
    return flow, start, out


# -- subflows ------------------------------------------------------------------------------


def marked(queue: str) -> Flow:
    """A subflow that puts to a queue on the way, and sends bad messages elsewhere."""
    inner = Flow("inner")
    entry, leave, bad = nodes.Input("enter"), nodes.Output("leave"), nodes.Output("bad")
    for node in (entry, leave, bad):
        inner.add(node)
    test = inner.add(nodes.Filter("CAST(Body.BLOB AS CHARACTER CCSID 1208) <> 'bad'"))
    put = inner.add(nodes.MQOutput(queue))
    entry.out >> test.in_
    test.true >> put.in_
    put.out >> leave.in_
    test.false >> bad.in_
    inner.promote("copies", (put, "queue"))
    return inner


@pytest.mark.parametrize("batch", [1, 100])
def test_a_subflow_is_a_node_with_its_own_terminals(qm: Any, run: Callable[..., Any], batch: int) -> None:
    flow = Flow("outer")
    start, sub = flow.add(nodes.MQInput("IN")), flow.add(nodes.Subflow(marked("OUT2"), name="Mark"))
    out, bad = flow.add(nodes.MQOutput("OUT")), flow.add(nodes.MQOutput("FAILED"))
    start.out >> sub.enter
    sub.leave >> out.in_
    sub.bad >> bad.in_
    qm.put("IN", b"good")
    qm.put("IN", b"bad")
    run(flow, batch=batch)
    assert [bodies(qm, queue) for queue in ("OUT", "OUT2", "FAILED")] == [[b"good"], [b"good"], [b"bad"]]


def test_a_subflow_may_be_used_twice_and_nested(qm: Any, run: Callable[..., Any]) -> None:
    inner = marked("OUT2")
    middle = Flow("middle")
    entry, leave = middle.add(nodes.Input()), middle.add(nodes.Output())
    one, two = middle.add(nodes.Subflow(inner)), middle.add(nodes.Subflow(inner))
    entry.out >> one.enter
    one.leave >> two.enter
    two.leave >> leave.in_
    flow = Flow("outer")
    start, sub, out = (
        flow.add(nodes.MQInput("IN")),
        flow.add(nodes.Subflow(middle)),
        flow.add(nodes.MQOutput("OUT")),
    )
    start.out >> sub.in_
    sub.out >> out.in_
    qm.put("IN", b"x")
    run(flow)
    assert bodies(qm, "OUT2") == [b"x", b"x"]
    assert bodies(qm, "OUT") == [b"x"]
    assert "middle.inner1.MQOutput" in CompiledFlow(flow).flat.nodes


def test_one_use_of_a_subflow_sets_its_promoted_properties(qm: Any, run: Callable[..., Any]) -> None:
    inner = marked("OUT2")
    flow = Flow("outer")
    start = flow.add(nodes.MQInput("IN"))
    one, two = flow.add(nodes.Subflow(inner)), flow.add(nodes.Subflow(inner, copies="OUT3"))
    start.out >> one.enter
    one.leave >> two.enter
    qm.put("IN", b"x")
    run(flow)
    assert (bodies(qm, "OUT2"), bodies(qm, "OUT3")) == ([b"x"], [b"x"])
    flow.add(nodes.Subflow(inner, copy="OUT"))
    with pytest.raises(FlowError, match="inner has no promoted property 'copy'; did you mean 'copies'"):
        CompiledFlow(flow)


def test_a_subflow_within_itself_is_refused() -> None:
    inner = Flow("inner")
    entry = inner.add(nodes.Input())
    again = inner.add(nodes.Subflow(inner))
    entry.out >> inner.add(nodes.Passthrough()).in_
    assert again.inputs == ("in",)
    flow = Flow("outer")
    flow.add(nodes.MQInput("IN")).out >> flow.add(nodes.Subflow(inner)).in_
    with pytest.raises(FlowError, match="more than 50 subflows within each other"):
        CompiledFlow(flow)


# -- properties ----------------------------------------------------------------------------


def test_a_promoted_property_sets_those_of_nodes(qm: Any, run: Callable[..., Any]) -> None:
    flow, start, out = simple()
    further = flow.add(nodes.MQOutput("OUT"))
    start.out >> further.in_
    flow.promote("target", (out, "queue"), (further, "queue"))
    flow.set("target", "OUT2")
    qm.put("IN", b"x")
    run(flow)
    assert (bodies(qm, "OUT"), bodies(qm, "OUT2")) == ([], [b"x", b"x"])


def test_a_property_of_a_node_is_set_by_its_name() -> None:
    flow, _, out = simple()
    flow.set("MQOutput.queue", "OUT3")
    assert out.queue == "OUT3"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("tarket", "has no property 'tarket'; did you mean 'target'"),
        ("MQOutput.quoue", r"has no property 'quoue'; did you mean 'queue'"),
        ("MQOutputs.queue", r"has no node 'MQOutputs'; did you mean 'MQOutput'"),
    ],
)
def test_unknown_properties_and_nodes_are_named(name: str, problem: str) -> None:
    flow, _, out = simple()
    flow.promote("target", (out, "queue"))
    with pytest.raises(FlowError, match=problem):
        flow.set(name, "X")


def test_a_property_that_a_node_does_not_have_is_not_promoted() -> None:
    flow, _, out = simple()
    with pytest.raises(FlowError, match=r"MQOutput .* has no property 'queues'; did you mean 'queue'"):
        flow.promote("target", (out, "queues"))


# -- what is wrong -------------------------------------------------------------------------


def test_an_unknown_terminal_is_named_with_the_node() -> None:
    flow, start, _ = simple()
    with pytest.raises(
        FlowError, match=r"node MQInput \(MQInput\) has no terminal 'outt'; did you mean 'out'"
    ):
        start.outt >> flow.add(nodes.Passthrough()).in_


def test_wires_lead_from_outputs_to_inputs_of_one_flow() -> None:
    flow, start, out = simple()
    with pytest.raises(FlowError, match="from an output to an input"):
        out.in_ >> start.out
    with pytest.raises(FlowError, match="must be in one flow"):
        start.out >> nodes.MQOutput("OUT").in_
    with pytest.raises(FlowError, match="is already in flow simple"):
        flow.add(out)


def test_a_wire_that_leads_back_is_told() -> None:
    flow, start, _ = simple()
    one, two = flow.add(nodes.Passthrough(name="one")), flow.add(nodes.Passthrough(name="two"))
    start.out >> one.in_
    one.out >> two.in_
    two.out >> one.in_
    told = [str(each) for each in CompiledFlow(flow).warnings]
    assert "warning: two: its wire leads back to one: a message may follow it 499 times" in told


def test_a_flow_without_an_input_is_refused() -> None:
    flow = Flow("idle")
    flow.add(nodes.MQOutput("OUT"))
    with pytest.raises(FlowError, match="idle: the flow has no input node"):
        CompiledFlow(flow)


def test_two_labels_of_one_name_are_refused() -> None:
    flow, _, _ = simple()
    flow.add(nodes.Label("there"))
    flow.add(nodes.Label("there"))
    with pytest.raises(FlowError, match="there1: label 'there' is also at there"):
        CompiledFlow(flow)


def test_all_errors_are_told_at_once() -> None:
    flow = Flow("wrong")
    flow.add(nodes.MQInput(""))
    flow.add(nodes.MQOutput())
    with pytest.raises(FlowError) as raised:
        CompiledFlow(flow)
    assert "MQInput: an MQInput needs" in raised.value.detail
    assert "MQOutput: a fixed destination needs" in raised.value.detail


def test_an_input_that_nothing_is_wired_to_is_a_warning() -> None:
    flow, _, _ = simple()
    flow.add(nodes.Passthrough(name="lonely"))
    flow.add(nodes.Label("entrance"))
    found = CompiledFlow(flow).warnings
    assert [(each.severity, each.node) for each in found] == [("warning", "lonely")]
    assert "no message can reach it" in found[0].text
