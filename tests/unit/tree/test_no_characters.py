"""What is no character, or none of a character set, is a clear error of imports and models, with a code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree.model.copybook.importer import import_copybook
from penstock.tree.model.dfdl.importer import import_dfdl
from penstock.tree.model.logical import Field, Model, Type
from penstock.tree.model.xsd import import_xsd
from penstock.tree.model.yaml_model import read_model

HALF = "\ud800"  # of a surrogate pair
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="a{}" type="xs:string" default="{}"/></xs:schema>"""
MODEL = """
model: S
formats:
  TEXT: {{kind: TDS}}
  HOST: {{kind: CWF, ccsid: 37}}
messages:
  Order:
    TEXT: {{separation: tagged delimited, delimiter: "{delimiter}", tag_data_separator: "="}}
    fields:
      - {{name: "Count{name}", TEXT: {{tag: "N{tag}"}}, HOST: {{length: 2, pad: "{pad}"}}}}
"""


def copybook(name: str, value: str) -> str:
    return f"       01 A.\n          05 B{name} PIC X(3) VALUE '{value}'.\n"


@pytest.mark.parametrize(
    "make",
    [
        lambda: import_xsd(SCHEMA.format(HALF, "")),
        lambda: import_xsd(SCHEMA.format("", HALF)),
        lambda: import_dfdl(SCHEMA.format(HALF, "")),
        lambda: import_dfdl(SCHEMA.format("", HALF)),
        lambda: import_copybook(copybook(HALF, "")),
    ],
)
def test_half_of_a_surrogate_pair_in_what_is_imported_is_8150(make: Callable[[], Any]) -> None:
    with pytest.raises(MQError, match="half of a surrogate pair") as raised:
        make()
    assert raised.value.reason == 8150


def test_the_line_of_a_schema_is_said() -> None:
    with pytest.raises(MQError, match="on line 2"):
        import_xsd(SCHEMA.format("", HALF))


def used(format: str, **words: str) -> tree.Message:
    """Read a model and use it."""
    usual = {"delimiter": "<LF>", "name": "", "tag": "", "pad": " "}
    model = read_model(MODEL.format(**usual | words))
    message = tree.parse(b"N=1" if format == "TEXT" else b"\xf1\xf2", "MRM", model=model, format=format)
    message.set(tree.Path("MRM", "Count"), "5")
    message.serialise()
    return message


def test_a_model_of_characters_is_used() -> None:
    assert used("TEXT", tag="", delimiter="<U+20AC>").get(tree.Path("MRM", "Count")) == "5"
    used("HOST")


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ("TEXT", {"name": "\\ud800"}),
        ("TEXT", {"tag": "\\ud800"}),
        ("TEXT", {"delimiter": "\\udfff"}),
        ("TEXT", {"delimiter": "<U+D800>"}),
        ("TEXT", {"delimiter": "<U+110000>"}),
        ("HOST", {"pad": "\\ud800"}),
        ("HOST", {"pad": "\\u20ac"}),  # CCSID 37 has no euro
    ],
)
def test_what_no_format_can_write_is_8150(format: str, words: dict[str, str]) -> None:
    with pytest.raises(MQError) as raised:
        used(format, **words)
    assert raised.value.reason == 8150


def test_so_is_the_name_of_a_message() -> None:
    with pytest.raises(MQError, match="half of a surrogate pair"):
        Model("S", {f"Order{HALF}": Type(Field("Count"))}, {})


@pytest.mark.parametrize("value", [HALF, "\u20ac"])
def test_a_value_that_the_record_cannot_hold_is_an_error_of_the_message(value: str) -> None:
    model = import_copybook(copybook("", value), ccsid=37)
    message = tree.parse(b"\xc1" * 3, "MRM", model=model)
    message.set(tree.Path("MRM", "B"), value)
    with pytest.raises(MQError):
        message.serialise()
