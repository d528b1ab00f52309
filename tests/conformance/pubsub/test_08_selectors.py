"""Selectors of subscriptions (sections 7 and 8): on properties, on the descriptor, and on the body."""

from __future__ import annotations

import pytest

import penstock
from penstock.model.rfh2 import Rfh2


def test_on_properties(qm, bodies):
    with qm.subscribe("a", selector="size > 10 AND colour = 'red'") as sub:
        qm.publish("a", b"1", properties={"size": 11, "colour": "red"})
        qm.publish("a", b"2", properties={"size": 11, "colour": "blue"})
        qm.publish("a", b"3")
        assert bodies(sub) == [b"1"]


def test_on_the_topic_and_the_descriptor(qm, bodies):
    with qm.subscribe("#", selector="MQTopicString LIKE 'a/%' AND Root.MQMD.Priority = 5") as sub:
        qm.publish("a/b", b"1", priority=5)
        qm.publish("a/b", b"2", priority=4)
        qm.publish("b/b", b"3", priority=5)
        assert bodies(sub) == [b"1"]


@pytest.mark.parametrize("selector", ["size >", "a = ", "Body.", "LIKE 'x'", "Body.a >"])
def test_bad_syntax_is_2459(qm, fails, selector):
    with fails(2459):
        qm.subscribe("a", selector=selector)


XML = b"<Quote><Name>IBM</Name><Price>101.5</Price><Lot size='5'><Id>007</Id></Lot></Quote>"
JSON = b'{"Quote": {"Name": "IBM", "Price": 101.5, "Lot": {"Id": "007"}, "Open": true}}'


@pytest.mark.parametrize("body", [XML, JSON])
@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ("Body.Quote.Price > 100", True),
        ("Body.Quote.Price > 200", False),
        ("Body.Quote.Price BETWEEN 101 AND 102", True),
        ("Body.Quote.Price * 2 = 203", True),
        ("Body.Quote.Name = 'IBM'", True),
        ("Body.Quote.Name LIKE 'I%'", True),
        ("Body.Quote.Name IN ('SUN', 'IBM')", True),
        ("Body.Quote.Name > 5", False),
        ("Body.Quote.Lot.Id = '007'", True),
        ("Body.Quote.Lot.Id = 7", True),
        ("Body.Quote.Missing = 1", False),
        ("Body.Quote.Missing IS NULL", True),
        ("Body.Quote.Name = 'IBM' AND size = 5", True),
        ("NOT Body.Quote.Missing = 1", False),
    ],
)
def test_on_the_body(qm, bodies, body, selector, wanted):
    with qm.subscribe("q", selector=selector) as sub:
        qm.publish("q", body, properties={"size": 5})
        assert bodies(sub) == ([body] if wanted else [])


def test_on_the_root_of_one_format(qm, bodies):
    with qm.subscribe("q", selector="Root.XMLNSC.Quote.Price > 100") as sub:
        qm.publish("q", XML)
        qm.publish("q", JSON)
        assert bodies(sub) == [XML]


def test_an_attribute_of_an_element(qm, fails):
    with fails(2459):
        qm.subscribe("q", selector="Body.Quote.Lot.@size = 5")


@pytest.mark.parametrize("body", [b"", b"plain text", b"<broken", b'{"a": ', b"\0\1\2", b"<a>" * 100_000])
def test_a_body_that_cannot_be_read_is_not_wanted_and_harms_nobody(qm, bodies, body):
    with qm.subscribe("q", selector="Body.a = 1") as sub, qm.subscribe("q") as other:
        qm.publish("q", body)
        assert (bodies(sub), bodies(other)) == ([], [body])


