"""A JSON number that a flow passes on keeps its digits, unless ESQL computes with it as FLOAT."""

from __future__ import annotations

import pytest

from penstock.flow import Flow, Map
from penstock.flow.nodes import Compute, Mapping, MQInput, MQOutput
from penstock.testing import Rig
from penstock.tree import Message, Path, bitstream, parse
from penstock.tree.model.logical import Field, Model, Type
from penstock.tree.model.xml import XmlFormat

ORDER = b'{"sum":123.45,"rate":0.10,"load":1e3,"long":12345678901234567890.123456789,"items":[1.50,20.0]}'
FORMS = ("123.45", "0.10", "1e3", "12345678901234567890.123456789")


def mapped(domain, **fields):
    flow, map = Flow("numbers"), Map(domain)
    for name, value in fields.items():
        map.set(f"{'Data' if domain == 'JSON' else 'Order'}.{name}", value)
    return run(flow, Mapping(map))


def run(flow, node):
    start, middle, end = (flow.add(each) for each in (MQInput("IN", domain="JSON"), node, MQOutput("OUT")))
    start.out >> middle.in_
    middle.out >> end.in_
    with Rig(flow) as rig:
        rig.put(ORDER)
        rig.run()
        return rig.bodies("OUT")[0].decode()


NAMES = ("sum", "rate", "load", "long")


def test_json_to_json():
    fields = {name: f"source.Data.{name}" for name in NAMES}

    assert mapped("JSON", **fields) == ORDER.decode().partition(',"items"')[0] + "}"


def test_json_to_xml():
    body = mapped("XMLNSC", **{name: f"source.Data.{name}" for name in NAMES})

    assert (
        body == "<Order>" + "".join(f"<{n}>{v}</{n}>" for n, v in zip(NAMES, FORMS, strict=True)) + "</Order>"
    )


def test_a_json_number_as_an_xml_attribute():
    assert mapped("XMLNSC", **{"@sum": "source.Data.sum"}) == '<Order sum="123.45"/>'


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("COALESCE(source.Data.none, source.Data.sum)", "123.45"),
        ("CASE WHEN TRUE THEN source.Data.rate ELSE 1 END", "0.10"),
        ("CAST(source.Data.sum AS CHARACTER)", '"123.45"'),
        ("CAST(source.Data.items.Item[2] AS CHARACTER)", '"20.0"'),
        ("CAST(source.Data.long AS DECIMAL)", "12345678901234567890.123456789"),
        ("CAST(source.Data.sum AS DECIMAL(10, 1))", "123.5"),
        ("CAST(source.Data.sum AS FLOAT)", "1.2345E+2"),
        ("source.Data.sum + 1", "1.2445E+2"),
    ],
)
def test_expressions(value, written):
    assert mapped("JSON", f=value) == f'{{"f":{written}}}'


def test_a_python_function_of_a_map_gets_the_digits():
    map, seen = Map("XMLNSC"), []
    map.call("Sum", lambda text: seen.append(text) or text, "source.Data.sum")

    body = run(Flow("numbers"), Mapping(map))

    assert (body, seen) == ("<Sum>123.45</Sum>", ["123.45"])


def test_compute_with_references(tmp_path):
    text = """
    CREATE COMPUTE MODULE Pass
      CREATE FUNCTION Main() RETURNS BOOLEAN
      BEGIN
        DECLARE one REFERENCE TO InputRoot.JSON.Data.sum;
        DECLARE words CHARACTER InputRoot.JSON.Data.rate;
        DECLARE exact DECIMAL InputRoot.JSON.Data.long;
        SET OutputRoot.XMLNSC.O.a = one;
        SET OutputRoot.XMLNSC.O.b = words;
        SET OutputRoot.XMLNSC.O.c = exact;
        SET OutputRoot.XMLNSC.O.d = CAST(one AS CHARACTER);
        FOR each AS InputRoot.JSON.Data.items.Item[] DO
          CREATE LASTCHILD OF OutputRoot.XMLNSC.O NAME 'i' VALUE each;
        END FOR;
        RETURN TRUE;
      END;
    END MODULE;
    """
    (tmp_path / "pass.esql").write_text(text)
    flow = Flow("numbers")

    body = run(flow, Compute(str(tmp_path / "pass.esql"), module="Pass"))

    assert body == (
        "<O><a>123.45</a><b>0.10</b><c>12345678901234567890.123456789</c><d>123.45</d><i>1.50</i><i>20.0</i></O>"
    )


def test_a_modelled_format_gets_all_digits():
    kind = Type(Field("Sum", "decimal"), Field("Rate", "string"), Field("Total", "float"))
    model = Model("order", {"Order": kind}, {"XML": XmlFormat()})
    source, target = parse(ORDER, "JSON"), Message()
    target.body_as("MRM", model, message="Order", format="XML")

    for name, origin in (("Sum", "long"), ("Rate", "rate"), ("Total", "sum")):
        target.assign(Path("MRM", name), source, Path("JSON", "Data", origin))

    written = bitstream(target.body).decode()
    for name, value in (("Sum", "12345678901234567890.123456789"), ("Rate", "0.10")):
        assert f"<{name}>{value}</{name}>" in written
    assert float(written.partition("<Total>")[2].partition("<")[0]) == 123.45
