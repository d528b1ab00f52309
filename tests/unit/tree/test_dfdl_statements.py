"""Asserts, discriminators and variables of DFDL schemas, in data with delimiters and without."""

from __future__ import annotations

import pytest

from penstock import MQError, tree
from penstock.tree.model import CwfFormat, Model, TdsFormat, import_dfdl
from penstock.tree.model.dfdl import checking

HEAD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"
 xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">"""
APPINFO = '<xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">%s</xs:appinfo></xs:annotation>'
TEXT = (
    '<dfdl:format lengthKind="delimited" representation="text" encoding="UTF-8" occursCountKind="implicit"/>'
)
FIXED = (
    '<dfdl:format lengthKind="explicit" lengthUnits="bytes" representation="text" encoding="IBM037"'
    ' byteOrder="bigEndian" binaryNumberRep="binary" textTrimKind="padChar" occursCountKind="implicit"/>'
)


def said(*statements: str) -> str:
    return APPINFO % "".join(statements)


def text_schema(content: str, definitions: str = "") -> str:
    return (
        HEAD
        + APPINFO % (definitions + TEXT)
        + f'<xs:element name="M"><xs:complexType>{content}</xs:complexType></xs:element></xs:schema>'
    )


def read(model: Model, data: bytes) -> tree.Message:
    return tree.parse(data, domain="DFDL", model=model, timing="complete")


def refused(model: Model, data: bytes) -> MQError:
    with pytest.raises(MQError) as caught:
        read(model, data)
    assert caught.value.reason == 8101
    return caught.value


AGE = text_schema(
    '<xs:sequence dfdl:separator=","><xs:element name="Name" type="xs:string"/>'
    '<xs:element name="Age" type="xs:int">'
    + said('<dfdl:assert message="nobody is that old" test="{ . ge 0 and . lt 150 }"/>')
    + "</xs:element></xs:sequence>"
)


def test_an_assert_is_tested_behind_its_element() -> None:
    model = import_dfdl(AGE)
    assert read(model, b"Ann,30").get(tree.Path("DFDL", "M", "Age")) == 30
    problem = refused(model, b"Ann,200")
    assert "nobody is that old" in str(problem)
    assert problem.fields["offset"] == 4
    assert "line " in str(problem)


def test_an_assert_without_message_shows_its_test() -> None:
    problem = refused(import_dfdl(AGE.replace('message="nobody is that old" ', "")), b"Ann,-1")
    assert "{ . ge 0 and . lt 150 } does not hold" in str(problem)


def test_a_message_may_be_an_expression() -> None:
    model = import_dfdl(AGE.replace("nobody is that old", "{fn:concat(../Name, ' is ', xs:string(.))}"))
    assert "Ann is 200" in str(refused(model, b"Ann,200"))


def test_a_value_that_cannot_be_read_fails_the_test_that_looks_at_it() -> None:
    problem = refused(import_dfdl(AGE), b"Ann,x")
    assert "nobody is that old (" in str(problem)
    assert problem.fields["offset"] == 4


PATTERN = text_schema(
    '<xs:sequence dfdl:separator=","><xs:element name="A" type="xs:string">'
    + said('<dfdl:assert testKind="pattern" testPattern="[A-Z]{2}[0-9]+" message="two letters, digits"/>')
    + '</xs:element><xs:element name="B" type="xs:string"/></xs:sequence>'
)


def test_a_pattern_is_matched_before_its_element() -> None:
    model = import_dfdl(PATTERN)
    assert read(model, b"AB1,x").get(tree.Path("DFDL", "M", "A")) == "AB1"
    assert "two letters, digits" in str(refused(model, b"1AB,x"))


def test_decision_a_pattern_that_matches_nothing_at_all_does_not_hold() -> None:
    model = import_dfdl(PATTERN.replace("[A-Z]{2}[0-9]+", "[A-Z]*"))
    refused(model, b"1AB,x")


RECORDS = text_schema(
    """<xs:sequence><xs:element name="Record" maxOccurs="unbounded" dfdl:terminator="%LF;"><xs:complexType>
    <xs:sequence dfdl:separator=","><xs:element name="Kind" type="xs:string"/><xs:choice>"""
    + "".join(
        f'<xs:element name="{name}"><xs:complexType><xs:sequence dfdl:separator=",">'
        + said(f"<dfdl:discriminator>{{ ../Kind eq '{kind}' }}</dfdl:discriminator>")
        + f"{fields}</xs:sequence></xs:complexType></xs:element>"
        for name, kind, fields in (
            (
                "Person",
                "P",
                '<xs:element name="Name" type="xs:string"/><xs:element name="Age" type="xs:int"/>',
            ),
            (
                "Thing",
                "T",
                '<xs:element name="Id" type="xs:string"/><xs:element name="Price" type="xs:decimal"/>',
            ),
        )
    )
    + "</xs:choice></xs:sequence></xs:complexType></xs:element></xs:sequence>"
)
ROWS = b"P,Ann,30\nT,t1,2.50\nP,Bob,7\n"


