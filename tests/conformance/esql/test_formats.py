"""CAST ... FORMAT: patterns of numbers and of dates, both ways."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import evaluate

NUMBERS = [
    ("31415.92653589", "#,##0.00", "31,415.93"),
    ("-31415.926", "#,##0.00", "-31,415.93"),
    ("-31415.926", "#,##0.00;(#,##0.00)", "(31,415.93)"),
    ("31415.926", "#,##0.00;(#,##0.00)", "31,415.93"),
    ("1234567", "#,##,##0", "12,34,567"),
    ("1234567.891", "#,##0.##:groupsep=.:decsep=,", "1.234.567,89"),
    ("5", "000", "005"),
    ("12345", "000", "12345"),
    ("1.5", "000.000", "001.500"),
    ("0.5", "#.00", ".50"),
    ("0", "#", "0"),
    ("0", "0.##", "0"),
    ("1.25", "0.#", "1.2"),
    ("1.35", "0.#", "1.4"),
    ("12", "$0.00", "$12.00"),
    ("12", "0 'EUR'", "12 EUR"),
    ("12", "'#'0", "#12"),
    ("12", "0 o''clock", "12 o'clock"),
    ("7", "+0;-0", "+7"),
    ("-7", "+0;-0", "-7"),
    ("31415", "0.00E0", "3.14E4"),
    ("0.00031415", "0.###E+00", "3.142E-04"),
    ("31415", "0.###E+00", "3.142E+04"),
    ("12345", "##0.##E0", "12.34E3"),
    ("7", "*x0000", "0007"),
    ("7", "*x##00", "xx07"),
    ("-0.001", "0.00", "0.00"),
]


@pytest.mark.parametrize(("number", "pattern", "expected"), NUMBERS)
def test_number_is_written(number: str, pattern: str, expected: str) -> None:
    quoted = pattern.replace("'", "''")

    assert evaluate(f"CAST(DECIMAL '{number}' AS CHARACTER FORMAT '{quoted}')") == expected


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("31,415.93", "#,##0.00", "31415.93"),
        ("31415.93", "#,##0.00", "31415.93"),
        ("(31,415.93)", "#,##0.00;(#,##0.00)", "-31415.93"),
        ("-12", "0", "-12"),
        ("1.234,5", "#,##0.0:groupsep=.:decsep=,", "1234.5"),
        ("$12.00", "$0.00", "12.00"),
        ("3.14E4", "0.00E0", "31400"),
        (" 12 ", "#0", "12"),
        ("12 EUR", "0 'EUR'", "12"),
    ],
)
def test_number_is_read(text: str, pattern: str, expected: str) -> None:
    quoted = pattern.replace("'", "''")

    assert evaluate(f"CAST('{text}' AS DECIMAL FORMAT '{quoted}')") == Decimal(expected)


def test_formats_of_other_numeric_types() -> None:
    assert evaluate("CAST(5 AS CHARACTER FORMAT '000')") == "005"
    assert evaluate("CAST(1.25 AS CHARACTER FORMAT '0.000')") == "1.250"
    assert evaluate("CAST('1,234' AS INTEGER FORMAT '#,##0')") == 1234
    assert evaluate("CAST('1,234.5' AS FLOAT FORMAT '#,##0.0')") == 1234.5
    assert evaluate("CAST(X'312C323334' AS INTEGER CCSID 819 FORMAT '#,##0')") == 1234


@pytest.mark.parametrize(
    "case",
    [
        "CAST('12x' AS INTEGER FORMAT '0')",
        "CAST('x' AS DECIMAL FORMAT '#,##0.00')",
        "CAST('1.5' AS DECIMAL FORMAT '0,0:groupsep= :decsep=,')",
        "CAST('' AS DECIMAL FORMAT '0')",
    ],
)
def test_number_in_another_form_is_refused(case: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(case)
    assert raised.value.fields["sqlstate"] == "S22018"


@pytest.mark.parametrize("pattern", ["abc", "0.0 0", ""])
def test_bad_number_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(f"CAST(5 AS CHARACTER FORMAT '{pattern}')")
    assert raised.value.fields["sqlstate"] == "S22023"


MOMENT = "TIMESTAMP '2024-02-03 16:05:09.123456'"  # a Saturday, in the zone two hours east of evaluate.Stand
DATES = [
    ("yyyy-MM-dd", "2024-02-03"),
    ("yy-M-d", "24-2-3"),
    ("dd/MM/yyyy", "03/02/2024"),
    ("yyMMddHHmmssSSS", "240203160509123"),
    ("dd-MMM-yyyy HH:mm:ss", "03-Feb-2024 16:05:09"),
    ("EEEE, d MMMM yyyy", "Saturday, 3 February 2024"),
    ("EEE e", "Sat 6"),
    ("h:mm a", "4:05 PM"),
    ("hh", "04"),
    ("K k KK kk", "4 16 04 16"),
    ("D DD DDD", "34 34 034"),
    ("F G", "1 AD"),
    ("w ww W", "5 05 1"),
    ("SSSSSS S", "123456 1"),
    ("SSSSSSSS", "12345600"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSSZZZ", "2024-02-03T16:05:09.123+02:00"),
    ("I", "2024-02-03T16:05:09.123+02:00"),
    ("IU", "2024-02-03T16:05:09.123+02:00"),
    ("T", "16:05:09.123+02:00"),
    ("Z ZZ ZZZ ZZZZ ZZZZZ", "+2 +02 +02:00 GMT+02:00 +0200"),
    ("HH 'o''clock'", "16 o'clock"),
    ("''yy", "'24"),
    ("100%", "100%"),
]


@pytest.mark.parametrize(("pattern", "expected"), DATES)
def test_timestamp_is_written(pattern: str, expected: str) -> None:
    quoted = pattern.replace("'", "''")

    assert evaluate(f"CAST({MOMENT} AS CHARACTER FORMAT '{quoted}')") == expected


@pytest.mark.parametrize(
    ("value", "pattern", "expected"),
    [
        ("DATE '2024-02-03'", "I", "2024-02-03"),
        ("DATE '2024-02-03'", "ddMMyy", "030224"),
        ("TIME '16:05:09.5'", "I", "16:05:09.500+02:00"),
        ("TIME '00:05:09'", "h a", "12 AM"),
        ("TIME '00:05:09'", "k", "24"),
        ("GMTTIME '16:05:09'", "T", "16:05:09.000+00:00"),
        ("GMTTIME '16:05:09'", "TU", "16:05:09.000Z"),
        ("GMTTIMESTAMP '2024-02-03 16:05:09'", "IU", "2024-02-03T16:05:09.000Z"),
        ("GMTTIMESTAMP '2024-02-03 16:05:09'", "HH:mmZZZU", "16:05Z"),
        ("GMTTIMESTAMP '2024-02-03 16:05:09'", "HH:mmZZZ", "16:05+00:00"),
    ],
)
def test_other_types_are_written(value: str, pattern: str, expected: str) -> None:
    assert evaluate(f"CAST({value} AS CHARACTER FORMAT '{pattern}')") == expected


@pytest.mark.parametrize(
    ("day", "expected"), [("2024-12-30", "2025"), ("2024-12-29", "2024"), ("2021-01-03", "2020")]
)
def test_decision_week_year_is_the_iso_year(day: str, expected: str) -> None:
    assert evaluate(f"CAST(DATE '{day}' AS CHARACTER FORMAT 'YYYY')") == expected


def test_the_usual_mistakes_do_what_they_say() -> None:
    mistake = "YYYY-MM-dd''T''HH:mm:ss.sss+hh:mm"
    assert evaluate(f"CAST({MOMENT} AS CHARACTER FORMAT '{mistake}')") == "2024-02-03T16:05:09.009+04:05"
    assert evaluate("CAST(DATE '2024-02-03' AS CHARACTER FORMAT 'yyyy-MM-DD')") == "2024-02-34"


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("20240203", "yyyyMMdd", date(2024, 2, 3)),
        ("03/02/2024", "dd/MM/yyyy", date(2024, 2, 3)),
        ("3/2/2024", "d/M/yyyy", date(2024, 2, 3)),
        ("3/2/2024", "dd/MM/yyyy", date(2024, 2, 3)),
        ("03-feb-24", "dd-MMM-yy", date(2024, 2, 3)),
        ("February 3, 2024", "MMMM d, yyyy", date(2024, 2, 3)),
        ("Sat 3 Feb 2024", "EEE d MMM yyyy", date(2024, 2, 3)),
        ("2024034", "yyyyDDD", date(2024, 2, 3)),
        ("2024-W05-6", "YYYY-'W'ww-e", date(2024, 2, 3)),
        ("  2024-02-03 ", "yyyy-MM-dd", date(2024, 2, 3)),
        ("2024-02-03", "I", date(2024, 2, 3)),
        ("2024-02-03T23:30:00Z", "I", date(2024, 2, 4)),
        ("2024-02-03", "YYYY-MM-dd", date(2024, 2, 3)),
    ],
)
def test_date_is_read(text: str, pattern: str, expected: date) -> None:
    quoted = pattern.replace("'", "''")

    assert evaluate(f"CAST('{text}' AS DATE FORMAT '{quoted}')") == expected


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("2024-02-03T16:05:09.123+02:00", "I", datetime(2024, 2, 3, 16, 5, 9, 123000)),
        ("2024-02-03T14:05:09Z", "I", datetime(2024, 2, 3, 16, 5, 9)),
        ("2024-02-03T16:05:09", "I", datetime(2024, 2, 3, 16, 5, 9)),
        ("2024-02-03", "I", datetime(2024, 2, 3)),
        ("240203160509123", "yyMMddHHmmssSSS", datetime(2024, 2, 3, 16, 5, 9, 123000)),
        ("2024-02-03 4:05 pm", "yyyy-MM-dd h:mm a", datetime(2024, 2, 3, 16, 5)),
        ("2024-02-03 12:05 AM", "yyyy-MM-dd hh:mm a", datetime(2024, 2, 3, 0, 5)),
        ("2024-02-03 24:05", "yyyy-MM-dd kk:mm", datetime(2024, 2, 3, 0, 5)),
        ("03.02.2024 16.05.09,5", "dd.MM.yyyy HH.mm.ss,S", datetime(2024, 2, 3, 16, 5, 9, 500000)),
        ("2024-02-03 14:05 GMT", "yyyy-MM-dd HH:mm zzz", datetime(2024, 2, 3, 16, 5)),
        ("2024-02-03 09:05 EST", "yyyy-MM-dd HH:mm z", datetime(2024, 2, 3, 16, 5)),
        ("20240203T160509+0200", "yyyyMMdd'T'HHmmssZZZZZ", datetime(2024, 2, 3, 16, 5, 9)),
    ],
)
def test_timestamp_is_read(text: str, pattern: str, expected: datetime) -> None:
    quoted = pattern.replace("'", "''")

    assert evaluate(f"CAST('{text}' AS TIMESTAMP FORMAT '{quoted}')") == expected


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("2024-13-01", "yyyy-MM-dd"),
        ("2023-02-29", "yyyy-MM-dd"),
        ("2024-02-03x", "yyyy-MM-dd"),
        ("2023366", "yyyyDDD"),
        ("2024-02-03 XYZ", "yyyy-MM-dd z"),
        ("03 Fev 2024", "dd MMM yyyy"),
        ("", "yyyy"),
    ],
)
def test_text_in_another_form_is_refused(text: str, pattern: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(f"CAST('{text}' AS DATE FORMAT '{pattern}')")
    assert raised.value.fields["sqlstate"] == "S22007"


def test_decision_two_digit_years_from_53_are_of_the_nineteen_hundreds() -> None:
    assert evaluate("CAST('530101' AS DATE FORMAT 'yyMMdd')") == date(1953, 1, 1)
    assert evaluate("CAST('520101' AS DATE FORMAT 'yyMMdd')") == date(2052, 1, 1)


def test_decision_what_a_text_does_not_say_is_the_first_of_january_1970() -> None:
    assert evaluate("CAST('10:30' AS TIMESTAMP FORMAT 'HH:mm')") == datetime(1970, 1, 1, 10, 30)
