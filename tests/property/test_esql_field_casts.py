"""A field that is cast or compared as FLOAT is read from its undecoded text, and means what the text does."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.esql.runtime.casts.numbers import field_as_float, to_float
from penstock.esql.runtime.values.operators import less
from penstock.model.errors import MQError
from penstock.tree import Path, Reference, parse

NUMBERS = st.text("0123456789.+-eE _n", min_size=1, max_size=24)
FIELD = Path("a")


def field(domain: str, text: str) -> Reference:
    found = parse(f"<r><a>{text}</a></r>".encode(), domain).reference(Path(domain, "r"))
    assert found is not None
    return found


def outcome(work: object, *arguments: object) -> object:
    try:
        value = work(*arguments)  # type: ignore[operator]
    except MQError as problem:
        return problem.reason
    return "nan" if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("domain", ["XMLNSC", "XML"])
@given(text=NUMBERS)
@example("1e999")
@example("-0")
@example("0.1")
@example("123456789.012345")
@example("1234567890.123456")
@example(".")
@example("-.")
@example("5.")
@example(".5")
@example("1_0")
@example("nan")
def test_a_field_is_the_float_that_its_text_is(domain: str, text: str) -> None:
    row = field(domain, text)
    expected = outcome(to_float, text)
    assert outcome(field_as_float, row, FIELD) == expected
    assert str(outcome(field_as_float, row, FIELD)) == str(expected)  # -0.0 is not 0.0
    compared = outcome(lambda: less(row.read_float(FIELD), 5.0))
    assert compared == outcome(less, text, 5.0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_comes_back_from_its_own_text(value: float) -> None:
    assert field_as_float(field("XMLNSC", repr(value)), FIELD) == value


@given(st.decimals(min_value=-(10**8), max_value=10**8, places=6))
def test_decimals_of_few_digits_are_rounded_correctly(value: object) -> None:
    assert field_as_float(field("XMLNSC", str(value)), FIELD) == float(str(value))


def test_a_cast_without_a_field_is_refused() -> None:
    nothing: Any = None
    with pytest.raises(TypeError, match="not None"):
        field_as_float(nothing, FIELD)
    with pytest.raises(TypeError, match="not None"):
        field_as_float(field("XMLNSC", "1"), nothing)
