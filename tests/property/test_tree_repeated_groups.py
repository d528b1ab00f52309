"""Groups that repeat within groups: what is read is written again, in records and in tagged text."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
from penstock.tree.convert import convert
from penstock.tree.model import Cwf, CwfFormat, Field, Group, Model, Tds, TdsFormat, TdsType, Type, XmlFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

TAGGED = TdsType(separation="tagged delimited", delimiter=";", tag_data_separator="=")
SHAPES = st.recursive(
    st.just("field"),
    lambda inner: st.tuples(st.integers(1, 3), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=8,
)


def built(shape: object, numbers: Iterator[int]) -> Field | Group:
    """Return a field, or a group that occurs as often as the shape says."""
    if isinstance(shape, tuple):
        times, inner = shape
        return Group(*(built(each, numbers) for each in inner), min=times, max=times)
    name = f"F{next(numbers)}"
    return Field(name, FIXED=Cwf(length=1), TEXT=Tds(tag=name))


def names(member: Field | Group) -> list[str]:
    """Return the names of the elements in the order in which they stand."""
    if isinstance(member, Field):
        return [member.name]
    return [name for inner in member.members for name in names(inner)] * member.max


def modelled(shapes: list[object]) -> tuple[Model, list[str]]:
    numbers = count(1)
    members = [built(each, numbers) for each in shapes]
    formats = {"FIXED": CwfFormat(), "TEXT": TdsFormat(), "XML": XmlFormat()}
    kind = Type(Field("Head", FIXED=Cwf(length=1), TEXT=Tds(tag="H")), *members, TEXT=TAGGED)
    return Model("M", {"Msg": kind}, formats), [name for member in members for name in names(member)]


@settings(max_examples=150, deadline=None)
@given(st.lists(SHAPES, min_size=1, max_size=4))
def test_records_and_documents_of_nested_groups_become_each_other(shapes: list[object]) -> None:
    model, order = modelled(shapes)
    letters = [chr(97 + at % 26) for at in range(len(order))]
    record = ("h" + "".join(letters)).encode()
    fields = "".join(f"<{name}>{value}</{name}>" for name, value in zip(order, letters, strict=True))
    document = f"<Msg><Head>h</Head>{fields}</Msg>".encode()
    read = tree.parse(record, domain="MRM", model=model, format="FIXED")
    assert convert(read, "MRM", model, format="XML").serialise() == document
    other = tree.parse(document, domain="MRM", model=model, format="XML")
    assert convert(other, "MRM", model, format="FIXED").serialise() == record
    read.set(tree.Path("MRM", "Head"), "x")
    assert read.serialise() == b"x" + record[1:]


@settings(max_examples=150, deadline=None)
@given(st.lists(SHAPES, min_size=1, max_size=4))
def test_tagged_text_of_nested_groups_is_written_as_it_was_read(shapes: list[object]) -> None:
    model, order = modelled(shapes)
    text = ";".join(["H=h", *(f"{name}={at}" for at, name in enumerate(order))]).encode()
    message = tree.parse(text, domain="MRM", model=model, format="TEXT")
    message.set(tree.Path("MRM", "Head"), "x")
    assert message.serialise() == b"H=x" + text[3:]
