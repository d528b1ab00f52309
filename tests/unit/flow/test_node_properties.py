"""Properties of nodes that cannot be: refused when the flow is put together, by the name of the node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.model.errors import MQError
from tests.flow_fixtures import bodies


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.FileInput("in", polling=-5), "polling has to be more than 0"),
        (nodes.FileInput("in", polling=0), "polling has to be more than 0"),
        (nodes.FileInput("in", retries=-1), "cannot be negative"),
        (nodes.FileInput("in", least_age=-1), "cannot be negative"),
        (nodes.FileInput("in", ccsid=99_999), "ccsid 99999 is not known"),
        (nodes.FileRead("in", ccsid=-5), "ccsid -5 is not known"),
        (nodes.FileOutput("out", "a", padding="blank"), "padding 'blank' is not one byte"),
        (nodes.FileOutput("out", "a", padding="2020"), "padding '2020' is not one byte"),
        (nodes.HTTPInput("/a", port=65_536), "port 65536 is none"),
        (nodes.SOAPInput("/a", port=-5), "port -5 is none"),
        (nodes.HTTPRequest("http://localhost", timeout=0), "timeout has to be more than 0"),
        (nodes.SOAPRequest("http://localhost", timeout=-5), "timeout has to be more than 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_value_that_cannot_be_is_refused_by_node(node: Node, text: str) -> None:
    flow = Flow("f")
    if type(node).inputs:
        flow.add(nodes.MQInput("IN")).out >> flow.add(node).in_
    else:
        flow.add(node)

    with pytest.raises(MQError, match=f"{node.name}: .*{text}"):
        CompiledFlow(flow)


class Astray(Node):
    """Sends along a terminal that it does not have."""

    def process(self, assembly: Any, at: Any) -> None:
        at.send("outt", assembly)


PROPAGATES = """
CREATE COMPUTE MODULE Astray
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    PROPAGATE TO TERMINAL 'ou' || 'tt';
    RETURN FALSE;
  END;
END MODULE;
"""


@pytest.mark.parametrize("kind", ["node", "python", "esql"])
def test_a_message_sent_along_a_terminal_that_is_none_fails(
    qm: Any, run: Any, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "astray.esql").write_text(PROPAGATES)
    flow = Flow("f")
    start = flow.add(nodes.MQInput("IN"))
    made = {
        "node": Astray,
        "python": lambda: nodes.PythonCompute(lambda call: "outt"),
        "esql": lambda: nodes.Compute(module="Astray"),
    }
    start.out >> flow.add(made[kind]()).in_
    start.catch >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"x")

    run(flow)

    assert bodies(qm, "OUT") == [b"x"]


def test_a_kind_that_is_none_is_refused() -> None:
    flow = Flow("f")
    flow.add(nodes.MQInput("IN")).out >> flow.add(nodes.PythonCompute(print, kind="purre")).in_
    with pytest.raises(MQError, match="kind 'purre' is not one of pure"):
        CompiledFlow(flow)


FLOW = "from penstock.flow import Flow, nodes\n{} = Flow('x')\n{}.add(nodes.MQInput('A'))\n"


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"a": FLOW.format("a", "a") + FLOW.format("b", "b")}, "a.py: two flows are called 'x'"),
        ({"a": FLOW.format("a", "a"), "b": FLOW.format("a", "a")}, "b.py: another file has a flow 'x' too"),
        ({"a": "import sys\nsys.exit(3)\n"}, "a.py, line 2: SystemExit: 3"),
    ],
)
def test_flows_that_hide_each_other_are_refused(tmp_path: Path, files: dict[str, str], text: str) -> None:
    (tmp_path / "flows").mkdir()
    for name, content in files.items():
        (tmp_path / "flows" / f"{name}.py").write_text(content)
    with pytest.raises(MQError, match=text):
        Project(tmp_path).flow("x")


def test_a_flow_in_two_variables_is_one(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "a.py").write_text(FLOW.format("a", "a") + "again = a\n")
    assert list(Project(tmp_path).flows) == ["x"]
