"""SWIFT: blocks, fields and sequences as a tree, changes, and the bytes back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree import MISSING, Message, Path
from tests.unit.tree.swift_messages import MT103, MT202, MT543, MT543_LINES, MT940, message

BLOCK = Path("SWIFT", "Block4")
SETTLEMENT = BLOCK / "SETDET" / "AMT" / "19A::SETT"


def parsed(data: bytes = MT543) -> Message:
    return tree.parse(data, domain="SWIFT")


def reason(data: bytes) -> MQError:
    with pytest.raises(MQError) as caught:
        tree.parse(data, domain="SWIFT", timing="immediate")
    return caught.value


def test_headers_are_taken_apart_by_position() -> None:
    swift = parsed()
    assert swift.get(Path("SWIFT", "Block1", "LogicalTerminal")) == "BANKBEBBAXXX"
    assert swift.get(Path("SWIFT", "Block1", "SequenceNumber")) == "000000"
    assert swift.get(Path("SWIFT", "Block2", "Direction")) == "I"
    assert swift.get(Path("SWIFT", "Block2", "MessageType")) == "543"
    assert swift.get(Path("SWIFT", "Block2", "Receiver")) == "BANKDEFFXXXX"
    assert swift.get(Path("SWIFT", "Block2", "Priority")) == "N"
    assert swift.get(Path("SWIFT", "Block3", "108")) == "MUR0001"
    assert swift.get(Path("SWIFT", "Block5", "CHK")) == "123456789ABC"


def test_an_output_header() -> None:
    header = b"{1:F01BANKBEBBAXXX0000000000}{2:O5431200240131BANKDEFFAXXX00000000002401311201N}"
    swift = parsed(header)
    assert swift.get(Path("SWIFT", "Block2", "InputReference")) == "240131BANKDEFFAXXX0000000000"
    assert swift.get(Path("SWIFT", "Block2", "OutputTime")) == "1201"
    swift.set(Path("SWIFT", "Block2", "Priority"), "U")
    assert swift.serialise() == header[:-2] + b"U}"


def test_fields_are_called_as_the_handbook_writes_them() -> None:
    swift = parsed()
    assert swift.get(BLOCK / "GENL" / "20C::SEME") == "REF0001"
    assert swift.get(BLOCK / "GENL" / "LINK" / "20C::PREV") == "REF0000"
    assert swift.get(BLOCK / "TRADDET" / "98A::TRAD") == "20240131"
    assert swift.get(BLOCK / "TRADDET" / "35B") == "ISIN US0378331005\r\nAPPLE INC.\r\nCOMMON STOCK"
    assert swift.get(BLOCK / "GENL" / "23G") == "NEWM"
    assert swift.get(SETTLEMENT) == "EUR101250,"
    assert swift.get(BLOCK / "SETDET" / ("SETPRTY", 2) / "95P::PSET") == "DAKVDEFFXXX"
    assert swift.cardinality(BLOCK / "SETDET" / "SETPRTY") == 2
    assert swift.get(BLOCK / "NOPE") is MISSING


def test_a_data_source_scheme_is_a_field_below() -> None:
    swift = parsed()
    field = BLOCK / "TRADDET" / "94B::TRAD"
    assert swift.get(field) == "EXCH/XETR"
    assert swift.get(field / "DataSourceScheme") == "ABCD"
    assert swift.get(BLOCK / "TRADDET" / "98A::TRAD" / "DataSourceScheme") is MISSING


@pytest.mark.parametrize("data", [MT543, MT103, MT202, MT940])
def test_all_is_written_again_byte_for_byte(data: bytes) -> None:
    swift = parsed(data)
    assert swift.serialise() == data
    copy = Message()
    copy.create(Path("SWIFT")).assign(swift.create(Path("SWIFT")))
    assert copy.serialise() == data


def test_a_change_changes_that_field_alone() -> None:
    swift = parsed()
    swift.set(SETTLEMENT, "EUR5,")
    assert swift.serialise() == MT543.replace(b"EUR101250,", b"EUR5,")


def test_lines_end_as_they_came() -> None:
    bare = MT543.replace(b"\r\n", b"\n")
    swift = parsed(bare)
    swift.set(BLOCK / "TRADDET" / "35B", "ISIN US0378331005\nAPPLE")
    assert swift.serialise() == bare.replace(b"APPLE INC.\nCOMMON STOCK", b"APPLE")
    crlf = parsed()
    crlf.set(BLOCK / "TRADDET" / "35B", "ISIN US0378331005\nAPPLE")
    assert b"ISIN US0378331005\r\nAPPLE\r\n" in crlf.serialise()


def test_a_message_from_nothing() -> None:
    swift = Message()
    swift.set(Path("SWIFT", "Block1"), "F01BANKBEBBAXXX0000000000")
    swift.set(Path("SWIFT", "Block2"), "I103BANKDEFFXXXXN")
    swift.set(BLOCK / "20", "REF")
    swift.set(BLOCK / "SEQ" / "98A::SETT", dt.date(2024, 1, 31))
    swift.set(BLOCK / "SEQ" / "19A::SETT", Decimal("12.50"))
    swift.set(Path("SWIFT", "Block5", "CHK"), "A")
    assert swift.serialise() == (
        b"{1:F01BANKBEBBAXXX0000000000}{2:I103BANKDEFFXXXXN}{4:\r\n:20:REF\r\n:16R:SEQ\r\n"
        b":98A::SETT//20240131\r\n:19A::SETT//12,50\r\n:16S:SEQ\r\n-}{5:{CHK:A}}"
    )


@pytest.mark.parametrize("value", ["a\r\n:20:OTHER", "a\n-}", "a}", "{", "x\n-b"])
def test_no_value_can_smuggle_in_a_field(value: str) -> None:
    swift = parsed()
    swift.set(BLOCK / "GENL" / "20C::SEME", value)
    with pytest.raises(MQError) as caught:
        swift.serialise()
    assert caught.value.reason == 8130


@pytest.mark.parametrize(
    "path", [BLOCK / "genl", BLOCK / "GENL" / "A}", Path("SWIFT", "Block44"), Path("SWIFT", "Text")]
)
def test_names_that_no_message_can_have(path: Path) -> None:
    swift = parsed()
    swift.set(path / "20", "x")
    with pytest.raises(MQError) as caught:
        swift.serialise()
    assert caught.value.reason == 8130


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"", "no SWIFT message", 1),
        (b"hello", "a block begins", 1),
        (b"{1:F01", "does not end", 1),
        (b"{4:\r\n:20:X\r\n", "does not end with -}", 3),
        (b"{4:\r\n:20:X\r\n:2:Y\r\n-}", "begins no field", 3),
        (b"{4:\r\n:16R:A\r\n:20:X\r\n-}", "has no 16S", 4),
        (b"{4:\r\n:16R:A\r\n:16S:B\r\n-}", "closes another", 3),
        (b"{4:\r\n:16S:B\r\n-}", "closes another", 2),
        (b"{4:X", "begins with a new line", 1),
        (b"{3:{108:X}", "ends with }", 1),
        (b"{3:{108}}", "a tag is", 1),
        (b"{1:\xff}", "not UTF-8", 1),
    ],
)
def test_errors_say_where(data: bytes, what: str, line: int) -> None:
    problem = reason(data)
    assert problem.reason == 8101
    assert what in str(problem)
    assert f"line {line}," in str(problem)


def test_depth_is_limited() -> None:
    deep = message([f":16R:A{i}" for i in range(600)])
    assert reason(deep).reason == 8110


def test_system_messages_have_tags_in_block_4() -> None:
    data = b"{1:F21BANKBEBBAXXX0000000000}{4:{177:2401311200}{451:0}}"
    swift = parsed(data)
    assert swift.get(BLOCK / "451") == "0"
    swift.set(BLOCK / "451", "1")
    assert swift.serialise() == data.replace(b"451:0", b"451:1")


def test_ebcdic() -> None:
    swift = tree.parse(MT543.decode().encode("cp500"), domain="SWIFT", ccsid=500)
    swift.set(SETTLEMENT, "EUR5,")
    assert swift.serialise() == MT543.replace(b"EUR101250,", b"EUR5,").decode().encode("cp500")


def test_into_other_formats_values_are_escaped() -> None:
    swift = parsed(message([":20:A<B&C", ':21:say "x"'], "202"))
    other = Message()
    other.assign(Path("XMLNSC", "m", "r"), swift, BLOCK / "20")
    assert other.serialise() == b"<m><r>A&lt;B&amp;C</r></m>"
    json = Message()
    json.assign(Path("JSON", "Data", "r"), swift, BLOCK / "21")
    assert json.serialise() == b'{"r":"say \\"x\\""}'


def test_lines_of_the_sample_are_all_there() -> None:
    text = str(parsed())
    assert text.count("::") == sum("::" in line for line in MT543_LINES)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (BLOCK / "GENL" / "LINK" / "20C::PREV", b"PREV//REF0000", b"PREV//X"),
        (BLOCK / "SETDET" / ("SETPRTY", 2) / "95P::PSET", b"PSET//DAKVDEFFXXX", b"PSET//X"),
    ],
)
def test_a_change_in_one_sequence_leaves_the_bytes_of_the_others(path: Path, old: bytes, new: bytes) -> None:
    data = MT543.replace(b"MTCH//MACH\r\n", b"MTCH//MACH\n")  # what is written anew has no such line
    swift = parsed(data)
    swift.set(path, "X")
    assert swift.serialise() == swift.copy().serialise() == data.replace(old, new)


def test_a_sequence_that_changed_is_written_anew() -> None:
    swift = parsed(MT543.replace(b"MTCH//MACH\r\n", b"MTCH//MACH\n"))
    swift.set(BLOCK / "TRADDET" / "FIA" / "22F::MICO", "X")
    assert swift.serialise() == MT543.replace(b"MICO//A001", b"MICO//X")


def test_a_changed_sequence_is_copied_with_its_changes() -> None:
    swift = parsed()
    swift.set(BLOCK / "GENL" / "LINK" / "20C::PREV", "MINE")
    swift.assign(BLOCK / "OTHER", swift, BLOCK / "GENL")
    other = swift.serialise().partition(b":16R:OTHER\r\n")[2]
    assert other.startswith(b":20C::SEME//REF0001\r\n:23G:NEWM\r\n")
    assert b":16R:LINK\r\n:13A::LINK//543\r\n:20C::PREV//MINE\r\n:16S:LINK\r\n:16S:OTHER\r\n" in other


def test_a_deleted_field_leaves_its_sequence() -> None:
    swift = parsed()
    assert swift.delete(BLOCK / "GENL" / "LINK" / "13A::LINK")
    assert swift.serialise() == MT543.replace(b":13A::LINK//543\r\n", b"")


NESTED = message([":16R:A", ":16R:B", ":16S:B", ":16S:A"])


@pytest.mark.parametrize("detached", [False, True])
def test_a_sequence_moved_into_xml_is_written_as_xml(detached: bool) -> None:
    swift = parsed(NESTED)
    moved = swift.reference(BLOCK / "A")
    assert moved is not None
    if detached:
        moved.detach()
    swift.create(Path("XMLNSC", "R")).attach_last_child(moved)
    assert swift.serialise().endswith(b"}<R><A><B/></A></R>")


def test_fields_moved_into_xml_are_refused_for_their_names() -> None:
    swift = parsed()
    moved = swift.reference(BLOCK / "GENL" / "LINK")
    assert moved is not None
    swift.create(Path("XMLNSC", "R")).attach_last_child(moved)
    with pytest.raises(MQError, match=r"8130.*no XML name"):
        swift.serialise()


def test_an_xml_element_moved_into_block_4_is_written_as_a_sequence() -> None:
    xml = tree.parse(b"<R><AB><X>1</X></AB></R>", domain="XMLNSC")
    moved = xml.reference(Path("XMLNSC", "R", "AB"))
    assert moved is not None
    xml.create(BLOCK).attach_last_child(moved)
    with pytest.raises(MQError, match=r"8130.*a sequence has fields, no value: 'X'"):
        xml.serialise()


def test_a_sequence_moved_within_the_message_keeps_its_bytes() -> None:
    # written anew it would have no line that ends like the first field's
    odd = b":16R:LINK\r\n:13A::LINK//543\n:20C::PREV//REF0000\r\n:16S:LINK\r\n"
    data = MT543.replace(odd.replace(b"543\n", b"543\r\n"), odd)
    assert data != MT543
    swift = parsed(data)
    moved = swift.reference(BLOCK / "GENL" / "LINK")
    assert moved is not None
    swift.create(BLOCK / "SETDET").attach_last_child(moved)
    end = b":16S:SETDET\r\n"
    assert swift.serialise() == data.replace(odd, b"").replace(end, odd + end)
