# ruff: noqa: E501
"""What the checker finds: one table of mistakes, one of programs that have none."""

import pytest

from penstock.esql.checker.check import check
from penstock.esql.source import Source


def findings(*texts):
    sources = [Source(f"f{number}.esql", text) for number, text in enumerate(texts)]
    return [found for each in check(sources) for found in (*each.errors, *each.warnings)]


def in_main(body, kind="COMPUTE", before=""):
    return f"CREATE {kind} MODULE m {before} CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{body}\nRETURN TRUE; END; END MODULE;"


CASES = [
    # names
    ("SET nothing = 1;", "E201", "nothing is not declared", ""),
    ("DECLARE count INTEGER; SET cuont = 1;", "E201", "cuont is not declared", "did you mean count?"),
    ("SET OuputRoot.a = 1;", "E201", "OuputRoot is not declared", "did you mean OutputRoot?"),
    ("SET a = 1; DECLARE a INTEGER;", "E201", "a is not declared", ""),
    ("BEGIN DECLARE a INTEGER; END; SET a = 1;", "E201", "a is not declared", ""),
    ("SET OutputRoot.a = (SELECT U.x FROM InputRoot.b[] AS T);", "E201", "U is not declared", ""),
    (
        "SET OutputRoot.a = XMLNSC.Atribute;",
        "E201",
        "XMLNSC has no field type Atribute",
        "did you mean ATTRIBUTE?",
    ),
    (
        "CREATE LASTCHILD OF OutputRoot DOMAIN 'JSN' NAME 'JSON';",
        "E225",
        "no domain is called 'JSN'",
        "did you mean JSON?",
    ),
    ("CALL missing();", "E202", "there is no function or procedure missing", ""),
    (
        "SET OutputRoot.a = LENGHT('x');",
        "E202",
        "there is no function or procedure LENGHT",
        "did you mean LENGTH?",
    ),
    (
        "SET OutputRoot.a = EXTRACT(FORTNIGHT FROM CURRENT_DATE);",
        "E203",
        "EXTRACT knows no part FORTNIGHT",
        "YEAR, MONTH, DAY, HOUR ...",
    ),
    (
        "DECLARE Total INTEGER; SET total = 1;",
        "W301",
        "total is declared as Total",
        "names are case-sensitive",
    ),
    (
        "SET OutputRoot.XMLNSC.ns:a = 1;",
        "W302",
        "namespace prefix ns is not declared",
        "declare it with DECLARE ns NAMESPACE 'uri';",
    ),
    # calls
    ("SET OutputRoot.a = LENGTH('x', 'y');", "E204", "LENGTH takes 1 argument, not 2", ""),
    ("SET OutputRoot.a = REPLACE('x');", "E204", "REPLACE takes 2 to 3 arguments, not 1", ""),
    ("SET OutputRoot.a = COALESCE();", "E204", "COALESCE takes at least 1 argument, not 0", ""),
    # declarations
    ("DECLARE a INTEGER; DECLARE a CHARACTER;", "E210", "a is declared already on line 2", ""),
    ("DECLARE a SHARED ROW;", "E211", "SHARED variables are declared outside routines", ""),
    (
        "DECLARE a REFERENCE;",
        "E213",
        "a REFERENCE needs a target",
        "a reference is declared with DECLARE r REFERENCE TO path",
    ),
    ("DECLARE a LIST;", "E212", "LIST is not a type of variables", "use ROW and assign to row.Item[]"),
    ("DECLARE a CONSTANT INTEGER 1; SET a = 2;", "E214", "a is a constant", ""),
    ("DECLARE a CONSTANT INTEGER;", "W305", "this constant has no value and is NULL", ""),
    (
        "SET OutputRoot.a = 1; DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN END;",
        "W306",
        "handlers are declared at the top of their block",
        "",
    ),
    ("SET InputRoot.a = 1;", "W307", "InputRoot cannot be changed", "change OutputRoot instead"),
    (
        "SET OutputRoot.a = Body.b;",
        "W310",
        "Body does not exist in a Compute module",
        "in a Compute module it is InputBody or OutputBody",
    ),
    # types
    ("IF 5 THEN END IF;", "E220", "a condition has to be BOOLEAN, this is INTEGER", ""),
    (
        "DECLARE s CHARACTER; WHILE s DO END WHILE;",
        "E220",
        "a condition has to be BOOLEAN, this is CHARACTER",
        "",
    ),
    ("SET OutputRoot.a = TRUE + 1;", "E221", "arithmetic does not work on BOOLEAN", ""),
    ("DECLARE d DATE; IF d = 5 THEN END IF;", "E222", "DATE cannot be compared with INTEGER", ""),
    ("DECLARE b BOOLEAN 5;", "E223", "INTEGER cannot become BOOLEAN", ""),
    (
        "DECLARE n INTEGER; SET OutputRoot.a = 'x' || n;",
        "W320",
        "|| joins CHARACTER, BLOB or BIT, this is INTEGER",
        "CAST it AS CHARACTER first",
    ),
    ("SET OutputRoot.a = 'x' + 1;", "W321", "arithmetic on CHARACTER", "text is joined with ||"),
    ("DECLARE n INTEGER; SET n.a = 1;", "E224", "n is INTEGER and has no fields", ""),
    (
        "SET OutputRoot.a = CURRENT_DATE();",
        "E202",
        "there is no function or procedure CURRENT_DATE",
        "write CURRENT_DATE without parentheses",
    ),
    # flow of control
    (
        "LEAVE outer;",
        "E230",
        "LEAVE outer: no loop around this has that label",
        "write label: before the loop",
    ),
    (
        "b: BEGIN ITERATE b; END;",
        "E230",
        "ITERATE b: no loop around this has that label",
        "write label: before the loop",
    ),
    ("RESIGNAL;", "E231", "RESIGNAL works only inside a handler", ""),
    ("RETURN;", "E233", "Main has to return TRUE or FALSE", "write RETURN TRUE; or RETURN FALSE;"),
    ("THROW USER EXCEPTION; SET OutputRoot.a = 1;", "W330", "this is never reached", ""),
    # traps
    ("IF InputRoot.a = NULL THEN END IF;", "W340", "a comparison with NULL is never true", "write IS NULL"),
    (
        "SET OutputRoot.a = CARDINALITY(InputRoot.b);",
        "W341",
        "CARDINALITY works on a list",
        "write the path with [] at its end",
    ),
    (
        "SET OutputRoot.a[] = SELECT T.x FROM InputRoot.b AS T;",
        "W341",
        "FROM works on a list",
        "write the path with [] at its end",
    ),
    ("FOR x AS InputRoot.b DO END FOR;", "W341", "FOR works on a list", "write the path with [] at its end"),
    (
        "SET OutputRoot.a = InputRoot.b[];",
        "W341",
        "a list is assigned to a single field",
        "write the target with [] at its end",
    ),
    (
        "SET OutputRoot.X.Name = 1; SET OutputRoot.X.name = 2;",
        "W342",
        "field name is written Name on line 2",
        "field names are case-sensitive",
    ),
    (
        "SET OutputRoot.a = CAST(CURRENT_DATE AS CHARACTER FORMAT 'YYYY-MM-dd');",
        "W350",
        "YYYY is the year of the week",
        "write yyyy",
    ),
    (
        "SET OutputRoot.a = CAST(InputRoot.b AS DATE FORMAT 'DD/MM/yyyy');",
        "W350",
        "D is the day of the year",
        "write dd for the day of the month",
    ),
    (
        "SET OutputRoot.a = CAST(CURRENT_TIME AS CHARACTER FORMAT 'hh:mm:ss');",
        "W350",
        "hh counts to 12 and there is no AM or PM (a)",
        "write HH for 0 to 23",
    ),
    (
        "SET OutputRoot.a = CAST(InputRoot.b AS DATE FORMAT 'yyyy-mm-dd');",
        "W350",
        "mm is minutes",
        "write MM for the month",
    ),
    (
        "SET OutputRoot.a = CAST(CURRENT_TIME AS CHARACTER FORMAT 'HH:mm:ss.sss');",
        "W350",
        "sss is seconds with leading zeros",
        "write SSS for fractions",
    ),
]


