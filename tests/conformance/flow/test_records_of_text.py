"""Parsed record sequences of FileInput and FileRead for tagged and delimited text: where each record ends."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from penstock.flow import Flow, nodes
from penstock.flow.files import records as records_module
from penstock.flow.files.record_lengths import measure_for
from penstock.flow.files.records import Records
from penstock.model.errors import MQError
from penstock.tree.model import import_dfdl, read_model
from tests.flow_fixtures import bodies

LINES = "{separation: all elements delimited, delimiter: ',', terminator: '<LF>'}"
TEXT = "{kind: TDS}"


def reading(model: str, folder: Path, data: bytes, **options: Any) -> Flow:
    """Return a flow that puts each record of a file to OUT; `model` is YAML."""
    (folder / "in").mkdir(exist_ok=True)
    (folder / "models").mkdir(exist_ok=True)
    (folder / "models" / "m.yaml").write_text(model)
    (folder / "in" / "one").write_bytes(data)
    flow = Flow("files")
    start = flow.add(
        nodes.FileInput("in", records="parsedRecordSequence", domain="MRM", model="m", **options)
    )
    start.out >> flow.add(nodes.MQOutput("OUT")).in_
    start.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def model_of(said: str, *fields: str) -> str:
    """Return a model of one message whose type says this, with these fields."""
    members = "".join(f"\n      - {field}" for field in fields)
    return f"formats:\n  TEXT: {TEXT}\nmessages:\n  Rec:\n    TEXT: {said}\n    fields:{members}\n"


PLAIN = ("{name: A, type: string}", "{name: B, type: string}")
SIZED = ("{name: A, type: string, TEXT: {length: 3}}", "{name: B, type: string, TEXT: {length: 2}}")
TAGS = ("{name: A, type: string, TEXT: {tag: A}}", "{name: B, type: string, TEXT: {tag: B}}")
CASES = {
    "terminator": (model_of(LINES, *PLAIN), [b"1,one\n", b"2,\n", b"3,three\n"]),
    "long terminator": (
        model_of("{delimiter: ',', terminator: '$$END'}", *PLAIN),
        [b"1,o$ne$$END", b"2,$$EN$$END", b"3,x$$END"],
    ),
    "quoted": (
        model_of("{delimiter: ',', terminator: '<LF>', quote: '\"'}", *PLAIN),
        [b'1,"a\nb"\n', b'2,"a""\n"\n', b"3,x\n"],
    ),
    "escaped": (
        model_of("{delimiter: ',', terminator: ';', escape: '?'}", *PLAIN),
        [b"1,a?;b;", b"2,??;", b"3,x;"],
    ),
    "indicator": (
        model_of("{delimiter: ',', indicator: '[', terminator: ']'}", *PLAIN),
        [b"[1,a]", b"[2,]", b"[3,b]"],
    ),
    "fixed": (model_of("{separation: fixed length}", *SIZED), [b"abc12", b"   34", b"d\nf56"]),
    "observed lengths": (
        model_of("{delimiter: ',', observe_length: true}", *SIZED),
        [b"abc,12", b"   ,34", b"d,f,56"],
    ),
    "delimiter behind the last": (
        model_of("{delimiter: '<LF>'}", *PLAIN),
        [b"1\none\n", b"2\n\n", b"3\nthree\n"],
    ),
    "tags": (
        model_of(
            "{separation: tagged delimited, delimiter: ';', tag_data_separator: '=', terminator: '.'}", *TAGS
        ),
        [b"A=1;B=2.", b"B=3.", b"A=.", b"B=4;A=5."],
    ),
    "encoded lengths": (
        model_of(
            "{separation: tagged encoded length, tag_length: 1, encoded_digits: 2, terminator: '.'}", *TAGS
        ),
        [b"A01.B02...", b"A03...."],
    ),
    "length of a field": (
        model_of(
            "{separation: fixed length}",
            "{name: N, type: integer, TEXT: {length: 2}}",
            "{name: A, type: string, TEXT: {length_from: N}}",
        ),
        [b"03abc", b"00", b"10abcdefghij"],
    ),
    "patterns": (
        model_of(
            "{separation: use data pattern}",
            "{name: A, type: string, TEXT: {pattern: '[0-9]+'}}",
            "{name: B, type: string, TEXT: {pattern: '[a-z]+'}}",
        ),
        [b"12ab", b"3c", b"4567defgh"],
    ),
}


@pytest.mark.parametrize("size", [1, 5, 64 << 10])
@pytest.mark.parametrize("name", CASES)
def test_a_record_ends_where_its_model_says(
    qm: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    monkeypatch.setattr(records_module, "BLOCK_BYTES", size)
    model, records = CASES[name]
    flow = reading(model, tmp_path, b"".join(records))

    run(flow)

    assert bodies(qm, "OUT") == records


@pytest.mark.parametrize("name", CASES)
def test_many_records_in_blocks_come_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "BLOCK_BYTES", 5000)  # more than is looked at behind a record
    model, records = CASES[name]
    node = nodes.FileInput("in", domain="MRM", model="m")
    found = Records("parsedRecordSequence", measure=measure_for(node, read_model(model)), space_between=False)

    read = list(found.read(io.BytesIO(b"".join(records) * 1000)))

    assert [each.data for each in read] == records * 1000
    assert [each.start for each in read[1:]] == [each.end for each in read[:-1]]


@pytest.mark.parametrize(
    ("ccsid", "codec"), [(1208, "utf-8"), (500, "cp500"), (1200, "utf-16-le"), (943, "cp932")]
)
def test_records_are_measured_in_the_character_set_of_the_file(
    qm: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ccsid: int, codec: str
) -> None:
    monkeypatch.setattr(records_module, "BLOCK_BYTES", 7)  # in the middle of characters
    names = ("Zoe", "Zoë" if ccsid != 943 else "ﾌﾞ日本", "x") * 5
    records = [f"{number},{name}\n" for number, name in enumerate(names)]
    data = "".join(records).encode(codec)
    flow = reading(model_of(LINES, *PLAIN), tmp_path, data, ccsid=ccsid)

    run(flow)

    assert [body.decode() for body in bodies(qm, "OUT")] == records


def test_the_larger_of_two_alternatives_is_not_missed_at_the_end_of_a_block(
    qm: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records_module, "BLOCK_BYTES", 6000)
    model = """
