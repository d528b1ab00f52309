"""A DFDL body whose type nobody names is of the type that its root element names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.flow.checking import check_flow
from tests.unit.flow.test_body_checking import made, ran

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">
<xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
  <dfdl:format representation="text" lengthKind="delimited" encoding="UTF-8" separatorPosition="infix"
    separatorSuppressionPolicy="never" initiator="" terminator="" occursCountKind="implicit"
    byteOrder="bigEndian"
    lengthUnits="bytes" escapeSchemeRef="" textNumberRep="standard" ignoreCase="no" sequenceKind="ordered"/>
</xs:appinfo></xs:annotation>
<xs:element name="Row"><xs:complexType><xs:sequence dfdl:separator=",">
  <xs:element name="a" type="xs:string"/><xs:element name="b" type="xs:string"/>
</xs:sequence></xs:complexType></xs:element></xs:schema>"""
BY_PATH = "SET OutputRoot.DFDL.Row.a = 'x'; SET OutputRoot.DFDL.Row.b = 'y';"
BY_NAME = "CREATE LASTCHILD OF OutputRoot.DFDL NAME 'Row'; " + BY_PATH


def imported(esql: str, folder: Path) -> tuple:  # type: ignore[type-arg]
    flow, project = made(esql, folder)
    (folder / "shop" / ".project").write_text("<projectDescription><name>shop</name></projectDescription>")
    (folder / "shop" / "Row.xsd").write_text(SCHEMA)
    return flow, type(project)(folder / "shop")


@pytest.mark.parametrize("esql", [BY_PATH, BY_NAME])
def test_the_root_element_names_the_schema(esql: str, penstock_home: Path, tmp_path: Path) -> None:
    flow, project = imported(esql, tmp_path)
    assert not check_flow(flow, project).errors
    assert ran(flow, project) == [b"x,y"]


def test_another_root_element_is_refused(penstock_home: Path, tmp_path: Path) -> None:
    flow, project = imported("SET OutputRoot.DFDL.Other.a = 'x';", tmp_path)
    assert len(check_flow(flow, project).errors) == 1
    assert ran(flow, project) == []
