"""What a copy carries (section 8): properties, correlation ids, identity, priority, PSPROP."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.rfh1 import unpack_rfh1
from penstock.model.rfh2 import unpack_rfh2


def test_the_topic_string_and_the_level(qm):
    with qm.subscribe("a/#") as sub:
        qm.publish("a/b", b"m")
        assert sub.get().properties == {"MQTopicString": "a/b", "MQPubLevel": 9}


def test_the_publishers_own_properties_stay(qm):
    with qm.subscribe("a") as sub:
        qm.publish("a", b"m", properties={"size": 5})
        assert sub.get().properties == {"size": 5, "MQTopicString": "a", "MQPubLevel": 9}


def test_user_data(qm):
    with qm.subscribe("a", user_data="for me") as sub, qm.subscribe("a") as other:
        qm.publish("a", b"m")
        assert sub.get().properties["MQSubUserData"] == "for me"
        assert "MQSubUserData" not in other.get().properties


def test_each_subscription_has_a_correlation_id(qm):
    with qm.subscribe("a") as one, qm.subscribe("a") as other:
        qm.publish("a", b"m", correl_id=b"mine")
        assert (one.get().correl_id, other.get().correl_id) == (one.id, other.id)


def test_a_given_correlation_id(qm, queue):
    with qm.subscribe("a", queue=queue, correl_id=b"X" * 24):
        qm.publish("a", b"m", correl_id=b"mine")
    assert qm.get(queue).correl_id == b"X" * 24


def test_zeros_let_the_publishers_through(qm):
    with qm.subscribe("a", correl_id=bytes(24)) as sub:
        qm.publish("a", b"m", correl_id=b"mine")
        assert sub.get().correl_id.rstrip(b"\0") == b"mine"


def test_decision_copies_share_the_message_id(qm):
    with qm.subscribe("a") as one, qm.subscribe("a") as other:
        receipt = qm.publish("a", b"m")
        assert one.get().msg_id == other.get().msg_id == receipt.msg_id


def test_the_priority_of_copies(qm, run):
    run("DEFINE QLOCAL(Q) DEFPRTY(2)")
    with (
        qm.subscribe("a") as as_published,
        qm.subscribe("a", priority=7) as fixed,
        qm.subscribe("a", queue="Q", priority=-1) as as_queue,
    ):
        qm.publish("a", b"m", priority=5)
        assert [sub.get().priority for sub in (as_published, fixed, as_queue)] == [5, 7, 2]


def test_the_identity_is_the_subscribers(qm):
    options = mq.MQPMO_SET_IDENTITY_CONTEXT
    with qm.subscribe("a", accounting_token=b"T", appl_identity_data="data") as sub:
        qm.publish("a", b"m", options=options, user_id="publisher")
        message = sub.get()
        assert message.user_id == qm.connection.user[:12]
        assert message.descriptor.accounting_token.rstrip(b"\0") == b"T"
        assert message.descriptor.appl_identity_data == "data"


def test_psprop_none(qm):
    with qm.subscribe("a", properties="NONE") as sub:
        qm.publish("a", b"m", properties={"size": 5})
        qm.publish("a", b"m")
        assert [m.properties for m in sub.messages()] == [{"size": 5}, None]


@pytest.mark.parametrize("persistent", [False, True])
def test_psprop_rfh2(qm, persistent):
    with qm.subscribe("a/#", properties="RFH2", durable="s") as sub:
        qm.publish("a/<b>", b"body", format="MQSTR", persistent=persistent)
        message = sub.get()
    header, length = unpack_rfh2(message.body)
    assert (message.format, header.format, message.body[length:]) == ("MQHRF2", "MQSTR", b"body")
    assert header.folders[0].rstrip() == "<psc><Command>Publish</Command><Topic>a/&lt;b&gt;</Topic></psc>"
    assert message.persistent == persistent


def test_psprop_compat(qm):
    with qm.subscribe("a b", properties="COMPAT") as sub:
        qm.publish("a b", b"body", format="MQSTR")
        message = sub.get()
    header, length = unpack_rfh1(message.body)
    assert (message.format, header.format, message.body[length:]) == ("MQHRF", "MQSTR", b"body")
    assert header.pairs == (("MQPSCommand", "Publish"), ("MQPSTopic", "a b"))


def test_an_unknown_form_is_2046(qm, fails):
    with fails(2046):
        qm.subscribe("a", properties="XML")


def test_replies_can_be_suppressed(qm, queue):
    with qm.subscribe("a") as sub:
        qm.publish("a", b"m", reply_to=queue)
        qm.publish("a", b"m", reply_to=queue, options=mq.MQPMO_SUPPRESS_REPLYTO)
        assert [m.reply_to for m in sub.messages()] == [queue, ""]


def test_text_is_text(qm):
    with qm.subscribe("a") as sub:
        qm.publish("a", "grüße")
        message = sub.get()
        assert (message.body.decode(), message.format) == ("grüße", "MQSTR")


def test_decision_headers_carry_user_data_and_whether_it_is_a_retained_one(qm):
    qm.publish("a", b"m", retain=True)
    with qm.subscribe("a", properties="RFH2", user_data="x < y") as sub:
        assert "<SubUserData>x &lt; y</SubUserData>" in unpack_rfh2(sub.get().body)[0].folders[0]
    with qm.subscribe("a", properties="COMPAT", user_data="mine") as sub:
        header, _ = unpack_rfh1(sub.get().body)
    assert ("MQPSPubOpts", "IsRetainedPub") in header.pairs
    assert ("MQPSSubUserData", "mine") in header.pairs
