"""Control: IF, CASE, loops with labels, blocks, routines with IN, OUT and INOUT."""

from __future__ import annotations

import pytest

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.runtime.context import Context
from penstock.esql.source import Source
from penstock.esql.testing import run_module
from penstock.model.errors import MQError
from penstock.tree import Message

from .programs import library, out, run, value

R = "OutputRoot.XMLNSC.r"

CASES = [
    (f"CALL SLEEP(0); CALL SLEEP(1) INTO {R}.a; CALL LENGTH('abc') INTO {R}.b;", "<a>true</a><b>3</b>"),
    (f"IF 1 = 1 THEN SET {R}.a = 1; ELSE SET {R}.a = 2; END IF;", "<a>1</a>"),
    (
        f"IF 1 = 2 THEN SET {R}.a = 1; ELSEIF 2 = 2 THEN SET {R}.a = 2; ELSE SET {R}.a = 3; END IF;",
        "<a>2</a>",
    ),
    (f"SET {R}.z = 0; IF 1 = NULL THEN SET {R}.a = 1; ELSE SET {R}.a = 2; END IF;", "<z>0</z><a>2</a>"),
    (f"SET {R}.z = 0; IF NOT 1 = NULL THEN SET {R}.a = 1; END IF;", "<z>0</z>"),
    (f"IF NOT (1 = 2 OR 2 = 3) THEN SET {R}.a = 1; END IF;", "<a>1</a>"),
    (f"IF NOT (1 = 1 AND 2 = 3) THEN SET {R}.a = 1; END IF;", "<a>1</a>"),
    (
        f"CASE 2 WHEN 1 THEN SET {R}.a = 1; WHEN 2 THEN SET {R}.a = 2; ELSE SET {R}.a = 3; END CASE;",
        "<a>2</a>",
    ),
    (f"CASE WHEN 1 = 2 THEN SET {R}.a = 1; ELSE SET {R}.a = 3; END CASE;", "<a>3</a>"),
    (f"SET {R}.a = 1; CASE 9 WHEN 1 THEN SET {R}.a = 2; END CASE;", "<a>1</a>"),
    (
        f"DECLARE i INTEGER 1; WHILE i <= 3 DO SET {R}.x[i] = i; SET i = i + 1; END WHILE;",
        "<x>1</x><x>2</x><x>3</x>",
    ),
    (f"DECLARE i INTEGER 0; REPEAT SET i = i + 1; UNTIL i >= 4 END REPEAT; SET {R}.x = i;", "<x>4</x>"),
    (
        f"DECLARE i INTEGER 0; A: LOOP SET i = i + 1; IF i = 5 THEN LEAVE A; END IF; END LOOP A; SET {R}.x = i;",
        "<x>5</x>",
    ),
    (
        f"""DECLARE i, s INTEGER 0; A: WHILE i < 5 DO SET i = i + 1; IF i = 3 THEN ITERATE A; END IF;
            SET s = s + i; END WHILE A; SET {R}.x = s;""",
        "<x>12</x>",
    ),
    (
        f"""DECLARE i, s INTEGER 0; A: REPEAT SET i = i + 1; IF i = 2 THEN ITERATE A; END IF; SET s = s + i;
            UNTIL i >= 3 END REPEAT A; SET {R}.x = s;""",
        "<x>4</x>",
    ),
    (
        f"""DECLARE i, j, s INTEGER 0; A: WHILE i < 3 DO SET i = i + 1; SET j = 0;
            B: WHILE j < 3 DO SET j = j + 1; IF j = 2 THEN ITERATE A; END IF; SET s = s + 1; END WHILE B;
            END WHILE A; SET {R}.x = s;""",
        "<x>3</x>",
    ),
    (
        f"""DECLARE i, j, s INTEGER 0; A: WHILE i < 3 DO SET i = i + 1; SET j = 0;
            B: WHILE j < 3 DO SET j = j + 1; IF j = 2 THEN LEAVE A; END IF; SET s = s + 1; END WHILE B;
            END WHILE A; SET {R}.x = s; SET {R}.y = i;""",
        "<x>1</x><y>1</y>",
    ),
    (f"B: BEGIN SET {R}.a = 1; LEAVE B; SET {R}.a = 2; END B; SET {R}.c = 3;", "<a>1</a><c>3</c>"),
    (
        f"DECLARE n INTEGER 0; FOR f AS InputRoot.XMLNSC.o.i[] DO SET n = n + 1; SET {R}.x[n] = f; END FOR;",
        '<x k="1">nut</x><x k="2">bolt</x><x k="3">screw</x>',
    ),
    (
        f"L: FOR f AS InputRoot.XMLNSC.o.i[] DO IF f = 'bolt' THEN SET {R}.x = f.k; LEAVE L; END IF; END FOR L;",
        "<x>2</x>",
    ),
    (
        f"DECLARE x INTEGER 1; BEGIN DECLARE x INTEGER 2; SET {R}.a = x; END; SET {R}.b = x;",
        "<a>2</a><b>1</b>",
    ),
    (f"DECLARE class, add CHARACTER 'v'; SET {R}.a = class || add;", "<a>vv</a>"),
    (f"DECLARE X INTEGER 1; IF x = 1 THEN SET {R}.a = 1; END IF;", "<a>1</a>"),
]


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_control_statements(body: str, expected: str) -> None:
    assert out(body) == expected