@pytest.mark.parametrize(("body", "code", "message", "likely"), CASES)
def test_a_mistake_in_main(body, code, message, likely):
    found = findings(in_main(body))

    assert (code, message, likely) in [(each.code, each.message, each.likely) for each in found]
    assert all(each.line == 2 for each in found if each.code == code)


CLEAN = [
    "DECLARE set, value, name INTEGER; SET set = value + name;",
    "DECLARE ns NAMESPACE 'urn:x'; SET OutputRoot.XMLNSC.ns:a.(XMLNSC.NamespaceDecl)xmlns:x = 'y';",
    "SET OutputRoot.XMLNSC.a.(XMLNSC.Attribute)b = InputRoot.XMLNSC.*:c[<].{'x'};",
    "SET OutputRoot.MQMD.Format = MQFMT_STRING; SET OutputRoot.a = SQL.BrokerName || MessageFlowLabel;",
    "SET OutputRoot.a = CURRENT_TIMESTAMP; SET OutputRoot.b = UUIDASCHAR; SET OutputRoot.c = (CURRENT_DATE - DATE '2024-01-01') DAY;",
    "SET OutputRoot.a[] = (SELECT A.x, B.y AS z.(XML.Attribute)w FROM InputRoot.a[] AS A, A.b[] AS B WHERE B.y > A.x);",
    "SET Environment.x[] = SELECT T.a FROM Database.{'d'}.{'t'} AS T WHERE T.b = 'c'; SET Environment.y[] = SELECT TAB.a FROM Database.TAB;",
    "UPDATE Database.T AS X SET A = 1 WHERE X.B = 2; DELETE FROM Database.T WHERE T.A = 1; INSERT INTO Database.T (A) VALUES (1);",
    "SET OutputRoot.a = FOR ALL InputRoot.b[] AS x (x.c = 1);",
    "SET OutputRoot TYPE = XMLNSC.Folder; CREATE LASTCHILD OF OutputRoot TYPE NameValue NAME 'x' VALUE 'y';",
    "DECLARE r REFERENCE TO InputRoot.a; WHILE LASTMOVE(r) DO MOVE r NEXTSIBLING REPEAT TYPE NAME; END WHILE;",
    "x: WHILE TRUE DO ITERATE x; END WHILE x; y: BEGIN LEAVE y; END y;",
    "DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'D%' BEGIN SET Environment.s = SQLSTATE; RESIGNAL; END;",
    "REPEAT DECLARE i INTEGER 1; UNTIL i > 0 END REPEAT;",
    "SET OutputRoot.a = ASBITSTREAM(InputBody OPTIONS FolderBitStream CCSID 1208);",
    "IF NULL THEN END IF; IF InputRoot.a THEN END IF; IF InputRoot.a IS NULL AND UNKNOWN THEN END IF;",
    "CALL SLEEP(5); SLEEP(5);",
    "SET OutputRoot.a = CAST(CURRENT_TIMESTAMP AS CHARACTER FORMAT 'yyyy-MM-dd''T''HH:mm:ss.SSS');",
    "IF TRUE THEN RETURN TRUE; ELSE RETURN FALSE; END IF;",
]  # fmt: skip