def test_a_discriminator_chooses_the_branch() -> None:
    message = read(import_dfdl(RECORDS), ROWS)
    assert message.get(tree.Path("DFDL", "M", ("Record", 2), "Thing", "Id")) == "t1"
    assert message.get(tree.Path("DFDL", "M", ("Record", 3), "Person", "Age")) == 7
    message.set(tree.Path("DFDL", "M", ("Record", 2), "Thing", "Id"), "t2")
    assert message.serialise() == ROWS.replace(b"t1", b"t2")


def test_a_kind_that_no_branch_has_is_an_error_with_offset() -> None:
    problem = refused(import_dfdl(RECORDS), b"P,Ann,30\nX,y,z\n")
    assert "discriminator of the schema, line" in str(problem)
    assert problem.fields["line"] == 2


DECIDED = text_schema(
    "<xs:choice>"
    '<xs:sequence dfdl:separator=","><xs:element name="K" type="xs:string">'
    + said("<dfdl:discriminator>{ . eq 'A' }</dfdl:discriminator>")
    + '</xs:element><xs:element name="N" type="xs:int">'
    + said('<dfdl:assert message="too much" test="{ . lt 10 }"/>')
    + '</xs:element></xs:sequence><xs:element name="Rest" type="xs:string"/></xs:choice>'
)


def test_nothing_goes_back_behind_a_discriminator_that_holds() -> None:
    model = import_dfdl(DECIDED)
    assert read(model, b"B,99").get(tree.Path("DFDL", "M", "Rest")) == "B,99"
    assert read(model, b"A,9").get(tree.Path("DFDL", "M", "N")) == 9
    assert "too much" in str(refused(model, b"A,99"))


OPTIONAL = text_schema(
    """<xs:sequence dfdl:separator="%LF;"><xs:element name="Head" type="xs:string"/>
    <xs:element name="Line" type="xs:string" minOccurs="0" maxOccurs="unbounded">"""
    + said("<dfdl:discriminator>{ fn:starts-with(., 'L') }</dfdl:discriminator>")
    + '</xs:element><xs:element name="Tail" type="xs:string"/></xs:sequence>'
)


@pytest.mark.parametrize(("data", "count"), [(b"h\nL1\nL2\nt", 2), (b"h\nt", 0), (b"h\nL1\nt", 1)])
def test_a_discriminator_ends_the_occurrences_of_an_element(data: bytes, count: int) -> None:
    message = read(import_dfdl(OPTIONAL), data)
    root = message.reference(tree.Path("DFDL", "M"))
    assert root is not None
    assert sum(field.name == "Line" for field in root) == count
    assert message.get(tree.Path("DFDL", "M", "Tail")) == "t"
    message.set(tree.Path("DFDL", "M", "Tail"), "T")
    assert message.serialise() == data[:-1] + b"T"


def test_what_is_left_over_says_why_the_last_try_failed() -> None:
    problem = refused(import_dfdl(OPTIONAL), b"h\nL1\nt\nx")
    assert "the last try failed" in str(problem)


BINARY = (
    HEAD
    + APPINFO % FIXED
    + """<xs:element name="M"><xs:complexType><xs:sequence>
  <xs:element name="Status" type="xs:string" dfdl:length="2"/><xs:choice>
  <xs:sequence>"""
    + said("<dfdl:discriminator>{/M/Status eq '00' or /M/Status eq '04'}</dfdl:discriminator>")
    + """<xs:element name="Name" type="xs:string" dfdl:length="10"/></xs:sequence><xs:sequence>
  <xs:element name="Code" type="xs:int" dfdl:representation="binary" dfdl:length="4"/>
  </xs:sequence></xs:choice>
  <xs:element name="Extra" minOccurs="0" maxOccurs="9"><xs:complexType><xs:sequence>
   <xs:element name="Mark" type="xs:string" dfdl:length="1">"""
    + said("<dfdl:discriminator test=\"{ . eq '+' }\"/>")
    + """</xs:element><xs:element name="V" type="xs:short" dfdl:representation="binary" dfdl:length="2"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="End" type="xs:string" dfdl:length="1"/>
  </xs:sequence></xs:complexType></xs:element></xs:schema>"""
)


