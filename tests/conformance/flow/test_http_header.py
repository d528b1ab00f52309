"""HTTPHeader: folders are kept, made anew, changed or removed, each by its own action."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.flow import Assembly, CompiledFlow, Flow, Node, nodes
from penstock.flow.assembly import Invocation
from penstock.flow.ports import CollectingPorts
from penstock.tree import Message, Path
from penstock.tree.headers.http import HTTPHeader as Folder


def message(**folders: list[tuple[str, str]]) -> Message:
    made = Message()
    for name, pairs in folders.items():
        made.add_folder(Folder(name), pairs)
    made.add_body(b"x", "BLOB")
    return made


def processed(node: Node, tree: Message) -> Message:
    """Send a tree through one node and return what came out."""
    seen: list[Message] = []

    class Keep(Node):
        def process(self, assembly: Any, at: Any) -> None:
            seen.append(assembly.message)

    flow = Flow("one")
    start = flow.add(nodes.MQInput("IN"))
    start.out >> flow.add(node).in_
    node.out >> flow.add(Keep()).in_
    instance = CompiledFlow(flow).start(CollectingPorts())
    instance.places["MQInput"].send("out", Assembly(tree, Invocation(instance.ports)))
    return seen[0]


def fields(tree: Message, folder: str) -> dict[str, Any]:
    found = tree.reference(Path(folder))
    return {} if found is None else {each.name: each.value for each in found}


def test_each_folder_has_its_own_action() -> None:
    came = message(HTTPInputHeader=[("Host", "h")], HTTPRequestHeader=[("X-A", "1"), ("x-b", "2")])
    node = nodes.HTTPHeader(
        input="delete", request="modify", reply="add", fields={"request": {"X-B": "3"}, "reply": {"X-C": "4"}}
    )
    sent = processed(node, came)
    assert fields(sent, "HTTPInputHeader") == {}
    assert fields(sent, "HTTPRequestHeader") == {"X-A": "1", "x-b": "3"}
    assert fields(sent, "HTTPReplyHeader") == {"X-C": "4"}
    assert fields(came, "HTTPInputHeader") == {"Host": "h"}  # the tree that came in is not changed
    assert sent.body is not None and sent.body.name == "BLOB"  # noqa: PT018


def test_add_makes_a_folder_anew() -> None:
    came = message(HTTPRequestHeader=[("X-A", "1")])
    sent = processed(nodes.HTTPHeader(request="add", fields={"request": {"X-B": "2"}}), came)
    assert fields(sent, "HTTPRequestHeader") == {"X-B": "2"}


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"input": "add"}, "input 'add' is not one of"),
        ({"request": "remove"}, "request 'remove' is not one of"),
        ({"fields": {"request": {"A": "1"}}}, "need the action add or modify"),
        ({"request": "add", "fields": {"request": {"A": "1\r\nB: 2"}}}, "is no HTTP header"),
        ({"request": "add", "fields": {"request": {"A B": "1"}}}, "is no HTTP header"),
        ({"fields": {"other": {}}}, "the folders are"),
    ],
)
def test_what_cannot_be_is_refused(properties: dict[str, Any], text: str) -> None:
    assert text in " ".join(nodes.HTTPHeader(**properties).check())
