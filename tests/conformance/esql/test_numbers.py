"""Numeric functions."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import Stand, evaluate, same

CASES = [
    ("ABS(-3)", 3),
    ("ABSVAL(-3.5)", 3.5),
    ("ABS(DECIMAL '-3.5')", Decimal("3.5")),
    ("SIGN(-7)", -1),
    ("SIGN(0.0)", 0.0),
    ("SIGN(DECIMAL '7.1')", Decimal(1)),
    ("CEIL(1.2)", 2.0),
    ("CEILING(-1.2)", -1.0),
    ("CEIL(5)", 5),
    ("FLOOR(1.7)", 1.0),
    ("FLOOR(DECIMAL '-1.5')", Decimal(-2)),
    ("ROUND(27.75, 2)", 27.75),
    ("ROUND(27.75, 1)", 27.8),
    ("ROUND(27.75, 0)", 28.0),
    ("ROUND(27.75, -1)", 30.0),
    ("ROUND(2755, -1)", 2760),
    ("ROUND(2754, 2)", 2754),
    ("ROUND(DECIMAL '1.005', 2)", Decimal("1.01")),
    ("ROUND(DECIMAL '2.5', 0 MODE ROUND_HALF_EVEN)", Decimal(2)),
    ("ROUND(DECIMAL '2.5', 0 MODE ROUND_HALF_DOWN)", Decimal(2)),
    ("ROUND(DECIMAL '2.5', 0 MODE ROUND_HALF_UP)", Decimal(3)),
    ("ROUND(DECIMAL '2.1', 0 MODE ROUND_UP)", Decimal(3)),
    ("ROUND(DECIMAL '2.9', 0 MODE ROUND_DOWN)", Decimal(2)),
    ("ROUND(DECIMAL '-2.1', 0 MODE ROUND_CEILING)", Decimal(-2)),
    ("ROUND(DECIMAL '-2.1', 0 MODE ROUND_FLOOR)", Decimal(-3)),
    ("TRUNCATE(27.75, 1)", 27.7),
    ("TRUNCATE(-27.75, 0)", -27.0),
    ("TRUNCATE(2759, -1)", 2750),
    ("MOD(7, 3)", 1),
    ("MOD(-7, 3)", -1),
    ("MOD(7, -3)", 1),
    ("POWER(2, 10)", 1024),
    ("POWER(2, 0)", 1),
    ("POWER(-1, 1000001)", -1),
    ("POWER(2.0, 0.5)", math.sqrt(2)),
    ("POWER(DECIMAL '1.1', 2)", Decimal("1.21")),
    ("SQRT(4)", 2.0),
    ("SQRT(DECIMAL '2.25')", Decimal("1.5")),
    ("EXP(0)", 1.0),
    ("EXP(DECIMAL '0')", Decimal(1)),
    ("LN(1)", 0.0),
    ("LOG(1)", 0.0),
    ("LOG10(1000)", 3.0),
    ("ACOS(1)", 0.0),
    ("ASIN(0)", 0.0),
    ("ATAN(0)", 0.0),
    ("ATAN2(1, 1)", math.pi / 4),
    ("COS(0)", 1.0),
    ("COSH(0)", 1.0),
    ("COT(1)", 1 / math.tan(1)),
    ("DEGREES(1)", math.degrees(1)),
    ("RADIANS(180)", math.pi),
    ("SIN(0)", 0.0),
    ("SINH(0)", 0.0),
    ("TAN(0)", 0.0),
    ("TANH(0)", 0.0),
    ("BITAND(12, 7)", 4),
    ("BITAND(12, 7, 5)", 4),
    ("BITOR(12, 7)", 15),
    ("BITXOR(12, 7)", 11),
    ("BITNOT(7)", -8),
]


@pytest.mark.parametrize(("said", "expected"), CASES)
def test_numeric_function(said: str, expected: object) -> None:
    found = evaluate(said)

    assert same(found, expected), found


@pytest.mark.parametrize(
    "name", ["ABS", "SIGN", "CEIL", "FLOOR", "SQRT", "EXP", "LN", "ACOS", "SIN", "BITNOT"]
)
def test_null_gives_null(name: str) -> None:
    assert evaluate(f"{name}(NULL)") is None


@pytest.mark.parametrize("name", ["MOD", "POWER", "ROUND", "TRUNCATE", "ATAN2", "BITAND", "BITOR", "BITXOR"])
def test_null_in_either_place_gives_null(name: str) -> None:
    assert evaluate(f"{name}(NULL, 1)") is None
    assert evaluate(f"{name}(1, NULL)") is None


@pytest.mark.parametrize(
    ("case", "state"),
    [
        ("MOD(1, 0)", "S22012"),
        ("MOD(1.5, 1)", "S42000"),
        ("SQRT(-1)", "S22023"),
        ("SQRT(DECIMAL '-1')", "S22023"),
        ("LN(0)", "S22023"),
        ("EXP(1000)", "S22003"),
        ("POWER(10, 30)", "S22003"),
        ("POWER(0.0, -1)", "S22023"),
        ("COT(0)", "S22012"),
        ("ABS('x')", "S42000"),
        ("BITAND(1, 1.5)", "S42000"),
        ("ABS(TRUE)", "S42000"),
        ("ROUND(1.5, 99999)", "S22023"),
    ],
)
def test_numeric_function_refuses(case: str, state: str) -> None:
    with pytest.raises(MQError) as raised:
        evaluate(case)
    assert raised.value.fields["sqlstate"] == state


def test_the_smallest_integer_has_no_absolute_value() -> None:
    from penstock.esql.runtime.values.numbers import abs_

    with pytest.raises(MQError) as raised:
        abs_(-(2**63))
    assert raised.value.fields["sqlstate"] == "S22003"


def test_rand_takes_its_numbers_from_the_context() -> None:
    ctx = Stand()
    first = evaluate("RAND()", ctx)
    assert 0 <= first < 1
    assert evaluate("RAND()", Stand()) == first
    assert evaluate("RAND(3)", ctx) == evaluate("RAND(3)", ctx)


def test_decision_power_with_negative_exponent_is_float() -> None:
    assert same(evaluate("POWER(2, -1)"), 0.5)


def test_decision_round_is_half_up_without_a_mode() -> None:
    assert evaluate("ROUND(DECIMAL '2.5', 0)") == 3
    assert evaluate("ROUND(DECIMAL '-2.5', 0)") == -3