@pytest.mark.parametrize(
    ("data", "field", "value", "extras"),
    [
        ("00Ann       .".encode("cp037"), "Name", "Ann", []),
        ("55".encode("cp037") + b"\0\0\0\x07" + ".".encode("cp037"), "Code", 7, []),
        (
            "04Bob       +".encode("cp037") + b"\0\5" + "+".encode("cp037") + b"\0\6" + b"\x4b",
            "Name",
            "Bob",
            [5, 6],
        ),
    ],
)
def test_fixed_data_have_discriminators_too(
    data: bytes, field: str, value: object, extras: list[int]
) -> None:
    message = read(import_dfdl(BINARY), data)
    assert message.get(tree.Path("DFDL", "M", field)) == value
    assert [
        message.get(tree.Path("DFDL", "M", ("Extra", n), "V")) for n in range(1, len(extras) + 1)
    ] == extras
    message.set(tree.Path("DFDL", "M", "End"), "!")
    assert message.serialise() == data[:-1] + "!".encode("cp037")


VARIABLES = text_schema(
    '<xs:sequence dfdl:separator=","><xs:element name="Limit" type="xs:int">'
    + said('<dfdl:setVariable ref="limit" value="{ . }"/>')
    + '</xs:element><xs:element name="N" type="xs:int" maxOccurs="unbounded">'
    + said('<dfdl:assert test="{ . le $limit }" message="over the limit"/>')
    + "</xs:element></xs:sequence>",
    '<dfdl:defineVariable name="limit" type="xs:int" defaultValue="5"/>',
)


def test_a_variable_keeps_what_an_element_set() -> None:
    model = import_dfdl(VARIABLES)
    read(model, b"10,9,10")
    problem = refused(model, b"10,11")
    assert "over the limit" in str(problem)
    assert problem.fields["offset"] == 3


def test_a_variable_that_nothing_sets_has_its_default() -> None:
    model = import_dfdl(VARIABLES.replace('<dfdl:setVariable ref="limit" value="{ . }"/>', ""))
    read(model, b"10,5")
    refused(model, b"10,6")


def test_a_variable_is_set_once() -> None:
    text = VARIABLES.replace(
        '<dfdl:assert test="{ . le $limit }" message="over the limit"/>',
        '<dfdl:setVariable ref="limit" value="{ . }"/>',
    )
    assert "has been set already" in str(refused(import_dfdl(text), b"10,5"))


SCOPED = text_schema(
    '<xs:sequence><xs:element name="Row" maxOccurs="unbounded" dfdl:terminator=";"><xs:complexType>'
    '<xs:sequence dfdl:separator=",">'
    + said('<dfdl:newVariableInstance ref="most" defaultValue="{ 1 + 1 }"/>')
    + '<xs:element name="Max" type="xs:int" minOccurs="0">'
    + said('<dfdl:setVariable ref="most">{ . }</dfdl:setVariable>')
    + '</xs:element><xs:element name="N" type="xs:int">'
    + said("<dfdl:assert>{ . le $most }</dfdl:assert>")
    + "</xs:element></xs:sequence></xs:complexType></xs:element></xs:sequence>",
    '<dfdl:defineVariable name="most" type="xs:int"/>',
)


def test_a_new_instance_lasts_until_its_group_ends() -> None:
    model = import_dfdl(SCOPED)
    read(model, b"10,9;20,15;,2;")
    refused(model, b"10,9;20,21;")
    refused(model, b"10,9;,3;")


SEPARATED = text_schema(
    '<xs:sequence><xs:element name="Sep" type="xs:string" dfdl:lengthKind="explicit" dfdl:length="1">'
    + said('<dfdl:setVariable ref="sep" value="{ . }"/>')
    + """</xs:element><xs:element name="Row"><xs:complexType><xs:sequence dfdl:separator="{$sep}">
    <xs:element name="A" type="xs:string"/><xs:element name="B" type="xs:string"/>
    </xs:sequence></xs:complexType></xs:element></xs:sequence>""",
    '<dfdl:defineVariable name="sep" type="xs:string" defaultValue="%#x7C;" external="true"/>',
)


