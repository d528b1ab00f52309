"""Maps of the graphical editor run as they are: transforms, expressions, databases, stand-ins for Java."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.assembly import Assembly, Invocation
from penstock.flow.checking import check_flow
from penstock.flow.mapping.graphical.xpath import expression
from penstock.flow.new_messages import arrived
from penstock.flow.node import Node
from penstock.flow.ports import CollectingPorts
from penstock.model.errors import MQError
from penstock.tree import Path as TreePath
from tests.conformance.flow import shop

HEAD = (
    ""
    '<mappingRoot xmlns="http://www.ibm.com/2008/ccl/Mapping">%s<mappingDec'
    'laration name="M">%s</mappingDeclaration></mappingRoot>'
)
XML_IN = '<input path="$v/mb:msg(Order,assembly,XMLNSC,Properties,LocalEnvironment)" var="In"/>'
XML_OUT = '<output path="$w/mb:msg(New,assembly,XMLNSC,Properties)" var="Out"/>'
JSON_OUT = (
    '<output path="$w/mb:msg(JSON,assembly,JSON,Properties,LocalEnvironment)" var="Out">'
    '<cast path="$Out/JSON/Data/type(\'anyType\')" qualifier="{http://www.ibm.com/iib/msl/json}%s"/></output>'
)
ORDER = (
    b"<Order kind='a'><Id>5</Id><Name>pump</Name><Line><Sku>a</Sku><Qty>2</Qty>"
    b"</Line><Line><Sku>b</Sku><Qty>3</Qty></Line></Order>"
)


class Kept(Node):
    """Keeps what arrives."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[Assembly] = []

    def process(self, assembly: Any, at: Any) -> None:
        self._seen.append(assembly)


def mapped(
    folder: Path, map: str, body: bytes = ORDER, domain: str = "XMLNSC", **flow_properties: str
) -> Assembly:
    """Run a map of a project on a message, and return what it sends on."""
    (folder / "m.map").write_text(map)
    flow = Flow("mapped")
    flow.properties.update(flow_properties)
    start, node, kept = flow.add(nodes.MQInput("IN")), flow.add(nodes.Mapping("m.map")), flow.add(Kept())
    start.out >> node.in_
    node.out >> kept.in_
    ports = CollectingPorts()
    instance = CompiledFlow(flow, Project(folder)).start(ports)
    instance.places["MQInput"].send("out", Assembly(arrived(body, domain), Invocation(ports), None))
    return kept._seen[0]


def body_of(assembly: Assembly) -> bytes:
    body = assembly.message.body
    return b"" if body is None else assembly.message.folder_bytes(body)


