"""Groups without a name that repeat: every occurrence is written, in the order of the tree."""

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree.convert import convert
from penstock.tree.model import (
    Cwf,
    CwfFormat,
    Field,
    Group,
    Model,
    Tds,
    TdsFormat,
    TdsType,
    Type,
    XmlFormat,
)

HEAD = tree.Path("MRM", "Head")


def record(*members: Field | Group, **words: object) -> Model:
    """Return a model with a head before a group, and an end behind it."""
    inside = (Field("Head", HOST=Cwf(length=1)), Group(*members, **words))  # type: ignore[arg-type]
    return Model(
        "R", {"M": Type(*inside, Field("End", HOST=Cwf(length=1)))}, {"HOST": CwfFormat(), "XML": XmlFormat()}
    )


def rewritten(model: Model, data: bytes) -> bytes:
    """Return a message in its own format after a change, so that every field is written anew."""
    message = tree.parse(data, domain="MRM", model=model, format=next(iter(model.formats)))
    message.set(HEAD, "h")
    return message.serialise()


def from_xml(model: Model, document: bytes, format: str = "HOST") -> bytes:
    return convert(
        tree.parse(document, domain="MRM", model=model, format="XML"), "MRM", model, format=format
    ).serialise()


A, B = Field("A", HOST=Cwf(length=2)), Field("B", HOST=Cwf(length=2))


def test_a_fixed_sequence_is_written_as_often_as_it_occurs() -> None:
    model = record(A, B, max=3)
    assert rewritten(model, b"xa1b1a2b2a3b3e") == b"ha1b1a2b2a3b3e"


def test_more_occurrences_than_the_model_has_are_refused() -> None:
    document = b"<M><Head>h</Head><A>a1</A><B>b1</B><A>a2</A><B>b2</B><A>a3</A><B>b3</B><End>e</End></M>"
    with pytest.raises(MQError, match=r"8130.*more than 2"):
        from_xml(record(A, B, max=2), document)


def test_a_sequence_whose_count_is_said_before_it() -> None:
    group = Group(A, B, min=0, max=9, HOST=Cwf(repeat_from="N"))
    model = Model(
        "R",
        {"M": Type(Field("N", "integer", HOST=Cwf(length=1)), group, Field("Head", HOST=Cwf(length=1)))},
        {"HOST": CwfFormat(), "XML": XmlFormat()},
    )
    document = b"<M><N>0</N><A>a1</A><B>b1</B><A>a2</A><B>b2</B><Head>h</Head></M>"
    assert from_xml(model, document) == b"\x02a1b1a2b2h"
    assert rewritten(model, b"\x02a1b1a2b2x") == b"\x02a1b1a2b2h"


def test_a_choice_is_written_in_the_order_of_the_tree() -> None:
    model = Model(
        "R",
        {"M": Type(Field("Head", HOST=Cwf(length=1)), Group(A, B, compose="choice", min=0, max=None))},
        {"HOST": CwfFormat(), "XML": XmlFormat()},
    )
    document = b"<M><Head>h</Head><B>b1</B><A>a1</A><A>a2</A><B>b2</B></M>"
    assert from_xml(model, document) == b"hb1a1a2b2"


def test_an_optional_field_is_not_taken_from_the_next_occurrence() -> None:
    optional = Field("B", min=0, default="--", HOST=Cwf(length=2))
    document = b"<M><Head>h</Head><A>a1</A><A>a2</A><B>b2</B><End>e</End></M>"
    assert from_xml(record(A, optional, max=2), document) == b"ha1--a2b2e"


def test_a_group_that_begins_with_an_optional_field_repeats() -> None:
    optional = Field("A", min=0, default="--", HOST=Cwf(length=2))
    document = b"<M><Head>h</Head><B>b1</B><A>a2</A><B>b2</B><B>b3</B><End>e</End></M>"
    assert from_xml(record(optional, B, max=3), document) == b"h--b1a2b2--b3e"


def test_groups_repeat_within_groups() -> None:
    inner = Group(B, Field("C", HOST=Cwf(length=2)), max=2)
    assert rewritten(record(A, inner, max=2), b"xa1b1c1b2c2a2b3c3b4c4e") == b"ha1b1c1b2c2a2b3c3b4c4e"