def test_display_tells_the_kind_of_selector(qm, run):
    run("DEFINE SUB(P) TOPICSTR('a') DESTCLAS(MANAGED) SELECTOR('size > 1')")
    run("DEFINE SUB(B) TOPICSTR('a') DESTCLAS(MANAGED) SELECTOR('Body.a > 1')")
    kinds = {
        r.attributes["SUB"]: r.attributes["SELTYPE"]
        for r in qm.mqsc("DISPLAY SUB(*) SELTYPE WHERE(SELECTOR NE ' ')")
    }
    assert kinds == {"P": "STANDARD", "B": "EXTENDED"}


def test_an_engine_that_reads_no_bodies_says_2551(qm, fails):
    qm.engine.content_filters = None
    with fails(2551):
        qm.subscribe("a", selector="Body.a = 1")


EXPRESSION = "CARDINALITY(Body.Order.Item[]) > 2"
REGISTER = (
    "<psc><Command>RegSub</Command><Topic>a</Topic><QName>SUBS</QName>"
    f"<Filter>{EXPRESSION.replace('>', '&gt;')}</Filter></psc>"
)
PLAIN_REGISTER = "<psc><Command>RegSub</Command><Topic>plain</Topic><QName>SUBS</QName></psc>"
DEFINE = f"DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) SELECTOR('{EXPRESSION}')"
WAYS = {
    "subscribe": lambda qm, sub: qm.subscribe("other", selector=EXPRESSION),
    "alter": lambda qm, sub: sub.alter(selector=EXPRESSION),
    "define": lambda qm, sub: qm.mqsc(DEFINE),
    "command": lambda qm, sub: qm.put(
        "SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((REGISTER,)).pack(), format="MQHRF2"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_nobody_is_held_up_while_an_expression_is_compiled(qm, run, spawn, until, way):
    run("DEFINE QLOCAL(SUBS)")
    run("DEFINE QLOCAL(OTHER)")
    filters = qm.engine.content_filters
    compiled, compile_it = [], filters.compile

    def slowly(text):
        compiled.append(spawn(qm.put, "OTHER", b"meanwhile").result(60))
        return compile_it(text)

    with qm.subscribe("first") as sub:
        filters.compile = slowly
        WAYS[way](qm, sub)
        until(lambda: compiled)
        until(lambda: any(each.selector is not None for each in qm.engine.pubsub.subscriptions.values()))
    assert len(compiled) == 1  # once, and the other was through


@pytest.mark.parametrize("way", WAYS)
def test_a_fault_of_who_compiles_refuses_one_selector(qm, run, until, way):
    run("DEFINE QLOCAL(SUBS)")

    def fail(text):
        raise ValueError("a fault")

    with qm.subscribe("first") as sub:
        qm.engine.content_filters.compile = fail
        if way in ("subscribe", "alter"):
            with pytest.raises(penstock.MQError, match="a fault") as refused:
                WAYS[way](qm, sub)
            assert refused.value.reason == 2459
        else:
            WAYS[way](qm, sub)
        until(lambda: EXPRESSION in qm.engine.pubsub.selectors)
        qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((PLAIN_REGISTER,)).pack(), format="MQHRF2")
        until(lambda: len(qm.engine.pubsub.subscriptions) == 2)  # commands go on


@pytest.mark.parametrize("selector", [f"{EXPRESSION} AND (", "CARDINALITY(Body.x[]) + EVAL('1') > 2"])
def test_a_bad_expression_is_2459_each_time(qm, fails, run, selector):
    for _ in range(2):
        with fails(2459):
            qm.subscribe("q", selector=selector)
    quoted = selector.replace("'", "''")
    (reply,) = qm.mqsc(f"DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) SELECTOR('{quoted}')")
    assert reply.reason == 2459


def test_an_expression_too_deep_to_compile_is_2459_in_few_words(qm):
    selector = " OR ".join(f"CARDINALITY(Body.Order.I{number}[]) > 2" for number in range(250))
    with pytest.raises(penstock.MQError) as refused:
        qm.subscribe("q", selector=selector)
    assert refused.value.reason == 2459
    assert len(str(refused.value)) < 500
