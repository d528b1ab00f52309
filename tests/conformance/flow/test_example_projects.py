"""The example projects: enrichment from a database, conversion between formats, SWIFT to XML."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Project
from penstock.flow.checking import check_project
from penstock.flow.overrides import apply_overrides
from penstock.flow.running.listener import listener_for
from penstock.flow.testing.cases import run_file
from penstock.model.message import Descriptor
from tests.conformance.flow import shop
from tests.mail_servers import PASSWORD, USER, mail_server
from tests.unit.tree.swift_messages import MT543

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def queues(tmp_path: Path) -> Iterator[Any]:
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        yield qm


def run_project(qm: Any, name: str, *flows: str) -> None:
    project = Project(EXAMPLES / name)
    for each in flows:
        compiled = CompiledFlow(project.flow(each), project)
        for label in compiled.inputs:
            listener_for(compiled, label, lambda: qm).run(threading.Event(), until_empty=True)
    project.databases.close()


def define(qm: Any, name: str) -> None:
    for reply in qm.mqsc((EXAMPLES / name / "queues.mqsc").read_text()):
        assert not reply.text.startswith("AMQ8405"), reply.text


def test_enrichment(queues: Any, data_source: str) -> None:
    define(queues, "enrichment")
    with shop.connected(data_source) as connection:
        from sqlalchemy import text

        for table in ("customer", "seen"):
            connection.execute(text(f"DROP TABLE IF EXISTS {table}"))
        for statement in (EXAMPLES / "enrichment" / "tables.sql").read_text().split(";"):
            if statement.strip():
                connection.execute(text(statement))
    for customer in (1, 9):
        queues.put("SHOP.IN", f"<Order><Id>5</Id><Customer>{customer}</Customer></Order>".encode())
    run_project(queues, "enrichment", "enrich")
    assert queues.get("SHOP.OUT").body == (
        b"<Order><Id>5</Id><Customer>1</Customer><Name>Ada</Name><City>London</City></Order>"
    )
    assert b"<Customer>9<" in queues.get("SHOP.UNKNOWN").body
    assert shop.rows(data_source, "SELECT id, customer FROM seen") == [(5, "Ada")]


def test_conversion_there_and_back(queues: Any) -> None:
    define(queues, "conversion")
    host = (7).to_bytes(4, "big") + "Ada".ljust(12).encode("cp037") + bytes.fromhex("000012345c")
    queues.put("CONVERT.HOST", host, descriptor=Descriptor(ccsid=37, encoding=785))
    run_project(queues, "conversion", "host_to_text")
    (text,) = queues.browse("CONVERT.TEXT")
    assert text.body == b"NUM=7;CUST=Ada;SUM=123.45"
    run_project(queues, "conversion", "text_to_xml")
    (xml,) = queues.browse("CONVERT.XML")
    assert xml.body == b'<Order number="7"><Customer>Ada</Customer><Total>123.45</Total></Order>'
    run_project(queues, "conversion", "xml_to_host")
    done = queues.get("CONVERT.DONE")
    assert (done.body, done.descriptor.ccsid) == (host, 37)


def test_swift_to_xml(queues: Any) -> None:
    define(queues, "swift")
    for body in (MT543, MT543.replace(b"{2:I543", b"{2:I103"), b"no SWIFT at all"):
        queues.put("SWIFT.IN", body, persistent=True)
    run_project(queues, "swift", "settlements")
    assert queues.get("SWIFT.XML").body == (
        b'<Settlement reference="REF0001"><Function>NEWM</Function><Sender>BANKBEBBAXXX</Sender>'
        b"<Receiver>BANKDEFFXXXX</Receiver><TradeDate>2024-01-31</TradeDate>"
        b"<SettlementDate>2024-02-02</SettlementDate><ISIN>US0378331005</ISIN>"
        b'<Quantity kind="UNIT">1000</Quantity><SafekeepingAccount>123456789</SafekeepingAccount>'
        b'<Party role="DEAG"><BIC>BANKBEBB</BIC><Account>111</Account></Party>'
        b'<Party role="PSET"><BIC>DAKVDEFFXXX</BIC></Party>'
        b'<Amount currency="EUR">101250</Amount></Settlement>'
    )
    assert queues.get("SWIFT.OTHER").body.startswith(b"{1:")
    assert queues.get("SWIFT.WRONG").body == b"no SWIFT at all"


def test_parcels(queues: Any) -> None:
    define(queues, "parcels")
    for number in (7, 8):
        queues.put("PARCELS.ORDERS", f"<Order><Id>{number}</Id></Order>", persistent=True)
    queues.put("PARCELS.BILLS", b"<Bill><Order>8</Order><Total>5</Total></Bill>", persistent=True)
    run_project(queues, "parcels", "parcels")
    project = Project(EXAMPLES / "parcels")
    compiled = CompiledFlow(project.flow("parcels"), project)
    collecting = listener_for(compiled, "Collect", lambda: queues)
    collecting.run(threading.Event(), until_empty=True)
    parcel = queues.get("PARCELS.OUT")
    assert parcel.body.endswith(b"<Parcel><Order>8</Order><Total>5</Total><Number>1</Number></Parcel>")
    assert parcel.priority == 5
    later = {"clock": lambda: time.time() + 4000}
    expiring = listener_for(compiled, "Collect", lambda: queues, sources=later)
    expiring.run(threading.Event(), until_empty=True)
    assert queues.get("PARCELS.LATE").body == b"<Late><Name>parcel</Name></Late>"


def test_repairs(queues: Any) -> None:
    define(queues, "repairs")
    queues.put("REPAIRS.IN", b'{"customer": "Ada", "dents": 3, "windows": 1}')
    run_project(queues, "repairs", "repairs", "garages", "repairs")
    project = Project(EXAMPLES / "repairs")
    completing = listener_for(CompiledFlow(project.flow("repairs"), project), "Complete", lambda: queues)
    completing.run(threading.Event(), until_empty=True)

    assert queues.get("REPAIRS.OUT").body == b'{"customer":"Ada","bodywork":120,"glass":250}'
    assert queues.get("REPAIRS.LATE") is None


@pytest.mark.parametrize("kind", ["pop3", "imap"])
def test_mailbox(queues: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    define(queues, "mailbox")
    monkeypatch.setenv("MAILBOX_USER", USER)
    monkeypatch.setenv("MAILBOX_PASSWORD", PASSWORD)
    head = b"From: ann@shop.test\r\nSubject: bolts\r\nContent-Type: text/plain\r\n\r\n"
    project = Project(EXAMPLES / "mailbox")
    with mail_server(kind, head + b"bolt 20\r\nnut 5\r\n", head + b"please call me\r\n") as (address, box):
        flow = project.flow("mail_orders")
        apply_overrides(flow, {"Mails.server": address})
        compiled = CompiledFlow(flow, project)
        listener_for(compiled, "Mails", lambda: queues).run(threading.Event(), until_empty=True)

        assert box.mails == {}
    assert queues.get("MAIL.ORDERS").body == (
        b"<Order><Customer>ann@shop.test</Customer><Subject>bolts</Subject><Items>"
        b"<Item><Article>bolt</Article><Count>20</Count></Item>"
        b"<Item><Article>nut</Article><Count>5</Count></Item></Items></Order>"
    )
    assert b"please call me" in queues.get("MAIL.WRONG").body


@pytest.mark.parametrize(
    ("name", "cases"), [("airline", 2), ("conversion", 2), ("enrichment", 2), ("quotes", 5), ("swift", 2)]
)
def test_the_tests_of_examples_pass(name: str, cases: int) -> None:
    """Publish/subscribe by topic and by content is in those of the quotes."""
    folder = EXAMPLES / name

    results = [
        each for file in sorted(folder.glob("tests/*.yaml")) for each in run_file(Project(folder), file)
    ]

    assert [each.problems for each in results] == [[]] * cases


@pytest.mark.parametrize(
    "name", ["airline", "conversion", "enrichment", "mailbox", "quotes", "repairs", "swift"]
)
def test_examples_have_nothing_that_a_check_finds(name: str) -> None:
    reports = check_project(Project(EXAMPLES / name))

    assert [str(found) for report in reports for found in report.errors] == []