def test_a_separator_may_be_a_variable_and_has_its_default() -> None:
    model = import_dfdl(SEPARATED)
    message = read(model, b"|x|y")
    assert message.get(tree.Path("DFDL", "M", "Row", "B")) == "y"
    problem = refused(model, b"+x+y")
    assert "sep is '+', but the model was made for '%#x7C;'" in str(problem)
    assert problem.fields["offset"] == 0


def test_the_importer_may_say_what_a_variable_is() -> None:
    model = import_dfdl(SEPARATED, variables={"sep": "+"})
    message = read(model, b"+x+y")
    message.set(tree.Path("DFDL", "M", "Row", "B"), "z")
    assert message.serialise() == b"+x+z"
    with pytest.raises(MQError, match="no variable 'gone'"):
        import_dfdl(SEPARATED, variables={"gone": "+"})


def test_decision_a_prefix_that_is_not_declared_means_the_only_variable_of_its_name() -> None:
    model = import_dfdl(SEPARATED.replace("{$sep}", "{$fmt:sep}"))
    assert read(model, b"|x|y").get(tree.Path("DFDL", "M", "Row", "A")) == "x"


def test_an_escape_character_may_be_a_variable() -> None:
    scheme = (
        '<dfdl:defineVariable name="esc" defaultValue="?"/><dfdl:defineEscapeScheme name="E">'
        '<dfdl:escapeScheme escapeKind="escapeCharacter" escapeCharacter="{$esc}"/></dfdl:defineEscapeScheme>'
    )
    text = AGE.replace(TEXT, scheme + TEXT.replace("/>", ' escapeSchemeRef="E"/>'))
    assert read(import_dfdl(text), b"A?,B,3").get(tree.Path("DFDL", "M", "Name")) == "A,B"


DISPATCH = text_schema(
    '<xs:sequence dfdl:separator=","><xs:element name="K" type="xs:string"/>'
    '<xs:choice dfdl:choiceDispatchKey="{ fn:upper-case(./K) }">'
    '<xs:element name="A" type="xs:int" dfdl:choiceBranchKey="A AA"/>'
    '<xs:sequence dfdl:choiceBranchKey="B"><xs:element name="B" type="xs:string"/></xs:sequence>'
    "</xs:choice></xs:sequence>"
)


def test_a_dispatch_key_chooses_a_branch_of_text() -> None:
    model = import_dfdl(DISPATCH)
    assert read(model, b"aa,5").get(tree.Path("DFDL", "M", "A")) == 5
    assert read(model, b"B,5").get(tree.Path("DFDL", "M", "B")) == "5"
    assert "dispatch key" in str(refused(model, b"C,5"))


EMPTY = text_schema(
    '<xs:sequence dfdl:separator=","><xs:element name="A" type="xs:int"/><xs:sequence>'
    + said('<dfdl:assert test="{ ./A gt 5 }"/>')
    + '</xs:sequence><xs:element name="B" type="xs:int"/></xs:sequence>'
)


def test_an_empty_sequence_carries_a_test_and_takes_no_separator() -> None:
    model = import_dfdl(EMPTY)
    message = read(model, b"6,7")
    message.set(tree.Path("DFDL", "M", "B"), 8)
    assert message.serialise() == b"6,8"
    refused(model, b"5,7")


def test_an_assert_of_the_whole_message() -> None:
    text = AGE.replace(
        '<xs:element name="M"><xs:complexType>',
        '<xs:element name="M">' + said("<dfdl:assert test=\"{ ./Name ne '' }\"/>") + "<xs:complexType>",
    )
    read(import_dfdl(text), b"Ann,3")
    refused(import_dfdl(text), b",3")


