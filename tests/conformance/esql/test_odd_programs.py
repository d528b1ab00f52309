"""Programs at the edges: deep, long, named like words of the language or of Python, and slow on purpose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.compiler.compiling import check_all
from penstock.esql.runtime.values.strings import like
from penstock.esql.source import Source
from penstock.esql.testing import run_module
from penstock.model.errors import MQError
from penstock.tree import Path
from tests.conformance.esql.programs import value
from tests.counting import steps
from tests.patience import ends

R = "OutputRoot.XMLNSC.r"
GMT = "GMTTIMESTAMP '2024-01-01 10:00:00'"


def module(body: str, more: str = "") -> Source:
    head = f"CREATE COMPUTE MODULE M {more} CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
    return Source("odd.esql", f"{head}{body}\nRETURN TRUE; END; END MODULE;")


def out(body: str, more: str = "") -> str:
    library = compile_sources([module(body, more)])
    return run_module(library.module("M"), b"<o><b>6</b></o>").bytes().decode()


CASES = [
    (f"SET {R} = {'+'.join(['1'] * 2_000)};", "<r>2000</r>"),
    (f"SET {R} = {'-'.join(['1'] * 100)} * 2;", "<r>-99</r>"),
    (f"SET {R} = LENGTH({'||'.join(['InputRoot.XMLNSC.o.b'] * 2_000)});", "<r>2000</r>"),
    (f"SET {R} = LENGTH('{'x' * 1_000_000}');", "<r>1000000</r>"),
    ("IF TRUE THEN " * 30 + f"SET {R} = 1;" + " END IF;" * 30, "<r>1</r>"),
    ("BEGIN " * 60 + f"SET {R} = 1;" + " END;" * 60, "<r>1</r>"),
    (f"SET {R} = {'(' * 90}1{')' * 90};", "<r>1</r>"),
    ("IF FALSE THEN " + "".join(f"ELSEIF InputRoot.XMLNSC.o.b = '{k}' THEN SET {R} = {k}; " for k in range(300)) + "END IF;", "<r>6</r>"),
    (f"DECLARE set INTEGER 1; DECLARE if INTEGER 2; DECLARE value INTEGER 3; SET set = set + if; SET {R}.case.from = set * value;",
     "<r><case><from>9</from></case></r>"),
    (f"DECLARE def, class, None, lambda, ctx, row, Path, P1, HERE, add INTEGER 2; SET {R} = def + class + None + lambda + ctx + row + Path + P1 + HERE + add;",
     "<r>20</r>"),
    (f"/* a /* b */ c */ SET/**/{R}--\n=/*x*/1+--\n2;", "<r>3</r>"),
    ("DECLARE größe INTEGER 5; SET OutputRoot.XMLNSC.größe = größe;", "<größe>5</größe>"),
    (f"SET {R}.a = 'x';\r\nSET {R}.b = 1;\r\n", "<r><a>x</a><b>1</b></r>"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_odd_programs_run(body: str, expected: str) -> None:
    assert out(body) == expected


def test_blocks_deeper_than_python_takes_are_a_finding_and_no_crash() -> None:
    loops = "".join(f"DECLARE i{k} INTEGER 0; WHILE i{k} < 1 DO SET i{k} = 1;\n" for k in range(25))
    body = loops + f"SET {R} = 1;" + "END WHILE;" * 25
    with pytest.raises(MQError, match="E114") as raised:
        out(body)
    assert raised.value.reason == 8201
    (checked,) = check_all([module(body)])
    assert [each.code for each in checked.errors] == ["E114"]


def test_the_check_finds_what_only_the_compiler_can_refuse() -> None:
    (checked,) = check_all([module("DECLARE n INTEGER; SET n.a VALUE = 1; SET n = SUM(5);")])
    assert {each.code for each in checked.errors} & {"E224", "E401"}


def test_a_routine_that_calls_itself_for_ever_is_an_error_of_the_program() -> None:
    endless = "CREATE FUNCTION f(IN n INTEGER) RETURNS INTEGER BEGIN RETURN f(n + 1); END;"
    with pytest.raises(MQError, match="too deeply") as raised:
        out(f"SET {R} = f(0);", endless)
    assert raised.value.fields["line"]


def test_ten_times_the_lines_are_ten_times_the_work_to_compile() -> None:
    def compiling(count: int) -> int:
        lines = "\n".join(f"SET {R}.a{i} = InputRoot.XMLNSC.o.b{i} || 'x';" for i in range(count))
        return steps(lambda: compile_sources([module(lines)]))

    compiling(10)  # what is made once
    assert compiling(500) < 15 * compiling(50)


def test_like_does_not_try_all_ways_to_match_a_pattern_of_many_parts() -> None:
    with ends():
        assert like("a" * 20_000, "%a" * 50 + "%b") is False


@given(st.text("ab%", max_size=8), st.text("ab%_", max_size=6))
def test_like_means_what_it_says(text: str, pattern: str) -> None:
    def matches(letters: str, parts: str) -> bool:
        if not parts:
            return not letters
        if parts[0] == "%":
            return any(matches(letters[skip:], parts[1:]) for skip in range(len(letters) + 1))
        return bool(letters) and parts[0] in ("_", letters[0]) and matches(letters[1:], parts[1:])

    assert like(text, pattern) is matches(text, pattern)


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("GMTTIME '10:00:00' >= CAST(GMTTIME '10:00:00' AS TIME)", True),
        ("GMTTIME '10:00:00' = CAST(GMTTIME '10:00:00' AS TIME)", True),
        (f"{GMT} <> CAST({GMT} AS TIMESTAMP)", False),
        (f"{GMT} < CAST({GMT} AS TIMESTAMP) + INTERVAL '1' SECOND", True),
        ("'12' BETWEEN -1 AND 13", True),
        ("CAST('NAN' AS DECIMAL) < '1'", False),
        ("CAST(CAST('1E6144' AS DECIMAL) AS CHARACTER FORMAT '0')", "1" + "0" * 6144),
        ("CAST(CAST('NAN' AS DECIMAL) AS INTERVAL DAY)", 8202),
        ("CAST(CAST('INF' AS FLOAT) AS INTERVAL MONTH)", 8202),
        ("CAST(CAST('1E6144' AS DECIMAL) AS INTERVAL DAY)", 8202),
        ("INTERVAL '1-2' YEAR TO MONTH * 1e300", 8202),
        ("ROW(1 AS a) BETWEEN ROW(1 AS a) AND LIST{}", 8203),
        ("REPLACE(TRUE, 5)", 8203),
        ("REPLACE('a', 'b', X'00')", 8203),
        ("TRANSLATE(1, 'a')", 8203),
        ("UUIDASBLOB(X'')", 8202),
    ],
)
def test_values_at_the_edges_are_answers_or_errors_of_the_language(expression: str, answer: object) -> None:
    if isinstance(answer, int) and not isinstance(answer, bool):
        with pytest.raises(MQError) as raised:
            value(expression)
        assert raised.value.reason == answer
    else:
        assert value(expression) == answer


@pytest.mark.parametrize(
    "statement",
    [
        "EVAL('CREATE FUNCTION x() RETURNS INTEGER BEGIN RETURN 1; END');",
        "CREATE FUNCTION x() RETURNS INTEGER BEGIN RETURN 1; END;",
    ],
)
def test_a_routine_inside_a_routine_is_refused(statement: str) -> None:
    with pytest.raises(MQError, match="cannot be declared inside a routine"):
        out(statement)


def test_characters_that_no_python_file_can_hold_are_text_like_any_other() -> None:
    source = module("SET Environment.v = '\x00\ufffe' || LEFT('\x85\u2028', 1);")
    outcome = run_module(compile_sources([source]).module("M"), b"<o/>")
    assert outcome.environment.get(Path("v")) == "\x00\ufffe\x85"


def test_an_error_of_a_python_routine_is_one_of_esql() -> None:
    routine = "CREATE PROCEDURE p(IN z INTEGER) LANGUAGE PYTHON EXTERNAL NAME 'os.fspath';"
    with pytest.raises(MQError, match=r"os.fspath raised TypeError: .*not int") as raised:
        out("CALL p(1);", routine)
    assert raised.value.reason == 8207
    assert [frame.line for frame in raised.value.fields["frames"]] == [2, 1]
    handled = "DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET OutputRoot.XMLNSC.r = 1; END; CALL p(1);"
    assert out(handled, routine) == "<r>1</r>"


def test_a_label_that_is_null_is_an_error() -> None:
    with pytest.raises(MQError, match="the label of PROPAGATE TO LABEL is NULL"):
        out("PROPAGATE TO LABEL Environment.nowhere;")
