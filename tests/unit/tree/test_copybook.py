"""Copybooks as models, against EBCDIC records made by hand."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

import pytest

from penstock import MQError, tree
from penstock.tree.model import import_copybook

HOST = {"ccsid": 37, "encoding": 785}
CUSTOMER = """\
000100* A customer, as on the host
000200 01  CUSTOMER-RECORD.
000300     05  CUST-ID             PIC 9(6).
000400     05  CUST-NAME           PIC X(10).
000500     05  CUST-BALANCE        PIC S9(7)V99 COMP-3.
000600     05  CUST-LIMIT          PIC S9(4) COMP.
000700     05  CUST-RATE           USAGE COMP-2.
000800     05  CUST-DELTA          PIC S9(3) SIGN IS LEADING SEPARATE.
000900     05  CUST-SHIFT          PIC S9(3).
001000     05  FILLER              PIC X(2).
001100     05  CUST-KIND           PIC X.
001200         88  IS-PRIVATE      VALUE 'P'.
001300         88  IS-COMPANY      VALUES ARE 'C' 'D'.
001400     05  CUST-DETAIL.
001500         10  FIRST-NAME      PIC X(4).
001600         10  AGE             PIC 9(2) COMP-3.
001700     05  CUST-COMPANY REDEFINES CUST-DETAIL.
001800         10  VAT-NO          PIC 9(5).
001900     05  PHONE-COUNT         PIC 9.
002000     05  PHONE               PIC X(3) OCCURS 0 TO 5 TIMES
002100                              DEPENDING ON PHONE-COUNT.
"""


def ebcdic(text: str) -> bytes:
    return text.encode("cp037")


HEAD = (
    ebcdic("000042Miller    ")
    + bytes.fromhex("001234567d")
    + struct.pack(">h", -5)
    + bytes.fromhex("4110000000000000")
    + ebcdic("-123")
    + b"\xf1\xf2\xd3"
    + ebcdic("zz")
)
PRIVATE = HEAD + ebcdic("PJohn") + b"\x02\x1f" + ebcdic("2abcdef")
COMPANY = HEAD + ebcdic("C00099 ") + ebcdic("0")


def model(**about: Any) -> Any:
    choose = {"CUST-DETAIL": ("CUST_KIND", ("P",)), "CUST-COMPANY": ("CUST_KIND", ("C", "D"))}
    return import_copybook(CUSTOMER, choose=choose, **HOST, **about)


def get(message: tree.Message, *steps: Any) -> Any:
    return message.get(tree.Path("MRM", *steps))


def test_fields_of_every_usage_in_a_record_of_the_host() -> None:
    message = tree.parse(PRIVATE, domain="MRM", model=model(), timing="complete")
    assert get(message, "CUST_ID") == 42
    assert get(message, "CUST_NAME") == "Miller"
    assert get(message, "CUST_BALANCE") == Decimal("-12345.67")
    assert get(message, "CUST_LIMIT") == -5
    assert get(message, "CUST_RATE") == 1.0
    assert get(message, "CUST_DELTA") == -123
    assert get(message, "CUST_SHIFT") == -123
    assert get(message, "FILLER_1") == "zz"
    assert get(message, "CUST_DETAIL", "AGE") == 21
    assert [get(message, ("PHONE", i)) for i in (1, 2)] == ["abc", "def"]


def test_a_field_decides_a_redefinition() -> None:
    message = tree.parse(COMPANY, domain="MRM", model=model())
    assert get(message, "CUST_COMPANY", "VAT_NO") == 99
    assert get(message, "CUST_DETAIL", "AGE") is tree.MISSING


def test_records_come_back_byte_for_byte_and_counts_follow() -> None:
    message = tree.parse(PRIVATE, domain="MRM", model=model())
    message.set(tree.Path("MRM", ("PHONE", 3)), "ghi")
    assert message.serialise() == PRIVATE[:-7] + ebcdic("3abcdefghi")


def test_enumerations_and_defaults() -> None:
    record = next(iter(model().messages.values()))
    fields = {field.name: field for field in record.fields()}
    assert fields["CUST_KIND"].values == ("P", "C", "D")
    assert fields["CUST_LIMIT"].default == 0


def test_without_a_decision_the_first_alternative_is_taken() -> None:
    message = tree.parse(COMPANY, domain="MRM", model=import_copybook(CUSTOMER, **HOST))
    assert get(message, "CUST_DETAIL", "FIRST_NAME") == "0009"


SIZES: list[tuple[str, int, str]] = [
    ("PIC 9(4) COMP", 2, "integer"),
    ("PIC 9(5) BINARY", 4, "integer"),
    ("PIC S9(10) COMP-5", 8, "integer"),
    ("PIC S9(18) COMP-4", 8, "integer"),
    ("COMP-1", 4, "float"),
    ("USAGE IS COMP-2", 8, "float"),
    ("PIC S9(5)V99 COMP-3", 4, "decimal"),
    ("PIC 9 PACKED-DECIMAL", 1, "integer"),
    ("PIC ZZ,ZZ9.99-", 10, "string"),
    ("PIC S9(5) SIGN TRAILING SEPARATE", 6, "integer"),
    ("PICTURE IS A(3)X(2)", 5, "string"),
    ("PIC 9(3) VALUE ZERO", 3, "integer"),
    ("PIC X(3) VALUE 'a.b'", 3, "string"),
    ("PIC N(2)", 4, "binary"),
    ("PIC 9(3)PP", 3, "decimal"),
    ("PIC X JUST RIGHT", 1, "string"),
    ("PIC 9(2) BLANK WHEN ZERO", 2, "integer"),
]


@pytest.mark.parametrize(("clauses", "size", "logical"), SIZES)
def test_pictures_and_usages(clauses: str, size: int, logical: str) -> None:
    made = import_copybook(f"01 R.\n05 F {clauses}.\n05 G PIC X.", free=True, **HOST)
    message = tree.Message()
    message.body_as("MRM", made)
    message.set(tree.Path("MRM", "G"), "x")
    assert len(message.serialise()) == size + 1
    assert next(made.messages["R"].fields()).type == logical


def test_synchronized_fields_are_aligned() -> None:
    made = import_copybook("01 R.\n 05 A PIC X.\n 05 B PIC S9(9) COMP SYNC.", free=True, **HOST)
    message = tree.parse(b"\xc1\0\0\0\0\0\0\x07", domain="MRM", model=made)
    assert get(message, "B") == 7


@pytest.mark.parametrize(
    ("fields", "offset"),
    [
        (". 10 B PIC S9(9) COMP SYNC. 10 C PIC X", 16),  # 4 + 1 and 3 between the occurrences
        (". 10 C PIC X. 10 B PIC S9(4) COMP SYNC", 8),  # 1 + 1 + 2
        (". 10 I OCCURS 2. 15 B PIC S9(9) COMP SYNC. 15 C PIC X", 32),
        (". 10 B COMP-2 SYNC. 10 C PIC X", 32),
        (". 10 B PIC S9(9) COMP. 10 C PIC X", 10),
        (" PIC S9(4) COMP SYNC", 4),
    ],
)
def test_occurrences_of_a_table_are_alike_when_fields_are_synchronized(fields: str, offset: int) -> None:
    made = import_copybook(f"01 R. 05 T OCCURS 2{fields}. 05 Z PIC X. 05 W PIC X.", free=True, **HOST)
    message = tree.parse(b"\0" * offset + b"\xe9\xe6", domain="MRM", model=made)
    assert (get(message, "Z"), get(message, "W")) == ("Z", "W")
    message.set(tree.Path("MRM", "W"), "V")
    assert message.serialise() == b"\0" * offset + b"\xe9\xe5"


@pytest.mark.parametrize(
    ("counter", "data"),
    [
        ("PIC X", b"\x41"),
        ("PIC X(2)", b"\xf0\xf2"),
        ("COMP-1", b"\x7f\xff\xff\xff"),
        ("PIC 9V9", b"\xf1\xf5"),
    ],
)
def test_a_count_that_is_no_whole_number_is_refused(counter: str, data: bytes) -> None:
    text = f"01 R. 05 N {counter}. 05 T PIC X OCCURS 0 TO 5 DEPENDING ON N."
    message = tree.parse(data + b"\xc1", domain="MRM", model=import_copybook(text, free=True, **HOST))
    with pytest.raises(MQError) as caught:
        get(message, "T")
    assert caught.value.reason == 8101


def test_names_without_bytes_are_left_out_with_a_note() -> None:
    text = (
        "01 R.\n 05 A PIC X.\n 05 B PIC X.\n 66 AB RENAMES A THRU B.\n78 LIMIT VALUE 7.\n01 S.\n 05 C PIC X."
    )
    made = import_copybook(text, free=True, **HOST)
    assert list(made.messages) == ["R", "S"]
    assert made.notes == (
        "line 4: AB is a further name (RENAMES) and left out",
        "line 5: LIMIT is a constant and left out",
    )


def test_lines_that_begin_with_an_asterisk_are_comments_wherever_it_stands() -> None:
    made = import_copybook(
        "       * one column too far\n        01  R.\n          05  A PIC X.\n* free\n", **HOST
    )
    assert [field.name for field in made.messages["R"].fields()] == ["A"]


def test_the_first_six_columns_may_hold_anything() -> None:
    text = "       01  R.\nV5         05  A PIC X.\n000020     05  B PIC X.\n"
    made = import_copybook(text, **HOST)
    assert [field.name for field in made.messages["R"].fields()] == ["A", "B"]


def test_lines_with_tabs_have_no_last_column() -> None:
    line = "\t\t     05  A" + " " * 44 + "PIC X(3)."
    made = import_copybook(f"       01  R.\n{line}\n", **HOST)
    message = tree.parse(b"\xc1\xc2\xc3", domain="MRM", model=made)
    assert get(message, "A") == "ABC"


@pytest.mark.parametrize("before", ["PIC", "PICTURE IS", "pic  is"])
@pytest.mark.parametrize("free", [True, False])
def test_a_picture_on_its_own_line_may_begin_with_an_asterisk(before: str, free: bool) -> None:
    text = f"       01 R.\n           05 A {before}\n               **9.99.\n           05 B PIC X.\n"
    made = import_copybook(text, free=free, **HOST)
    message = tree.parse("**1.23X".encode("cp037"), domain="MRM", model=made)
    assert [field.name for field in made.messages["R"].fields()] == ["A", "B"]
    assert get(message, "B") == "X"


@pytest.mark.parametrize("raw_columns", [65, 72])
def test_line_numbers_behind_tabs_are_no_text(raw_columns: int) -> None:
    line = "\t05 A PIC X(3).".ljust(raw_columns) + "00010000"
    text = f"       01 R.\n{line}\n\t05 B PIC X.\n"
    made = import_copybook(text, **HOST)
    assert [field.name for field in made.messages["R"].fields()] == ["A", "B"]


def test_tables_in_tables_and_usage_of_a_group() -> None:
    text = "01 R.\n 05 T OCCURS 2 COMP-3.\n 10 A PIC 9(3).\n 10 B PIC 9 OCCURS 2 INDEXED BY I."
    made = import_copybook(text, free=True, **HOST)
    data = bytes.fromhex("123f 1f 2f 456f 3f 4f".replace(" ", ""))
    message = tree.parse(data, domain="MRM", model=made)
    assert get(message, ("T", 2), "A") == 456
    assert get(message, ("T", 2), ("B", 2)) == 4


def test_copy_replacing_and_continued_literals() -> None:
    book = {"PART": "05 :X:-CODE PIC X(3)."}
    text = "01 R.\nCOPY PART REPLACING ==:X:== BY ==NEW==."
    made = import_copybook(text, free=True, copy=book.__getitem__, **HOST)
    assert [field.name for field in made.messages["R"].fields()] == ["NEW_CODE"]
    fixed = (
        "       01  R.\n"
        "           05  A PIC X(60) VALUE 'one two three four five six seven eig\n"
        "      -    'ht nine'.\n"
    )
    field = next(import_copybook(fixed, **HOST).messages["R"].fields())
    assert "eig" in str(field.default)
    assert str(field.default).endswith("ht nine")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello.",
        "01 R.\n05 F.",
        "66 X RENAMES Y.",
        "01 R. 05 F PIC ???.",
        "01 R. 05 F REDEFINES G PIC X.",
        "01 R. 05 F PIC X OCCURS.",
        "88 X VALUE 1.",
        "COPY X.",
        "01 R. 05 F PIC S9(20) COMP.",
        "01 R. 05 F PIC X(99999999).",
        "01 R. 05 F PIC X SOMETIMES.",
    ],
)
def test_copybooks_that_cannot_be_meant_are_refused(text: str) -> None:
    with pytest.raises(MQError) as caught:
        import_copybook(text, free=True)
    assert caught.value.reason == 8150


def test_words_for_the_printer_are_passed_over() -> None:
    text = "       01 R.\n           EJECT\n           05 A PIC X.\n       SKIP2.\n           05 B PIC X.\n"
    for source in (text, "01 R.\nEJECT\n05 A PIC X.\nskip1\n05 B PIC X.\n"):
        model = import_copybook(source)
        assert [field.name for field in model.messages["R"].fields()] == ["A", "B"]


@pytest.mark.parametrize("last", ["           05 A PIC X.\n", "      * nothing\n"])
def test_books_that_copy_each_other_very_often_are_refused(last: str) -> None:
    books = {f"B{at}": f"       COPY B{at + 1}.\n" * 10 for at in range(12)} | {"B12": last}
    with pytest.raises(MQError, match=r"8150.*more than 4194304 characters"):
        import_copybook("       01 R.\n       COPY B0.\n", copy=books.__getitem__)


def test_a_replacement_does_not_grow_without_end() -> None:
    book = "           05 A PIC X.\n" + "           05 A PIC X.\n" * 2000
    with pytest.raises(MQError, match=r"8150.*characters"):
        import_copybook(
            "       01 R.\n       COPY B REPLACING ==A== BY ==" + "Q" * 50 + " " * 5000 + "==.\n",
            free=True,
            copy=lambda _: book,
        )
