"""What of a condition goes to the database."""

from __future__ import annotations

import pytest

from penstock.esql.database.pushdown import columns_of, split, translate
from penstock.esql.parser.program import parse_expression
from penstock.esql.printer.expressions import show_expression
from penstock.esql.syntax.expressions import Expression
from penstock.esql.syntax.node import walk
from penstock.esql.syntax.paths import FieldReference


def expression(text: str) -> Expression:
    found, findings = parse_expression(text)
    assert found is not None
    assert not findings
    return found


def is_parameter(node: Expression) -> bool:
    """Whatever does not speak of T, the table of these tests."""
    return not any(isinstance(each, FieldReference) and each.root == "T" for each in walk(node))


def split_text(text: str) -> tuple[object, list[str], str | None]:
    condition, parameters, rest = split(expression(text), "T", is_parameter)
    return (
        condition,
        [show_expression(each) for each in parameters],
        None if rest is None else show_expression(rest),
    )


@pytest.mark.parametrize(
    ("text", "condition", "parameters", "rest"),
    [
        ("T.ID = InputBody.x", ("=", ("column", "ID"), ("value", 0)), ["InputBody.x"], None),
        ("5 < T.ID", ("<", ("value", 0), ("column", "ID")), ["5"], None),
        ('T."Id" = 1', ("=", ("column", "Id"), ("value", 0)), ["1"], None),
        (
            "T.A = 1 AND T.B LIKE 'x%' AND SUBSTRING(T.C FROM 2) = 'y'",
            ("and", ("=", ("column", "A"), ("value", 0)), ("like", ("column", "B"), ("value", 1), "\\")),
            ["1", "'x%'"],
            "SUBSTRING(T.C FROM 2) = 'y'",
        ),
        (
            "T.A = 1 OR T.B IS NULL",
            ("or", ("=", ("column", "A"), ("value", 0)), ("is null", ("column", "B"))),
            ["1"],
            None,
        ),
        ("T.A NOT IN (1, 2)", ("not", ("in", ("column", "A"), ("value", 0), ("value", 1))), ["1", "2"], None),
        (
            "T.A BETWEEN x AND y",
            ("between", ("column", "A"), ("value", 0), ("value", 1)),
            ["x", "y"],
            None,
        ),
        ("NOT T.A = T.B", ("not", ("=", ("column", "A"), ("column", "B"))), [], None),
        (
            "T.A + 2 * T.B > 3",
            (">", ("+", ("column", "A"), ("*", ("value", 0), ("column", "B"))), ("value", 1)),
            ["2", "3"],
            None,
        ),
        (
            "UPPER(TRIM(T.A)) = 'X'",
            ("=", ("call", "UPPER", ("call", "TRIM", ("column", "A"))), ("value", 0)),
            ["'X'"],
            None,
        ),
        ("T.A LIKE 'a$_' ESCAPE '$'", ("like", ("column", "A"), ("value", 0), "$"), ["'a$_'"], None),
        ("x = 1", None, [], "x = 1"),
        ("T.A BETWEEN SYMMETRIC 1 AND 2", None, [], "T.A BETWEEN SYMMETRIC 1 AND 2"),
        ("T.A IS TRUE", None, [], "T.A IS TRUE"),
        ("T.A[1] = 1", None, [], "T.A[1] = 1"),
        ("T.A = 1 OR userFunction(T.B)", None, [], "T.A = 1 OR userFunction(T.B)"),
    ],
)
def test_split(text: str, condition: object, parameters: list[str], rest: str | None) -> None:
    assert split_text(text) == (condition, parameters, rest)


def test_nothing_to_split() -> None:
    assert split(None, "T", is_parameter) == (None, (), None)


def test_translate_counts_parameters_from_where_it_is_told() -> None:
    found = translate(expression("T.A + 1"), "T", is_parameter, first=3)

    assert found is not None
    assert found[0] == ("+", ("column", "A"), ("value", 3))
    assert translate(expression("EVAL(T.A)"), "T", is_parameter) is None


def test_columns_that_are_spoken_of() -> None:
    assert columns_of((expression("T.A + T.B * t.A"),), "T") == ("A", "B")
    assert columns_of((expression("T.A"), expression("T.*")), "T") is None
    assert columns_of((expression("CARDINALITY(T.*[])"),), "T") is None
    assert columns_of((expression("x.y"),), "T") == ()