def test_a_recoverable_error_is_noted_and_not_tested() -> None:
    model = import_dfdl(AGE.replace("<dfdl:assert ", '<dfdl:assert failureType="recoverableError" '))
    assert any("recoverableError is not tested" in note for note in model.notes)
    read(model, b"Ann,200")


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("xs:int(./A) + 1 eq 4", True),
        ("xs:int(./A) * 2 - 1 eq 5", True),
        ("7 idiv 2 eq 3 and 7 mod 2 eq 1 and -7 idiv 2 eq -3 and 7 div 2 eq 3.5", True),
        ("1e0 lt 2 and 1.5 gt 1", True),
        ("if (./A eq '3') then fn:true() else fn:false()", True),
        ("fn:not(fn:exists(./C))", True),
        ("fn:count(./B) eq 2 and ./B[2] eq 'y' and fn:empty(./B[3])", True),
        ("fn:substring(./A, 1, 1) eq '3' and substring('abcde', 2, 3) eq 'bcd'", True),
        ("fn:substring-before('a=b', '=') eq 'a' and fn:substring-after('a=b', '=') eq 'b'", True),
        ("fn:ends-with('abc', 'bc') and fn:contains('abc', 'b') and fn:string-length('abc') = 3", True),
        ("fn:lower-case('ABC') = 'abc' and fn:abs(-2) = 2 and fn:round(2.5) = 3 and floor(2.7) = 2", True),
        ("xs:date('2026-01-01') lt xs:date('2026-01-02')", True),
        ("xs:boolean('1') and 'it''s' eq \"it's\"", True),
        ("/M/A eq '3' and ./t:A eq '3'", True),
        ("./A eq 3", False),  # a text is not a number
        ("./C eq 'x'", False),
        ("./B eq 'x'", False),  # two fields
        ("1 div 0 eq 1", False),
        ("../X eq 'x'", False),
        ("xs:byte(200) eq 200", False),
        ("'text'", False),
    ],
)
def test_expressions(test: str, holds: bool) -> None:
    text = text_schema(
        '<xs:sequence dfdl:separator=",">'
        + said(f"<dfdl:assert><![CDATA[{{ {test} }}]]></dfdl:assert>")
        + '<xs:element name="A" type="xs:string"/>'
        '<xs:element name="B" type="xs:string" maxOccurs="2"/></xs:sequence>'
    )
    model = import_dfdl(text)
    if holds:
        read(model, b"3,x,y")
    else:
        refused(model, b"3,x,y")


@pytest.mark.parametrize("number", ["NaN", "sNaN", "Infinity", "-Infinity", "1e9999999", "1e-9999999"])
@pytest.mark.parametrize(
    "test",
    [
        *("xs:int(.) lt 10", "xs:integer(.) ne 0", "xs:decimal(.) lt 10", "xs:double(.) lt 10"),
        *("fn:floor(.) eq 1", "fn:ceiling(.) eq 1", "fn:round(.) eq 1", "fn:abs(.) eq 1"),
        *("fn:substring('abc', .) eq 'abc'", "fn:substring('abc', 1, .) eq 'abc'"),
        "xs:string(xs:decimal(.)) eq '1'",
    ],
)
def test_a_number_without_end_fails_the_test_that_looks_at_it(test: str, number: str) -> None:
    refused(_of_text(test, "xs:string"), number.encode())


def _of_text(test: str, kind: str) -> Model:
    asserted = said(f"<dfdl:assert><![CDATA[{{ {test} }}]]></dfdl:assert>")
    return import_dfdl(
        text_schema(f'<xs:sequence><xs:element name="A" type="{kind}">{asserted}</xs:element></xs:sequence>')
    )


@pytest.mark.parametrize(
    ("kind", "test", "data"),
    [
        ("xs:double", ". eq 10.0 or xs:decimal(.) gt 1", b"NaN"),
        ("xs:double", "fn:round(.) eq 1", b"INF"),
        ("xs:string", "xs:dateTime(.) lt xs:dateTime('2026-01-02T00:00:00')", b"2026-01-01T00:00:00+01:00"),
        ("xs:string", "xs:time(.) lt xs:time('12:00:00')", b"11:00:00+01:00"),
        ("xs:string", "fn:local-name(5) eq .", b"A"),
    ],
)
def test_values_that_cannot_be_compared_fail_the_test(kind: str, test: str, data: bytes) -> None:
    refused(_of_text(test, kind), data)


MARKED = text_schema(
    '<xs:sequence dfdl:separator=";"><xs:element name="V" type="xs:string"/><xs:choice maxOccurs="unbounded">'
    '<xs:element name="R" type="xs:string">'
    + said("<dfdl:discriminator test=\"{ /M/V eq '1' and fn:count(/M/S) le 1 and . ne 's' }\"/>")
    + '</xs:element><xs:element name="S" type="xs:string">'
    + said('<dfdl:assert test="{ fn:count(/M/S) le 2 }"/>')
    + "</xs:element></xs:choice></xs:sequence>"
)


def test_what_was_seen_of_a_message_follows_trials_that_are_taken_back() -> None:
    model = import_dfdl(MARKED)
    message = read(model, b"1;a;s;b;s")
    assert [each.name for each in message.reference(tree.Path("DFDL", "M"))] == ["V", "R", "S", "R", "S"]
    refused(model, b"1;a;s;b;s;s")
    refused(model, b"1;a;s;b;s;b;s")