ROUTINES = """
CREATE FUNCTION twice(IN n INTEGER) RETURNS INTEGER RETURN n * 2;
CREATE FUNCTION named(n CHARACTER) RETURNS CHARACTER BEGIN RETURN 'I am ' || n; END;
CREATE PROCEDURE split(IN whole CHARACTER, OUT head CHARACTER, INOUT count INTEGER)
BEGIN SET head = SUBSTRING(whole FROM 1 FOR 1); SET count = count + LENGTH(whole); END;
CREATE PROCEDURE fill(IN target REFERENCE) BEGIN SET target.filled = 'yes'; END;
CREATE PROCEDURE onwards(INOUT r REFERENCE) BEGIN MOVE r NEXTSIBLING; END;
CREATE PROCEDURE wander(IN r REFERENCE) BEGIN MOVE r NEXTSIBLING; SET r = 'changed'; END;
CREATE FUNCTION factorial(n INTEGER) RETURNS INTEGER
BEGIN IF n <= 1 THEN RETURN 1; END IF; RETURN n * factorial(n - 1); END;
CREATE FUNCTION pair(a INTEGER, b INTEGER) RETURNS ROW BEGIN DECLARE w ROW; SET w.a = a; SET w.b = b; RETURN w; END;
CREATE FUNCTION nothing() RETURNS CHARACTER BEGIN END;
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"SET {R}.a = twice(4);", "<a>8</a>"),
        (f"SET {R}.a = twice('4');", "<a>8</a>"),
        (f"SET {R}.a = named(12);", "<a>I am 12</a>"),
        (f"SET {R}.a = factorial(10);", "<a>3628800</a>"),
        (
            f"DECLARE h CHARACTER; DECLARE c INTEGER 1; CALL split('xyz', h, c); SET {R}.a = h; SET {R}.b = c;",
            "<a>x</a><b>4</b>",
        ),
        (
            f"SET Environment.c = 2; CALL split('xyz', {R}.h, Environment.c); SET {R}.c = Environment.c;",
            "<h>x</h><c>5</c>",
        ),
        (f"SET {R}.x = 1; CALL fill({R}.x);", "<x>1<filled>yes</filled></x>"),
        (
            f"""SET {R}.x = 1; SET {R}.y = 2; DECLARE r REFERENCE TO {R}.x; CALL onwards(r); SET r = 3;""",
            "<x>1</x><y>3</y>",
        ),
        (
            f"""SET {R}.x = 1; SET {R}.y = 2; DECLARE r REFERENCE TO {R}.x; CALL wander(r); SET r = 3;""",
            "<x>3</x><y>changed</y>",
        ),
        (f"SET {R} = pair(1, 2);", "<a>1</a><b>2</b>"),
        (f"SET {R}.s = pair(1, 2).b;", "<s>2</s>"),
        (f"DECLARE v INTEGER; CALL twice(5) INTO v; SET {R}.v = v;", "<v>10</v>"),
        (f"SET {R}.a = COALESCE(nothing(), 'null');", "<a>null</a>"),
    ],
)
def test_routines(body: str, expected: str) -> None:
    assert out(body, before=ROUTINES) == expected


def test_modules_use_the_routines_of_their_schema_and_of_path() -> None:
    shared = "BROKER SCHEMA lib.x DECLARE RATE CONSTANT INTEGER 3;\nCREATE FUNCTION triple(n INTEGER) RETURNS INTEGER RETURN n * RATE;"
    own = (
        "BROKER SCHEMA app\nPATH lib.x;\nCREATE FUNCTION six(n INTEGER) RETURNS INTEGER RETURN triple(n) * 2;"
    )
    main = """BROKER SCHEMA app PATH lib.x;