def in_xml(inside: str) -> str:
    return HEAD % ("", f"{XML_IN}{XML_OUT}{inside}")


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ('<move><input path="$In/Order/Id"/><output path="$Out/New/No"/></move>', "<No>5</No>"),
        ('<move><input path="$In/Order/None"/><output path="$Out/New/No"/></move>', None),
        ('<move><input path="$In/Order/@kind"/><output path="$Out/New/@k"/></move>', '<New k="a"/>'),
        (
            '<move><input path="$In/Order/Line"/><output path="$Out/New/L"/></move>',
            "<L><Sku>b</Sku><Qty>3</Qty></L></New>",
        ),
        ('<assign value="x &lt; y"><output path="$Out/New/T"/></assign>', "<T>x &lt; y</T>"),
        (
            '<convert defaultValue="0"><input path="$In/Order/No"/><output path="$Out/New/T"/></convert>',
            "<T>0</T>",
        ),
        (
            (
                '<move><input path="$In/Order/Id" var="i"/><output path="$Out/New/No"/>'
                "<test>$i &gt; 5</test></move>"
            ),
            None,
        ),
        (
            (
                '<function ref="fn:upper-case"><input path="$In/Order/Name" var="n"/>'
                '<output path="$Out/New/N"/>'
                '<param name="string" value="$n"/></function>'
            ),
            "<N>PUMP</N>",
        ),
        (
            (
                '<expression><input path="$In/Order/Line" var="l"/><output path="$Out/New/S"/>'
                "<code>fn:sum($l/(Qty * 1.5))</code></expression>"
            ),
            "<S>7.5</S>",
        ),
        (
            (
                '<foreach><input path="$In/Order/Line" var="l"/><output path="$Out/New/I"/>'
                "<filter>$l/Qty = 3</filter>"
                '<move><input path="Sku"/><output path="@s"/></move></foreach>'
            ),
            '<New><I s="b"/></New>',
        ),
        (
            (
                '<local><input path="$In/Order" var="o"/><output path="$Out/New/In/Deep"/>'
                '<move><input path="$o/Id"/><output path="A"/></move>'
                '<move><input path="Name"/><output path="B"/></move></local>'
            ),
            "<In><Deep><A>5</A><B>pump</B></Deep></In>",
        ),
        (
            (
                '<condition><if><input path="$In/Order/Id" var="i"/>'
                '<output path="$Out/New"/><test>$i = 4</test>'
                '<assign value="if"><output path="R"/></assign></if>'
                '<elseif><input path="$In/Order/Id" var="j"/><output path="$Out/New"/><test>$j = 5</test>'
                '<assign value="elseif"><output path="R"/></assign></elseif>'
                '<else><output path="$Out/New"/><assign value="else"><output path="R"/>'
                "</assign></else></condition>"
            ),
            "<R>elseif</R>",
        ),
        (
            (
                '<join><input path="$In/Order/Line" var="a"/><input path="$In/Order/Line" var="b"/>'
                '<output path="$Out/New/J"/><filter>$a/Qty &lt; $b/Qty</filter>'
                '<move><input path="$a/Sku"/><output path="A"/></move><move>'
                '<input path="$b/Sku"/><output path="B"/></move></join>'
            ),
            "<New><J><A>a</A><B>b</B></J></New>",
        ),
        (
            (
                '<move><input path="$In/Properties"/><output path="$Out/Properties"/><override>'
                '<assign value="T"><output path="$Out/Properties/MessageType"/></assign></override></move>'
                '<assign value="1"><output path="$Out/New/X"/></assign>'
            ),
            "<X>1</X>",
        ),
    ],
)
def test_transforms(inside: str, found: str | None, tmp_path: Path) -> None:
    sent = mapped(tmp_path, in_xml(inside))
    if found is None:
        assert b"No" not in body_of(sent)
    else:
        assert found in body_of(sent).decode()


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("fn:concat('a', 1, '-')", "a1-"),
        ("fn:substring('20240131', 5, 2)", "01"),
        ("fn:substring(fn:concat('000', '7'), fn:string-length('7') + 1, 3)", "007"),
        ("substring-before('a.b', '.')", "a"),
        ("fn:replace('a b', ' ', '')", "ab"),
        ("fn:round-half-to-even(2.345, 2)", "2.34"),
        ("5 div 2", "2.5"),
        ("7 mod 3 + -1", "0"),
        ("if (1 = 1) then 'y' else 'n'", "y"),
        ("fn:string-join(for $i in (1 to 3) return string($i * 2), ',')", "2,4,6"),
        ("codepoints-to-string((72, 105))", "Hi"),
        ("xs:decimal('1.50') * 2", "3.00"),
        ("string(number('4') + number('5'))", "9"),
        ("fn:count((1 to 5)[. mod 2 = 1])", "3"),
        ("fn:not(fn:exists(())) and 'a' &lt; 'b'", "true"),
        ("translate('abc', 'ab', 'x')", "xc"),
        ("fn:upper-case(iib:getUserDefinedProperty('colour'))", "RED"),
        ("iib:getMessageFlowName()", "mapped"),
        ("xs:date('2024-01-25') + xs:dayTimeDuration('P10D')", "2024-02-04"),
        ("xs:date('2024-01-31') + xs:yearMonthDuration('P1M')", "2024-02-29"),
        ("xs:dateTime('2024-01-01T00:00:00') - xs:dayTimeDuration('PT1H30M')", "2023-12-31T22:30:00"),
        ("xs:dayTimeDuration('-P1DT2H') + xs:date('2024-01-02')", "2023-12-31"),
        ("xs:date('2024-03-01') - xs:date('2024-02-01')", "P29D"),
        ("xs:time('23:30:00') + xs:dayTimeDuration('PT1H')", "00:30:00"),
    ],
)
def test_expressions(code: str, value: str, tmp_path: Path) -> None:
    inside = f'<expression><output path="$Out/New/V"/><code>{code}</code></expression>'
    assert f"<V>{value}</V>" in body_of(mapped(tmp_path, in_xml(inside), colour="red")).decode()


@pytest.mark.parametrize(
    "code", ["", "1 +", "nothing(1)", "a[", "$", "'a", "for $a in", "if (1) then 2", "1 1", "(" * 200]
)
def test_a_wrong_expression_is_found_when_it_is_read(code: str) -> None:
    from penstock.flow.mapping.graphical.problem import CannotMap

    with pytest.raises(CannotMap):
        expression(code)


