"""The JSON scanner against Python's own: the same documents are accepted, and the same is read in them.

Known differences: the body must be an object or an array, half a surrogate pair and NaN are refused.
"""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError, tree

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
NAMES = st.one_of(
    st.sampled_from(["a", "b", "Item", "Data", ""]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
).filter(lambda value: isinstance(value, list | dict))
FRAGMENTS = [
    *b'{ } [ ] , : " \\ \\u \\ud83d \\ude00 \\ud83d\\ude00 \\n \\/ \\x 0 00 1 - -0 . 1. .1'.split(b" "),
    *b'e 1e5 1E+ 1e999 true false null nul NaN "a": "a"'.split(b" "),
    *(b" ", b"\n", b"\t", b"\x00", b"\x0c", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\xef\xbb\xbf"),
]
CHANGE = st.tuples(
    st.integers(0, 300),
    st.sampled_from(["insert", "cut", "byte"]),
    st.sampled_from(FRAGMENTS),
    st.integers(0, 255),
)


@given(DOCUMENTS, st.booleans(), st.sampled_from([None, 1]))
@settings(max_examples=300)
def test_what_python_writes_is_read_alike(document: Any, ascii_only: bool, indent: int | None) -> None:
    body = json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode()
    message = tree.parse(body, domain="JSON")
    assert read(message) == pairs(body)
    again = message.serialise(ccsid=1208)
    assert pairs(again) == pairs(body)
    assert tree.parse(again, domain="JSON").serialise(ccsid=1208) == again
    assigned = rebuilt(message)
    assert pairs(assigned.serialise()) == pairs(body)


@given(DOCUMENTS, st.lists(CHANGE, min_size=1, max_size=3))
@settings(max_examples=800)
def test_scanner_agrees_with_python(document: Any, changes: list[tuple[int, str, bytes, int]]) -> None:
    body = bytearray(json.dumps(document, ensure_ascii=False).encode())
    for place, how, fragment, number in changes:
        at = place % (len(body) + 1)
        if how == "insert":
            body[at:at] = fragment
        elif how == "cut":
            del body[at : at + 1 + number % 4]
        elif at < len(body):
            body[at] = number
    agree(bytes(body))


@given(st.binary(max_size=40))
@settings(max_examples=300)
def test_random_bytes_are_refused_or_read_alike(body: bytes) -> None:
    agree(body)
    agree(b'["' + body + b'"]')
    agree(b"[" + body + b"]")


def agree(body: bytes) -> None:
    theirs = pairs(body)
    try:
        message = tree.parse(body, domain="JSON", timing="immediate")
    except MQError as problem:
        assert problem.reason == 8101, problem
        assert theirs is None or not isinstance(theirs, list) or surrogate(theirs), (body, problem)
        return
    assert theirs is not None, body
    try:
        ours = read(message)
    except MQError as problem:
        assert problem.reason == 8125  # a number beyond FLOAT
        return
    assert ours == theirs, body


def pairs(body: bytes) -> Any:
    """Return what Python reads: objects as ("object", pairs); None when it refuses."""
    try:
        return json.loads(
            body.decode("utf-8-sig"),
            object_pairs_hook=lambda found: ["object", *found],
            parse_constant=refuse,
            parse_float=lambda digits: float(digits),
        )
    except ValueError:
        return None


def refuse(name: str) -> Any:
    raise ValueError(name)


def surrogate(value: Any) -> bool:
    return any(0xD800 <= ord(character) < 0xE000 for character in str(value)) or "\\ud" in repr(value)


def read(message: tree.Message) -> Any:
    data = message.reference(tree.Path("JSON", "Data"))
    assert data is not None
    return value_of(data)


def value_of(field: tree.Reference) -> Any:
    if field.type == tree.JSON_TYPES["Array"]:
        return [value_of(child) for child in field]
    if not field.has_value:
        return ["object", *((child.name, value_of(child)) for child in field)]
    assert not isinstance(field.value, float) or math.isfinite(field.value)
    return field.value


def rebuilt(message: tree.Message) -> tree.Message:
    """Return the same tree, every value assigned instead of taken over."""
    made = tree.Message()
    source = message.reference(tree.Path("JSON", "Data"))
    assert source is not None
    target = made.create(tree.Path("JSON", "Data"))
    target.type = source.type
    build(source, target)
    return made


def build(source: tree.Reference, target: tree.Reference) -> None:
    for child in source:
        made = target.add_last_child(child.name, type=child.type)
        if child.has_value:
            made.value = child.value
        build(child, made)