CREATE COMPUTE MODULE M CREATE FUNCTION main() RETURNS BOOLEAN BEGIN
SET OutputRoot.XMLNSC.r = six(1) + triple(1) + lib.x.triple(10) + RATE; RETURN TRUE; END; END MODULE;"""
    made = library(main, own, shared).module("app.M")
    assert run_module(made).bytes() == b"<r>42</r>"


def test_variables_of_a_module_are_new_for_every_message_and_shared_ones_stay() -> None:
    before = "DECLARE own INTEGER 0; DECLARE kept SHARED INTEGER 0; DECLARE k CONSTANT INTEGER 5;"
    body = f"""SET own = own + k; BEGIN ATOMIC SET kept = kept + 1; END;
               SET {R}.own = own; SET {R}.kept = kept;"""
    from penstock.esql.runtime.deployment import Deployment

    from .programs import module

    made, deployment = module(body, before), Deployment()
    texts = [run_module(made, deployment=deployment).bytes() for _ in range(3)]
    assert texts[0] == b"<r><own>5</own><kept>1</kept></r>"
    assert texts[2] == b"<r><own>5</own><kept>3</kept></r>"


def test_a_shared_row_keeps_its_tree() -> None:
    from penstock.esql.runtime.deployment import Deployment

    from .programs import module

    made = module(
        f"BEGIN ATOMIC SET cache.x.y[CARDINALITY(cache.x.y[]) + 1] = 1; END; SET {R}.n = CARDINALITY(cache.x.y[]);",
        "DECLARE cache SHARED ROW;",
    )
    deployment = Deployment()
    assert [run_module(made, deployment=deployment).bytes() for _ in range(2)][1] == b"<r><n>2</n></r>"


def test_external_variables_take_what_the_deployment_says() -> None:
    before = "DECLARE q EXTERNAL CHARACTER 'Q1'; DECLARE n EXTERNAL INTEGER 4;"
    body = f"SET {R}.q = q; SET {R}.n = n + 1;"
    assert out(body, before=before) == "<q>Q1</q><n>5</n>"
    assert out(body, before=before, properties={"q": "Q2", "n": "7"}) == "<q>Q2</q><n>8</n>"


def test_external_routines_call_python() -> None:
    before = """CREATE FUNCTION up(IN a CHARACTER) RETURNS CHARACTER LANGUAGE JAVA EXTERNAL NAME "com.x.Up.up";
CREATE PROCEDURE both(IN a INTEGER, OUT b INTEGER, INOUT c INTEGER) LANGUAGE PYTHON EXTERNAL NAME "tests.both";
CREATE FUNCTION root(IN a FLOAT) RETURNS FLOAT LANGUAGE PYTHON EXTERNAL NAME "math.sqrt";"""
    body = f"""DECLARE b, c INTEGER 1; CALL both(2, b, c);
               SET {R}.a = up('x'); SET {R}.b = b; SET {R}.c = c; SET {R}.d = root(16.0);"""
    routines = {"com.x.Up.up": str.upper, "tests.both": lambda a, c: (a + 10, c + 5)}
    assert out(body, before=before, routines=routines) == "<a>X</a><b>12</b><c>6</c><d>4.0E+0</d>"


def test_a_filter_expression_is_true_false_or_unknown() -> None:
    from penstock.esql.compiler.compile import compile_expression

    made = compile_expression("Root.XMLNSC.o.n > 4").module("Expression")
    results = [run_module(made, f"<o><n>{n}</n></o>").returned for n in ("5", "3")]
    assert results == [True, False]
    assert run_module(made, "<o/>").returned is None


def test_eval_sees_and_changes_variables() -> None:
    assert out(f"DECLARE a INTEGER 1; EVAL('SET a = a + 41;'); SET {R}.a = a;") == "<a>42</a>"
    assert value("EVAL('InputRoot.XMLNSC.o.n')") == "5"


def test_deep_recursion_is_an_error_of_the_program() -> None:
    from penstock.model.errors import MQError

    with pytest.raises(MQError, match="deeply"):
        run("CALL f();", before="CREATE PROCEDURE f() BEGIN CALL f(); END;")


def test_routines_of_a_databaseevent_module_are_called_by_name() -> None:
    text = """CREATE DATABASEEVENT MODULE Events
      CREATE PROCEDURE ReadEvents(IN NewEvents REFERENCE) BEGIN
        CREATE LASTCHILD OF NewEvents NAME 'Event' VALUE 7; END;
      CREATE PROCEDURE EndEvent(IN Done REFERENCE) BEGIN SET Done.ended = TRUE; END;
    END MODULE;"""
    module = compile_sources([Source("events.esql", text)]).module("Events")
    context = Context(Message())
    module.call(context, "readEvents", context.environment)
    module.call(context, "EndEvent", context.environment)
    assert [(each.name, each.value) for each in context.environment] == [("Event", 7), ("ended", True)]
    with pytest.raises(MQError, match="no routine BuildMessage"):
        module.call(context, "BuildMessage")
