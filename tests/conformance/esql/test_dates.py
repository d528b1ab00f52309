"""Functions of dates and times, and their arithmetic; the clock of these tests stands still."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

import pytest

from penstock.esql.runtime.dates import functions as dates
from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import evaluate, same

CASES = [
    ("CURRENT_DATE", date(2024, 3, 1)),
    ("CURRENT_TIME", time(0, 30, 15, 123456)),
    ("CURRENT_TIMESTAMP", datetime(2024, 3, 1, 0, 30, 15, 123456)),
    ("CURRENT_GMTDATE", date(2024, 2, 29)),
    ("CURRENT_GMTTIME", time(22, 30, 15, 123456, UTC)),
    ("CURRENT_GMTTIMESTAMP", datetime(2024, 2, 29, 22, 30, 15, 123456, UTC)),
    ("CAST(LOCAL_TIMEZONE AS CHARACTER)", "INTERVAL '2:00' HOUR TO MINUTE"),
    ("EXTRACT(YEAR FROM DATE '2024-02-29')", 2024),
    ("EXTRACT(MONTH FROM TIMESTAMP '2024-02-29 10:11:12')", 2),
    ("EXTRACT(DAY FROM DATE '2024-02-29')", 29),
    ("EXTRACT(HOUR FROM TIME '10:11:12.5')", 10),
    ("EXTRACT(MINUTE FROM TIME '10:11:12.5')", 11),
    ("EXTRACT(SECOND FROM TIME '10:11:12.5')", 12.5),
    ("EXTRACT(HOUR FROM GMTTIMESTAMP '2024-02-29 10:11:12')", 10),
    ("EXTRACT(DAYS FROM DATE '2000-02-29')", 730179),
    ("EXTRACT(DAYOFYEAR FROM DATE '2000-02-29')", 60),
    ("EXTRACT(DAYOFWEEK FROM DATE '2000-02-29')", 3),
    ("EXTRACT(MONTHS FROM DATE '0001-02-01')", 2),
    ("EXTRACT(MONTHS FROM DATE '2000-01-01')", 23989),
    ("EXTRACT(QUARTEROFYEAR FROM DATE '2000-04-01')", 2),
    ("EXTRACT(QUARTERS FROM DATE '0002-04-01')", 6),
    ("EXTRACT(ISLEAPYEAR FROM DATE '1900-01-01')", False),
    ("EXTRACT(ISLEAPYEAR FROM DATE '2000-01-01')", True),
    ("EXTRACT(MONTH FROM INTERVAL '3-7' YEAR TO MONTH)", 7),
    ("EXTRACT(SECOND FROM INTERVAL '1:02.5' MINUTE TO SECOND)", 2.5),
    ("EXTRACT(HOUR FROM INTERVAL '-5' HOUR)", -5),
    ("EXTRACT(YEAR FROM NULL)", None),
]


@pytest.mark.parametrize(("said", "expected"), CASES)
def test_date_function(said: str, expected: object) -> None:
    found = evaluate(said)

    assert same(found, expected), found


@pytest.mark.parametrize(
    "case",
    [
        "EXTRACT(YEAR FROM TIME '10:00:00')",
        "EXTRACT(HOUR FROM DATE '2024-01-01')",
        "EXTRACT(DAY FROM INTERVAL '3' HOUR)",
        "EXTRACT(YEAR FROM 5)",
    ],
)
def test_extract_refuses_parts_that_are_not_there(case: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(case)
    assert raised.value.fields["sqlstate"] == "S42000"


@pytest.mark.parametrize(
    ("part", "day", "expected"),
    [
        ("WEEKOFYEAR", "2024-01-01", 1),  # a Monday
        ("WEEKOFYEAR", "2024-01-06", 1),  # Saturday
        ("WEEKOFYEAR", "2024-01-07", 2),  # Sunday begins a week
        ("WEEKOFYEAR", "2023-12-31", 53),
        ("WEEKOFMONTH", "2024-02-03", 1),
        ("WEEKOFMONTH", "2024-02-04", 2),
        ("WEEKS", "0001-01-07", 1),
        ("WEEKS", "0001-01-08", 2),
    ],
)
def test_decision_weeks_of_extract_begin_on_sunday(part: str, day: str, expected: int) -> None:
    assert evaluate(f"EXTRACT({part} FROM DATE '{day}')") == expected


SUMS = [
    ("DATE '2024-01-31'", "INTERVAL '1' MONTH", "DATE '2024-02-29'"),
    ("DATE '2024-02-29'", "INTERVAL '1' YEAR", "DATE '2025-02-28'"),
    ("DATE '2024-02-28'", "INTERVAL '2' DAY", "DATE '2024-03-01'"),
    ("INTERVAL '2' DAY", "DATE '2024-02-28'", "DATE '2024-03-01'"),
    ("TIMESTAMP '2024-02-28 23:59:59.5'", "INTERVAL '0.5' SECOND", "TIMESTAMP '2024-02-29 00:00:00'"),
    ("TIMESTAMP '2024-01-31 10:00:00'", "INTERVAL '1-1' YEAR TO MONTH", "TIMESTAMP '2025-02-28 10:00:00'"),
    ("TIME '23:30:00'", "INTERVAL '1' HOUR", "TIME '00:30:00'"),
    ("GMTTIME '23:30:00'", "INTERVAL '1:15' HOUR TO MINUTE", "GMTTIME '00:45:00'"),
    ("INTERVAL '1' HOUR", "INTERVAL '30' MINUTE", "INTERVAL '1:30' HOUR TO MINUTE"),
    ("INTERVAL '1' YEAR", "INTERVAL '3' MONTH", "INTERVAL '1-3' YEAR TO MONTH"),
]


@pytest.mark.parametrize(("one", "other", "expected"), SUMS)
def test_sums_of_dates_and_intervals(one: str, other: str, expected: str) -> None:
    found = dates.add_dates(evaluate(one), evaluate(other))

    assert same(found, evaluate(expected)), found


@pytest.mark.parametrize(
    ("one", "other", "qualifier", "expected"),
    [
        ("DATE '2024-03-01'", "DATE '2024-02-28'", ("DAY",), "INTERVAL '2' DAY"),
        ("TIME '10:00:00'", "TIME '09:29:30'", ("MINUTE",), "INTERVAL '30' MINUTE"),
        ("TIME '09:29:30'", "TIME '10:00:00'", ("SECOND",), "INTERVAL '-1830' SECOND"),
        (
            "TIMESTAMP '2024-03-01 12:00:00'",
            "TIMESTAMP '2024-02-29 00:00:00'",
            ("DAY", "HOUR"),
            "INTERVAL '1 12' DAY TO HOUR",
        ),
        ("DATE '2024-03-31'", "DATE '2024-02-29'", ("MONTH",), "INTERVAL '1' MONTH"),
        ("DATE '2024-03-28'", "DATE '2024-02-29'", ("MONTH",), "INTERVAL '0' MONTH"),
        ("DATE '2022-01-01'", "DATE '2024-07-01'", ("YEAR", "MONTH"), "INTERVAL '-2-6' YEAR TO MONTH"),
    ],
)
def test_differences(one: str, other: str, qualifier: tuple[str, ...], expected: str) -> None:
    found = dates.subtract_dates(evaluate(one), evaluate(other), qualifier)

    assert found == evaluate(expected)
    assert str(found) == str(evaluate(expected))


def test_dates_before_by_an_interval() -> None:
    assert dates.minus_dates(date(2024, 3, 31), evaluate("INTERVAL '1' MONTH")) == date(2024, 2, 29)
    assert dates.minus_dates(time(0, 30), evaluate("INTERVAL '1' HOUR")) == time(23, 30)


def test_intervals_times_and_by_numbers() -> None:
    hour: Any = evaluate("INTERVAL '1' HOUR")
    assert dates.scale_interval(hour, 3) == evaluate("INTERVAL '3' HOUR")
    assert dates.scale_interval(hour, 0.5) == evaluate("INTERVAL '30' MINUTE")
    assert dates.divide_interval(hour, 4) == evaluate("INTERVAL '15' MINUTE")
    assert dates.scale_interval(None, 3) is None
    with pytest.raises(MQError) as raised:
        dates.divide_interval(hour, 0)
    assert raised.value.fields["sqlstate"] == "S22012"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (date(2024, 1, 1), 5),
        (time(1), evaluate("INTERVAL '1' MONTH")),
        (evaluate("INTERVAL '1' MONTH"), evaluate("INTERVAL '1' DAY")),
    ],
)
def test_sums_that_make_no_sense(one: Any, other: Any) -> None:
    with pytest.raises(MQError) as raised:
        dates.add_dates(one, other)
    assert raised.value.fields["sqlstate"] == "S42000"


def test_sums_beyond_the_calendar() -> None:
    with pytest.raises(MQError) as raised:
        dates.add_dates(date(9999, 12, 31), evaluate("INTERVAL '1' DAY"))
    assert raised.value.fields["sqlstate"] == "S22007"
