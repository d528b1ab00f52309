"""Fields of one name in several places: each is read and written where the model has it, in every format."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
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
    Xml,
    XmlFormat,
)

TAGGED = TdsType(separation="tagged delimited", delimiter=";", tag_data_separator="=")
FORMATS = {"FIXED": CwfFormat(), "TEXT": TdsFormat(), "XML": XmlFormat()}
# A run of a field or of a pair, and what is behind it: names come from few, so that they come again.
RUNS = st.lists(
    st.tuples(st.sampled_from(["A", "B", "AB", "BA"]), st.integers(0, 3), st.sampled_from("CD")),
    min_size=1,
    max_size=5,
)


def field(name: str, place: str, **about: object) -> Field:
    """Return a field that has a tag and an element of its own in every place."""
    own = f"{name}{place}"
    return Field(name, FIXED=Cwf(length=1), TEXT=Tds(tag=own), XML=Xml(name=own), **about)  # type: ignore[arg-type]


def counted(names: str, place: str, count: str) -> Field | Group:
    if len(names) == 1:
        about = {"FIXED": Cwf(length=1, repeat_from=count), "TEXT": Tds(tag=names + place)}
        return Field(names, min=0, max=9, XML=Xml(name=names + place), **about)  # type: ignore[arg-type]
    inner = (field(name, place) for name in names)
    return Group(*inner, min=0, max=9, FIXED=Cwf(repeat_from=count))


def modelled(runs: list[tuple[str, int, str]]) -> tuple[Model, bytes, list[str]]:
    """Return a model, a record of it, and the places of its elements in their order."""
    members: list[Field | Group] = []
    record, places = b"h", []
    for at, (names, times, behind) in enumerate(runs):
        count, place = f"N{at}", str(at)
        members.append(Field(count, "integer", FIXED=Cwf(length=1), TEXT=Tds(tag=count)))
        members += [counted(names, place, count), field(behind, place)]
        record += bytes([times]) + names.lower().encode() * times + behind.lower().encode()
        places += [count, *(name + place for _ in range(times) for name in names), behind + place]
    head = Field("Head", FIXED=Cwf(length=1), TEXT=Tds(tag="H"))
    return Model("M", {"Msg": Type(head, *members, TEXT=TAGGED)}, FORMATS), record, places


def value(place: str, runs: list[tuple[str, int, str]]) -> str:
    return str(runs[int(place[1:])][1]) if place[0] == "N" else place[0].lower()


@settings(max_examples=200, deadline=None)
@given(RUNS)
def test_records_and_documents_with_names_that_come_again_become_each_other(
    runs: list[tuple[str, int, str]],
) -> None:
    model, record, places = modelled(runs)
    fields = "".join(f"<{place}>{value(place, runs)}</{place}>" for place in places)
    document = f"<Msg><Head>h</Head>{fields}</Msg>".encode()
    read = tree.parse(record, domain="MRM", model=model, format="FIXED")
    assert convert(read, "MRM", model, format="XML").serialise() == document
    other = tree.parse(document, domain="MRM", model=model, format="XML")
    assert convert(other, "MRM", model, format="FIXED").serialise() == record
    for message, text in ((read, record), (other, document)):
        message.set(tree.Path("MRM", "Head"), "x")
        assert message.serialise() == text.replace(b"h", b"x", 1)


@settings(max_examples=200, deadline=None)
@given(RUNS.filter(lambda runs: all(len(names) == 1 for names, _, _ in runs)))
def test_tagged_text_with_names_that_come_again_is_written_as_it_was_read(
    runs: list[tuple[str, int, str]],
) -> None:
    model, record, places = modelled(runs)
    text = ";".join(["H=h", *(f"{place}={value(place, runs)}" for place in places)]).encode()
    read = tree.parse(record, domain="MRM", model=model, format="FIXED")
    assert convert(read, "MRM", model, format="TEXT").serialise() == text
    message = tree.parse(text, domain="MRM", model=model, format="TEXT")
    message.set(tree.Path("MRM", "Head"), "x")
    assert message.serialise() == text.replace(b"H=h", b"H=x", 1)
