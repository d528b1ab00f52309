"""Bodies as columns without Spark: nothing is left out or changed silently, in either direction."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.format.body_columns import body_columns, form_of
from tests.unit.tree.test_dfdl import CSV, ROWS

XML = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="Order"><xs:complexType>'
    '<xs:sequence><xs:element name="Total" type="xs:decimal"/></xs:sequence>'
    '<xs:attribute name="id" type="xs:int"/></xs:complexType></xs:element></xs:schema>'
)
JSON = json.dumps(
    {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "any": {},
        },
    }
)
MODELS = {"XMLNSC": ("o.xsd", XML), "JSON": ("o.json", JSON), "DFDL": ("o.dfdl.xsd", CSV)}


def options(folder: Path, domain: str, **more: str) -> dict[str, str]:
    name, text = MODELS[domain]
    (folder / name).write_text(text)
    return {"domain": domain, "model": str(folder / name), **more}


def read(given: dict[str, str], body: bytes) -> dict[str, object]:
    form = form_of(given)
    assert form is not None
    return form.read(body, 1208, 546)


@pytest.mark.parametrize(
    ("domain", "body", "reason"),
    [
        ("XMLNSC", b"<Order><Total>1</Total><Other>3</Other></Order>", "no Other"),
        ("XMLNSC", b'<Order x="2"><Total>1</Total></Order>', "no x"),
        ("XMLNSC", b"<Order><Total>1</Total><Total>2</Total></Order>", "Total comes 2 times"),
        ("XMLNSC", b"<Order><Total>many</Total></Order>", "Total .* no DECIMAL"),
        ("JSON", b'{"id": 7, "extra": 1}', "no extra"),
        ("JSON", b'{"id": 7, "id": 8}', "id comes 2 times"),
        ("JSON", b'{"id": 1.5}', "id is '1.5', no integer"),
        ("JSON", b'{"id": true}', "no integer"),
        ("JSON", b'{"id": {"n": 1}}', "id has fields"),
        ("JSON", b'{"tags": [["a"]]}', "tags has fields"),
        ("JSON", b'{"any": {"n": 1}}', "any has fields"),
        ("JSON", b"[1]", "array"),
    ],
)
def test_what_no_column_can_have_is_refused(tmp_path: Path, domain: str, body: bytes, reason: str) -> None:
    with pytest.raises((ValueError, MQError), match=reason):
        read(options(tmp_path, domain), body)


def test_a_value_with_attributes_is_columns_and_goes_back(tmp_path: Path) -> None:
    """As amounts in ISO 20022 are: the value is `_value`, beside a column for each attribute."""
    amount = (
        '<xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="Ccy" type="xs:string"/>'
        "</xs:extension></xs:simpleContent>"
    )
    text = XML.replace(
        '"Total" type="xs:decimal"/>', f'"Amount"><xs:complexType>{amount}</xs:complexType></xs:element>'
    )
    (tmp_path / "o.xsd").write_text(text)
    given = {"domain": "XMLNSC", "model": str(tmp_path / "o.xsd")}

    row = read(given, b'<Order><Amount Ccy="EUR">12.5</Amount></Order>')
    assert row == {"Amount": {"_value": Decimal("12.5"), "Ccy": "EUR"}, "id": None}
    form, of_spark = form_of(given), {"_value": Decimal("12.500000000000000000"), "Ccy": "EUR"}
    assert form is not None
    assert form.write({"Amount": of_spark}) == b'<Order><Amount Ccy="EUR">12.5</Amount></Order>'


def test_extra_fields_are_left_out_if_that_is_wanted(tmp_path: Path) -> None:
    skipping = options(tmp_path, "JSON", extraFields="skip")
    assert read(skipping, b'{"id": 7, "extra": {"n": 1}}') == {"id": 7, "tags": [], "any": None}
    with pytest.raises(ValueError, match="comes 2 times"):
        read(skipping, b'{"id": 7, "id": 8}')
    with pytest.raises(MQError, match="extraFields is refuse or skip"):
        form_of(options(tmp_path, "JSON", extraFields="maybe"))


def test_a_dfdl_schema_gives_columns_and_takes_them_back(tmp_path: Path) -> None:
    given = options(tmp_path, "DFDL")
    form = form_of(given)
    assert form is not None

    assert "`Age`: bigint, `Due`: decimal(38,18)>>>>" in body_columns(given)
    row = read(given, ROWS)
    rows = row["File"]["Row"]  # type: ignore[index]
    assert [each["Name"] for each in rows] == ["Ann", "B, C"]
    assert form.write(row) == ROWS.replace(b"1.50", b"1.5")  # a decimal column has no trailing zeros
