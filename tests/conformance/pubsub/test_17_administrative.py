"""DEFINE, ALTER, DELETE and DISPLAY SUB: an administrator's subscriptions."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq


def test_a_defined_subscription_delivers(qm, run):
    run("DEFINE QLOCAL(Q)")
    run("DEFINE TOPIC(T) TOPICSTR('price')")
    run("DEFINE SUB(S) TOPICOBJ(T) TOPICSTR('fruit/#') DEST(Q) USERDATA('u') DESTCORL('41')")
    qm.publish("price/fruit/apple", b"m")
    message = qm.get("Q")
    assert (message.body, message.properties["MQSubUserData"], message.correl_id[:1]) == (b"m", "u", b"A")


def test_managed(qm, run, bodies):
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    qm.publish("a", b"m")
    (reply,) = qm.mqsc("DISPLAY SUB(S)")
    assert reply.attributes["DEST"].startswith("SYSTEM.MANAGED.DURABLE.")
    with qm.subscribe(name="S", options=4) as sub:
        assert bodies(sub) == [b"m"]
    run("DELETE SUB(S)")
    assert reply.attributes["DEST"] not in qm.engine.queues


@pytest.mark.parametrize(
    "wrong",
    [
        "TOPICSTR('a')",
        "DESTCLAS(MANAGED)",
        "TOPICOBJ(NONE) DESTCLAS(MANAGED)",
        "TOPICSTR('a') DESTCLAS(MANAGED) SELECTOR('size >')",
    ],
)
def test_what_cannot_be(qm, wrong):
    (reply,) = qm.mqsc(f"DEFINE SUB(S) {wrong}")
    assert reply.failed
    assert qm.engine.objects.find("SUB", "S") is None


def test_altering_counts_at_once(qm, run):
    run("DEFINE QLOCAL(Q)")
    run("DEFINE QLOCAL(R)")
    run("DEFINE SUB(S) TOPICSTR('a') DEST(Q)")
    run("ALTER SUB(S) DEST(R) SELECTOR('size = 1')")
    qm.publish("a", b"1", properties={"size": 1})
    qm.publish("a", b"2", properties={"size": 2})
    assert (qm.get("Q"), qm.get("R").body, qm.get("R")) == (None, b"1", None)


def test_one_in_use_is_not_deleted(qm, run):
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    with qm.subscribe(name="S", options=4):
        assert qm.mqsc("DELETE SUB(S)")[0].failed
    run("DELETE SUB(S)")


def test_replace_keeps_id_and_messages(qm, run, bodies):
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    qm.publish("a", b"m")
    before = qm.mqsc("DISPLAY SUB(S) SUBID DEST")[0].attributes
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) USERDATA('new') REPLACE")
    assert qm.mqsc("DISPLAY SUB(S) SUBID DEST")[0].attributes == before
    with qm.subscribe(name="S", options=4) as sub:
        assert bodies(sub) == [b"m"]


def test_programs_subscriptions_are_displayed_too(qm):
    with qm.subscribe("a", durable="d"), qm.subscribe("b", name="n"), qm.subscribe("c"):
        shown = [r.attributes for r in qm.mqsc("DISPLAY SUB(*) TOPICSTR DURABLE SUBTYPE")]
        own = {(row["SUB"], row["TOPICSTR"], row["DURABLE"]) for row in shown if row["SUBTYPE"] == "API"}
        assert own == {("d", "a", "YES"), ("n", "b", "NO"), ("", "c", "NO")}
        assert len({row["SUBID"] for row in shown}) == len(shown)


def test_an_export_leaves_out_what_comes_and_goes(qm, run):
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    with qm.subscribe("a", durable="d"), qm.subscribe("b"):
        script = qm.export()
    assert "SYSTEM.MANAGED" not in script
    assert script.count("DEFINE SUB(") == 2
    assert all(reply.ok for reply in qm.mqsc(script))


def test_the_model_is_no_subscription(qm, run):
    run("ALTER SUB(SYSTEM.DEFAULT.SUB) SUBLEVEL(3)")
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    assert qm.mqsc("DISPLAY SUB(S) SUBLEVEL")[0].attributes["SUBLEVEL"] == 3
    assert "SYSTEM.DEFAULT.SUB" not in qm.engine.pubsub.subscriptions


def test_a_subscription_by_object_keeps_its_topic_when_the_object_goes(embed):
    qm = embed()
    qm.mqsc(
        "DEFINE QLOCAL(R)\nDEFINE TOPIC(T) TOPICSTR('tee')\nDEFINE SUB(S) TOPICOBJ(T) TOPICSTR('x') DEST(R)"
    )
    qm.mqsc("DELETE TOPIC(T)")
    (reply,) = qm.mqsc("DISPLAY SUB(S) TOPICSTR")
    assert reply.attributes["TOPICSTR"] == "tee/x"
    (reply,) = qm.mqsc("DISPLAY SUB(S) TOPICSTR DISTYPE(DEFINED)")
    assert (reply.attributes["TOPICSTR"], reply.attributes["DISTYPE"]) == ("x", "DEFINED")
    assert not qm.mqsc("ALTER SUB(S) USERDATA(u)")[0].failed
    qm.close()
    qm = embed()
    qm.publish("tee/x", b"m")
    assert qm.get("R").body == b"m"


def test_a_new_one_gets_what_is_retained(qm, run):
    run("DEFINE QLOCAL(R)")
    run("DEFINE QLOCAL(OTHER)")
    qm.publish("a/b", b"kept", retain=True, persistent=True)
    qm.checkpoint()
    (message,) = qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].messages()
    with qm.gate:
        message.queue.drop_body(message)
    run("DEFINE SUB(S) TOPICSTR('a/#') DEST(R)")
    assert (qm.get("R").body, qm.get("R")) == (b"kept", None)
    run("ALTER SUB(S) USERDATA(u)")
    run("DEFINE SUB(ASKS) TOPICSTR('a/#') DEST(OTHER) REQONLY(YES)")
    assert (qm.get("R"), qm.get("OTHER")) == (None, None)


def test_a_managed_destination_stays_one(qm, run):
    run("DEFINE QLOCAL(R)")
    qm.put("R", b"mine")
    qm.subscribe("a", durable="API").close()
    run("DEFINE SUB(ADMIN) TOPICSTR('a') DESTCLAS(MANAGED)")
    run("DEFINE SUB(PLAIN) TOPICSTR('a') DEST(R)")
    for command in (
        "ALTER SUB(API) DEST(R)",
        "ALTER SUB(ADMIN) DEST(R)",
        "DEFINE SUB(ADMIN) TOPICSTR('a') DEST(R) REPLACE",
        "DEFINE SUB(PLAIN) TOPICSTR('a') DESTCLAS(MANAGED) REPLACE",
    ):
        (reply,) = qm.mqsc(command)
        assert reply.reason == 2533, command
    run("DEFINE SUB(ADMIN) LIKE(API) REPLACE")
    queues = {each.queue.name for each in qm.engine.pubsub.subscriptions.values()}
    assert len(queues) == 3
    for name in ("API", "ADMIN", "PLAIN"):
        run(f"DELETE SUB({name})")
    assert qm.get("R").body == b"mine"
    assert not [name for name in qm.engine.queues if name.startswith("SYSTEM.MANAGED.")]


def test_altering_checks_the_selector_of_every_subscription(qm, run):
    qm.subscribe("a", durable="API").close()
    (reply,) = qm.mqsc("ALTER SUB(API) SELECTOR('bad(')")
    assert reply.reason == 2459


@pytest.mark.parametrize("then", ["", "DEFINE TOPIC(TO) TOPICSTR('elsewhere')"])
def test_an_export_names_the_topic_when_its_object_is_gone_or_means_another(qm, run, then):
    run("DEFINE QLOCAL(D)")
    run("DEFINE TOPIC(TO) TOPICSTR('base')")
    run("DEFINE TOPIC(STAYS) TOPICSTR('stays')")
    run("DEFINE SUB(S) TOPICOBJ(TO) TOPICSTR('leaf') DEST(D)")
    run("DEFINE SUB(OTHER) TOPICOBJ(STAYS) TOPICSTR('leaf') DEST(D)")
    run("DELETE TOPIC(TO)")
    if then:
        run(then)
    script = qm.export()
    assert "TOPICOBJ('TO')" not in script
    assert "TOPICOBJ('STAYS')" in script
    with penstock.embed("SECOND", create=True) as second:
        assert not [reply.text for reply in second.mqsc(script) if reply.failed]
        second.publish("base/leaf", b"m")
        assert [message.body for message in second.get_many("D", 5)] == [b"m"]


@pytest.mark.parametrize("then", ["", "DEFINE TOPIC(TO) TOPICSTR('elsewhere')"])
def test_like_means_the_same_topic_when_its_object_is_gone_or_means_another(qm, run, then):
    run("DEFINE QLOCAL(D)")
    run("DEFINE TOPIC(TO) TOPICSTR('base')")
    run("DEFINE SUB(S) TOPICOBJ(TO) TOPICSTR('leaf') DEST(D)")
    run("DELETE TOPIC(TO)")
    if then:
        run(then)
    run("DEFINE SUB(T) LIKE(S)")
    run("DELETE SUB(S)")
    qm.publish("base/leaf", b"m")
    assert [message.body for message in qm.get_many("D", 5)] == [b"m"]


def test_like_with_a_topic_string_of_its_own_needs_the_object(qm, run):
    run("DEFINE QLOCAL(D)")
    run("DEFINE TOPIC(TO) TOPICSTR('base')")
    run("DEFINE SUB(S) TOPICOBJ(TO) TOPICSTR('leaf') DEST(D)")
    run("DEFINE SUB(T) LIKE(S) TOPICSTR('other')")
    run("DELETE TOPIC(TO)")
    (reply,) = qm.mqsc("DEFINE SUB(U) LIKE(S) TOPICSTR('other')")
    assert reply.reason == 2085


def test_an_export_keeps_groups_of_subscriptions(qm, run):
    run("DEFINE QLOCAL(D)")
    group = {"queue": "D", "correl_id": b"1" * 24, "options": mq.MQSO_CREATE | mq.MQSO_GROUP_SUB}
    for name in ("a", "#"):
        qm.subscribe(name, durable=name, **group).close()
    script = qm.export()
    with penstock.embed("SECOND", create=True) as second:
        assert not [reply.text for reply in second.mqsc(script * 2) if reply.failed]
        second.publish("a", b"m")
        assert len(second.get_many("D", 5)) == 1
        assert second.export().splitlines()[1:] == script.splitlines()[1:]


@pytest.mark.parametrize("without", ["DEST(D)", "DESTCLAS(MANAGED) DESTCORL('41')"])
def test_grouped_needs_a_queue_and_a_correlation_id(qm, run, without):
    run("DEFINE QLOCAL(D)")
    (reply,) = qm.mqsc(f"DEFINE SUB(S) TOPICSTR('a') {without} GROUPED(YES)")
    assert (reply.failed, reply.reason) == (True, 2046)


def test_grouped_is_displayed_and_cannot_be_altered(qm, run):
    run("DEFINE QLOCAL(D)")
    run("DEFINE SUB(S) TOPICSTR('a') DEST(D) DESTCORL('41') GROUPED(YES)")
    (shown,) = qm.mqsc("DISPLAY SUB(S) GROUPED")
    assert shown.attributes["GROUPED"] == "YES"
    run("ALTER SUB(S) GROUPED(YES)")
    (reply,) = qm.mqsc("ALTER SUB(S) GROUPED(NO)")
    assert reply.failed


def test_a_subscription_is_altered_and_deleted_by_its_id(qm, run):
    run("DEFINE QLOCAL(D)")
    run("DEFINE SUB(S) TOPICSTR('a') DEST(D)")
    (shown,) = qm.mqsc("DISPLAY SUB(S) SUBID")
    number = shown.attributes["SUBID"]
    run(f"ALTER SUB SUBID('{number.lower()}') USERDATA('u')")
    assert qm.mqsc("DISPLAY SUB(S) USERDATA")[0].attributes["USERDATA"] == "u"
    assert qm.mqsc(f"DELETE SUB(OTHER) SUBID('{number}')")[0].reason == 2085
    run(f"DELETE SUB SUBID('{number}')")
    assert qm.mqsc(f"DELETE SUB SUBID('{number}')")[0].reason == 2085
    assert "S" not in qm.engine.pubsub.subscriptions


@pytest.mark.parametrize("given", ["", "TOPICSTR('')", "DESCR('x') TOPICSTR(' ')"])
def test_a_topic_object_has_a_topic_string(qm, run, given):
    assert qm.mqsc(f"DEFINE TOPIC(T) {given}")[0].failed
    run("DEFINE TOPIC(SYSTEM.DEFAULT.TOPIC) REPLACE")
    run("DEFINE TOPIC(SYSTEM.BASE.TOPIC) REPLACE")
