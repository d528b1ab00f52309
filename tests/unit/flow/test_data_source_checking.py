"""`flow check` and `deploy` say which data sources of a flow are bound to no database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.esql import DataSources
from penstock.esql.compiler.compile import compile_sources
from penstock.esql.reach import sources_of
from penstock.esql.source import Source
from penstock.flow import Flow, Project, nodes
from penstock.flow.broker.deployments import checked
from penstock.flow.checking import check_flow

if TYPE_CHECKING:
    from pathlib import Path

ESQL = """
CREATE COMPUTE MODULE Named CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  DECLARE late CHARACTER 'LATE';
  INSERT INTO Database.ONE.main.T (A) VALUES (1);
  INSERT INTO Database.{late}.main.T (A) VALUES (1);
  PASSTHRU('vacuum' TO Database.TWO);
  SET OutputRoot.XMLNSC.r.row[] = (SELECT T.A FROM Database.THREE.main.T AS T WHERE T.A = 1);
  CALL Further();
  COMMIT;
  RETURN TRUE; END; END MODULE;
CREATE PROCEDURE Further() BEGIN DELETE FROM Database.FOUR.main.T AS T WHERE T.A = 'x'; END;
CREATE COMPUTE MODULE Nameless CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  INSERT INTO Database.T (A) VALUES (1); RETURN TRUE; END; END MODULE;
"""


@pytest.fixture
def project(penstock_home: Path, tmp_path: Path) -> Project:
    (tmp_path / "shop" / "esql").mkdir(parents=True)
    (tmp_path / "shop" / "esql" / "m.esql").write_text(ESQL)
    return Project(tmp_path / "shop")


def found(project: Project, *, is_here: bool = False, **properties: str) -> list[str]:
    flow = Flow("f")
    flow.add(nodes.MQInput("IN")).out >> flow.add(nodes.Compute(**properties)).in_
    return [str(each) for each in check_flow(flow, project, is_here=is_here).findings]


def test_the_sources_that_a_module_names() -> None:
    library = compile_sources([Source("m.esql", ESQL)])
    assert sources_of(library.module("Named")) == {"ONE", "TWO", "THREE", "FOUR"}
    assert sources_of(library.module("Nameless")) == {None}


def test_unknown_sources_are_warnings_and_errors_where_the_flow_is_to_run(project: Project) -> None:
    for name in ("ONE", "TWO", "THREE"):
        DataSources().add(name, "sqlite://")
    told = "Named: data source FOUR is not known here (8230); bind it with `penstock dsn add FOUR URL`"
    assert found(project, module="Named") == [f"warning: {told}"]
    assert found(project, module="Named", is_here=True) == [f"error: {told}"]
    DataSources().add("FOUR", "sqlite://")
    assert found(project, module="Named", is_here=True) == []


def test_a_node_without_a_source_and_one_with_an_unknown_source(project: Project) -> None:
    (text,) = found(project, module="Nameless")
    assert "without naming a data source" in text
    (text,) = found(project, module="Nameless", data_source="SHOP")
    assert "data source SHOP is not known here" in text
    DataSources().add("SHOP", "sqlite://")
    assert found(project, module="Nameless", data_source="SHOP", is_here=True) == []


def test_a_deployment_has_it_as_a_note(project: Project) -> None:
    (project.folder / "flows").mkdir()
    (project.folder / "flows" / "f.py").write_text(
        "from penstock.flow import Flow, nodes\n"
        'flow = Flow("f")\n'
        'writing = flow.add(nodes.Compute(module="Nameless", data_source="SHOP"))\n'
        'flow.add(nodes.MQInput("IN")).out >> writing.in_\n'
    )
    (note,) = checked(project.folder, {}).notes
    assert "data source SHOP is not known here (8230)" in note