@pytest.mark.parametrize(
    "code",
    ["1 div 0", "xs:int('x')", "xs:dayTimeDuration('P1M')", "fn:matches('a', '[')", "1 to 99999999999"],
)
def test_a_wrong_value_fails_the_message(code: str, tmp_path: Path) -> None:
    inside = f'<expression><output path="$Out/New/V"/><code>{code}</code></expression>'
    with pytest.raises(MQError) as raised:
        mapped(tmp_path, in_xml(inside))
    assert raised.value.reason == 8336


def test_json_arrays_and_the_types_of_an_inlined_schema(tmp_path: Path) -> None:
    schema = (
        "<inlinedXMLSchema><![CDATA[<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
        "<xs:element name='Item'><xs:complexType><xs:sequence><xs:element name='n' type='xs:integer'/>"
        "<xs:element name='s' type='xs:string'/></xs:sequence></xs:complexType></xs:element>"
        "</xs:schema>]]></inlinedXMLSchema>"
    )
    inside = (
        '<foreach><input path="$In/Order/Line"/><output path="$Out/JSON/spath(\'Data\',2)/Item"/>'
        '<move><input path="Qty"/><output path="n"/></move><move><input path="Sku"/>'
        '<output path="s"/></move></foreach>'
        '<assign value="201"><output path="$Out/LocalEnvironment/Destination/HTTP/ReplyStatusCode"/></assign>'
    )
    sent = mapped(tmp_path, HEAD % (schema, f"{XML_IN}{JSON_OUT % 'JSONArray'}{inside}"))
    assert json.loads(body_of(sent)) == [{"n": 2, "s": "a"}, {"n": 3, "s": "b"}]
    assert str(sent.local_environment.get(TreePath("Destination", "HTTP", "ReplyStatusCode"))) == "201"


def test_names_get_the_namespaces_of_the_schema(tmp_path: Path) -> None:
    (tmp_path / "new.xsd").write_text(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns='urn:n' targetNamespace='urn:n'"
        " elementFormDefault='qualified'><xs:element name='New'><xs:complexType><xs:sequence>"
        "<xs:element name='A' type='xs:string'/><xs:element name='B' form='unqualified' type='xs:decimal'/>"
        "</xs:sequence></xs:complexType></xs:element></xs:schema>"
    )
    inside = (
        '<move><input path="$In/Order/Name"/><output path="$Out/New/A"/></move>'
        '<move><input path="$In/Order/Id"/><output path="$Out/New/B"/></move>'
    )
    sent = mapped(tmp_path, HEAD % ('<output path="/new.xsd" var="w"/>', f"{XML_IN}{XML_OUT}{inside}"))
    assert sent.message.get(TreePath("XMLNSC", "{urn:n}New", "{urn:n}A")) == "pump"
    assert b"<B>5</B>" in body_of(sent)


def test_a_submap_has_its_own_inputs(tmp_path: Path) -> None:
    (tmp_path / "Line.map").write_text(
        HEAD
        % (
            "",
            (
                '<input path="$v/Line" var="line"/><output path="$w/Out" var="out"/>'
                '<move><input path="$line/Sku"/><output path="$out/Code"/></move>'
            ),
        )
    )
    inside = (
        '<foreach><input path="$In/Order/Line" var="l"/><output path="$Out/New/I"/>'
        '<submap ref="map:Line"><input path="$l/."/><output path="."/></submap></foreach>'
    )
    found = body_of(mapped(tmp_path, in_xml(inside)))
    assert b"<I><Code>a</Code></I><I><Code>b</Code></I>" in found


def test_a_function_in_java_has_a_stand_in(tmp_path: Path) -> None:
    imports = '<namespaces><namespace prefix="u" uri="com.acme.Util"/></namespaces>'
    inside = (
        '<customFunction lang="java" ref="u:shout"><input path="$In/Order/Name" var="n"/>'
        '<output path="$Out/New/N"/><param name="a" value="$n"/></customFunction>'
    )
    map = HEAD % (imports, f"{XML_IN}{XML_OUT}{inside}")
    (tmp_path / "m.map").write_text(map)
    flow = Flow("f")
    start, node = flow.add(nodes.MQInput("IN")), flow.add(nodes.Mapping("m.map"))
    start.out >> node.in_
    (wrong,) = check_flow(flow, Project(tmp_path)).errors
    assert "u:shout is Java" in wrong.text

    (tmp_path / "python" / "com" / "acme").mkdir(parents=True)
    (tmp_path / "python" / "com" / "acme" / "Util.py").write_text("def shout(text):\n    return text + '!'\n")
    assert b"<N>pump!</N>" in body_of(mapped(tmp_path, map))