def test_a_test_in_each_record_costs_what_one_record_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[checking.Checking] = []
    spend = checking.Checking.spend

    def counted(self: checking.Checking, steps: int) -> None:
        made.append(self)
        spend(self, steps)

    monkeypatch.setattr(checking.Checking, "spend", counted)
    model = import_dfdl(MARKED)
    read(model, b"1" + b";a" * 100)
    few = made[-1].steps
    read(model, b"1" + b";a" * 1000)
    assert made[-1].steps < 12 * few


@pytest.mark.parametrize(
    "test", ["fn:count(/M/N) ge 0", "dfdl:occursIndex() ge 0", "/M/N[fn:count(/M/N)] ge 0"]
)
def test_tests_that_look_at_too_much_end_the_message(monkeypatch: pytest.MonkeyPatch, test: str) -> None:
    model = import_dfdl(VARIABLES.replace(". le $limit", test))
    read(model, b"5" + b",1" * 200)
    monkeypatch.setattr(checking, "STEPS_MAX", 10_000)
    with pytest.raises(MQError, match="look at more than 10000 fields") as raised:
        read(model, b"5" + b",1" * 200)
    assert raised.value.reason == 8113


def test_a_pattern_sees_a_window_and_pays_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = said('<dfdl:assert testKind="pattern" testPattern="x*y"/>')
    model = import_dfdl(
        text_schema(
            f'<xs:sequence><xs:element name="A" type="xs:string">{pattern}</xs:element></xs:sequence>'
        )
    )
    read(model, b"x" * (checking.WINDOW_BYTES - 1) + b"y")
    refused(model, b"x" * checking.WINDOW_BYTES + b"y")
    monkeypatch.setattr(checking, "STEPS_MAX", 100)
    with pytest.raises(MQError, match="more than 100 fields"):
        read(model, b"x" * (checking.WINDOW_BYTES - 1) + b"y")


def test_a_model_put_together_by_hand_does_no_tests() -> None:
    fixed = Model("m", import_dfdl(BINARY).messages, {"DFDL": CwfFormat(ccsid=37)})
    with pytest.raises(MQError):  # nothing says that there are no extras, nor which branch it is
        tree.parse("00Ann       .".encode("cp037"), domain="MRM", model=fixed, timing="complete")
    text = Model("m", import_dfdl(AGE).messages, {"DFDL": TdsFormat()})
    message = tree.parse(b"Ann,200", domain="MRM", model=text, timing="complete")
    assert message.get(tree.Path("MRM", "M", "Age")) == 200


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ('<dfdl:assert test="{ 1 +  }"/>', "ends too early"),
        ('<dfdl:assert test="{ (1 }"/>', "')' is missing"),
        ('<dfdl:assert test="{ $gone eq 1 }"/>', "$gone is not defined"),
        ('<dfdl:assert test="{ fn:doc(1) }"/>', "function fn:doc is not supported"),
        ('<dfdl:assert test="{ fn:not() }"/>', "1 to 1 arguments"),
        ('<dfdl:assert test="1 eq 1"/>', "between { and }"),
        ('<dfdl:assert test="{ # }"/>', "cannot be read"),
        ("<dfdl:assert/>", "without a test"),
        (f'<dfdl:assert test="{{ {"(" * 100}1{")" * 100} }}"/>', "nested too deeply"),
        ('<dfdl:assert testKind="pattern" testPattern="("/>', "cannot be read"),
        ('<dfdl:setVariable ref="gone" value="1"/>', "'gone' is not defined"),
        ('<dfdl:newVariableInstance ref="gone"/>', "only allowed at sequences"),
        ('<dfdl:setVariable ref="dfdl:encoding" value="x"/>', "what the format of the data says"),
    ],
)
def test_statements_that_mean_nothing_are_refused_with_line_and_reason(statement: str, reason: str) -> None:
    text = AGE.replace(
        '<dfdl:assert message="nobody is that old" test="{ . ge 0 and . lt 150 }"/>', statement
    )
    with pytest.raises(MQError) as caught:
        import_dfdl(text)
    assert caught.value.reason == 8150
    assert reason in str(caught.value)
    assert ", line " in str(caught.value)


def test_what_a_fixed_layout_leaves_over_is_counted_in_a_field_of_the_error() -> None:
    problem = refused(import_dfdl(BINARY), "00Ann       .+++".encode("cp037"))
    assert (problem.fields["offset"], problem.fields["left_over"]) == (13, 3)
