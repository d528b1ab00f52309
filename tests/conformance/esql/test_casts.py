"""CAST among all types, without FORMAT."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from penstock.esql.runtime.casts.cast import assign
from penstock.esql.runtime.values.types import Bits
from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import evaluate, same
from tests.conformance.esql.programs import value

CASES = [
    # to CHARACTER
    ("CAST(5 AS CHARACTER)", "5"),
    ("CAST(-5 AS CHAR)", "-5"),
    ("CAST(DECIMAL '12.50' AS CHARACTER)", "12.50"),
    ("CAST(DECIMAL '1E2' AS CHARACTER)", "100"),
    ("CAST(DECIMAL 'NAN' AS CHARACTER)", "NAN"),
    ("CAST(44.72 AS CHARACTER)", "4.472E+1"),
    ("CAST(1.0 AS CHARACTER)", "1.0E+0"),
    ("CAST(TRUE AS CHARACTER)", "TRUE"),
    ("CAST(FALSE AS CHARACTER)", "FALSE"),
    ("CAST(X'0A0b' AS CHARACTER)", "X'0a0b'"),
    ("CAST(B'0101' AS CHARACTER)", "B'0101'"),
    ("CAST(X'48656C6C6F' AS CHARACTER CCSID 1208)", "Hello"),
    ("CAST(X'C8859393960E' AS CHARACTER CCSID 37)", "Hello\x0e"),
    ("CAST(X'C3A9' AS CHARACTER CCSID 1208)", "é"),
    ("CAST(X'E9' AS CHARACTER CCSID 819)", "é"),
    ("CAST(X'4800' AS CHARACTER CCSID 1200 ENCODING 546)", "H"),
    ("CAST(X'0048' AS CHARACTER CCSID 1200 ENCODING 273)", "H"),
    ("CAST(B'01001000' AS CHARACTER CCSID 819)", "H"),
    ("CAST(INTERVAL '1-6' YEAR TO MONTH AS CHARACTER)", "INTERVAL '1-06' YEAR TO MONTH"),
    ("CAST(INTERVAL '90' SECOND AS CHARACTER)", "INTERVAL '90' SECOND"),
    # to numbers
    ("CAST('12' AS INTEGER)", 12),
    ("CAST(' -12 ' AS INTEGER)", -12),
    ("CAST('+7' AS INTEGER)", 7),
    ("CAST('1E3' AS INTEGER)", 1000),
    ("CAST('12.00' AS INTEGER)", 12),
    ("CAST(12.99 AS INTEGER)", 12),
    ("CAST(-12.99 AS INTEGER)", -12),
    ("CAST(X'0100' AS INTEGER)", 256),
    ("CAST(X'FFFFFFFFFFFFFFFF' AS INTEGER)", -1),
    ("CAST(X'0100' AS INTEGER ENCODING 546)", 1),
    ("CAST(B'101' AS INTEGER)", 5),
    ("CAST(INTERVAL '90' MINUTE AS INTEGER)", 90),
    ("CAST('1.5' AS FLOAT)", 1.5),
    ("CAST('1.5E2' AS FLOAT)", 150.0),
    ("CAST(3 AS FLOAT)", 3.0),
    ("CAST(DECIMAL '1.25' AS FLOAT)", 1.25),
    ("CAST('INF' AS FLOAT)", math.inf),
    ("CAST('nan' AS FLOAT)", math.nan),
    ("CAST('1.10' AS DECIMAL)", Decimal("1.10")),
    ("CAST(5 AS DECIMAL)", Decimal(5)),
    ("CAST(0.1 AS DECIMAL)", Decimal("0.1")),
    ("CAST('1.005' AS DECIMAL(10, 2))", Decimal("1.01")),
    ("CAST(12345 AS DECIMAL(5))", Decimal(12345)),
    (
        "CAST('12345678901234567890123456789012345' AS DECIMAL)",
        Decimal("1.234567890123456789012345678901234E+34"),
    ),
    # to BOOLEAN
    ("CAST('TRUE' AS BOOLEAN)", True),
    ("CAST(' false ' AS BOOLEAN)", False),
    ("CAST('Unknown' AS BOOLEAN)", None),
    # to BLOB and BIT
    ("CAST('0a0B' AS BLOB)", b"\x0a\x0b"),
    ("CAST('X''0A0B''' AS BLOB)", b"\x0a\x0b"),
    ("CAST('Hello' AS BLOB CCSID 1208)", b"Hello"),
    ("CAST('Hello' AS BLOB CCSID 500)", b"\xc8\x85\x93\x93\x96"),
    ("CAST('é' AS BLOB CCSID 1252)", b"\xe9"),
    ("CAST(B'0000111100000001' AS BLOB)", b"\x0f\x01"),
    ("CAST(258 AS BLOB)", b"\0\0\0\0\0\0\1\2"),
    ("CAST(258 AS BLOB ENCODING 546)", b"\2\1\0\0\0\0\0\0"),
    ("CAST(X'0F' AS BIT)", Bits("00001111")),
    ("CAST('101' AS BIT)", Bits("101")),
    ("CAST('B''101''' AS BIT)", Bits("101")),
    # to dates
    ("CAST('2024-01-31' AS DATE)", date(2024, 1, 31)),
    ("CAST('DATE ''2024-01-31''' AS DATE)", date(2024, 1, 31)),
    ("CAST(TIMESTAMP '2024-01-31 10:11:12' AS DATE)", date(2024, 1, 31)),
    ("CAST(GMTTIMESTAMP '2024-01-31 23:11:12' AS DATE)", date(2024, 2, 1)),
    ("CAST('10:11:12.5' AS TIME)", time(10, 11, 12, 500000)),
    ("CAST(TIMESTAMP '2024-01-31 10:11:12' AS TIME)", time(10, 11, 12)),
    ("CAST(GMTTIME '10:11:12' AS TIME)", time(12, 11, 12)),
    ("CAST(TIME '10:11:12' AS GMTTIME)", time(8, 11, 12, tzinfo=UTC)),
    ("CAST('10:11:12' AS GMTTIME)", time(10, 11, 12, tzinfo=UTC)),
    ("CAST('2024-01-31 10:11:12' AS TIMESTAMP)", datetime(2024, 1, 31, 10, 11, 12)),
    ("CAST('2024-01-31T10:11:12.25' AS TIMESTAMP)", datetime(2024, 1, 31, 10, 11, 12, 250000)),
    ("CAST('2024-01-31T10:11:12Z' AS TIMESTAMP)", datetime(2024, 1, 31, 12, 11, 12)),
    ("CAST(GMTTIMESTAMP '2024-01-31 10:11:12' AS TIMESTAMP)", datetime(2024, 1, 31, 12, 11, 12)),
    ("CAST(TIMESTAMP '2024-01-31 10:11:12' AS GMTTIMESTAMP)", datetime(2024, 1, 31, 8, 11, 12, tzinfo=UTC)),
    ("CAST('2024-01-31 10:11:12' AS GMTTIMESTAMP)", datetime(2024, 1, 31, 10, 11, 12, tzinfo=UTC)),
    ("CAST(DATE '2024-01-31' AS TIMESTAMP)", datetime(2024, 1, 31, 0, 30, 15, 123456)),
    ("CAST(TIME '10:11:12' AS TIMESTAMP)", datetime(2024, 3, 1, 10, 11, 12)),
    ("CAST(2024, 1, 31 AS DATE)", date(2024, 1, 31)),
    ("CAST(10, 11, 12 AS TIME)", time(10, 11, 12)),
    ("CAST(10, 11, 12.5 AS TIME)", time(10, 11, 12, 500000)),
    ("CAST(10, 11, 12 AS GMTTIME)", time(10, 11, 12, tzinfo=UTC)),
    ("CAST(DATE '2024-01-31', TIME '10:11:12' AS TIMESTAMP)", datetime(2024, 1, 31, 10, 11, 12)),
    ("CAST(2024, 1, 31, 10, 11, 12 AS TIMESTAMP)", datetime(2024, 1, 31, 10, 11, 12)),
    ("CAST(2024, 1, 31, 10, 11, 12.5 AS GMTTIMESTAMP)", datetime(2024, 1, 31, 10, 11, 12, 500000, UTC)),
    # to INTERVAL
    ("CAST(CAST(90 AS INTERVAL MINUTE) AS CHARACTER)", "INTERVAL '90' MINUTE"),
    ("CAST(CAST(1.5 AS INTERVAL HOUR) AS CHARACTER)", "INTERVAL '1' HOUR"),
    ("CAST(CAST('1-6' AS INTERVAL YEAR TO MONTH) AS CHARACTER)", "INTERVAL '1-06' YEAR TO MONTH"),
    (
        "CAST(CAST(INTERVAL '90' MINUTE AS INTERVAL HOUR TO MINUTE) AS CHARACTER)",
        "INTERVAL '1:30' HOUR TO MINUTE",
    ),
]
TARGETS = (
    *("BOOLEAN", "INTEGER", "FLOAT", "DECIMAL", "CHARACTER", "BLOB", "BIT"),
    *("DATE", "TIME", "GMTTIME", "TIMESTAMP", "GMTTIMESTAMP"),
)


@pytest.mark.parametrize(("said", "expected"), CASES)
def test_cast(said: str, expected: object) -> None:
    found = evaluate(said)

    assert same(found, expected), found


@pytest.mark.parametrize("target", [*TARGETS, "INTERVAL DAY"])
def test_null_becomes_null(target: str) -> None:
    assert evaluate(f"CAST(NULL AS {target})") is None


@pytest.mark.parametrize(
    ("case", "state"),
    [
        ("CAST('abc' AS INTEGER)", "S22018"),
        ("CAST('' AS INTEGER)", "S22018"),
        ("CAST('1.5' AS INTEGER)", "S22018"),
        ("CAST('1_000' AS INTEGER)", "S22018"),
        ("CAST('9223372036854775808' AS INTEGER)", "S22003"),
        ("CAST(1e30 AS INTEGER)", "S22003"),
        ("CAST('1e99999' AS INTEGER)", "S22003"),
        ("CAST('1e999' AS FLOAT)", "S22003"),
        ("CAST(12345 AS DECIMAL(4))", "S22003"),
        ("CAST(TRUE AS INTEGER)", "S22018"),
        ("CAST(1 AS BOOLEAN)", "S22018"),
        ("CAST('yes' AS BOOLEAN)", "S22018"),
        ("CAST('0a0' AS BLOB)", "S22018"),
        ("CAST('xyz' AS BLOB)", "S22018"),
        ("CAST(B'1' AS BLOB)", "S22018"),
        ("CAST('12' AS BIT)", "S22018"),
        ("CAST(X'FF' AS CHARACTER CCSID 1208)", "S22018"),
        ("CAST('é' AS BLOB CCSID 367)", "S22018"),
        ("CAST(X'41' AS CHARACTER CCSID 99999)", "S22018"),
        ("CAST(X'010203040506070809' AS INTEGER)", "S22018"),
        ("CAST('2024-02-30' AS DATE)", "S22007"),
        ("CAST('31/01/2024' AS DATE)", "S22007"),
        ("CAST('25:00:00' AS TIME)", "S22007"),
        ("CAST(5 AS DATE)", "S22018"),
        ("CAST(DATE '2024-01-01' AS TIME)", "S22018"),
        ("CAST(DATE '2024-01-01' AS INTEGER)", "S22018"),
        ("CAST(2024, 13, 1 AS DATE)", "S22007"),
        ("CAST('a', 1, 1 AS DATE)", "S42000"),
        ("CAST(1, 2 AS INTEGER)", "S42000"),
        ("CAST(INTERVAL '1' DAY AS INTERVAL MONTH)", "S22018"),
        ("CAST(INTERVAL '1:00' HOUR TO MINUTE AS INTEGER)", "S22018"),
    ],
)
def test_cast_refuses(case: str, state: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(case)
    assert raised.value.fields["sqlstate"] == state


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("DATE '2024-01-31'", "DATE '2024-01-31'"),
        ("TIME '10:11:12'", "TIME '10:11:12'"),
        ("TIMESTAMP '2024-01-31 10:11:12.5'", "TIMESTAMP '2024-01-31 10:11:12.500000'"),
        ("GMTTIME '10:11:12'", "GMTTIME '10:11:12'"),
        ("GMTTIMESTAMP '2024-01-31 10:11:12'", "GMTTIMESTAMP '2024-01-31 10:11:12'"),
    ],
)
def test_decision_a_date_becomes_its_literal(literal: str, expected: str) -> None:
    assert evaluate(f"CAST({literal} AS CHARACTER)") == expected


def test_decision_decimal_becomes_integer_without_rounding() -> None:
    assert evaluate("CAST(DECIMAL '12.99' AS INTEGER)") == 12


def test_assignment_casts_to_the_variables_type() -> None:
    assert same(assign("INTEGER", "12"), 12)
    assert same(assign("CHARACTER", 12), "12")
    assert same(assign("DECIMAL", 0.1), Decimal("0.1"))
    assert assign("DATE", None) is None
    moment = datetime(2024, 1, 31, 10)
    assert assign("TIMESTAMP", moment) is moment


@pytest.mark.parametrize(
    "expression",
    [
        "CAST(5 AS CHARACTER FORMAT 5)",
        "CAST('5' AS DATE FORMAT X'00')",
        "CAST(1 AS BLOB ENCODING 'x')",
        "CAST('a' AS BLOB CCSID 'x')",
        "RAND('x')",
    ],
)
def test_options_of_a_wrong_type_are_refused(expression: str) -> None:
    with pytest.raises(MQError) as raised:
        value(expression)
    assert raised.value.reason == 8203


def test_nan_has_no_order() -> None:
    for kind in ("DECIMAL", "FLOAT"):
        for sign in ("<", "<=", ">", ">="):
            assert value(f"CAST('NAN' AS {kind}) {sign} 1") is False
            assert value(f"1 {sign} CAST('NAN' AS {kind})") is False


def test_what_is_not_there_has_no_name() -> None:
    assert value("FIELDNAME(NULL)") is None
    assert value("FIELDNAME(THE(SELECT A.k FROM InputRoot.XMLNSC.o.nope[] AS A))") is None