DATABASE = (
    '<input path="db:database(/S.dbm,SHOP,db:schema-tables(s,customer))" var="db"/>'
    '<output path="db:table(/S.dbm,SHOP,,seen)" var="seen"/>'
)


def test_rows_are_selected_and_changed(qm: Any, run: Any, tmp_path: Path, data_source: str) -> None:
    with shop.connected(data_source) as connection:
        for statement in (
            "DROP TABLE IF EXISTS seen",
            "CREATE TABLE seen (id INTEGER, name VARCHAR(20))",
            "INSERT INTO seen VALUES (5, 'five'), (6, 'six'), (5, 'cinq')",
        ):
            connection.execute(text(statement))
    select = "$db/db:select(fn:false(),ResultSet(seen/id,seen/name),db:where('seen.id = ?','?'=$In/Order/Id))"
    inside = (
        f'<input path="{select}" var="found"/><output path="$seen/db:insert(fn:false(),id,name)" var="put"/>'
        '<select ref="found"><input path="$found/ResultSet"/><output path="$Out/New"/>'
        '<foreach><input path="."/><output path="C"/><move><input path="seen/name"/>'
        '<output path="."/></move></foreach>'
        '<expression><input path="." var="r"/><output path="Count"/>'
        "<code>fn:count($r)</code></expression></select>"
        '<transaction><insert ref="put"><input path="$In/Order"/><output path="$put/."/>'
        '<move><input path="Id"/><output path="id"/></move><assign value="new">'
        '<output path="name"/></assign></insert>'
        '<return><input path="$x/DBInsertReturn"/><output path="$Out/New"/>'
        '<move><input path="NumberOfRowsInserted"/><output path="Put"/></move></return></transaction>'
    )
    (tmp_path / "m.map").write_text(HEAD % (DATABASE, f"{XML_IN}{XML_OUT}{inside}"))
    flow = Flow("mapped")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    node = flow.add(nodes.Mapping("m.map", data_source="SHOP"))
    start.out >> node.in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    qm.put("IN", ORDER)
    run(flow)
    found = qm.get("OUT").body
    assert b"<C>five</C>" in found
    assert b"<C>cinq</C>" in found
    assert b"<Count>2</Count>" in found
    assert b"<Put>1</Put>" in found
    assert shop.rows(data_source, "SELECT COUNT(*) FROM seen WHERE name = 'new'") == [(1,)]


def test_a_failed_insert_is_told_and_a_column_that_is_not_there_is_nothing(
    qm: Any, run: Any, tmp_path: Path, data_source: str
) -> None:
    with shop.connected(data_source) as connection:
        connection.execute(text("DROP TABLE IF EXISTS seen"))
    inside = (
        '<output path="$seen/db:insert(fn:false(),id,name)" var="put"/>'
        '<transaction><insert ref="put"><input path="$In/Order"/><output path="$put/."/>'
        '<move><input path="Id"/><output path="id"/></move></insert>'
        '<failure><input path="$x/DBExceptions"/><output path="$Out/New"/>'
        '<move><input path="DBException/ErrorCode"/><output path="Code"/></move>'
        '<move><input path="DBException/Message"/><output path="Text"/></move>'
        '<move><input path="DBException/Unknown"/><output path="None"/></move></failure></transaction>'
    )
    (tmp_path / "m.map").write_text(HEAD % (DATABASE, f"{XML_IN}{XML_OUT}{inside}"))
    flow = Flow("mapped")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    node = flow.add(nodes.Mapping("m.map", data_source="SHOP"))
    start.out >> node.in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", ORDER)
    run(flow)
    found = qm.get("OUT").body
    assert b"<Code>" in found
    assert b"seen" in found
    assert b"None" not in found


def cache_map(mode: str) -> str:
    """Return a map that stores the order's name under its id, and reads what is stored."""
    put = (
        f'<cachePut mode="{mode}"><input path="$In/Order"/><output path="$c/CachePut"/>'
        '<move><input path="Id"/><output path="Key"/></move>'
        '<move><input path="Name"/><output path="Value"/></move>'
        '<assign value="Shop"><output path="MapName"/></assign></cachePut>'
    )
    get = (
        '<transaction><cacheGet><input path="$In/Order/Id"/><output path="$c/CacheGet"/>'
        '<move><input path="."/><output path="Key"/></move>'
        '<assign value="Shop"><output path="MapName"/></assign></cacheGet>'
        '<cacheReturn><input path="$r/CacheGetReturn" var="Found"/><output path="$Out/New"/>'
        '<if><input path="$Found/Value" var="Value"/><output path="."/>'
        '<test lang="xpath">fn:exists($Value)</test>'
        '<move><input path="$Value/."/><output path="name"/></move></if></cacheReturn></transaction>'
    )
    guarded = (
        f'<transaction>{put}<cacheFailure><input path="$f/CacheFailure"/><output path="$Out/New"/>'
        '<move><input path="Message"/><output path="why"/></move></cacheFailure></transaction>'
    )
    return in_xml((guarded if mode == "insert" else put if mode else "") + get)


