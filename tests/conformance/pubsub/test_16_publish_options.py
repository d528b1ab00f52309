"""Options of a publish (section 8): not own subscriptions, warn if nobody matched, handles on topics."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq


def test_not_own_subscriptions(embed, bodies):
    mine, other = embed(), embed()
    with mine.subscribe("a") as own, other.subscribe("a") as theirs:
        mine.publish("a", b"m", options=mq.MQPMO_NOT_OWN_SUBS)
        assert (bodies(own), bodies(theirs)) == ([], [b"m"])


def test_the_warning_is_given_only_when_asked_for(qm):
    warn = penstock.Put.WARN_IF_NO_SUBSCRIPTION
    assert qm.publish("a", b"m").warning == 0
    assert qm.publish("a", b"m", options=warn).warning == 2550
    with qm.subscribe("a", selector="size = 1"):
        assert qm.publish("a", b"m", options=warn).warning == 2550
        assert qm.publish("a", b"m", options=warn, properties={"size": 1}).warning == 0


def test_unknown_options_are_2046(qm, fails):
    with fails(2046):
        qm.publish("a", b"m", options=1 << 30)


def test_a_bad_argument_is_named(qm):
    with pytest.raises(TypeError, match="retained"):
        qm.publish("a", b"m", retained=True)


def test_a_handle_publishes_with_all_of_put(qm, bodies):
    with (
        qm.subscribe("a/#") as sub,
        qm.open("", mq.MQOO_OUTPUT, object_type=mq.MQOT_TOPIC, object_string="a/b") as handle,
    ):
        handle.put(b"1")
        handle.put(b"2", persistent=True, options=mq.MQPMO_RETAIN, properties={"size": 1})
        assert [m.body for m in sub.messages()] == [b"1", b"2"]
        (row,) = qm.mqsc("DISPLAY TPSTATUS('a/b') TYPE(PUB) ALL")
        assert row.attributes["NUMPUBS"] == 2
    assert qm.mqsc("DISPLAY TPSTATUS('a/b') TYPE(PUB)")[0].id == "AMQ8147E"


def test_a_topic_alias_queue_publishes(qm, run, bodies):
    run("DEFINE TOPIC(T) TOPICSTR('price/fruit')")
    run("DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)")
    with qm.subscribe("price/#") as sub:
        qm.put("A", b"m")
        assert bodies(sub) == [b"m"]


def test_input_from_a_topic_is_2045(qm, fails):
    with fails(2045):
        qm.open("", mq.MQOO_INPUT_SHARED, object_type=mq.MQOT_TOPIC, object_string="a")


def test_a_receipt_tells_ids_and_time(qm):
    receipt = qm.publish("a", b"m", correl_id=b"x", msg_id=b"y" * 24)
    assert (receipt.msg_id, receipt.correl_id.rstrip(b"\0"), receipt.resolved_queue) == (b"y" * 24, b"x", "a")


def test_a_closed_connection_is_2018(qm, fails):
    qm.close()
    with fails(2018):
        qm.publish("a", b"m")
    with fails(2018):
        qm.subscribe("a")


def test_expired_publications_are_never_got(qm, bodies):
    import time

    with qm.subscribe("a") as sub:
        qm.publish("a", b"m", expiry=0.05)
        time.sleep(0.1)
        assert bodies(sub) == []
