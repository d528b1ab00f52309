"""Filters on bodies by the message tree (sections 7, 8): mcd folders, models, ESQL expressions."""

from __future__ import annotations

import re

import pytest

from penstock import tree
from penstock.esql import subscription_filter
from penstock.esql.subscription_filter import compile_filter
from penstock.model.rfh2 import Rfh2

XML = b"<Order><Name>ada</Name><Item><Qty>2</Qty></Item><Item><Qty>7</Qty></Item></Order>"
COPYBOOK = """\
       01 QUOTE.
          05 NAME   PIC X(4).
          05 PRICE  PIC 9(5).
"""


@pytest.fixture
def wanted(qm, bodies):
    """Say whether a filter lets a message through."""

    def ask(selector: str, body: bytes, **details) -> bool:
        with qm.subscribe("q", selector=selector) as sub, qm.subscribe("q") as all_of_them:
            qm.publish("q", body, **details)
            assert bodies(all_of_them) == [body]
            return bodies(sub) == [body]

    return ask


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("Body.Order.Item[2].Qty > 5", True),
        ("Body.Order.Item[1].Qty > 5", False),
        ("CARDINALITY(Body.Order.Item[]) = 2", True),
        ("UPPER(Body.Order.Name) = 'ADA' AND LENGTH(Body.Order.Name) < 10", True),
        ("SUBSTRING(Body.Order.Name FROM 1 FOR 1) = 'a'", True),
        ("COALESCE(Body.Order.Missing, 'none') = 'none'", True),
        ("EXISTS(Root.XMLNSC.Order.Item[])", True),
        ("CAST(Body.Order.Item[<].Qty AS INTEGER) + 1 = 8", True),
        ("CASE WHEN Body.Order.Name = 'ada' THEN TRUE ELSE FALSE END", True),
        ("Body.Order.Missing[3].Qty > 5", False),
        ("CAST(Body.Order.Name AS INTEGER) = 1 OR UPPER(Body.Order.Name) = 'ADA'", False),  # it fails
        ("Body.Order.Name || '!' LIKE 'a%!' AND LENGTH(Body.Order.Name) = 3", True),
        ("Root.MQMD.Priority + LENGTH(Body.Order.Name) = 8", True),
        ("Root.MQRFH2.usr.colour = 'red' AND LENGTH(Body.Order.Name) = 3", True),
    ],
)
def test_an_esql_expression(wanted, selector, expected):
    assert wanted(selector, XML, priority=5, properties={"colour": "red"}) is expected


@pytest.mark.parametrize("body", [b"", b"text", b"<broken", b"\0", b"{"])
def test_an_expression_about_a_body_that_cannot_be_read(wanted, body):
    assert wanted("LENGTH(Body.Order.Name) >= 0", body) is False


@pytest.mark.parametrize(
    "selector",
    [
        "SLEEP(1000) AND LENGTH(Body.a) = 1",
        "EXISTS(SELECT * FROM Database.T) OR LENGTH(Body.a) = 1",
        "EVAL('Body.a') = 1",
        "LENGTH(REPLICATE(Body.a, 1000000000)) = 1",
        "LENGTH(SPACE(1000000000)) = Body.a",
        "PASSTHRU('DROP TABLE T') = Body.a",
        "Environment.x[1] = Body.a",
        "mine(Body.a) = 1",
        "UPPER(Body.a) = 'X'; END MODULE; CREATE FILTER MODULE Other CREATE FUNCTION Main() RETURN TRUE",
        "BEGIN RETURN UPPER(Body.a) = 'X'; END",
        "UPPER(Body.a",
        "Body.{Body.a} = 1",
        "UPPER(Body.a) LIKE Body.b",
        "UPPER(Body.a) LIKE '%' || Body.b",
        "LENGTH(" + " || ".join(["Body.a"] * 10) + ") = 1",
        "LENGTH(Body.a || Body.a) = LENGTH(" + " || ".join(["Body.a"] * 9) + ")",
    ],
)
def test_what_else_esql_can_do_is_2459(qm, fails, selector):
    with fails(2459):
        qm.subscribe("q", selector=selector)


