"""Pictures of flows: layers, lines that skip the joints of subflows, text and SVG."""

from __future__ import annotations

from xml.parsers import expat

from penstock.flow import Flow, nodes
from penstock.flow.drawing.layout import Line, lay_out
from penstock.flow.drawing.svg import svg_of
from penstock.flow.drawing.text import text_of


def order_flow() -> Flow:
    inner = Flow("inner")
    begin, work, end = (
        inner.add(node) for node in (nodes.Input("in"), nodes.Label("a<b", name="Work"), nodes.Output("out"))
    )
    begin.out >> work.in_
    work.out >> end.in_
    flow = Flow("orders")
    start = flow.add(nodes.MQInput("IN"), "Start")
    sub = flow.add(nodes.Subflow(inner), "Sub")
    out = flow.add(nodes.MQOutput("OUT"), "Out & about")
    start.out >> sub.terminal("in")
    sub.terminal("out") >> out.in_
    start.failure >> out.in_
    return flow


def test_layers_follow_the_longest_way_and_joints_are_left_out() -> None:
    layout = lay_out(order_flow())
    assert layout.layers == [["Start"], ["Sub.Work"], ["Out & about"]]
    assert Line("Start", "out", "Sub.Work", "in") in layout.lines
    assert len(layout.lines) == 3


def test_the_text_is_a_tree() -> None:
    assert text_of(lay_out(order_flow())).splitlines() == [
        "Start (MQInput)",
        "├─ out → Sub.Work (Label)",
        "│  └─ out → Out & about (MQOutput)",
        "└─ failure → Out & about (see above)",
    ]


def test_the_picture_is_xml_with_every_node() -> None:
    text = svg_of(lay_out(order_flow()), "a & b")
    expat.ParserCreate().Parse(text, True)
    assert text.count("<g") == 3
    assert 'class="failing"' in text
    assert "Out &amp; about" in text


def test_a_ring_is_drawn_too() -> None:
    flow = Flow("ring")
    one, two = flow.add(nodes.Filter("TRUE"), "One"), flow.add(nodes.Filter("TRUE"), "Two")
    one.true >> two.in_
    two.true >> one.in_
    layout = lay_out(flow)
    assert layout.layers == [["One"], ["Two"]]
    assert text_of(layout).count("→") == 2
    assert svg_of(layout, "ring").count("<g") == 2


def test_an_empty_flow_is_an_empty_picture() -> None:
    layout = lay_out(Flow("empty"))
    assert text_of(layout) == "\n"
    assert "<svg" in svg_of(layout, "empty")
