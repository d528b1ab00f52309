# ruff: noqa: E501
"""What the parser says about mistakes: code, place, message and the likely mistake; and that it goes on."""

import inspect
import sys

import pytest

from penstock.esql.checker.check import check
from penstock.esql.findings import render
from penstock.esql.limits import NESTING_MAX
from penstock.esql.parser.program import parse, parse_expression
from penstock.esql.printer.statements import show_program
from penstock.esql.source import Source
from penstock.esql.syntax.program import Routine

CASES = [
    ("SET a 1;", "E110", (1, 7), "expected =, found 1", ""),
    ("SET a = ;", "E110", (1, 9), "expected an expression, found ;", ""),
    ("SET a := 1;", "E110", (1, 8), "expected a name after :, found =", "ESQL assigns with ="),
    ("SET a == 1;", "E110", (1, 8), "expected an expression, found =", "ESQL compares and assigns with a single ="),
    ("SET a = 1 2;", "E110", (1, 11), "expected ; after SET, found 2", ""),
    ("SET a = (1 + 2;", "E110", (1, 15), "expected ), found ;", ""),
    ("SET a = f(1, 2;", "E110", (1, 15), "expected , or ), found ;", "a closing parenthesis is missing"),
    ("SET a = 1\nSET b = 2;", "E111", (1, 10), "; is missing after SET", ""),
    ("a = 1;", "E116", (1, 1), "expected a statement, found a", "an assignment starts with SET"),
    ("p(1);", "E116", (1, 1), "expected a statement, found p", "a procedure is run with CALL"),
    ("CALL p;", "E110", (1, 7), "expected (, found ;", "a call has parentheses, even without arguments"),
    ("DECLARE a STRING;", "E110", (1, 11), "expected a data type, found STRING", "the ESQL type is CHARACTER"),
    ("DECLARE a INTEGER = 1;", "E110", (1, 19), "expected an initial value, found =",
     "an initial value follows the type without ="),
    ("DECLARE r REFERENCE InputRoot;", "E110", (1, 21), "expected TO after REFERENCE, found InputRoot",
     "a reference is declared with DECLARE r REFERENCE TO path"),
    ("IF a = 1 SET b = 1; END IF;", "E111", (1, 9), "THEN is missing after the condition", ""),
    ("IF a = THEN SET b = 1; END IF;", "E110", (1, 8), "expected an expression, found THEN", ""),
    ("IF a THEN SET b = 1; END WHILE;", "E112", (1, 22), "END WHILE does not close the IF of line 1", "write END IF"),
    ("IF a THEN SET b = 1;", "E113", (1, 21), "expected END IF, found the end of the file",
     "the IF of line 1 is not closed"),
    ("WHILE a DO\nIF b THEN\nSET c = 1;\nEND WHILE;", "E113", (4, 1), "the IF of line 2 is not closed before this END",
     "END IF; is missing"),
    ("CREATE COMPUTE MODULE m\nCREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\nRETURN TRUE;\nEND MODULE;", "E113", (4, 1),
     "the BEGIN of line 2 is not closed before this END", "END; is missing"),
    ("BEGIN\nIF a THEN\nSET b = 1;\nELSE IF c THEN\nSET b = 2;\nEND IF;\nEND;", "E113", (7, 1), "the IF of line 2 is not closed before this END",
     "ELSE IF opens another IF with an END IF of its own"),
    ("END IF;", "E112", (1, 1), "END IF closes nothing that is open", ""),
    ("SET a = SUBSTRING(b, 1, 2);", "E110", (1, 20), "expected FROM, BEFORE or AFTER, found ,",
     "ESQL writes SUBSTRING(text FROM start FOR length)"),
    ("SET a = b IS 5;", "E110", (1, 14), "expected NULL, TRUE, FALSE, UNKNOWN, INF, NAN or NUM after IS, found 5",
     "compare values with = and <>"),
    ("SET a = b BETWEEN 1, 2;", "E110", (1, 20), "expected AND, found ,", "BETWEEN has two limits: a BETWEEN x AND y"),
    ("SET a.b. = 1;", "E110", (1, 10), "expected a name, found =",
     "a path ends in a name, * or an index, not in a dot"),
    ("SET a = 'x\ny';\nSET b = 'c' d';\nSET e = 1;", "E110", (3, 13), "expected ; after SET, found d", ""),
    ("SET a = 'oops;\nSET b = 'c';", "E110", (2, 10), "expected ; after SET, found c",
     "the text that begins on line 1 runs over several lines; a ' may be missing there"),
    ("MOVE r SIDEWAYS;", "E110", (1, 8),
     "expected TO, PARENT, FIRSTCHILD, LASTCHILD, PREVIOUSSIBLING or NEXTSIBLING, found SIDEWAYS", ""),
    ("CREATE FUNCTION f RETURNS INTEGER RETURN 1;", "E110", (1, 19), "expected (, found RETURNS",
     "the parameters must be in parentheses, even if there are none"),
    ("SET a = CASE WHEN b THEN 1 END CASE;", "E112", (1, 32), "a CASE expression ends in END alone",
     "END CASE ends the statement"),
    ("SET a = SELECT T.x;", "E110", (1, 19), "expected FROM, found ;", "a select list is followed by FROM"),
    ("PROPAGATE TO 'out';", "E110", (1, 14), "expected TERMINAL or LABEL after TO, found 'out'", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "place", "message", "likely"), CASES)