def test_the_global_cache_is_shared_by_flows_and_outlives_them(qm: Any, run: Any, tmp_path: Path) -> None:
    def through(mode: str, body: bytes) -> bytes:
        (tmp_path / "m.map").write_text(cache_map(mode))
        flow = Flow(f"mapped {mode}")
        start, end = flow.add(nodes.MQInput("IN", domain="XMLNSC")), flow.add(nodes.MQOutput("OUT"))
        node = flow.add(nodes.Mapping("m.map"))
        start.out >> node.in_
        node.out >> end.in_
        qm.put("IN", body)
        run(flow, project=Project(tmp_path))
        return bytes(qm.get("OUT").body)

    order = b"<Order><Id>%d</Id><Name>%s</Name></Order>"
    assert through("", order % (5, b"none")) == b""
    assert through("insert", order % (5, b"pump")) == b"<New><name>pump</name></New>"
    again = through("insert", order % (5, b"other"))
    assert again.startswith(b"<New><why>key '5' of map /Shop in the global cache has a value already</why>")
    assert again.endswith(b"<name>pump</name></New>")
    assert through("upsert", order % (5, b"valve")) == b"<New><name>valve</name></New>"
    assert through("update", order % (5, b"bolt")) == b"<New><name>bolt</name></New>"
    assert through("", order % (6, b"")) == b""
    (told,) = qm.mqsc("DISPLAY QLOCAL(SYSTEM.BROKER.CACHE) CURDEPTH")
    assert told.attributes["CURDEPTH"] == 1


def test_an_output_inside_the_map_may_have_a_variable(tmp_path: Path) -> None:
    """A transform has several targets, each with a name that the paths inside begin with."""
    inside = (
        '<foreach><input path="$In/Order/Line" var="Line"/><output path="$Out/New/Part" var="Part"/>'
        '<output path="$Out/New/Sum" var="Sum"/>'
        '<if><input path="$Line/." var="L"/><output path="$Part/." var="P"/><output path="$Sum/." var="S"/>'
        '<test lang="xpath">$L/Qty &gt; 2</test>'
        '<move><input path="$L/Sku"/><output path="$P/Name"/></move>'
        '<move><input path="$L/Qty"/><output path="$S/Last"/></move></if>'
        '<else><output path="$Sum/."/><assign value="few"><output path="First"/></assign></else>'
        "</foreach>"
    )
    found = body_of(
        mapped(
            tmp_path,
            in_xml(inside.replace("<if>", "<condition><if>").replace("</else>", "</else></condition>")),
        )
    )
    parts = b"<Part/><Sum><First>few</First><Last>3</Last></Sum><Part><Name>b</Name></Part>"
    assert found == b"<New>" + parts + b"</New>"


TWICE = "CREATE FUNCTION Twice(IN a CHARACTER) RETURNS CHARACTER BEGIN RETURN a || UPPER(a); END;"
USED = '<namespaces><namespace kind="extension" prefix="own" uri="/%s"/></namespaces>'
CALL = (
    '<customFunction lang="esql" ref="own:%s"><input path="$In/Order/Name" var="Name"/>'
    '<output path="$Out/New/Name"/><param name="a" value="$Name"/></customFunction>'
)


def test_a_map_calls_esql_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "own.esql").write_text(TWICE)
    map = HEAD % (USED % "own.esql", f"{XML_IN}{XML_OUT}{CALL % 'Twice'}")
    assert body_of(mapped(tmp_path, map)) == b"<New><Name>pumpPUMP</Name></New>"


@pytest.mark.parametrize(
    ("file", "function", "why"),
    [
        ("none.esql", "Twice", "there is no none.esql with function own:Twice"),
        ("own.esql", "Thrice", "there is no routine Thrice"),
    ],
)
def test_esql_that_is_not_there_is_told_by_the_check(
    tmp_path: Path, file: str, function: str, why: str
) -> None:
    (tmp_path / "own.esql").write_text(TWICE)
    map = HEAD % (USED % file, f"{XML_IN}{XML_OUT}{CALL % function}")
    with pytest.raises(MQError) as raised:
        mapped(tmp_path, map)
    assert why in str(raised.value)