def test_a_group_stands_where_the_model_has_it_not_where_a_program_put_it() -> None:
    document = b"<M><A>a1</A><B>b1</B><A>a2</A><B>b2</B><Head>h</Head><End>e</End></M>"
    assert from_xml(record(A, B, max=2), document) == b"ha1b1a2b2e"


def test_what_the_model_does_not_know_ends_no_occurrence() -> None:
    document = b"<M><Head>h</Head><A>a1</A><Z>?</Z><B>b1</B><A>a2</A><B>b2</B><Z/><End>e</End></M>"
    assert from_xml(record(A, B, max=2), document) == b"ha1b1a2b2e"


def test_the_cost_of_many_occurrences_is_linear() -> None:
    model = Model(
        "R",
        {"M": Type(Field("Head", HOST=Cwf(length=1)), Group(A, B, compose="choice", min=0, max=None))},
        {"HOST": CwfFormat(), "XML": XmlFormat()},
    )
    document = b"<M><Head>h</Head>" + b"<B>b1</B><A>a1</A>" * 40_000 + b"</M>"
    assert from_xml(model, document) == b"h" + b"b1a1" * 40_000


# Text


def text(group: Group, **about: object) -> Model:
    kind = Type(Field("Head", T=Tds(tag="H", length=1)), group, T=TdsType(**about))  # type: ignore[arg-type]
    return Model("T", {"M": kind}, {"T": TdsFormat(), "XML": XmlFormat()})


TAGGED = {"separation": "tagged delimited", "delimiter": ";", "tag_data_separator": "="}
TA, TB = Field("A", min=0, T=Tds(tag="A", length=2)), Field("B", min=0, T=Tds(tag="B", length=2))


@pytest.mark.parametrize("compose", ["choice", "sequence", "all"])
def test_tagged_fields_of_a_group_that_repeats_keep_their_order(compose: str) -> None:
    model = text(Group(TA, TB, compose=compose, min=0, max=None), **TAGGED)
    assert rewritten(model, b"H=x;B=1;A=2;A=3;B=4") == b"H=h;B=1;A=2;A=3;B=4"


def test_tagged_lengths_and_repeat_delimiters_keep_their_order_too() -> None:
    fixed = text(
        Group(TA, TB, compose="choice", min=0, max=None), separation="tagged fixed length", tag_length=1
    )
    assert rewritten(fixed, b"HxB12A34B56") == b"HhB12A34B56"
    repeated = Field("A", max=9, T=Tds(tag="A", repeat_delimiter="+"))
    model = text(Group(repeated, TB, compose="choice", min=0, max=None), **TAGGED)
    assert rewritten(model, b"H=x;A=1+2;B=4;A=5+6+7") == b"H=h;A=1+2;B=4;A=5+6+7"


def test_a_sequence_as_an_alternative_of_tagged_text_has_all_its_fields() -> None:
    model = text(Group(Group(TA, TB), Field("C", T=Tds(tag="C")), compose="choice"), **TAGGED)
    assert rewritten(model, b"H=x;A=1;B=2") == b"H=h;A=1;B=2"


def test_fields_of_fixed_length_repeat_as_a_group() -> None:
    model = text(Group(TA, TB, min=0, max=None), separation="fixed length")
    assert rewritten(model, b"x112233445566") == b"h112233445566"


def test_delimited_fields_repeat_as_a_group() -> None:
    model = text(Group(Field("A"), Field("B"), min=0, max=None), delimiter=";")
    assert rewritten(model, b"x;1;2;3;4") == b"h;1;2;3;4"


def test_a_choice_told_by_indicators_repeats() -> None:
    def told(name: str) -> Field:
        inner = Type(Field("V"), Field("W"), T=TdsType(delimiter=",", indicator=name, terminator="!"))
        return Field(name, inner)

    group = Group(
        told("P"), told("Q"), compose="choice", min=0, max=None, T=TdsType(separation="fixed length")
    )
    model = text(group, separation="fixed length")
    assert rewritten(model, b"xP1,2!Q3,4!Q5,6!P7,8!") == b"hP1,2!Q3,4!Q5,6!P7,8!"
