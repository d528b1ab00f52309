"""ResetContentDescriptor and Validate: what a body is taken for, and whether it is that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, nodes
from penstock.tree import Path as NodeContext
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow import Assembly
    from penstock.flow import NodeContext as NodePlace

BATCHES = pytest.mark.parametrize("batch", [1, 100])
COPYBOOK = """
       01 ORDER.
          05 ID    PIC 9(4).
          05 ITEM  PIC X(6).
"""


class Seeing(Node):
    """Keeps values."""

    def __init__(self, *paths: NodeContext) -> None:
        super().__init__()
        self._paths = paths
        self._seen: list[Any] = []

    def process(self, assembly: Assembly, at: NodePlace) -> None:
        self._seen.append(tuple(assembly.message.get(path) for path in self._paths))
        at.send("out", assembly)


def reset(*further: Node, came: str = "BLOB", **properties: Any) -> Flow:
    flow = Flow("reset")
    place = flow.add(nodes.MQInput("IN", domain=came)).out
    node = nodes.ResetContentDescriptor(**properties)
    changing = [each for each in further if isinstance(each, nodes.PythonCompute)]
    for each in (*changing, node, *(each for each in further if each not in changing), nodes.MQOutput("OUT")):
        flow.add(each)
        place >> each.in_
        place = each.out
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


@BATCHES
def test_a_blob_becomes_xml(qm: Any, run: Callable[..., Any], batch: int) -> None:
    seeing = Seeing(NodeContext("XMLNSC", "a", "b"), NodeContext("MQMD", "CorrelId"))
    qm.put("IN", b"<a><b>5</b></a>", correl_id=b"c" * 24)
    run(reset(seeing, domain="XMLNSC"), batch=batch)
    assert seeing._seen == [("5", b"c" * 24)]
    got = qm.get("OUT")
    assert (got.body, got.correl_id) == (b"<a><b>5</b></a>", b"c" * 24)


@BATCHES
def test_xml_becomes_a_blob(qm: Any, run: Callable[..., Any], batch: int) -> None:
    seeing = Seeing(NodeContext("BLOB", "BLOB"))
    qm.put("IN", b"<a/>")
    run(reset(seeing, came="XMLNSC", domain="BLOB"), batch=batch)
    assert seeing._seen == [(b"<a/>",)]


def test_what_was_changed_before_is_written_first(qm: Any, run: Callable[..., Any]) -> None:
    def change(call: Any) -> None:
        call.message.set(NodeContext("XMLNSC", "a", "b"), 6)

    seeing = Seeing(NodeContext("BLOB", "BLOB"))
    qm.put("IN", b"<a><b>5</b></a>")
    run(reset(nodes.PythonCompute(change), seeing, came="XMLNSC", domain="BLOB"))
    assert seeing._seen == [(b"<a><b>6</b></a>",)]
    assert bodies(qm, "OUT") == [b"<a><b>6</b></a>"]


@BATCHES
def test_a_model_with_its_message_and_format(
    qm: Any, run: Callable[..., Any], tmp_path: Path, batch: int
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "orders.cpy").write_text(COPYBOOK)
    paths = NodeContext("MRM", "ID"), NodeContext("MRM", "ITEM"), NodeContext("Properties", "MessageSet")
    seeing = Seeing(*paths)
    qm.put("IN", b"0042apples")
    run(reset(seeing, domain="MRM", model="orders", message_type="ORDER"), batch=batch)
    assert seeing._seen == [(42, "apples", "orders")]
    assert bodies(qm, "OUT") == [b"0042apples"]


@BATCHES
def test_a_body_that_is_not_what_it_is_taken_for_fails_where_it_is_read(
    qm: Any, run: Callable[..., Any], batch: int
) -> None:
    seeing = Seeing(NodeContext("XMLNSC", "a"))
    qm.put("IN", b"not xml")
    flow = reset(seeing, domain="XMLNSC")
    seeing.failure >> flow.add(nodes.MQOutput("CAUGHT")).in_
    run(flow, batch=batch)
    assert bodies(qm, "CAUGHT") == [b"not xml"]


def test_an_unknown_model_is_refused_when_the_flow_is_built() -> None:
    with pytest.raises(Exception, match="there is no model 'nothing'"):
        CompiledFlow(reset(domain="MRM", model="nothing"))


def test_an_unknown_domain_is_refused_when_the_flow_is_built() -> None:
    with pytest.raises(Exception, match="domain 'XLM' is not one of"):
        CompiledFlow(reset(domain="XLM"))


# -- Validate ------------------------------------------------------------------------------


def validated(**properties: Any) -> Flow:
    flow = Flow("validated")
    start, node = flow.add(nodes.MQInput("IN", domain="XMLNSC")), flow.add(nodes.Validate(**properties))
    start.out >> node.in_
    node.match >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


@BATCHES
@pytest.mark.parametrize(
    ("properties", "body", "matches"),
    [
        ({}, b"<a", True),
        ({"domain": "XMLNSC"}, b"<a/>", True),
        ({"domain": "JSON"}, b"<a/>", False),
        ({"model": "orders"}, b"<a/>", False),
        ({"message_type": "Order"}, b"<a/>", False),
        ({"content": "content"}, b"<a><b/></a>", True),
        ({"content": "content"}, b"<a><b></a>", False),
        ({"content": "contentAndValue"}, b"<a>" + b"<b>1</b>" * 50 + b"<c></a>", False),
    ],
)
def test_validate(
    qm: Any, run: Callable[..., Any], batch: int, properties: dict[str, str], body: bytes, matches: bool
) -> None:
    qm.put("IN", body)
    run(validated(**properties), batch=batch)
    assert bodies(qm, "OUT") == ([body] if matches else [])
    assert bodies(qm, "FAILED") == ([] if matches else [body])


def test_contents_are_checked_when_the_flow_is_built() -> None:
    with pytest.raises(Exception, match="content 'all' is not one of"):
        CompiledFlow(validated(content="all"))