@pytest.mark.parametrize("failure", [MemoryError, OverflowError, re.error("pattern"), RecursionError])
def test_whatever_an_expression_raises_the_publication_goes_on(monkeypatch, caplog, failure):
    def fail(*_):
        raise failure

    monkeypatch.setattr("penstock.esql.library.Module.run", fail)
    compile_filter.cache_clear()
    wanted = compile_filter("LENGTH(Body.a || 'b') = 1")
    assert [wanted(tree.parse(b"<a/>", domain="XMLNSC")) for _ in range(3)] == [False] * 3
    assert [record.message for record in caplog.records] == [
        "a filter cannot be worked out, so its subscription misses messages: LENGTH(Body.a || 'b') = 1"
    ]


def test_it_is_kept_and_shown_as_extended(embed, bodies):
    selector = "CARDINALITY(Body.Order.Item[]) = 2"
    qm = embed()
    qm.subscribe("q", durable="s", selector=selector).close()
    (row,) = qm.mqsc("DISPLAY SUB('s') SELECTOR SELTYPE")
    assert (row.attributes["SELECTOR"], row.attributes["SELTYPE"]) == (selector, "EXTENDED")
    qm.close()
    qm = embed()
    qm.publish("q", XML)
    qm.publish("q", b"<Order/>")
    with qm.subscribe(durable="s") as sub:
        assert bodies(sub) == [XML]


def test_a_filter_that_is_refused_after_a_restart_gets_nothing_and_stops_nothing(
    embed, bodies, monkeypatch, caplog
):
    qm = embed()
    qm.subscribe("q", durable="joins", selector="LENGTH(Body.Order.Name || '!') = 4").close()
    qm.subscribe("q", durable="all").close()
    qm.close()
    monkeypatch.setattr(subscription_filter, "JOINS_MAX", 0)
    compile_filter.cache_clear()
    qm = embed()
    qm.publish("q", XML)
    with qm.subscribe(durable="all") as sub:
        assert bodies(sub) == [XML]
    assert "gets nothing until its selector is changed: LENGTH(Body.Order.Name || '!')" in caplog.text
    assert qm.mqsc("DISPLAY SUB('joins') SELECTOR")


def test_an_mcd_folder_says_the_domain(wanted):
    said = {"mcd.Msd": "XMLNSC"}
    assert wanted("Body.Order.Name = 'ada'", b"\n\n" + XML, properties=said)
    assert not wanted("Body.Order.Name = 'ada'", XML, properties={"mcd.Msd": "BLOB"})
    assert wanted("Body.Order.Name = 'ada'", XML, properties={"mcd.Msd": "jms_text"})  # no domain: a guess


def test_an_mqrfh2_before_the_body(wanted):
    header = Rfh2(("<mcd><Msd>xmlnsc</Msd></mcd>", "<usr><colour>red</colour></usr>"), format="MQSTR").pack()
    for selector in ("Body.Order.Name = 'ada'", "UPPER(Root.XMLNSC.Order.Name) = 'ADA'"):
        assert wanted(selector, header + XML, format="MQHRF2")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("Body.PRICE > 100", True),
        ("Body.PRICE > 200", False),
        ("Root.MRM.NAME LIKE 'IBM%'", True),
        ("TRIM(Body.NAME) = 'IBM' AND Body.PRICE * 2 = 202", True),
    ],
)
def test_a_model_of_the_queue_manager(qm, wanted, selector, expected):
    folder = qm.host.folder.models
    folder.mkdir()
    (folder / "QUOTES.cpy").write_text(COPYBOOK)
    said = {"mcd.Msd": "MRM", "mcd.Set": "QUOTES", "mcd.Type": "QUOTE"}
    assert wanted(selector, b"IBM 00101", properties=said) is expected


@pytest.mark.parametrize("name", ["NONE", "../qm", "/etc/passwd", "", "BAD"])
def test_a_model_that_is_not_there_makes_the_body_unknown(qm, wanted, name):
    folder = qm.host.folder.models
    folder.mkdir()
    (folder / "BAD.yaml").write_text("{")
    assert not wanted("Body.PRICE > 100", b"IBM 00101", properties={"mcd.Msd": "MRM", "mcd.Set": name})


def test_the_same_body_with_other_words_about_it_is_read_anew(qm, bodies):
    with qm.subscribe("q", selector="Body.Order.Name = 'ada'") as sub:
        for domain in ("XMLNSC", "BLOB", "XMLNSC"):
            qm.publish("q", XML, properties={"mcd.Msd": domain})
        assert len(bodies(sub)) == 2
