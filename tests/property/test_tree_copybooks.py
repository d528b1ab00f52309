"""Copybooks drawn at random: against a public copybook parser, and EBCDIC records encoded by hand.

The public parser (`copybook`) knows X and unsigned 9 pictures, groups, OCCURS and
REDEFINES; what it does not know is compared with records that the test encodes itself.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

import copybook
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
from penstock.tree.model import import_copybook

DIGITS = "0123456789"


@st.composite
def layouts(draw: Any, depth: int = 0) -> list[Any]:
    """Members of a group: ("X", n), ("9", n, scale), ("group", members), each with how often it occurs."""
    members: list[Any] = []
    for _ in range(draw(st.integers(1, 4))):
        times = draw(st.sampled_from([1, 1, 1, 2, 3]))
        kinds = ["X", "9", "V", *(["group"] if depth < 2 else []), *(["redefined"] if depth == 0 else [])]
        kind = draw(st.sampled_from(kinds))
        if kind in ("group", "redefined"):
            members.append((kind, draw(layouts(depth + 1)), times if kind == "group" else 1))
        else:
            members.append((kind, draw(st.integers(1, 6)), times))
    return members


def written(members: list[Any], level: int, names: Any) -> str:
    lines = []
    for kind, what, times in members:
        name = f"F{next(names)}"
        occurs = f" OCCURS {times} TIMES" if times > 1 else ""
        if kind in ("group", "redefined"):
            lines.append(f"       {level:02d} {name}{occurs}.\n" + written(what, level + 5, names))
            if kind == "redefined":
                lines.append(f"       {level:02d} R{next(names)} REDEFINES {name} PIC X(1).\n")
            continue
        picture = {"X": f"X({what})", "9": f"9({what})", "V": f"9({what})V9(2)"}[kind]
        lines.append(f"       {level:02d} {name}{occurs} PIC {picture}.\n")
    return "".join(lines)


def leaves(field: tree.Reference) -> list[tuple[str, Any]]:
    inner = list(field)
    if not inner:
        return [(field.name, field.value)]
    return [leaf for each in inner for leaf in leaves(each)]


@settings(max_examples=400, deadline=None)
@given(layouts(), st.randoms(use_true_random=False))
def test_fields_stand_where_a_public_parser_has_them(members: list[Any], chance: Any) -> None:
    text = "       01 REC.\n" + written(members, 5, iter(range(10_000)))
    root = copybook.parse_string(text)
    record = "".join(chance.choice(DIGITS) for _ in range(root.get_total_length()))
    model = import_copybook(text, ccsid=819)
    message = tree.parse(record.encode(), domain="MRM", model=model, timing="complete")
    assert message.body is not None
    found = [leaf for each in message.body for leaf in leaves(each)]
    expected = []
    for field in root.flatten():
        if type(field).__name__ == "Field" and field.redefine_target is None:
            piece = record[field.start_pos : field.start_pos + field.get_total_length()]
            value: Any = piece if field.datatype == "str" else Decimal(int(piece)).scaleb(-field.precision)
            expected.append((field.name.split("_")[0], value))
    assert [(name, _plain(value)) for name, value in found] == [(n, _plain(value)) for n, value in expected]


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else Decimal(value)


# What the public parser does not know, in records encoded by hand.


def packed(number: int, digits: int, signed: bool) -> bytes:
    text = f"{abs(number):0{digits}d}" + ("d" if number < 0 else "c" if signed else "f")
    return bytes.fromhex(text if len(text) % 2 == 0 else "0" + text)


def zoned(number: int, digits: int, how: str) -> bytes:
    body = bytearray(0xF0 + int(each) for each in f"{abs(number):0{digits}d}")
    if how == "none":
        return bytes(body)
    if "SEPARATE" in how:
        sign = b"\x60" if number < 0 else b"\x4e"
        return sign + body if "LEADING" in how else bytes(body) + sign
    at = 0 if "LEADING" in how else -1
    body[at] = (0xD0 if number < 0 else 0xC0) + (body[at] & 15)
    return bytes(body)


def binary(number: int, digits: int, signed: bool) -> bytes:
    width = 2 if digits <= 4 else 4 if digits <= 9 else 8
    return number.to_bytes(width, "big", signed=signed)


def hexadecimal(number: float, width: int) -> bytes:
    """An IBM float of a whole number that it holds exactly."""
    if number == 0:
        return bytes(width)
    sign, whole, exponent = (0x80 if number < 0 else 0), abs(int(number)), 0
    while whole >> (4 * exponent):
        exponent += 1
    fraction = whole << (8 * (width - 1) - 4 * exponent)
    return bytes([sign | (64 + exponent)]) + fraction.to_bytes(width - 1, "big")


SIGNS = ["", "SIGN LEADING", "SIGN TRAILING", "SIGN LEADING SEPARATE", "SIGN IS TRAILING SEPARATE CHARACTER"]
USAGES = ["DISPLAY", "COMP", "COMP-4", "BINARY", "COMP-3", "PACKED-DECIMAL", "COMP-1", "COMP-2"]


@st.composite
def numbers(draw: Any) -> tuple[str, bytes, Any]:
    """A clause, the bytes of a value and the value."""
    usage, digits = draw(st.sampled_from(USAGES)), draw(st.integers(1, 17))
    if usage in ("COMP-1", "COMP-2"):
        number = draw(st.integers(-(2**20), 2**20))
        return usage, hexadecimal(number, 4 if usage == "COMP-1" else 8), float(number)
    signed = draw(st.booleans())
    number = draw(st.integers(-(10**digits) + 1 if signed else 0, 10**digits - 1))
    scale = draw(st.sampled_from([0, 0, 1])) if digits > 1 else 0
    picture = f"PIC {'S' if signed else ''}9({digits - scale}){'V9' if scale else ''}"
    value: Any = Decimal(number).scaleb(-scale) if scale else number
    if usage == "DISPLAY":
        sign = draw(st.sampled_from(SIGNS)) if signed else ""
        return f"{picture} {sign}", zoned(number, digits, sign or ("TRAILING" if signed else "none")), value
    if usage in ("COMP-3", "PACKED-DECIMAL"):
        return f"{picture} {usage}", packed(number, digits, signed), value
    return f"{picture} USAGE {usage}", binary(number, digits, signed), value


@settings(max_examples=1000, deadline=None)
@given(st.lists(numbers(), min_size=1, max_size=6), st.lists(st.text("ABCäöü 09", max_size=5), max_size=4))
def test_ebcdic_records_are_read_and_written_byte_for_byte(fields: list[Any], rows: list[str]) -> None:
    """Every usage and sign, then a count and a table that depends on it."""
    text = "".join(f"           05 F{n} {clause}.\n" for n, (clause, _, _) in enumerate(fields))
    text = (
        f"       01 REC.\n{text}           05 N PIC 9(4) COMP.\n"
        "           05 ROW OCCURS 0 TO 9 DEPENDING ON N.\n              10 T PIC X(5).\n"
    )
    record = b"".join(data for _, data, _ in fields) + struct.pack(">H", len(rows))
    record += b"".join(row.ljust(5).encode("cp500") for row in rows)
    model = import_copybook(text, ccsid=500)
    message = tree.parse(record, domain="MRM", model=model, ccsid=500, encoding=785, timing="complete")
    for n, (_, _, value) in enumerate(fields):
        assert message.get(tree.Path("MRM", f"F{n}")) == value
    for n, row in enumerate(rows, 1):
        assert message.get(tree.Path("MRM", ("ROW", n), "T")) == row.rstrip()
    assert message.serialise() == record
    for n, (_, _, value) in enumerate(fields):  # and encoded anew
        message.set(tree.Path("MRM", f"F{n}"), value)
    assert message.serialise() == record