formats: {TEXT: {kind: TDS}}
messages:
  Rec:
    compose: choice
    TEXT: {separation: fixed length}
    fields:
      - {name: Large, type: string, TEXT: {length: 9000}}
      - {name: Small, type: string, TEXT: {length: 10}}
"""
    large = [b"%09000d" % number for number in range(3)]
    flow = reading(model, tmp_path, b"".join(large))

    run(flow)

    assert bodies(qm, "OUT") == large


ENDLESS = {
    "B": model_of("{delimiter: ','}", PLAIN[0], "{name: B, type: string, min: 0}"),
    "A": model_of("{separation: fixed length}", "{name: A, type: string, max: null, TEXT: {length: 3}}"),
    "the message": model_of("{separation: tagged delimited, delimiter: ';', tag_data_separator: '='}", *TAGS),
    "C": model_of("{separation: use data pattern}", "{name: C, type: string}"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_model_without_an_end_is_refused_by_the_name_of_the_element(
    qm: Any, run: Any, tmp_path: Path, name: str
) -> None:
    flow = reading(ENDLESS[name], tmp_path, b"1,one")

    with pytest.raises(MQError, match=f"{name} has neither a terminator nor a length"):
        run(flow)


def test_what_no_record_fits_goes_to_failure_behind_those_that_do(
    qm: Any, run: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model, _ = CASES["indicator"]
    flow = reading(model, tmp_path, b"[1,one]2,two][3,three]")

    run(flow)

    assert bodies(qm, "OUT") == [b"[1,one]"]
    assert bodies(qm, "FAILED") == [b""]
    assert "the record at 7: line 1, column 1: '[' of the message is missing" in caplog.text


def test_file_read_finds_a_record_of_text(qm: Any, run: Any, tmp_path: Path) -> None:
    reading(model_of(LINES, *PLAIN), tmp_path, b"1,one\n2,two\n3,three\n")
    flow = Flow("reads")
    start = flow.add(nodes.MQInput("IN"))
    read = flow.add(
        nodes.FileRead(
            "in",
            "one",
            records="parsedRecordSequence",
            domain="MRM",
            model="m",
            select="Root.MRM.A = '2'",
        )
    )
    start.out >> read.in_
    read.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"")

    run(flow)

    assert bodies(qm, "OUT") == [b"2,two\n"]


ROW = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">
  <xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
    <dfdl:format lengthKind="delimited" representation="text" encoding="UTF-8" separatorPosition="infix"/>
  </xs:appinfo></xs:annotation>
  <xs:element name="Row" dfdl:terminator="%LF;"><xs:complexType><xs:sequence dfdl:separator=",">
    <xs:element name="Name" type="xs:string"/><xs:element name="Age" type="xs:int"/>
  </xs:sequence></xs:complexType></xs:element></xs:schema>"""


def test_records_of_a_dfdl_schema_with_delimiters() -> None:
    records = [b"Ann,30\n", b",1\n", b"Bob,7\n"]
    node = nodes.FileInput("in", domain="DFDL", model="row")
    found = Records("parsedRecordSequence", measure=measure_for(node, import_dfdl(ROW)), space_between=False)

    assert [each.data for each in found.read(io.BytesIO(b"".join(records)))] == records


def test_records_of_a_model_in_xml_may_have_space_between_them(qm: Any, run: Any, tmp_path: Path) -> None:
    model = "formats: {DOC: {kind: XML}}\nmessages: {Rec: {fields: [{name: A}]}}\n"
    flow = reading(model, tmp_path, b"<Rec><A>1</A></Rec>\n<Rec><A>2</A></Rec>\n")

    run(flow)

    assert bodies(qm, "OUT") == [b"<Rec><A>1</A></Rec>", b"<Rec><A>2</A></Rec>"]


def test_a_long_record_does_not_make_those_behind_it_dear() -> None:
    looked_at = 0

    def lines(data: bytes, is_end: bool) -> int | None:
        nonlocal looked_at
        looked_at += len(data)
        return data.find(b"\n") + 1 or (len(data) if is_end else None)

    text = b"x" * (4 << 20) + b"\n" + b"short\n" * 1000
    found = list(Records("parsedRecordSequence", measure=lines, space_between=False).read(io.BytesIO(text)))
    assert b"".join(each.data for each in found) == text
    assert [len(each.data) for each in found[:3]] == [(4 << 20) + 1, 6, 6]
    assert (found[-1].number, found[-1].end) == (1001, len(text))
    assert looked_at < 32 << 20  # the long one four times, 8 KB for each of the others
