"""XSLTransform: terminals, parameters, and what a style sheet may not reach."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.flow import Flow, Project, nodes
from penstock.flow.checking import check_flow
from penstock.model.errors import MQError

SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>%s
<xsl:template match="/Order"><New><xsl:value-of select="Id"/>%s</New></xsl:template>
</xsl:stylesheet>"""
ORDER = b"<Order><Id>5</Id></Order>"


def flow_of(tmp_path: Path, top: str = "", inside: str = "") -> Flow:
    (tmp_path / "sheets").mkdir(exist_ok=True)
    (tmp_path / "sheets" / "order.xsl").write_text(SHEET % (top, inside))
    flow = Flow("styled")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    xsl = flow.add(nodes.XSLTransform("sheets/order.xsl", domain="XMLNSC"))
    start.out >> xsl.in_
    xsl.out >> flow.add(nodes.MQOutput("OUT")).in_
    xsl.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def test_out_gets_what_the_sheet_makes(qm: Any, run: Any, tmp_path: Path) -> None:
    qm.put("IN", ORDER, correl_id=b"c" * 24)
    run(flow_of(tmp_path))
    found = qm.get("OUT")
    assert (found.body.strip(), found.correl_id) == (b"<New>5</New>", b"c" * 24)


def test_the_project_may_be_the_working_directory(tmp_path: Path, monkeypatch: Any) -> None:
    flow = flow_of(tmp_path, '<xsl:include href="more.xsl"/>')
    (tmp_path / "sheets" / "more.xsl").write_text(SHEET % ("", ""))
    monkeypatch.chdir(tmp_path)
    assert not check_flow(flow, Project(".")).errors


def test_failure_gets_a_message_that_is_no_xml(qm: Any, run: Any, tmp_path: Path) -> None:
    flow = flow_of(tmp_path)
    flow.node("MQInput").domain = "BLOB"  # type: ignore[assignment]
    qm.put("IN", b"no xml")
    run(flow)
    assert qm.get("FAILED").body == b"no xml"


def test_a_sheet_may_include_one_beside_it(qm: Any, run: Any, tmp_path: Path) -> None:
    flow = flow_of(tmp_path, '<xsl:include href="more.xsl"/>', '<xsl:call-template name="more"/>')
    (tmp_path / "sheets" / "more.xsl").write_text(
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:template name="more">!</xsl:template></xsl:stylesheet>'
    )
    qm.put("IN", ORDER)
    run(flow)
    assert qm.get("OUT").body.strip() == b"<New>5!</New>"


@pytest.mark.parametrize("href", ["../secret.xsl", "/etc/passwd", "http://127.0.0.1:9/a.xsl"])
def test_a_sheet_includes_nothing_from_elsewhere(run: Any, tmp_path: Path, href: str) -> None:
    (tmp_path / "secret.xsl").write_text(SHEET % ("", ""))
    with pytest.raises(MQError) as caught:
        run(flow_of(tmp_path, f'<xsl:include href="{href}"/>'))
    assert caught.value.reason == 8335


@pytest.mark.parametrize("href", ["../secret.xml", "/etc/passwd", "http://127.0.0.1:9/a.xml"])
def test_document_reaches_nothing_from_elsewhere(qm: Any, run: Any, tmp_path: Path, href: str) -> None:
    (tmp_path / "secret.xml").write_text("<s>secret</s>")
    qm.put("IN", ORDER)
    run(flow_of(tmp_path, "", f"<xsl:value-of select=\"document('{href}')\"/>"))
    written = qm.get("OUT")
    assert written is None or b"secret" not in written.body


def test_entities_of_a_message_are_not_expanded(qm: Any, run: Any, tmp_path: Path) -> None:
    flow = flow_of(tmp_path)
    flow.node("MQInput").domain = "BLOB"  # type: ignore[assignment]
    qm.put("IN", b'<!DOCTYPE Order [<!ENTITY e SYSTEM "/etc/passwd">]><Order><Id>&e;</Id></Order>')
    run(flow)
    written = qm.get("OUT")
    assert written is None or b"root" not in written.body


def test_a_sheet_that_is_wrong_is_refused_when_the_flow_starts(run: Any, tmp_path: Path) -> None:
    with pytest.raises(MQError) as caught:
        run(flow_of(tmp_path, "<xsl:nonsense>"))
    assert (caught.value.reason, "order.xsl" in caught.value.detail) == (8335, True)


def test_without_lxml_the_error_says_what_to_install(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(MQError, match="lxml is not installed"):
        run(flow_of(tmp_path))


@pytest.mark.parametrize(
    ("named", "instruction", "out"),
    [
        ("", b'<?xml-stylesheet type="text/xsl" href="sheets/order.xsl"?>', b"<New>5</New>"),
        ("sheets/order.xsl", b"", b"<New>5</New>"),
        ("sheets/order.xsl", b'<?xml-stylesheet href="sheets/none.xsl"?>', b"<New>5</New>"),
        ("", b"", b""),
        ("sheets/none.xsl", b"", b""),
        ("../order.xsl", b"", b""),
        ("", b'<?xml-stylesheet href="http://127.0.0.1:1/order.xsl"?>', b""),
    ],
)
def test_the_message_or_local_environment_may_name_the_sheet(
    qm: Any, run: Any, tmp_path: Path, named: str, instruction: bytes, out: bytes
) -> None:
    """Out of the project, or nowhere, there is no sheet: the message goes to failure."""
    (tmp_path / "project").mkdir()
    flow = flow_of(tmp_path / "project")
    (tmp_path / "order.xsl").write_text(SHEET % ("", ""))
    flow.node("XSLTransform").stylesheet = ""  # type: ignore[assignment]
    if named:
        (tmp_path / "project" / "name.esql").write_text(
            "CREATE COMPUTE MODULE Name CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN "
            "SET OutputRoot = InputRoot; "
            f"SET OutputLocalEnvironment.XSL.StyleSheetName = '{named}'; RETURN TRUE; END; END MODULE;"
        )
        name = flow.add(nodes.Compute("name.esql", module="Name", mode="destinationAndMessage"))
        del flow.wires[0]
        flow.node("MQInput").out >> name.in_
        name.out >> flow.node("XSLTransform").in_
    project = Project(tmp_path / "project")
    assert not check_flow(flow, project).errors
    qm.put("IN", instruction + ORDER)
    run(flow, project=project)
    assert qm.get("OUT" if out else "FAILED").body.strip() == (out or instruction + ORDER)
