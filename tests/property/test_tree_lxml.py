"""The XML scanner against lxml: what both accept, both read alike; `test_tree_xml` has the refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock import MQError, tree
from tests.property.test_tree_xml import CHANGE, SEEDS, changed, events

etree = pytest.importorskip("lxml.etree")


@given(st.sampled_from(SEEDS), st.lists(CHANGE, max_size=4))
@settings(max_examples=500)
@example(SEEDS[0], [])
@example(SEEDS[7], [])
def test_scanner_reads_what_lxml_reads(document: bytes, changes: list[tuple[int, str, bytes, int]]) -> None:
    body = changed(document, changes)
    try:
        ours = events(tree.parse(body, domain="XMLNS", timing="immediate"))
        parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=True)
        root = etree.fromstring(body, parser)
    except (MQError, etree.XMLSyntaxError, ValueError):
        return
    wanted: list[Any] = []
    walk(root, wanted)
    inside = [event for event in ours if event[0] in ("start", "end", "text")]
    assert merged(wanted) == merged(inside), body


def walk(element: Any, found: list[Any]) -> None:
    if isinstance(element.tag, str):
        found.append(
            ("start", pair(element.tag), {pair(name): value for name, value in element.attrib.items()})
        )
        found.append(("text", element.text or ""))
        for child in element:
            walk(child, found)
            found.append(("text", child.tail or ""))
        found.append(("end", pair(element.tag)))


def pair(name: str) -> tuple[str, str]:
    namespace, _, local = name.rpartition("}")
    return namespace.removeprefix("{"), local


def merged(found: list[Any]) -> list[Any]:
    result: list[Any] = []
    for event in found:
        if event[0] == "text" and result and result[-1][0] == "text":
            result[-1] = ("text", result[-1][1] + event[1])
        elif event != ("text", ""):
            result.append(event)
    return result
