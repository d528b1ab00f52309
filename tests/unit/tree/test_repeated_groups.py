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


def test_what_follows_a_group_may_have_the_name_of_a_field_in_it() -> None:
    tail = (Group(A, B, min=2, max=2), A, Field("End", HOST=Cwf(length=1)))
    kind = Type(Field("Head", HOST=Cwf(length=1)), *tail)
    model = Model("R", {"M": kind}, {"HOST": CwfFormat(), "XML": XmlFormat()})
    assert rewritten(model, b"xa1b1a2b2a3e") == b"ha1b1a2b2a3e"
    pairs = b"<A>a1</A><B>b1</B><A>a2</A><B>b2</B>"
    for more in (b"<A>a3</A><B>b3</B>", b"<A>a3</A><A>a4</A>"):
        with pytest.raises(MQError, match=r"8130.*more than 2"):
            from_xml(model, b"<M><Head>h</Head>" + pairs + more + b"<End>e</End></M>")


def test_what_follows_a_field_in_an_inner_group_may_have_its_name() -> None:
    twice = Field("A", min=2, max=2, HOST=Cwf(length=2))
    kind = Type(Group(twice, B), Group(A, min=2, max=2), Field("Head", HOST=Cwf(length=1)))
    model = Model("R", {"M": kind}, {"HOST": CwfFormat(), "XML": XmlFormat()})
    assert rewritten(model, b"a1a2b1a3a4x") == b"a1a2b1a3a4h"


def test_fields_in_any_order_repeat_as_a_group() -> None:
    model = record(A, B, compose="all", min=2, max=2)
    assert rewritten(model, b"xa1b1a2b2e") == b"ha1b1a2b2e"
    document = b"<M><Head>h</Head><B>b1</B><A>a1</A><A>a2</A><B>b2</B><End>e</End></M>"
    assert from_xml(model, document) == b"ha1b1a2b2e"


@pytest.mark.parametrize("compose", ["sequence", "all"])
def test_very_many_occurrences_are_written(compose: str) -> None:
    group = Group(A, B, compose=compose, min=0, max=None)
    kind = Type(Field("Head", HOST=Cwf(length=1)), group)
    model = Model("R", {"M": kind}, {"HOST": CwfFormat()})
    assert rewritten(model, b"x" + b"a1b1" * 80_000) == b"h" + b"a1b1" * 80_000


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


TC = Field("C", min=0, T=Tds(tag="C", length=2))


@pytest.mark.parametrize("compose", ["choice", "sequence", "all"])
def test_only_the_fields_of_a_group_that_repeats_follow_the_tree(compose: str) -> None:
    head = Field("Head", T=Tds(tag="H"))
    kind = Type(head, Group(TA, TB, compose=compose, min=0, max=None), TC, T=TdsType(**TAGGED))  # type: ignore[arg-type]
    model = Model("T", {"M": kind}, {"T": TdsFormat(), "XML": XmlFormat()})
    document = b"<M><B>7</B><C>9</C><Head>h</Head><A>1</A></M>"
    assert from_xml(model, document, "T") == b"H=h;B=7;A=1;C=9"
    assert rewritten(model, b"H=x;C=9;B=7;A=1;B=2") == b"H=h;B=7;A=1;B=2;C=9"
    assert from_xml(model, b"<M><A>1</A><C>8</C><C>9</C></M>", "T") == b"A=1;C=8"


@pytest.mark.parametrize(
    "members",
    [
        (Group(TA, TB, max=None), Field("Head", T=Tds(tag="H")), TA),
        (Field("Head", T=Tds(tag="H")), TA, Group(TA, TB, max=None)),
        (Group(TA, TB, max=None), Field("Head", T=Tds(tag="H")), Group(TA, TC, max=None)),
        (TA, Group(TC, max=None), Field("Head", T=Tds(tag="H")), Group(TA, TB, max=None)),
    ],
)
def test_tagged_fields_of_one_name_are_written_once_each(members: tuple[Field | Group, ...]) -> None:
    model = Model("T", {"M": Type(*members, T=TdsType(**TAGGED))}, {"T": TdsFormat()})  # type: ignore[arg-type]
    written = rewritten(model, b"A=1;B=2;A=3;H=x;A=4")
    assert sorted(written.split(b";")) == [b"A=1", b"A=3", b"A=4", b"B=2", b"H=h"]
    assert written.index(b"A=1") < written.index(b"B=2") < written.index(b"A=3") < written.index(b"A=4")


@pytest.mark.parametrize("inner", [Group(TB, TC), Group(TB, TC, max=None)])
def test_a_tagged_choice_has_one_of_its_alternatives(inner: Group) -> None:
    kind = Type(TA, inner, compose="choice", T=TdsType(**TAGGED))  # type: ignore[arg-type]
    model = Model("T", {"M": kind}, {"T": TdsFormat(), "XML": XmlFormat()})
    assert from_xml(model, b"<M><A>1</A><B>2</B><C>3</C></M>", "T") == b"A=1"
    assert from_xml(model, b"<M><B>2</B><C>3</C></M>", "T") == b"B=2;C=3"
    read = tree.parse(b"B=2;C=3", domain="MRM", model=model, format="T")
    assert (read.get(tree.Path("MRM", "B")), read.get(tree.Path("MRM", "C"))) == ("2", "3")
    for both in (b"A=1;B=2", b"B=2;A=1"):
        with pytest.raises(MQError, match="8101"):
            tree.parse(both, domain="MRM", model=model, format="T", timing="complete")


