"""`flow check` refuses bodies that a run could not turn into bytes; each case is also run to see it fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.flow import Flow, Project, nodes
from penstock.flow.checking import check_flow
from penstock.flow.testing.rig import Rig

MODULE = """CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  {} RETURN TRUE; END; END MODULE;"""
WRONG = {
    "SET OutputRoot.DataObject.id = 1;": "OutputRoot.DataObject, which is no domain",
    "SET OutputRoot = InputRoot; CREATE LASTCHILD OF OutputRoot NAME 'Further';": "OutputRoot.Further",
    "SET OutputRoot.Properties = InputRoot.Properties; SET OutputRoot.DFDL.a.b = 1;": "nothing in the flow",
    "SET OutputRoot.BLOB.BLOB = ASBITSTREAM(InputRoot.XMLNSC SET 'gone');": "there is no model 'gone'",
    "SET OutputRoot.BLOB.BLOB = ASBITSTREAM(InputRoot.XMLNSC SET COALESCE('gone', ''));": "'gone'",
    "SET OutputRoot.XMLNSC.a.b.(XMLNSC.DocumentType)c = 'x';": "a DocumentType inside an element",
    "SET OutputRoot.XMLNSC.a.(XMLNSC.NamespaceDecl).c = 'x';": "a NamespaceDecl without a name",
}
RIGHT = (
    "SET OutputRoot.Notes.a = 1; SET OutputRoot.Notes = NULL; SET OutputRoot.XMLNSC.a = 1;",
    "SET OutputRoot.Notes.a = 1; DELETE FIELD OutputRoot.Notes; SET OutputRoot.XMLNSC.a = 1;",
    "CREATE LASTCHILD OF OutputRoot DOMAIN 'XMLNSC' NAME 'Other'; SET OutputRoot.Other.a = 1;",
    "SET OutputRoot.XMLNSC.(XMLNSC.XmlDeclaration).Version = '1.0'; SET OutputRoot.XMLNSC.a = 1;",
)


def made(esql: str, folder: Path) -> tuple[Flow, Project]:
    (folder / "shop" / "esql").mkdir(parents=True)
    (folder / "shop" / "esql" / "m.esql").write_text(MODULE.format(esql))
    flow = Flow("f")
    source, compute = flow.add(nodes.MQInput("IN", domain="XMLNSC")), flow.add(nodes.Compute(module="M"))
    source.out >> compute.in_
    compute.out >> flow.add(nodes.MQOutput("OUT")).in_
    return flow, Project(folder / "shop")


def ran(flow: Flow, project: Project) -> list[bytes]:
    with Rig(flow, project) as rig:
        rig.put(b"<a><b>1</b></a>")
        rig.run()
        return rig.bodies("OUT")


@pytest.mark.parametrize(("esql", "told"), WRONG.items())
def test_a_body_that_cannot_be_written_is_an_error(
    esql: str, told: str, penstock_home: Path, tmp_path: Path
) -> None:
    flow, project = made(esql, tmp_path)
    (found,) = check_flow(flow, project).errors
    assert found.node == "M"
    assert told in found.text
    assert ran(flow, project) == []  # the message has failed


@pytest.mark.parametrize("esql", RIGHT)
def test_a_folder_that_is_removed_or_has_a_domain_is_none(
    esql: str, penstock_home: Path, tmp_path: Path
) -> None:
    flow, project = made(esql, tmp_path)
    assert not check_flow(flow, project).findings
    assert len(ran(flow, project)) == 1


def test_the_project_may_be_a_relative_folder(
    penstock_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow, _ = made("SET OutputRoot.Notes.a = 1;", tmp_path)
    monkeypatch.chdir(tmp_path)
    (found,) = check_flow(flow, Project(Path("shop"))).errors
    assert "OutputRoot.Notes" in found.text


def test_a_model_that_is_named_elsewhere_is_no_error(penstock_home: Path, tmp_path: Path) -> None:
    esql = "SET OutputRoot.Properties.MessageType = Environment.type; SET OutputRoot.DFDL.a.b = 1;"
    assert not check_flow(*made(esql, tmp_path)).errors


def test_bodies_follow_each_other(penstock_home: Path, tmp_path: Path) -> None:
    esql = "SET OutputRoot = InputRoot; SET OutputRoot.BLOB.BLOB = CAST('more' AS BLOB CCSID 1208);"
    flow, project = made(esql, tmp_path)
    assert not check_flow(flow, project).findings
    assert ran(flow, project) == [b"<a><b>1</b></a>more"]
