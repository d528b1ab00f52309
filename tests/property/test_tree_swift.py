"""SWIFT there and back: every tree that can be written is read again as it was."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
from penstock.tree.swift import Notation

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
TEXT = st.text("abcXYZ019/-?:().,'+ ", min_size=1, max_size=20)
LINE = TEXT.filter(lambda text: text[0] not in ":-")
VALUE = st.tuples(TEXT, st.lists(LINE, max_size=3)).map(lambda parts: "\r\n".join([parts[0], *parts[1]]))
LETTER = st.sampled_from(["", "A", "B", "F"])
TAG = st.tuples(st.integers(0, 99).filter(lambda number: number != 16), LETTER).map(
    lambda tag: f"{tag[0]:02d}{tag[1]}"
)
QUALIFIER = st.text(CAPITALS, min_size=4, max_size=4)
PLAIN_VALUE = VALUE.filter(lambda text: not text.startswith(":"))
FIELD = st.one_of(
    st.tuples(TAG, PLAIN_VALUE, st.none()),
    st.tuples(
        st.tuples(TAG, QUALIFIER).map("::".join), VALUE, st.none() | st.text(CAPITALS, min_size=1, max_size=8)
    ),
)
NAME = st.text(CAPITALS[:26], min_size=1, max_size=8)
SEQUENCE = st.recursive(
    FIELD, lambda inner: st.tuples(NAME, st.lists(inner, min_size=1, max_size=4)), max_leaves=12
)


def build(above: tree.Reference, item: Any) -> None:
    if len(item) == 2:
        folder = above.add_last_child(item[0])
        for child in item[1]:
            build(folder, child)
        return
    name, value, scheme = item
    field = above.add_last_child(name, value)
    if scheme is not None:
        field.add_last_child("DataSourceScheme", scheme)


def built(items: list[Any], tags: dict[str, str]) -> tree.Message:
    message = tree.Message()
    message.set(tree.Path("SWIFT", "Block1"), "F01BANKBEBBAXXX0000000000")
    block = message.create(tree.Path("SWIFT", "Block4"))
    for item in items:
        build(block, item)
    for name, value in tags.items():
        message.set(tree.Path("SWIFT", "Block5", tree.Step(name)), value)
    return message


def shown(message: tree.Message) -> str:
    text = str(message)
    return text[text.index("Block4") :]


TAGS = st.dictionaries(QUALIFIER, st.text(CAPITALS, max_size=6), max_size=3)


@given(st.lists(SEQUENCE, min_size=1, max_size=6), TAGS)
@settings(max_examples=100)
def test_what_is_written_is_read_again_as_it_was(items: list[Any], tags: dict[str, str]) -> None:
    message = built(items, tags)
    written = message.serialise()
    again = tree.parse(written, domain="SWIFT")
    assert shown(again) == shown(message)
    copy = tree.Message()
    copy.create(tree.Path("SWIFT")).assign(again.create(tree.Path("SWIFT")))
    assert copy.serialise() == written


@given(
    st.text("0123456789ABCxyz/,:\r\n ", max_size=24),
    st.sampled_from(["4!c//16x", "[N]3!a15d", "3*35x", "6!n[4!n]2a"]),
)
@settings(max_examples=150)
def test_a_value_fits_or_the_misfit_names_a_place_in_it(value: str, text: str) -> None:
    notation = Notation(text)
    reason = notation.misfit(value)
    assert (reason == "") == notation.fits(value)
    if reason:
        assert 1 <= int(reason.rpartition(" ")[2]) <= len(value) + 1
