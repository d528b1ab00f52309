"""Three-valued logic: compiled conditions against the truth tables, for random expressions and NULLs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.runtime.values import operators
from penstock.esql.source import Source
from penstock.esql.testing import run_module

Truth = bool | None
TRUTHS = st.sampled_from((True, False, None))


def spelled(truth: Truth) -> str:
    return "UNKNOWN" if truth is None else str(truth).upper()


def kleene_and(a: Truth, b: Truth) -> Truth:
    return False if a is False or b is False else None if a is None or b is None else True


def kleene_or(a: Truth, b: Truth) -> Truth:
    return True if a is True or b is True else None if a is None or b is None else False


def kleene_not(a: Truth) -> Truth:
    return None if a is None else not a


leaves = TRUTHS.map(lambda truth: (spelled(truth), truth))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: (f"({p[0][0]} AND {p[1][0]})", kleene_and(p[0][1], p[1][1]))),
        st.tuples(inner, inner).map(lambda p: (f"({p[0][0]} OR {p[1][0]})", kleene_or(p[0][1], p[1][1]))),
        inner.map(lambda p: (f"NOT ({p[0]})", kleene_not(p[1]))),
        inner.map(lambda p: (f"(({p[0]}) IS TRUE)", p[1] is True)),
        inner.map(lambda p: (f"(({p[0]}) IS NOT UNKNOWN)", p[1] is not None)),
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(expressions)
def test_a_value_a_branch_and_its_negation_agree_with_the_truth_tables(given_: tuple[str, Truth]) -> None:
    text, truth = given_
    source = f"""CREATE FILTER MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
        IF {text} THEN SET Environment.a = 1; END IF;
        IF NOT {text} THEN SET Environment.b = 1; END IF;
        RETURN {text}; END; END MODULE;"""
    outcome = run_module(compile_sources([Source("m.esql", source)]).module("M"))
    assert outcome.returned is truth
    names = [field.name for field in outcome.environment]
    assert names == (["a"] if truth is True else ["b"] if truth is False else [])


@given(TRUTHS, TRUTHS)
def test_operators_follow_the_truth_tables(a: Truth, b: Truth) -> None:
    assert operators.both(a, lambda: b) is kleene_and(a, b)
    assert operators.either(a, lambda: b) is kleene_or(a, b)
    assert operators.negated(a) is kleene_not(a)


SCALARS = st.one_of(
    st.none(),
    st.integers(-(2**31), 2**31),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.decimals(-1000, 1000, places=2),
)


@given(SCALARS, SCALARS)
def test_null_goes_through_arithmetic_and_comparisons(a: object, b: object) -> None:
    for function in (operators.add, operators.subtract, operators.multiply, operators.equal, operators.less):
        result = function(a, b)
        assert (result is None) == (a is None or b is None)


@given(SCALARS, SCALARS)
def test_comparisons_agree_with_each_other(a: object, b: object) -> None:
    assert operators.unequal(a, b) is kleene_not(operators.equal(a, b))
    assert operators.greater_equal(a, b) is kleene_not(operators.less(a, b))
    assert operators.less_equal(a, b) is kleene_or(operators.less(a, b), operators.equal(a, b))
