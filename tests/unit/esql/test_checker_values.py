"""What the checker knows of values: literals, result types of functions, variables that nobody uses."""

from __future__ import annotations

import pytest

from tests.unit.esql.test_checker import findings, in_main


def codes(body: str) -> list[str]:
    return [found.code for found in findings(in_main(body))]


@pytest.mark.parametrize(
    "literal",
    [
        "DATE '2024-02-30'",
        "DATE '24-02-01'",
        "TIME '25:00:00'",
        "TIMESTAMP 'now'",
        "GMTTIME 'x'",
        "GMTTIMESTAMP '2024-13-01 00:00:00'",
        "DECIMAL '1,5'",
        "INTERVAL '5' YEAR TO DAY",
        "INTERVAL 'x' DAY",
        "INTERVAL '1:30' HOUR",
        "INTEGER 'a'",
        "INTEGER ''",
        "INTEGER '1_000'",
        "FLOAT 'a'",
        "FLOAT '1_0'",
        "BLOB 'zz'",
        "BIT '2'",
        "9" * 5000,
        f"InputRoot.a[{'9' * 5000}]",
        "InputRoot.a[INTEGER 'a']",
        "1e999999",
    ],
)
def test_a_literal_without_a_value_is_an_error(literal: str) -> None:
    assert codes(f"SET OutputRoot.a = {literal};") == ["E225"]


def test_a_terminal_that_is_no_number_is_an_error() -> None:
    assert codes(f"PROPAGATE TO TERMINAL {'9' * 5000};") == ["E225"]
    assert codes("PROPAGATE TO TERMINAL INTEGER 'a';") == ["E225"]


@pytest.mark.parametrize(
    "literal",
    [
        "INTEGER ' -7 '",
        "FLOAT '1.5E2'",
        "BLOB 'ab'",
        "BIT '01'",
        "DATE '2024-02-29'",
        "TIME '10:11:12.5'",
        "GMTTIMESTAMP '2024-01-31 10:11:12'",
        "DECIMAL 'NAN'",
        "DECIMAL '1E5'",
        "INTERVAL '1-6' YEAR TO MONTH",
        "INTERVAL '2 12:00' DAY TO MINUTE",
        "INTERVAL '-1.5' SECOND",
    ],
)
def test_a_literal_with_a_value_is_none(literal: str) -> None:
    assert codes(f"SET OutputRoot.a = {literal};") == []


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("UPPER('a') + 1", "W321"),
        ("SUBSTRING('abc' FROM 2) * 2", "W321"),
        ("TRIM('a') - 1", "W321"),
        ("'a' || ABS(5)", "W320"),
        ("'a' || ROUND(5, 1 MODE ROUND_UP)", "W320"),
        ("'a' || EXTRACT(YEAR FROM CURRENT_DATE)", "W320"),
        ("'a' || MOD(5, 2)", "W320"),
        ("EXTRACT(SECOND FROM CURRENT_TIME) = TRUE", "E222"),
    ],
)
def test_result_types_of_functions_are_known(expression: str, code: str) -> None:
    assert codes(f"SET OutputRoot.a = {expression};") == [code]


def test_a_variable_that_nobody_uses_is_a_warning() -> None:
    found = findings(in_main("DECLARE a, b INTEGER; SET OutputRoot.x = a;"))

    assert [(each.code, each.message) for each in found] == [("W311", "b is never used")]


@pytest.mark.parametrize(
    "body",
    [
        "DECLARE a INTEGER; SET a = 1;",
        "DECLARE ns NAMESPACE 'urn:a'; SET OutputRoot.XMLNSC.ns:x = 1;",
        "DECLARE r REFERENCE TO InputRoot; MOVE r LASTCHILD;",
        "DECLARE n CHARACTER 'x'; SET OutputRoot.XMLNSC.{n} = 1;",
        "DECLARE a INTEGER; EVAL('SET a = 1;');",
        "DECLARE a INTEGER 1; DECLARE b INTEGER a; SET OutputRoot.x = b;",
    ],
)
def test_a_variable_that_is_used_in_any_way_is_none(body: str) -> None:
    assert "W311" not in codes(body)


def test_in_a_file_with_errors_nothing_is_said_of_use() -> None:
    assert codes("DECLARE count INTEGER; SET OutputRoot.x = cuont;") == ["E201"]