@pytest.mark.parametrize("body", CLEAN)
def test_no_finding(body):
    ignored = {"W330"}  # the RETURN that the frame adds

    assert [each.text for each in findings(in_main(body)) if each.code not in ignored] == []


def test_the_toolkits_boilerplate_is_clean():
    text = """
CREATE COMPUTE MODULE Flow_Compute
	CREATE FUNCTION Main() RETURNS BOOLEAN
	BEGIN
		-- CALL CopyMessageHeaders();
		CALL CopyEntireMessage();
		RETURN TRUE;
	END;

	CREATE PROCEDURE CopyMessageHeaders() BEGIN
		DECLARE I INTEGER 1;
		DECLARE J INTEGER;
		SET J = CARDINALITY(InputRoot.*[]);
		WHILE I < J DO
			SET OutputRoot.*[I] = InputRoot.*[I];
			SET I = I + 1;
		END WHILE;
	END;

	CREATE PROCEDURE CopyEntireMessage() BEGIN
		SET OutputRoot = InputRoot;
	END;
END MODULE;
"""
    assert findings(text) == []


# The Compute programs of the performance tests (seed 000, section 9), as whole modules.
SIMPLE = "SET OutputRoot = InputRoot; SET OutputRoot.XML.CSIM.A1 = 'x';"
COMPLEX = """
SET OutputRoot = InputRoot;
DECLARE i INTEGER;
DECLARE C INTEGER;
SET C = CARDINALITY(OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[]);
SET i = 1;
WHILE i <= C DO
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[i].Name =
    OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[i].COMPONENT;
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[i].Transport.(XML.attr)Type = 'A';
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[i].Transport.Queue =
    OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[i].QUEUE;
  SET i = i + 1;
END WHILE;
"""
VERY_COMPLEX = "".join(f"BEGIN {COMPLEX} END;" for _ in range(5))
NESTED_SELECT = """
SET OutputRoot.MQMD = InputRoot.MQMD;
DECLARE style CHARACTER;
SET style = 'Style';
SET OutputRoot.XML.CSIM.Data.Statement[] =
(SELECT
  'Monthly' AS (XML.Attribute)Type,
  'Full' AS (0x03000000){style}[1],
  I.Initial || COALESCE(I.Initial[2], '') As Customer.Initials,
  I.Surname AS Customer.Name,
  I.Balance As Customer.Balance,
  (SELECT II.Description AS Desc, CAST(II.Price AS FLOAT) * 1.6 AS Cost, II.Quantity AS Qty
     FROM I.Item[] AS II WHERE II.Price > 0.0) AS Purchases.Article[],
  (SELECT SUM( CAST(II.Price AS FLOAT) * CAST(II.Quantity AS FLOAT) * 1.6) FROM I.Item[] AS II) AS Amount,
  'Dollars' As Amount.(XML.Attribute)Currency
FROM InputRoot.XML.CSIM.Data.Invoice[] AS I WHERE I.Surname <> 'Shop');
"""


