"""Models on the command line: message sets and schemas, and what they leave out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock import MQError, tree
from penstock.cli.model_file import load_model
from penstock.cli.parse import json_text, parsed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"'
BODY = """<xs:element name="M"><xs:complexType><xs:sequence {}><xs:element name="A" type="xs:int"/>
<xs:element name="B" type="xs:string"/></xs:sequence>{}</xs:complexType></xs:element></xs:schema>"""
DFDL = ' xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">'


@pytest.mark.parametrize(
    ("name", "schema", "domain", "data"),
    [
        ("m.xsd", HEAD + ">" + BODY.format("", ""), "MRM", b"<M><A>1</A><B>x</B></M>"),
        ("m.dfdl.xsd", HEAD + DFDL + BODY.format('dfdl:separator=","', ""), "DFDL", b"1,x"),
        ("m.mxsd", HEAD + ">" + BODY.format("", ""), "MRM", b"<M><A>1</A><B>x</B></M>"),
    ],
)
def test_a_schema_is_a_model(tmp_path: Path, name: str, schema: str, domain: str, data: bytes) -> None:
    (tmp_path / name).write_text(schema)
    (tmp_path / "messageSet.mset").write_text("<MRMessageSet name='S'/>")
    (tmp_path / "data").write_bytes(data)
    message = parsed(tmp_path / "data", domain, load_model(tmp_path / name))
    text = "".join(json_text(message))
    assert '"value": 1' in text
    assert '"value": "x"' in text


def test_what_an_import_left_out_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.mxsd").write_text(HEAD + ">" + BODY.format("", "<xs:anyAttribute/>"))
    (tmp_path / "messageSet.mset").write_text("<MRMessageSet name='S'/>")
    assert load_model(tmp_path) is not None
    assert "penstock: note: m.mxsd, line 2: anyAttribute" in capsys.readouterr().err


def test_other_files_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("")
    with pytest.raises(MQError, match=r"\.mxsd") as caught:
        load_model(tmp_path / "m.txt")
    assert caught.value.reason == 8042


def test_the_deepest_tree_that_is_read_is_shown_as_json() -> None:
    message = tree.parse(b"<a>" * 499 + b"x" + b"</a>" * 499, domain="XMLNSC")
    text = "".join(json_text(message))
    assert text.count('"children"') == 499
    assert text.count("{") == text.count("}") == 500


def test_json_of_a_tree_is_laid_out_as_by_the_standard_library() -> None:
    message = tree.parse(b'{"a": [1, {"b": null}, []], "c": 2.5, "d": {}, "e": "x\\n{"}', domain="JSON")
    text = "".join(json_text(message))
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert json.loads("".join(json_text(tree.Message()))) == []
