"""THROW, handlers, RESIGNAL, LOG, PROPAGATE, SLEEP; and what an error carries."""

from __future__ import annotations

import pytest

from penstock.model.errors import EsqlError, MQError

from .programs import out, run

R = "OutputRoot.XMLNSC.r"
FAIL = "SET Environment.x = CAST('a' AS INTEGER);"


def test_throw_carries_number_catalog_severity_and_inserts() -> None:
    with pytest.raises(EsqlError) as caught:
        run("THROW USER EXCEPTION SEVERITY 3 CATALOG 'Mine' MESSAGE 2960 VALUES('a', 5, NULL);")
    assert caught.value.fields["inserts"] == ("a", 5, None)
    assert (caught.value.fields["number"], caught.value.fields["catalog"]) == (2960, "Mine")
    assert caught.value.fields["sqlstate"] == "U00000"


def test_throw_has_defaults() -> None:
    with pytest.raises(EsqlError) as caught:
        run("THROW USER EXCEPTION;")
    fields = caught.value.fields
    assert (fields["severity"], fields["number"], fields["catalog"]) == (1, 2951, "BIPmsgs")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'S22%' SET {R}.h = SQLSTATE; {FAIL} SET {R}.no = 1; END; SET {R}.after = 1;",
            "<h>S22018</h><after>1</after>",
        ),
        (
            f"BEGIN DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE '%' SET {R}.h = 1; {FAIL} SET {R}.yes = 1; END;",
            "<h>1</h><yes>1</yes>",
        ),
        (
            f"""BEGIN DECLARE EXIT HANDLER FOR SQLSTATE 'U00000' SET {R}.u = 1;
                DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'S%' SET {R}.s = 1; {FAIL} END;""",
            "<s>1</s>",
        ),
        (
            f"""BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' SET {R}.outer = 1;
                BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'D%' SET {R}.inner = 1; {FAIL} END; END;""",
            "<outer>1</outer>",
        ),
        (
            f"""BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' SET {R}.outer = SQLSTATE;
                BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'S%' BEGIN SET {R}.inner = 1; RESIGNAL; END; {FAIL} END; END;""",
            "<inner>1</inner><outer>S22018</outer>",
        ),
        (
            f"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' SET {R}.h = 1; {FAIL} END; SET {R}.s = SQLSTATE;",
            "<h>1</h><s>00000</s>",
        ),
        (
            f"""DECLARE n INTEGER 0; A: WHILE n < 5 DO BEGIN DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE '%' SET {R}.h = n;
                SET n = n + 1; IF n = 3 THEN LEAVE A; END IF; {FAIL} END; END WHILE A; SET {R}.n = n;""",
            "<h>2</h><n>3</n>",
        ),
        (
            f"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' SET {R}.h = SQLERRORTEXT; SET {R}.j[4] = 1; END;",
            None,
        ),
    ],
)
def test_handlers(body: str, expected: str | None) -> None:
    text = out(body)
    assert text == expected if expected is not None else "index 4" in text


def test_return_inside_a_handler_leaves_the_routine() -> None:
    outcome = run(f"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' RETURN FALSE; {FAIL} END;")
    assert outcome.returned is False


def test_errors_name_line_routine_and_the_way_there() -> None:
    before = "CREATE FUNCTION deep(a CHARACTER) RETURNS INTEGER\nBEGIN\nRETURN CAST(a AS INTEGER);\nEND;"
    with pytest.raises(MQError) as caught:
        run("SET Environment.x =\n deep('no');", before=before)
    fields = caught.value.fields
    assert (fields["file"], fields["line"], fields["routine"]) == ("a.esql", 5, "M_deep")
    assert [frame.line for frame in fields["frames"]] == [9, 5]


def test_python_tracebacks_show_esql_lines() -> None:
    import traceback

    with pytest.raises(MQError) as caught:
        run(f"SET {R}.a = 1;\nSET {R}.b = 1 / 0;")
    shown = "".join(traceback.format_exception(caught.value))
    assert 'File "a.esql", line 7, in M_Main' in shown


def test_propagate_sends_now_and_empties_the_output() -> None:
    body = (
        f"SET {R}.a = 1; PROPAGATE; SET {R}.b = 2; PROPAGATE TO TERMINAL 'out1' DELETE NONE; SET {R}.c = 3;"
    )
    outcome = run(body)
    assert [(each.terminal, each.message.serialise()) for each in outcome.sent] == [
        ("out", b"<r><a>1</a></r>"),
        ("out1", b"<r><b>2</b></r>"),
    ]
    assert outcome.bytes() == b"<r><b>2</b><c>3</c></r>"


def test_propagate_to_label_and_with_other_trees() -> None:
    body = (
        "SET Environment.m.XMLNSC.z = 1; PROPAGATE TO LABEL 'L' || '1' MESSAGE Environment.m FINALIZE NONE;"
    )
    sent = run(body).sent[0]
    assert (sent.label, sent.message.serialise()) == ("L1", b"<z>1</z>")


def test_a_reference_to_the_output_root_stays_good_over_propagate() -> None:
    body = "DECLARE o REFERENCE TO OutputRoot; SET o.XMLNSC.r.a = 1; PROPAGATE; SET o.XMLNSC.r.b = 2;"
    assert run(body).bytes() == b"<r><b>2</b></r>"


def test_log_tells_the_runner() -> None:
    outcome = run("LOG EVENT SEVERITY 2 CATALOG 'C' MESSAGE 7 VALUES('a', 1); LOG USER TRACE VALUES('t');")
    assert outcome.logged == [("EVENT", "C 7: a, 1"), ("TRACE", "BIPmsgs 2951: t")]


def test_log_with_exception_speaks_of_the_error() -> None:
    outcome = run(
        f"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' LOG EVENT EXCEPTION VALUES('x'); {FAIL} END;"
    )
    assert "cannot become INTEGER" in outcome.logged[0][1]


def test_bad_esql_is_refused_with_all_its_errors() -> None:
    with pytest.raises(EsqlError) as caught:
        run("SET nowhere = 1; SET also = 2;")
    assert caught.value.reason == 8201
    assert [finding.code for _, finding in caught.value.fields["findings"]] == ["E201", "E201"]
    assert "a.esql:6:5" in str(caught.value)


def test_the_exception_list_has_the_cause_deepest() -> None:
    from penstock.esql.runtime.trees.exception_list import exception_list

    with pytest.raises(MQError) as caught:
        run("THROW USER EXCEPTION MESSAGE 2960 VALUES('no stock', 5);")
    message = exception_list(caught.value)
    names, at = [], next(iter(message))
    while at is not None and at.name.endswith("Exception"):
        names.append(at.name)
        fields = {each.name: each.value for each in at}
        at = next((each for each in at if each.name.endswith("Exception")), None)
    assert names == ["RecoverableException", "RecoverableException", "UserException"]
    assert (fields["Number"], fields["Line"], fields["Name"]) == (2960, 6, "Compute")
