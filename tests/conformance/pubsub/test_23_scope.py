"""PUBSCOPE, SUBSCOPE, MQPMO_SCOPE_QMGR, MQSO_SCOPE_QMGR and PROXYSUB (section 8), as far as one queue manager
can see: which publications would leave it, and which it would ask others for."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.rfh2 import Rfh2
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.pubsub.demand import Demand
from penstock.qmgr.pubsub.topic_scope import scope_of


@pytest.fixture
def neighbour(qm, run):
    """Let QM2 hold a proxy subscription to everything; return how many publications left for it."""
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    values = defaults("SUB") | {
        "TOPICSTR": "#",
        "DEST": "SYSTEM.INTER.QMGR.PUBS",
        "DESTQMGR": "QM2",
        "SUBTYPE": "PROXY",
    }
    with qm.gate:
        qm.engine.define("SUB", "QM2:#", values, 0.0)

    def left() -> int:
        return len(qm.get_many("QM2", 100))

    return left


def wanted(qm) -> set[str]:
    demand = Demand(qm.engine.pubsub)
    demand.count_again()
    return {text for text, _ in demand.everything()}


def test_a_publication_goes_to_a_proxy_as_to_anybody(qm, neighbour, bodies):
    with qm.subscribe("a") as sub:
        qm.publish("a", b"m")
        assert (neighbour(), bodies(sub)) == (1, [b"m"])


def test_pubscope_qmgr_keeps_publications_here(qm, run, neighbour, bodies):
    run("DEFINE TOPIC(T) TOPICSTR('local') PUBSCOPE(QMGR)")
    run("DEFINE TOPIC(U) TOPICSTR('local/but/open') PUBSCOPE(ALL)")
    with qm.subscribe("#") as sub:
        for topic in ("local", "local/but", "local/but/open/x", "elsewhere"):
            qm.publish(topic, topic.encode())
        assert (neighbour(), len(bodies(sub))) == (2, 4)
        run("ALTER TOPIC(T) PUBSCOPE(ASPARENT)")
        qm.publish("local/but", b"m")
        assert neighbour() == 1
        run("ALTER TOPIC(SYSTEM.BASE.TOPIC) PUBSCOPE(QMGR)")
        qm.publish("local/but", b"m")
        assert neighbour() == 0


def test_a_publisher_can_keep_one_publication_here(qm, neighbour, bodies):
    with qm.subscribe("a") as sub:
        qm.publish("a", b"m", options=mq.MQPMO_SCOPE_QMGR)
        with qm.open("", mq.MQOO_OUTPUT, object_type=mq.MQOT_TOPIC, object_string="a") as handle:
            handle.put(b"n", options=mq.MQPMO_SCOPE_QMGR)
        assert (neighbour(), bodies(sub)) == (0, [b"m", b"n"])


def test_scope_qmgr_warns_when_only_others_would_match(qm, neighbour):
    options = mq.MQPMO_SCOPE_QMGR | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
    assert qm.publish("a", b"m", options=options).warning == 2550
    assert qm.publish("a", b"m", options=mq.MQPMO_WARN_IF_NO_SUBS_MATCHED).warning == 0


def test_a_local_command_message_stays_here(qm, run, neighbour, until):
    run("DEFINE QLOCAL(SUBS)")
    for content in (
        "<Command>RegSub</Command><RegOpt>Local</RegOpt><Topic>a</Topic><QName>SUBS</QName>",
        "<Command>Publish</Command><PubOpt>Local</PubOpt><Topic>a</Topic>",
    ):
        body = Rfh2((f"<psc>{content}</psc>",)).pack()
        qm.put("SYSTEM.BROKER.CONTROL.QUEUE", body, format="MQHRF2")
    assert (neighbour(), len(qm.get_many("SUBS", 5))) == (0, 1)
    assert wanted(qm) == set()


def test_a_subscription_may_be_for_publications_of_here_only(qm, run):
    run("DEFINE QLOCAL(DEST)")
    run("DEFINE SUB(ADMIN) TOPICSTR('admin/local') DEST(DEST) SUBSCOPE(QMGR)")
    run("DEFINE TOPIC(T) TOPICSTR('inherited') SUBSCOPE(QMGR)")
    with (
        qm.subscribe("open/#"),
        qm.subscribe("own", options=mq.MQSO_SCOPE_QMGR, name="own"),
        qm.subscribe("inherited/x", name="inherited"),
        qm.subscribe("inherited/+/y"),
        qm.subscribe("char/*", wildcard="char"),
    ):
        assert wanted(qm) == {"open/#", "char/*"}
        subscriptions = qm.engine.pubsub.subscriptions
        assert {scope_of(qm.engine.pubsub, subscriptions[name]) for name in ("own", "inherited")} == {"QMGR"}
        (row,) = qm.mqsc("DISPLAY SUB('own') SUBSCOPE")
        assert row.attributes["SUBSCOPE"] == "QMGR"
    assert wanted(qm) == set()


def test_proxies_are_not_asked_for_again(qm, neighbour):
    assert wanted(qm) == set()


def test_proxysub_force_asks_before_anybody_subscribes(qm, run):
    run("DEFINE TOPIC(T) TOPICSTR('forced') PROXYSUB(FORCE)")
    assert wanted(qm) == {"forced/#"}
    run("ALTER TOPIC(T) SUBSCOPE(QMGR)")
    assert wanted(qm) == set()


def test_status_shows_the_scopes_in_force(qm, run):
    run("DEFINE TOPIC(T) TOPICSTR('a') PUBSCOPE(QMGR) SUBSCOPE(QMGR)")
    qm.publish("a/b", b"")
    row = qm.mqsc("DISPLAY TPSTATUS('a/b')")[0].attributes
    assert (row["PUBSCOPE"], row["SUBSCOPE"]) == ("QMGR", "QMGR")


def test_proxy_subscriptions_are_shown_and_survive_a_restart(embed, request):
    qm = request.getfixturevalue("qm")
    request.getfixturevalue("neighbour")
    (row,) = qm.mqsc("DISPLAY SUB(*) SUBTYPE(PROXY) DESTQMGR")
    assert row.attributes["DESTQMGR"] == "QM2"
    assert [r.attributes["SUBTYPE"] for r in qm.mqsc("DISPLAY SBSTATUS(*) SUBTYPE(PROXY) ALL")] == ["PROXY"]
    qm.close()
    again = embed()
    again.publish("a", b"m", persistent=True)
    assert len(again.get_many("QM2", 10)) == 1
