"""CREATE, MOVE, ATTACH, DETACH, DELETE, references and bit streams."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import tree
from penstock.esql.runtime.deployment import Deployment
from penstock.esql.testing import run_module
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.model.message import Message as QueueMessage
from penstock.tree import Path
from penstock.tree.model import Cwf, CwfFormat, Field, Model, Tds, TdsFormat, TdsType, Type
from tests.patience import ends
from tests.unit.tree.swift_messages import MT543

from .programs import INPUT, module, out, run

IN = "InputRoot.XMLNSC.o"
R = "OutputRoot.XMLNSC.r"
REF = f"SET {R}.x = 1; DECLARE r REFERENCE TO {R};"

CASES = [
    (f"CREATE FIELD {R}.a;", "<a/>"),
    (f"CREATE FIELD {R}.a.b VALUE 5; CREATE FIELD {R}.a.b;", "<a><b>5</b></a>"),
    (f"CREATE FIELD {R}.a FROM {IN}.i[2];", '<a k="2">bolt</a>'),
    (f"{REF} CREATE LASTCHILD OF r NAME 'z' VALUE 2;", "<x>1</x><z>2</z>"),
    (f"{REF} CREATE FIRSTCHILD OF r NAME 'z' VALUE 2;", "<z>2</z><x>1</x>"),
    (f"{REF} CREATE LASTCHILD OF r AS r NAME 'z'; SET r = 3; SET r.y = 4;", "<x>1</x><z>3<y>4</y></z>"),
    (f"{REF} MOVE r FIRSTCHILD; CREATE NEXTSIBLING OF r NAME 'n'; CREATE PREVIOUSSIBLING OF r NAME 'p';",
     "<p/><x>1</x><n/>"),
    (f"{REF} MOVE r FIRSTCHILD; CREATE NEXTSIBLING OF r AS r REPEAT; SET r = 2;", "<x>1</x><x>2</x>"),
    (f"{REF} CREATE LASTCHILD OF r.deep.er NAME 'z' VALUE 2;", "<x>1</x><deep><er><z>2</z></er></deep>"),
    (f"{REF} DELETE FIELD r.x; SET r.y = 2;", "<y>2</y>"),
    (f"SET {R}.j[] = LIST{{1,2,3}}; DELETE FIELD {R}.j[2];", "<j>1</j><j>3</j>"),
    (f"SET {R}.j[] = LIST{{1,2,3}}; DELETE LASTCHILD OF {R}; DELETE FIRSTCHILD OF {R};", "<j>2</j>"),
    (f"SET {R}.j[] = LIST{{1,2,3}}; DELETE NEXTSIBLING OF {R}.j[2];", "<j>1</j><j>2</j>"),
    (f"DECLARE r REFERENCE TO {IN}.i; MOVE r NEXTSIBLING; SET {R}.a = r;", '<a k="2">bolt</a>'),
    (f"DECLARE r REFERENCE TO {IN}; MOVE r LASTCHILD NAME 'i'; SET {R}.a = r;", '<a k="3">screw</a>'),
    (f"DECLARE r REFERENCE TO {IN}; MOVE r FIRSTCHILD TYPE XMLNSC.Attribute; SET {R}.a = FIELDNAME(r);",
     "<a>id</a>"),
    (f"DECLARE r REFERENCE TO {IN}.i[3]; MOVE r PREVIOUSSIBLING REPEAT NAME; SET {R}.a = r;", '<a k="2">bolt</a>'),
    (f"DECLARE r REFERENCE TO {IN}.i; MOVE r PARENT; SET {R}.a = FIELDNAME(r);", "<a>o</a>"),
    (f"DECLARE r REFERENCE TO {IN}.i; MOVE r TO {IN}.n; SET {R}.a = r;", "<a>5</a>"),
    (f"DECLARE r REFERENCE TO {IN}.i; MOVE r TO {IN}.no; SET {R}.a = r; SET {R}.m = LASTMOVE(r);",
     '<a k="1">nut</a><m>false</m>'),
    (f"DECLARE n INTEGER 0; DECLARE r REFERENCE TO {IN}.i; WHILE LASTMOVE(r) DO SET n = n + 1;"
     f" SET {R}.x[n] = FIELDVALUE(r); MOVE r NEXTSIBLING REPEAT NAME; END WHILE;",
     "<x>nut</x><x>bolt</x><x>screw</x>"),
    (f"DECLARE r REFERENCE TO {IN}.no.such; SET {R}.m = LASTMOVE(r); SET {R}.n = FIELDNAME(r);",
     "<m>false</m><n>Root</n>"),
    (f"SET {R}.a.b = 1; SET {R}.c = 2; DECLARE r REFERENCE TO {R}.a; DETACH r; ATTACH r TO {R} AS LASTCHILD;",
     "<c>2</c><a><b>1</b></a>"),
    (f"SET {R}.a.b = 1; SET {R}.c = 2; DECLARE r REFERENCE TO {R}.a.b; DETACH r;"
     f" ATTACH r TO {R}.c AS PREVIOUSSIBLING;", "<a/><b>1</b><c>2</c>"),
    (f"SET {R}.a = SAMEFIELD({IN}.i[1], {IN}.i); SET {R}.b = SAMEFIELD({IN}.i[1], {IN}.i[2]);",
     "<a>true</a><b>false</b>"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_tree_statements(body: str, expected: str) -> None:
    assert out(body) == expected


DOCUMENT = """CAST('<?xml version="1.0"?><!--c--><o><a x="1">5</a><b>6</b></o>' AS BLOB CCSID 1208)"""
BIT_STREAMS = [
    (
        "CREATE LASTCHILD OF OutputRoot.XMLNSC.r DOMAIN('XMLNSC') PARSE(CAST('<o>5</o>' AS BLOB CCSID 1208) CCSID 1208);",
        "<XMLNSC><o>5</o></XMLNSC>",
    ),
    (
        f"CREATE LASTCHILD OF OutputRoot.XMLNSC.r DOMAIN('XMLNSC') PARSE({DOCUMENT} OPTIONS FolderBitStream CCSID 1208);",
        '<o><a x="1">5</a><b>6</b></o>',
    ),
    (
        f"CREATE LASTCHILD OF OutputRoot.XMLNSC.r PARSE({DOCUMENT} OPTIONS FolderBitStream);",
        '<o><a x="1">5</a><b>6</b></o>',
    ),
    (
        f"CREATE LASTCHILD OF OutputRoot.XMLNSC.r NAME 'n' PARSE({DOCUMENT}, , 1208, , , , EmbeddedBitStream);",
        '<n><a x="1">5</a><b>6</b></n>',
    ),
    (
        f"CREATE FIELD Environment.v DOMAIN 'XMLNSC' PARSE({DOCUMENT} OPTIONS FolderBitStream); SET OutputRoot.XMLNSC.r.b = Environment.v.b;",
        "<b>6</b>",
    ),
]


@pytest.mark.parametrize(("body", "expected"), BIT_STREAMS)
def test_parse_makes_a_folder_or_the_body_element(body: str, expected: str) -> None:
    assert out(body) == expected


FIELDS = [
    ("InputRoot.XMLNSC CCSID 1208", '<o><a x="1">5</a><b>6</b></o>'),
    ("InputRoot CCSID 1208", '<o><a x="1">5</a><b>6</b></o>'),
    ("InputRoot.XMLNSC.o OPTIONS FolderBitStream CCSID 1208", '<o><a x="1">5</a><b>6</b></o>'),
    ("InputRoot.XMLNSC.o OPTIONS RootBitStream CCSID 1208", '<a x="1">5</a><b>6</b>'),
    ("InputRoot.XMLNSC.o, 546, 1208", '<a x="1">5</a><b>6</b>'),
    ("InputRoot.XMLNSC.o.a CCSID 1208 OPTIONS FolderBitStream", '<a x="1">5</a>'),
]


@pytest.mark.parametrize(("field", "expected"), FIELDS)
def test_bit_streams_of_fields_with_or_without_themselves(field: str, expected: str) -> None:
    outcome = run(f"SET Environment.b = ASBITSTREAM({field});", b'<o><a x="1">5</a><b>6</b></o>')
    assert next(iter(outcome.environment)).value == expected.encode()


def test_a_bit_stream_of_a_json_field_is_its_value() -> None:
    body = """CREATE LASTCHILD OF Environment DOMAIN('JSON') PARSE(CAST('{"a":{"b":[1,2]}}' AS BLOB CCSID 1208));
              SET OutputRoot.XMLNSC.r = CAST(ASBITSTREAM(Environment.JSON.Data.a CCSID 1208) AS CHARACTER CCSID 1208);"""
    assert out(body) == '{"b":[1,2]}'


def test_parse_with_validation_reads_to_the_last_byte() -> None:
    with pytest.raises(MQError, match="ends inside element"):
        run("CREATE LASTCHILD OF OutputRoot DOMAIN('XMLNSC') PARSE(X'3c613e3c623e' OPTIONS ValidateContent);")
    with pytest.raises(MQError, match="OPTIONS does not work on CHARACTER"):
        run("SET Environment.b = ASBITSTREAM(InputRoot.XMLNSC OPTIONS 'folder');")


def test_a_bit_stream_becomes_a_body_and_back() -> None:
    body = """CREATE LASTCHILD OF OutputRoot DOMAIN('XMLNSC') PARSE(X'3c613e3c623e313c2f623e3c2f613e', 546, 1208);
              SET OutputRoot.XMLNSC.a.b = 2;
              SET Environment.bytes = ASBITSTREAM(OutputRoot.XMLNSC CCSID 1208);"""
    outcome = run(body)
    assert outcome.bytes() == b"<a><b>2</b></a>"
    assert next(iter(outcome.environment)).value == b"<a><b>2</b></a>"


def _ebcdic() -> tree.Message:
    text = "<o><n>5</n></o>".encode("cp500")
    source = QueueMessage(text, descriptor=Descriptor(ccsid=500, format="MQSTR"))
    return tree.parse_message(source, "XMLNSC")


@pytest.mark.parametrize(
    "before", ["", "SET OutputRoot.MQMD.CodedCharSetId = 37;", "SET OutputRoot.MQMD = NULL;"]
)
def test_the_bit_stream_of_a_whole_message_has_the_ccsid_that_is_asked_for(before: str) -> None:
    outcome = run(
        f"""SET OutputRoot = InputRoot; {before}
            SET Environment.b = ASBITSTREAM(OutputRoot CCSID 1208);
            SET Environment.e = ASBITSTREAM(InputRoot CCSID 1200 ENCODING 546);
            SET Environment.same = ASBITSTREAM(InputRoot);""",
        _ebcdic(),
    )
    text = "<o><n>5</n></o>"
    found = [each.value for each in outcome.environment]
    assert found == [text.encode(), text.encode("utf-16-le"), text.encode("cp500")]


@pytest.mark.parametrize("said", ["OPTIONS 'folder'", "SET 'ORDERS'"])
def test_the_bit_stream_of_a_whole_message_refuses_what_it_cannot_do(said: str) -> None:
    with pytest.raises(MQError, match=r"OPTIONS|SET"):
        run(f"SET Environment.b = ASBITSTREAM(InputRoot {said});")


def test_bit_streams_follow_the_model_that_set_type_and_format_name() -> None:
    fields = [Field("A", C=Cwf(length=3), T=Tds(tag="A")), Field("N", "integer", C=Cwf(), T=Tds(tag="N"))]
    tagged = TdsType("tagged delimited", delimiter="*", tag_data_separator=":")
    model = Model(
        "ORDERS", {"Order": Type(*fields, T=tagged)}, {"C": CwfFormat(encoding=273), "T": TdsFormat()}
    )
    body = """CREATE LASTCHILD OF OutputRoot DOMAIN('MRM')
                PARSE(X'61626300000005', 273, 1208, 'ORDERS', 'Order', 'C');
              SET Environment.n = OutputRoot.MRM.N;
              SET OutputRoot.MRM.N = 6;
              SET Environment.t = ASBITSTREAM(OutputRoot.MRM SET 'ORDERS' TYPE 'Order' FORMAT 'T');
              SET Environment.c = ASBITSTREAM(OutputRoot.MRM, 273, 1208, 'ORDERS', 'Order', 'C');"""
    deployment = Deployment(models=lambda name, _: {"ORDERS": model}[name])
    outcome = run(body, deployment=deployment)
    assert [each.value for each in outcome.environment] == [5, b"A:abc*N:6", b"abc\0\0\0\6"]


BROKEN = MT543.replace(b":23G:NEWM\r\n", b"")


@pytest.mark.parametrize(
    ("domain", "data", "reason"),
    [
        ("XMLNSC", b"<a><b>1</b>", 8101),
        ("JSON", b'{"a": 1', 8101),
        ("SWIFT", BROKEN, 8145),
        ("SWIFT", MT543, 0),
        ("XMLNSC", b"<a/>", 0),
    ],
    ids=["xml cut off", "json cut off", "swift without 23G", "swift", "xml"],
)
@pytest.mark.parametrize("option", ["ValidateContentAndValue", "ValidateContent", "ValidateImmediate"])
def test_parse_with_a_validate_option_reads_all_and_applies_the_rules(
    domain: str, data: bytes, reason: int, option: str
) -> None:
    body = f"""CREATE LASTCHILD OF Environment AS r DOMAIN('{domain}') PARSE(InputRoot.BLOB.BLOB{{}});
               SET Environment.done = TRUE;"""
    before = "DECLARE r REFERENCE TO Environment;"
    message = tree.parse(data, domain="BLOB")
    assert run(before + body.format(""), message).environment.get(Path("done")) is True
    if not reason:
        assert run(before + body.format(f" OPTIONS {option}"), message).environment.get(Path("done"))
        return
    with pytest.raises(MQError) as raised:
        run(before + body.format(f" OPTIONS {option}"), message)
    assert raised.value.reason == reason


def test_asbitstream_with_a_validate_option_checks_what_it_wrote() -> None:
    body = """CREATE LASTCHILD OF OutputRoot DOMAIN('SWIFT') PARSE(InputRoot.BLOB.BLOB);
              SET Environment.b = ASBITSTREAM(OutputRoot.SWIFT OPTIONS {});"""
    broken = tree.parse(BROKEN, domain="BLOB")
    assert run(body.format("ValidateNone"), broken).environment.get(Path("b")) == BROKEN
    with pytest.raises(MQError, match="23G") as raised:
        run(body.format("ValidateContentAndValue"), broken)
    assert raised.value.reason == 8145


@pytest.mark.parametrize(
    ("domain", "data", "about"),
    [
        ("XMLNSC", "<a>é</a>".encode("latin1"), {"ccsid": 819}),
        ("XMLNSC", b"<!DOCTYPE a><a>1</a>", {"doctype": True}),
        ("JSON", '{"a":"é"}'.encode("utf-16-be"), {"ccsid": 1200, "encoding": 273}),
        ("SWIFT", MT543.decode().encode("cp037"), {"ccsid": 37}),
    ],
)
def test_asbitstream_validates_a_body_as_it_came(domain: str, data: bytes, about: dict[str, Any]) -> None:
    message = tree.parse(data, domain=domain, **about)
    body = "ASBITSTREAM({}.{} OPTIONS BITOR(FolderBitStream, ValidateContentAndValue));"
    written = run("SET Environment.b = " + body.format("InputRoot", domain), message)
    assert written.environment.get(Path("b")) == data
    changed = run(
        "SET OutputRoot = InputRoot; SET OutputRoot.*[<].*[<] TYPE = FIELDTYPE(OutputRoot.*[<].*[<]);"
        "SET Environment.b = " + body.format("OutputRoot", domain),
        message,
    )
    assert changed.environment.get(Path("b"))


def test_a_model_that_is_not_deployed_is_refused() -> None:
    with pytest.raises(MQError) as raised:
        run("SET Environment.t = ASBITSTREAM(InputRoot.XMLNSC SET 'ORDERS');")
    assert raised.value.reason == 8132


def test_create_in_another_domain_below_the_environment() -> None:
    body = """DECLARE r REFERENCE TO Environment;
        CREATE LASTCHILD OF Environment.Variables AS r DOMAIN('JSON') NAME 'JSON' PARSE(CAST('{"a": [1, 2]}' AS BLOB CCSID 1208));
        SET OutputRoot.XMLNSC.r = r.Data.a.Item[2];"""
    assert run(body).bytes() == b"<r>2</r>"


def test_json_arrays_are_made_by_type() -> None:
    body = """CREATE FIELD OutputRoot.JSON.Data IDENTITY (JSON.Array)Data;
        SET OutputRoot.JSON.Data.Item[1] = 1; SET OutputRoot.JSON.Data.Item[2].a = TRUE;"""
    assert run(body).bytes() == b'[1,{"a":true}]'


def test_attributes_are_made_by_type_and_identity() -> None:
    body = f"""DECLARE r REFERENCE TO OutputRoot; CREATE FIELD {R}.q AS r;
        CREATE LASTCHILD OF r TYPE XMLNSC.Attribute NAME 'id' VALUE 9;
        CREATE LASTCHILD OF r IDENTITY (XMLNSC.Attribute)q VALUE 1;"""
    assert out(body) == '<q id="9" q="1"/>'


def test_a_reference_to_a_deleted_field_is_an_error() -> None:
    with pytest.raises(MQError) as caught:
        run(f"SET {R}.a = 1; DECLARE r REFERENCE TO {R}.a; DELETE FIELD {R}.a; SET r.b = 1;")
    assert caught.value.reason == 8122


def test_indexing_in_a_loop_is_linear() -> None:
    count = 1_000_000  # half a second, or hours if each index were counted from the first field
    message = b"<o>" + b"<i>1</i>" * count + b"</o>"
    loop = f"WHILE k <= {count} DO SET {R}.x[k] = {IN}.i[k]; SET k = k + 1; END WHILE;"
    with ends():
        run(f"DECLARE k INTEGER 1; {loop}", message)


@pytest.mark.parametrize(
    ("index", "problem"),
    [
        ("0", "i\\[...\\] is 0, but it counts from 1"),
        ("-1", "i\\[...\\] is -1, but it counts from 1"),
        ("NULL", "the index of i\\[...\\] is NULL"),
    ],
)
@pytest.mark.parametrize("path", ["i[k]", "i[<k]", "i[k + 0]", "i[CAST(k AS CHARACTER)]"])
def test_a_computed_index_counts_from_one_as_a_written_one(path: str, index: str, problem: str) -> None:
    for statement in (
        f"SET Environment.v = InputRoot.XMLNSC.o.{path};",
        f"SET InputRoot.XMLNSC.o.{path} = 1;",
    ):
        with pytest.raises(MQError, match=problem) as raised:
            run(f"DECLARE k INTEGER {index};\n{statement}")
        assert raised.value.fields["line"] == 7


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (f"SET {R} = ROW('a' AS (XMLNSC.Attribute)k, 'v' AS x);", b'<r k="a"><x>v</x></r>'),
        (f"SET {R} = ROW({IN}.(XMLNSC.Attribute)id AS (XMLNSC.Attribute)a);", b'<r a="7"/>'),
        (f"SET {R} = ROW({IN}.i[] AS z);",
         b'<r><z k="1">nut</z><z k="2">bolt</z><z k="3">screw</z></r>'),
        (f"SET {R} = ROW({IN}.i[2] AS z, ROW(1 AS (XMLNSC.Attribute)q) AS y);",
         b'<r><z k="2">bolt</z><y q="1"/></r>'),
        (f"SET {R}.l[] = LIST{{ROW(1 AS (XMLNSC.Attribute)q, 2 AS e), {IN}.i[3]}};",
         b'<r><l q="1"><e>2</e></l><l k="3">screw</l></r>'),
        (f"DECLARE x ROW {IN}.i[2]; SET {R} = x;", b'<r k="2">bolt</r>'),
        (f"DECLARE x ROW; SET x = {IN}.i[2]; SET x.more = 1; SET {R} = x;", b'<r k="2">bolt<more>1</more></r>'),
        (f"DECLARE x ROW {IN}.i[2]; SET x = ROW(1 AS a); SET {R} = x;", b"<r><a>1</a></r>"),
        (f"DECLARE x ROW; SET x.a.b = 1; SET x = x.a; SET {R} = x;", b"<r><b>1</b></r>"),
        (f"DECLARE x ROW {IN}; SET x = NULL; SET x.a = 1; SET {R} = x;", b"<r><a>1</a></r>"),
        (f"DECLARE x ROW {IN}.i; SET Environment.e = x; SET {R} = Environment.e;", b"<r>nut<k>1</k></r>"),
        ("DECLARE x ROW InputRoot.XMLNSC; SET OutputRoot.XMLNSC = x;", INPUT),
        (f"DECLARE x ROW {IN}; SET x.y = {IN}.i[2]; SET {R} = x.y;", b'<r k="2">bolt</r>'),
        (f"DECLARE x ROW; SET x.y = {IN}.i[2]; SET {R} = x.y;", b"<r>bolt<k>2</k></r>"),
        (f"DECLARE x ROW; CREATE FIELD Environment.j DOMAIN('JSON'); SET Environment.j.a = 1;"
         f"SET x = Environment.j; SET x = ROW('a' AS (XMLNSC.Attribute)k); SET {R} = x;", b'<r k="a"/>'),
    ],
)  # fmt: skip
def test_rows_and_lists_keep_attributes(body: str, written: bytes) -> None:
    assert run(body).bytes() == written


@pytest.mark.parametrize(
    "null",
    ["n", "n + 1", "UPPER(InputRoot.XMLNSC.nosuch)", "FIELDVALUE(InputRoot.XMLNSC.nosuch)",
     "CAST(NULL AS INTEGER)", "CASE WHEN FALSE THEN 1 END", "InputRoot.XMLNSC.nosuch", "NULL"],
)  # fmt: skip
def test_a_row_that_is_set_to_null_is_empty_and_stays_a_variable(null: str) -> None:
    body = f"DECLARE n INTEGER; DECLARE x ROW ROW(1 AS a); SET x = {null}; SET x.b = 2; SET {R} = x;"
    assert run(body).bytes() == b"<r><b>2</b></r>"


def test_a_row_is_set_to_a_value_that_is_computed() -> None:
    body = f"DECLARE x ROW ROW(1 AS a); SET x = 5 + CARDINALITY({IN}.i[]); SET {R}.x = x;"
    assert run(body).bytes() == b"<r><x>8</x></r>"


@pytest.mark.parametrize(
    ("routine", "call", "written"),
    [
        ("PROCEDURE p(INOUT r ROW) BEGIN DECLARE n INTEGER; SET r = n; END;", "CALL p(x)", b"<r><b>2</b></r>"),
        ("PROCEDURE p(OUT r ROW) BEGIN SET r = InputRoot.XMLNSC.o.i[2]; END;", "CALL p(x)",
         b'<r k="2">bolt<b>2</b></r>'),
        ("FUNCTION p() RETURNS INTEGER BEGIN RETURN NULL; END;", "CALL p() INTO x", b"<r><b>2</b></r>"),
    ],
)  # fmt: skip
def test_routines_fill_rows_as_set_does(routine: str, call: str, written: bytes) -> None:
    body = f"DECLARE x ROW ROW(1 AS a); {call}; SET x.b = 2; SET {R} = x;"
    assert run(body, before=f"CREATE {routine}").bytes() == written


def test_a_body_that_cannot_be_read_fails_where_a_row_is_set_to_it() -> None:
    body = f"""DECLARE x ROW; SET x.keep = 1;
        BEGIN
          DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET {R}.handled = TRUE; END;
          SET x = InputRoot.XMLNSC;
          SET {R}.after = 1;
        END;
        SET {R}.x = x;"""
    message = tree.parse(b"<a><b>", domain="XMLNSC")
    assert run(body, message).bytes() == b"<r><handled>true</handled><x><keep>1</keep></x></r>"


def test_a_bad_message_leaves_a_shared_row_as_it_was() -> None:
    cached = module(f"IF EXISTS(InputRoot.XMLNSC[]) THEN SET c = InputRoot.XMLNSC; END IF; SET {R} = c.a;",
                    outside="DECLARE c SHARED ROW;")  # fmt: skip
    deployment = Deployment()
    assert run_module(cached, b"<a><b>1</b></a>", deployment=deployment).bytes() == b"<r><b>1</b></r>"
    with pytest.raises(MQError) as raised:
        run_module(cached, tree.parse(b"<a><b>", domain="XMLNSC"), deployment=deployment)
    assert raised.value.reason == 8101
    other = tree.parse(b"{}", domain="JSON")
    assert run_module(cached, other, deployment=deployment).bytes() == b"<r><b>1</b></r>"


def test_a_row_keeps_arrays_of_json() -> None:
    body = "DECLARE x ROW InputRoot.JSON.Data; SET x.b = 1; SET OutputRoot.JSON.Data = x;"
    message = tree.parse(b'{"a":[1,[2],{"c":[]}]}', domain="JSON")
    assert run(body, message).bytes() == b'{"a":[1,[2],{"c":[]}],"b":1}'
