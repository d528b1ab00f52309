"""Topic objects (section 8): every ASPARENT resolves upwards to SYSTEM.BASE.TOPIC; changes count at once."""

from __future__ import annotations

from penstock.model import constants as mq


def status(qm, topic):
    return qm.mqsc(f"DISPLAY TPSTATUS('{topic}')")[0].attributes


def test_the_nearest_object_above_decides(qm, run):
    run("DEFINE TOPIC(TOP) TOPICSTR('a') DEFPSIST(YES) DEFPRTY(3)")
    run("DEFINE TOPIC(LOW) TOPICSTR('a/b/c') DEFPRTY(7)")
    with qm.subscribe("a/#", queue="", durable="s") as sub:
        for topic in ("a", "a/x", "a/b/c", "a/b/c/d"):
            qm.publish(topic, b"m")
        assert [(m.persistent, m.priority) for m in sub.messages()] == [
            (True, 7),
            (True, 7),
            (True, 3),
            (True, 3),
        ]


def test_the_base_object_is_the_last_above(qm, run):
    run("ALTER TOPIC(SYSTEM.BASE.TOPIC) DEFPRTY(4)")
    with qm.subscribe("x") as sub:
        qm.publish("x", b"m")
        assert sub.get().priority == 4


def test_mqs_own_values_count_when_the_base_object_is_gone(qm, run):
    run("ALTER TOPIC(SYSTEM.BASE.TOPIC) DEFPRTY(4)")
    run("DELETE TOPIC(SYSTEM.BASE.TOPIC)")
    with qm.subscribe("x") as sub:
        qm.publish("x", b"m")
        assert sub.get().priority == 0


def test_a_change_reaches_topics_in_use(qm, run):
    run("DEFINE TOPIC(TOP) TOPICSTR('a')")
    with (
        qm.subscribe("a/b/c/d") as sub,
        qm.open("", mq.MQOO_OUTPUT, object_type=mq.MQOT_TOPIC, object_string="a/b/c/d") as handle,
    ):
        qm.publish("a/b/c/d", b"m")
        run("ALTER TOPIC(TOP) DEFPRTY(5)")
        qm.publish("a/b/c/d", b"m")
        handle.put(b"m")
        run("DELETE TOPIC(TOP)")
        qm.publish("a/b/c/d", b"m")
        handle.put(b"m")
        assert sorted(m.priority for m in sub.messages()) == [0, 0, 0, 5, 5]


def test_status_shows_what_is_resolved(qm, run):
    run("DEFINE TOPIC(TOP) TOPICSTR('shop') DEFPSIST(YES) MDURMDL(SYSTEM.NDURABLE.MODEL.QUEUE)")
    run("DEFINE TOPIC(LOW) TOPICSTR('shop/fruit/apple') PUB(DISABLED)")
    found = status(qm, "shop/fruit/apple")
    assert (found["ADMIN"], found["DEFPSIST"], found["PUB"], found["SUB"]) == (
        "LOW",
        "YES",
        "DISABLED",
        "ENABLED",
    )
    assert (found["MDURMDL"], found["MNDURMDL"]) == (
        "SYSTEM.NDURABLE.MODEL.QUEUE",
        "SYSTEM.NDURABLE.MODEL.QUEUE",
    )
    assert status(qm, "shop/fruit")["ADMIN"] == ""


def test_expiry_is_capped_by_the_topic(qm, run):
    run("DEFINE TOPIC(TOP) TOPICSTR('a') CAPEXPRY(50)")
    with qm.subscribe("a/b") as sub:
        qm.publish("a/b", b"m")
        qm.publish("a/b", b"m", expiry=1.0)
        qm.publish("a/b", b"m", expiry=100.0)
        assert [round(m.expiry) for m in sub.messages()] == [5, 1, 5]


def test_an_empty_topic_string_is_no_place_in_the_tree(qm, run):
    run("ALTER TOPIC(SYSTEM.DEFAULT.TOPIC) PUB(DISABLED)")
    assert qm.publish("a", b"m").warning == 0


def test_a_topic_string_has_one_object(qm):
    assert not qm.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit')")[0].failed

    (second,) = qm.mqsc("DEFINE TOPIC(APPLES) TOPICSTR('price/fruit')")
    (again,) = qm.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit') PUB(DISABLED) REPLACE")

    assert (second.failed, second.reason) == (True, 3300)
    assert not again.failed


def test_a_topic_object_that_moves_leaves_its_string(qm):
    qm.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit') PUB(DISABLED)")

    assert not qm.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('cost/fruit') PUB(DISABLED) REPLACE")[0].failed

    qm.publish("price/fruit", b"1")
    assert not qm.mqsc("DEFINE TOPIC(APPLES) TOPICSTR('price/fruit')")[0].failed