def test_a_choice_within_a_tagged_choice_has_one_alternative_too() -> None:
    kind = Type(TA, Group(TB, TC, compose="choice"), compose="choice", T=TdsType(**TAGGED))  # type: ignore[arg-type]
    model = Model("T", {"M": kind}, {"T": TdsFormat(), "XML": XmlFormat()})
    assert from_xml(model, b"<M><B>2</B><C>3</C></M>", "T") == b"B=2"


def test_delimited_fields_in_any_order_repeat_as_a_group() -> None:
    model = text(Group(TA, TB, compose="all", min=0, max=None), delimiter=",")
    assert rewritten(model, b"x,11,22,33,44") == b"h,11,22,33,44"


def test_a_choice_of_tagged_groups_repeats_between_delimiters() -> None:
    group = Group(TA, Group(TB, TC), compose="choice", min=0, max=None, T=TdsType(**TAGGED))  # type: ignore[arg-type]
    model = text(group, delimiter=",")
    assert rewritten(model, b"x,B=1;C=2,A=3,B=4;C=5") == b"h,B=1;C=2,A=3,B=4;C=5"


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


@pytest.mark.parametrize(
    ("member", "most"),
    [
        (Group(Field("A", max=2, T=Tds(tag="A")), TB, max=2), 4),
        (Group(Group(Field("A", T=Tds(tag="A")), max=3), TB, min=0, max=2), 6),
        (Field("A", min=0, max=3, T=Tds(tag="A")), 3),
        (Field("A", min=0, max=3, T=Tds(tag="A", repeat_delimiter="+")), 3),
    ],
)
def test_tagged_fields_have_one_limit_when_read_and_when_written(member: Field | Group, most: int) -> None:
    model = text(Group(member), **TAGGED)
    full = b"H=x" + b";A=1" * most
    message = tree.parse(full, domain="MRM", model=model, format="T")
    assert sum(1 for field in message.body or () if field.name == "A") == most
    with pytest.raises(
        MQError, match=rf"8101.*column {len(full) + 2}: field A occurs more than {most} times"
    ):
        rewritten(model, full + b";A=1")
    document = b"<M><Head>h</Head>" + b"<A>1</A>" * most
    assert from_xml(model, document + b"</M>", "T").count(b"1") == most
    with pytest.raises(MQError, match=rf"8130.*field A occurs more than {most} times"):
        from_xml(model, document + b"<A>1</A></M>", "T")


def test_repeats_behind_their_own_delimiter_have_a_limit() -> None:
    repeated = Field("A", min=0, max=3, T=Tds(tag="A", repeat_delimiter="+"))
    for about in (TAGGED, {"delimiter": ","}):
        model = text(Group(repeated), **about)
        start = b"H=x;A=" if about is TAGGED else b"x,"
        assert rewritten(model, start + b"1+2+3").endswith(b"1+2+3")
        with pytest.raises(MQError, match=r"8101.*field A occurs more than 3 times"):
            rewritten(model, start + b"1+2+3+4")
        with pytest.raises(MQError, match=r"8130.*field A occurs more than 3 times"):
            from_xml(model, b"<M><Head>h</Head>" + b"<A>1</A>" * 4 + b"</M>", "T")


def test_a_field_that_occurs_once_has_no_repeats_to_delimit() -> None:
    model = text(Group(Field("A", T=Tds(tag="A", repeat_delimiter="+"))), **TAGGED)
    assert tree.parse(b"H=x;A=1+2", domain="MRM", model=model, format="T").get(tree.Path("MRM", "A")) == "1+2"


def test_a_tag_too_many_begins_the_next_occurrence_where_nothing_else_separates_them() -> None:
    inner = Type(TA, TB, T=TdsType(separation="tagged fixed length", tag_length=1))
    model = text(Group(Field("P", inner, min=0, max=None)), separation="fixed length")
    message = tree.parse(b"xA11B22A33A44B55", domain="MRM", model=model, format="T")
    assert [[field.name for field in part] for part in message.body or () if part.name == "P"] == [
        ["A", "B"],
        ["A"],
        ["A", "B"],
    ]
    assert rewritten(model, b"xA11B22A33A44B55") == b"hA11B22A33A44B55"


def test_every_occurrence_is_written_wherever_a_program_put_it() -> None:
    document = b"<M><A>a1</A><B>b1</B><Head>h</Head><A>a2</A><B>b2</B><End>e</End></M>"
    assert from_xml(record(A, B, max=2), document) == b"ha1b1a2b2e"
    twice = record(Field("A", max=2, HOST=Cwf(length=2)), B)
    assert from_xml(twice, b"<M><A>a1</A><Head>h</Head><A>a2</A><B>b1</B><End>e</End></M>") == b"ha1a2b1e"
    tagged = text(Group(Field("A", max=9, T=Tds(tag="A")), TB), **TAGGED)
    assert rewritten(tagged, b"A=1;H=x;A=2;B=3;A=4") == b"H=h;A=1;A=2;A=4;B=3"