@pytest.mark.parametrize(
    "body",
    [SIMPLE, COMPLEX, VERY_COMPLEX, NESTED_SELECT],
    ids=["simple", "complex", "very complex", "nested select"],
)
def test_the_programs_of_the_performance_tests_are_clean(body):
    assert [each.text for each in findings(in_main(body))] == []


def test_routines_of_other_files_of_the_schema_and_of_path_are_found():
    library = (
        "BROKER SCHEMA lib.text\nCREATE FUNCTION Shout(IN s CHARACTER) RETURNS CHARACTER RETURN UPPER(s);"
    )
    sibling = (
        "BROKER SCHEMA app\nDECLARE Limit EXTERNAL INTEGER 5; CREATE PROCEDURE Later(IN a INTEGER) BEGIN END;"
    )
    user = "BROKER SCHEMA app PATH lib.text; " + in_main(
        "SET OutputRoot.a = Shout('x') || lib.text.Shout('y'); CALL Later(Limit);"
    )

    assert [each.text for each in findings(user, library, sibling)] == []


def test_a_schema_that_is_not_among_the_files_makes_unknown_names_a_warning():
    text = "BROKER SCHEMA app PATH other; " + in_main("CALL Unknown(x); CALL third.party();")

    assert [each.code for each in findings(text)] == ["W303", "W303", "W303"]


def test_routines_of_another_module_are_not_visible():
    other = "CREATE COMPUTE MODULE n CREATE FUNCTION Main() RETURNS BOOLEAN RETURN TRUE; CREATE PROCEDURE q() BEGIN END; END MODULE;"

    (found,) = findings(in_main("CALL q();"), other)

    assert (found.code, found.likely) == (
        "E202",
        "it is in module n; routines of a module can only be called there",
    )


def test_arguments_of_routines_are_counted_and_out_needs_a_variable():
    before = "CREATE PROCEDURE p(IN a INTEGER, OUT b INTEGER) BEGIN SET b = a; END;"

    found = findings(in_main("CALL p(1); CALL p(1, 2);", before=before))

    assert [(each.code, each.message) for each in found] == [
        ("E204", "p takes 2 arguments, not 1"),
        ("E205", "OUT parameter b needs a variable or a field"),
    ]


def test_shared_variables_are_changed_inside_atomic_blocks():
    before = "DECLARE cache SHARED ROW;"

    outside = findings(in_main("SET cache.a = 1;", before=before))
    inside = findings(in_main("BEGIN ATOMIC IF TRUE THEN SET cache.a = 1; END IF; END;", before=before))

    assert ([each.code for each in outside], inside) == (["W308"], [])


