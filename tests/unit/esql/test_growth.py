"""Large programs cost what they are long: four times the ESQL is about four times the work, never sixteen."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from penstock.esql.checker.check import check
from penstock.esql.compiler.compiling import compile_all
from penstock.esql.findings import LINE_SHOWN_MAX, render
from penstock.esql.source import Source
from tests.conformance.esql.programs import value

SMALL, FACTOR = 200, 4
GROWTH_MAX = 2 * FACTOR  # with a constant part, or with a table that has just doubled; squares are FACTOR**2


def program(body: str) -> Source:
    head = "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN DECLARE x INTEGER 1; "
    return Source("a.esql", f"{head}{body} RETURN TRUE; END; END MODULE;")


def names(count: int) -> str:
    return ".".join(f"a{n}" for n in range(count))


BODIES: dict[str, Callable[[int], str]] = {
    "statements": lambda n: "SET OutputRoot.XMLNSC.a = InputRoot.XMLNSC.b; " * n,
    "elseif": lambda n: (
        "IF x = 0 THEN SET x = 0; "
        + "".join(f"ELSEIF x = {k} THEN SET x = {k}; " for k in range(n))
        + "END IF;"
    ),
    "case": lambda n: "CASE x " + "".join(f"WHEN {k} THEN SET x = {k}; " for k in range(n)) + "END CASE;",
    "case expression": lambda n: (
        "SET x = CASE x " + "".join(f"WHEN {k} THEN {k} " for k in range(n)) + "ELSE 0 END;"
    ),
    "steps": lambda n: f"SET OutputRoot.{names(n // 2)} = 1;",
    "loops": lambda n: "WHILE x < 1 DO SET x = 2; END WHILE; " * n,
    "sum": lambda n: "SET x = 1" + " + x" * n + ";",
    "rows": lambda n: "SET OutputRoot.r = ROW(" + ", ".join(f"{k} AS a{k}" for k in range(n)) + ");",
}


@pytest.mark.parametrize("kind", BODIES)
def test_python_and_memory_grow_with_the_length_of_one_line(kind: str) -> None:
    written, taken = [], []
    for count in (SMALL, SMALL * FACTOR):
        source = program(BODIES[kind](count))
        tracemalloc.start()
        (file,) = compile_all([source])
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        written.append(len(file.python))
    assert written[1] / written[0] < GROWTH_MAX
    assert taken[1] / taken[0] < GROWTH_MAX


def all_of(routine: str, name: str, values: tuple[int, ...]) -> str:
    """Compile a routine and return what it returns for some values."""
    calls = [f"CAST({name}({each}) AS CHARACTER)" for each in values]
    return str(value(" || ' ' || ".join(calls), before=routine))


@pytest.mark.parametrize("form", ["if", "case", "searched"])
def test_the_right_one_of_many_branches_runs(form: str) -> None:
    tests = {"if": "ELSEIF x = {0}", "case": "WHEN {0}", "searched": "WHEN x = {0}"}[form]
    begin = {"if": "IF FALSE THEN SET y = -2;", "case": "CASE x", "searched": "CASE"}[form]
    end = "END IF;" if form == "if" else "END CASE;"
    branches = " ".join(f"{tests.format(k)} THEN SET y = y + {k};" for k in range(3200))
    routine = (
        "CREATE FUNCTION chosen(IN x INTEGER) RETURNS INTEGER BEGIN DECLARE y INTEGER 0; "
        f"{begin} {branches} ELSE SET y = -1; {end} RETURN y; END;"
    )
    assert all_of(routine, "chosen", (0, 98, 99, 100, 3199, 3200, -5)) == "0 98 99 100 3199 -1 -1"


def test_a_branch_may_leave_its_loop_and_its_routine() -> None:
    many = " ".join(f"ELSEIF x = {k} THEN SET y = 0;" for k in range(250))
    routine = (
        "CREATE FUNCTION left(IN x INTEGER) RETURNS INTEGER BEGIN DECLARE y INTEGER 0; l: LOOP "
        f"IF x = 500 THEN RETURN 5; {many} ELSEIF x = 600 THEN SET x = 700; ITERATE l; "
        "ELSEIF x = 700 THEN LEAVE l; ELSE RETURN -1; END IF; RETURN y; END LOOP l; RETURN 7; END;"
    )
    assert all_of(routine, "left", (500, 3, 249, 600, 800)) == "5 0 0 7 -1"


def test_a_path_longer_than_a_path_may_be_is_a_finding() -> None:
    (fits,) = check([program(f"SET OutputRoot.{names(999)} = 1;")])
    (long,) = check([program(f"SET OutputRoot.{names(20_000)} = 1;")])
    assert fits.errors == ()
    assert [(found.code, found.message) for found in long.errors] == [
        ("E114", "a path of more than 1000 steps")
    ]


def test_a_finding_shows_the_part_of_a_long_line_that_it_is_about() -> None:
    source = program("SET x = 1; " * 5_000 + "SET unknown = 1; " + "SET x = 1; " * 5_000)
    (found,) = check([source])[0].errors
    place, line, caret = render(source, found).splitlines()[:3]
    assert place.startswith("a.esql:1:")
    assert len(line) <= LINE_SHOWN_MAX + 4
    assert line[caret.index("^") : caret.rindex("^") + 1] == "unknown"


@pytest.mark.parametrize("form", ["CASE x WHEN {0}", "CASE WHEN x = {0}"])
def test_the_right_value_of_a_case_with_many_branches_is_chosen(form: str) -> None:
    """Python would nest the branches: a thousand are too deep for it."""
    begin, test = form.split(" WHEN ")
    branches = " ".join(f"WHEN {test.format(k)} THEN {k * 2}" for k in range(3200))
    routine = (
        "CREATE FUNCTION chosen(IN x INTEGER) RETURNS INTEGER BEGIN "
        f"RETURN {begin} {branches} WHEN {test.format(5000)} THEN NULL ELSE -1 END; END;"
    )
    assert all_of(routine, "chosen", (0, 49, 50, 51, 3199, 3200)) == "0 98 100 102 6398 -1"
    assert value("CAST(COALESCE(chosen(5000), 7) AS CHARACTER)", before=routine) == "7"
