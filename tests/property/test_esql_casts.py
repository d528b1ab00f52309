"""Casts and date formats: what is written can be read again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from penstock.esql.runtime.casts import cast as casts
from penstock.esql.runtime.casts.dates import format_date
from penstock.esql.runtime.dates import functions as dates
from penstock.esql.runtime.dates.parsing import parse_moment
from penstock.esql.runtime.values.interval import interval
from penstock.esql.runtime.values.literals import literal, literal_source
from penstock.esql.runtime.values.number_formats import format_number, parse_number
from penstock.esql.runtime.values.types import Bits, Interval, type_name
from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import Stand

MOMENTS = st.datetimes(datetime(1953, 1, 2), datetime(2052, 12, 30))
INTEGERS = st.integers(-(2**63), 2**63 - 1)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=6)
QUALIFIERS = st.sampled_from(
    [
        ("YEAR",),
        ("MONTH",),
        ("YEAR", "MONTH"),
        ("DAY",),
        ("HOUR",),
        ("DAY", "SECOND"),
        ("HOUR", "MINUTE"),
        ("SECOND",),
    ]
)
INTERVALS = st.builds(interval, st.integers(-(10**15), 10**15), QUALIFIERS)
VALUES = st.one_of(
    INTEGERS,
    st.floats(),
    DECIMALS,
    st.booleans(),
    st.binary(max_size=8),
    st.text(max_size=12),
    st.text(alphabet="01", max_size=16).map(Bits),
    st.dates(),
    st.times(),
    MOMENTS,
    MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    INTERVALS,
)
# Letters that together name a moment, in pairs of what is written between them.
DATE_PARTS = st.sampled_from(
    [
        "yyyy{}MM{}dd",
        "dd{}MM{}yyyy",
        "d{}MMM{}yyyy",
        "MMMM{}d{}yyyy",
        "yyyy{}DDD{}",
        "YYYY{}ww{}e",
        "yy{}MM{}dd",
    ]
)
TIME_PARTS = st.sampled_from(
    ["HH{}mm{}ss{}SSSSSS", "hh{}mm{}ss a{}SSSSSS", "kk{}mm{}ss{}SSSSSS", "KK{}mm{}ss a{}SSSSSS"]
)
BETWEEN = st.sampled_from(["-", "/", " ", ".", "'T'", ":"])


@given(MOMENTS, DATE_PARTS, TIME_PARTS, BETWEEN, BETWEEN)
def test_a_moment_survives_any_full_format(
    moment: datetime, day: str, clock: str, one: str, other: str
) -> None:
    pattern = f"{day.format(one, one)}{other}{clock.format(one, one, one)}"

    text = format_date(moment, pattern)

    assert parse_moment(text, pattern, "TIMESTAMP") == moment


@given(MOMENTS, st.integers(-14 * 60, 14 * 60))
def test_a_moment_survives_the_iso_form_in_any_zone(moment: datetime, minutes: int) -> None:
    ctx = Stand(zone=timezone(timedelta(minutes=minutes)))
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    text = casts.to_character(moment, format="I", ctx=ctx)

    assert casts.to_timestamp(text, "I", ctx) == moment
    universal = casts.to_gmttimestamp(moment, None, ctx)
    assert casts.to_timestamp(universal, None, ctx) == moment


@given(
    st.one_of(
        INTEGERS,
        DECIMALS,
        st.booleans(),
        st.dates(),
        st.times(),
        MOMENTS,
        st.binary(max_size=20),
        st.floats(allow_nan=False),
    )
)
def test_text_of_a_value_casts_back_to_it(value: object) -> None:
    text = casts.to_character(value)

    assert casts.cast((text,), type_name(value)) == value


@given(INTERVALS)
def test_intervals_survive_text(span: Interval) -> None:
    assert casts.to_interval(str(span), span.qualifier) == span
    assert eval(literal_source(span), {"Interval": Interval}) == span


@given(
    VALUES,
    st.sampled_from(
        [
            "BOOLEAN",
            "INTEGER",
            "FLOAT",
            "DECIMAL",
            "CHARACTER",
            "BLOB",
            "BIT",
            "DATE",
            "TIME",
            "GMTTIME",
            "TIMESTAMP",
            "GMTTIMESTAMP",
        ]
    ),
)
def test_a_cast_gives_its_type_or_an_error_with_a_state(value: object, target: str) -> None:
    try:
        found = casts.cast((value,), target, ctx=Stand())
    except MQError as raised:
        assert raised.fields["sqlstate"][:1] == "S"
    else:
        assert found is None or type_name(found) == target


@given(
    DECIMALS,
    st.sampled_from(
        [
            "#,##0.000000",
            "0.000000;(0.000000)",
            "#0.######:groupsep=.:decsep=,",
            "+0.000000;-0.000000",
            "$ 0.000000",
        ]
    ),
)
def test_numbers_survive_formats(value: Decimal, pattern: str) -> None:
    assert parse_number(format_number(value, pattern), pattern) == value


@given(MOMENTS, INTERVALS)
def test_adding_and_taking_away_days_is_nothing(moment: datetime, span: Interval) -> None:
    if not span.is_months and abs(span.micros) < 10**14:
        assert dates.minus_dates(dates.add_dates(moment, span), span) == moment


@given(
    st.text(alphabet="adDeEFGhHIkKmMsSTUwWyYzZ'-/: 0x", max_size=12),
    st.one_of(st.dates(), st.times(), MOMENTS),
)
def test_no_pattern_does_more_than_fail_with_a_state(pattern: str, value: date | time) -> None:
    try:
        text = casts.to_character(value, format=pattern, ctx=Stand())
        casts.cast((text,), type_name(value), format=pattern, ctx=Stand())
    except MQError as raised:
        assert raised.fields["sqlstate"] == "S22007"


@given(st.text(alphabet="#0,.E+-;:'* $x", max_size=12), DECIMALS)
def test_no_number_pattern_does_more_than_fail_with_a_state(pattern: str, value: Decimal) -> None:
    try:
        casts.to_decimal(casts.to_character(value, format=pattern), format=pattern)
    except MQError as raised:
        assert raised.fields["sqlstate"][:3] == "S22"


@given(st.one_of(st.text(), INTEGERS))
def test_literals_of_random_text_fail_with_a_state(text: object) -> None:
    for kind in ("DATE", "TIME", "TIMESTAMP", "GMTTIME", "GMTTIMESTAMP", "DECIMAL", "BLOB", "BIT"):
        try:
            literal(kind, str(text))
        except MQError as raised:
            assert raised.fields["sqlstate"][:3] == "S22"