def test_the_first_finding(text, code, place, message, likely):
    found = parse(Source("t", text)).findings[0]

    assert (found.code, (found.line, found.column), found.message, found.likely) == (
        code,
        place,
        message,
        likely,
    )


def test_every_error_of_a_file_is_reported_once():
    text = """CREATE COMPUTE MODULE m
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET a = ;
    IF b == 1 THEN
      SET c 5;
    ELSE
      foo();
    END IF;
    DECLARE d STRING;
    RETURN TRUE
  END;
  CREATE PROCEDURE p()
  BEGIN
    WHILE x < DO
      CALL q;
    END WHILE;
  END;
END MODULE;
"""
    parsed = parse(Source("t", text))

    assert [found.line for found in parsed.findings] == [4, 5, 6, 8, 10, 11, 15, 16]
    module = parsed.program.body[0]
    assert [routine.name for routine in module.body if isinstance(routine, Routine)] == ["Main", "p"]


def test_the_caret_stands_below_the_mistake_behind_tabs():
    source = Source("f.esql", "BEGIN\n\tSET\ta 1;\nEND;")

    text = render(source, parse(source).findings[0])

    assert text == "f.esql:2:8: error E110: expected =, found 1\n    \tSET\ta 1;\n    \t   \t  ^"


@pytest.mark.parametrize(
    ("opening", "middle", "closing"),
    [
        ("(", "1", ")"),
        ("f(", "1", ")"),
        ("a.b[", "1", "]"),
        ("a.{", "b", "}"),
        ("a.(", "b", ")c"),
        ("CASE WHEN TRUE THEN ", "1", " END"),
        ("CAST(", "1", " AS INTEGER)"),
        ("- ", "1", ""),
        ("NOT ", "a", ""),
        ("1 + 2 * (", "1", ")"),
        ("LIST{", "1", "}"),
        ("(SELECT ", "1", " FROM b[] AS c)"),
    ],
)
def test_expressions_nest_to_a_limit_and_no_further(opening, middle, closing):
    deep, too_deep = 30, 5_000

    value, findings = parse_expression(opening * deep + middle + closing * deep)
    assert (value is not None, findings) == (True, ())

    _, findings = parse_expression(opening * too_deep + middle + closing * too_deep)
    assert [found.code for found in findings] == ["E114"]


FRAMES_MAX = 650


@pytest.mark.parametrize(
    "opening",
    ["(", "f(", "a.b[", "a.{", "a.(", "CASE WHEN ", "CAST(", "NOT ", "- ", "(SELECT ", "ROW(", "LIST{"],
)
def test_programs_at_the_limit_fit_into_the_stack(opening):
    closing = {"(": ")", "f(": ")", "a.b[": "]", "a.{": "}", "a.(": ")c", "CASE WHEN ": " THEN 1 END", "CAST(": " AS INTEGER)",
               "(SELECT ": " FROM b[] AS c)", "ROW(": ")", "LIST{": "}"}.get(opening, "")  # fmt: skip
    before = len(inspect.stack(0))
    limit = sys.getrecursionlimit()

    for depth in (NESTING_MAX // 2 - 4, NESTING_MAX - 4):
        text = f"CREATE PROCEDURE p() BEGIN SET x = {opening * depth}a{closing * depth}; END;"
        try:
            sys.setrecursionlimit(before + FRAMES_MAX)
            checked = check([Source("t", text)])[0]
            show_program(checked.parsed.program)
        finally:
            sys.setrecursionlimit(limit)
        assert {found.code for found in checked.parsed.findings} <= {"E114"}


def test_blocks_nest_to_a_limit_and_no_further():
    def program(depth):
        return Source("t", "IF a THEN " * depth + "SET b = 1; " + "END IF; " * depth)

    assert parse(program(NESTING_MAX - 3)).findings == ()
    assert "E114" in {found.code for found in parse(program(NESTING_MAX * 20)).findings}


def test_long_chains_are_not_deep():
    text = " || ".join(["'x'"] * 20_000)

    value, findings = parse_expression(text)

    assert (len(value.operands), findings) == (20_000, ())


def test_comparisons_in_a_row_are_limited():
    _, findings = parse_expression(" = ".join(["a"] * 1000))

    assert findings[0].code == "E114"


def test_an_empty_file_and_one_of_comments_are_fine():
    assert parse(Source("t", "")).findings == ()
    assert parse(Source("t", "-- nothing\n/* here */")).program.body == ()


@pytest.mark.parametrize(
    "text", ["SET x = '{}';", 'SET x."{}" = 1;', "/* {} */", "-- {}", "DECLARE x{} INTEGER;"]
)
def test_half_of_a_surrogate_pair_is_a_finding_wherever_it_is(text):
    source = Source("t", text.format("\ud800"))

    assert ("E101", source.text.index("\ud800")) in {
        (found.code, found.at) for found in parse(source).findings
    }
