"""Properties of nodes that cannot be: refused when the flow is put together, by the name of the node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.flow import CompiledFlow, Flow, nodes
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.flow import Node


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