def test_external_variables_are_constant():
    (found,) = findings(in_main("SET u = 1;", before="DECLARE u EXTERNAL INTEGER 1;"))

    assert (found.code, found.message) == ("E214", "u is EXTERNAL and therefore constant")


def test_a_filter_cannot_propagate():
    assert [each.code for each in findings(in_main("PROPAGATE;", kind="FILTER"))] == ["E232"]


@pytest.mark.parametrize("index", ["0", "-1", "<0", "> - 2"])
def test_an_index_below_1(index: str) -> None:
    (found,) = findings(in_main(f"SET OutputRoot.a.b[{index}] = 1;"))
    assert found.code == "E206"


@pytest.mark.parametrize("terminal", ["'out7'", "'Out'", "'true'", "5", "-3"])
def test_propagate_to_a_terminal_that_no_compute_node_has(terminal: str) -> None:
    (found,) = findings(in_main(f"PROPAGATE TO TERMINAL {terminal};"))
    assert found.code == "W336"


@pytest.mark.parametrize(
    "terminal", ["'out'", "'out4'", "'failure'", "'nowhere'", "0", "-2", "InputRoot.x.y"]
)
def test_propagate_to_terminals_that_may_be_there(terminal: str) -> None:
    assert findings(in_main(f"PROPAGATE TO TERMINAL {terminal};")) == []


@pytest.mark.parametrize(
    "statement", ["IF n = 'abc' THEN SET n = 1; END IF;", "SET n = '';", "SET n = 1; SET b = 'yes';"]
)
def test_text_that_cannot_become_the_type_beside_it(statement: str) -> None:
    found = findings(in_main(f"DECLARE n INTEGER; DECLARE b BOOLEAN; {statement}"))
    assert "W322" in [each.code for each in found]


def test_what_is_declared_twice():
    text = "CREATE PROCEDURE p() BEGIN END; CREATE PROCEDURE p() BEGIN END;"
    module = in_main(
        "",
        before="DECLARE a INTEGER; DECLARE a INTEGER; CREATE PROCEDURE q(IN x INTEGER, IN x INTEGER) BEGIN END;",
    )

    assert [each.code for each in findings(text)] == ["E210"]
    assert [each.code for each in findings(module)] == ["E210", "E210"]
    assert [each.code for each in findings("DECLARE z INTEGER;", "DECLARE z INTEGER;")] == ["W304"]


def test_a_function_that_can_end_without_return():
    text = "CREATE FUNCTION f() RETURNS INTEGER BEGIN IF TRUE THEN RETURN 1; END IF; END;"

    assert [(each.code, each.message) for each in findings(text)] == [
        ("W331", "f can end without RETURN; its result is then NULL")
    ]


def test_a_module_without_main_and_a_statement_outside_routines():
    assert [each.code for each in findings("CREATE COMPUTE MODULE m SET Environment.a = 1; END MODULE;")] == [
        "E234",
        "W309",
    ]


def test_one_mistake_gives_one_finding():
    text = in_main("DECLARE a STRING;\nSET a = 1;\nIF a != 2 THEN END IF;")

    assert [(each.code, each.line) for each in findings(text)] == [("E110", 2), ("E101", 4)]


def test_a_text_in_double_quotes_is_a_name():
    (found,) = findings(in_main('SET OutputRoot.a = "text";'))

    assert (found.code, found.likely) == ("E201", "a text is written in single quotes: 'text'")


def test_parse_errors_and_check_errors_come_together_in_order():
    found = findings(in_main("SET a = 1;\nSET 5;\nSET b = 1;"))

    assert [(each.code, each.line) for each in found] == [("E201", 2), ("E110", 3), ("E201", 4)]


def test_a_function_of_another_sql_is_named_in_esql() -> None:
    text = (
        "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
        "SET Environment.a = CHR(10) || NVL(Environment.b, 'x'); RETURN TRUE; END; END MODULE;"
    )
    (found,) = check([Source("a.esql", text)])
    assert [(each.code, each.likely) for each in found.errors] == [
        ("E202", "write CAST(X'0A' AS CHARACTER CCSID 1208)"),
        ("E202", "write COALESCE(...)"),
    ]
