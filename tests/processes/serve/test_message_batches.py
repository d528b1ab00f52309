"""`put_messages`: whole messages to many queues in one call, embedded and over a socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.model import constants as mq
from penstock.serve.conversations import verbs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.served import Served

QUEUES = "DEFINE QLOCAL(APP.ONE) REPLACE\nDEFINE QLOCAL(APP.TWO) MAXDEPTH(2) REPLACE"


@pytest.fixture(params=["embedded", pytest.param("socket", marks=pytest.mark.installed)])
def qm(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """The same queue manager, in this process and behind its local socket."""
    if request.param == "embedded":
        with penstock.embed("QM1", create=True, home=tmp_path) as found:
            found.mqsc(QUEUES)
            yield found
        return
    served: Served = request.getfixturevalue("served")
    with penstock.connect("QM1", home=served.home) as client:
        client.mqsc(QUEUES)
        for queue in ("APP.ONE", "APP.TWO"):
            client.get_many(queue, 100)
        yield client


def message(body: bytes, **given: Any) -> penstock.Message:
    described = penstock.Descriptor(format="MQSTR", user_id="somebody", ccsid=1208)
    made = penstock.Message(body, given.pop("msg_id", bytes(24)), b"c" * 24, True, 3, descriptor=described)
    made.properties = given.pop("properties", None)
    return made


def test_messages_arrive_with_ids_descriptor_and_properties(qm: Any) -> None:
    set_all = mq.MQPMO_SET_ALL_CONTEXT
    sent = [
        ("APP.ONE", message(b"1", msg_id=b"m" * 24), "", set_all),
        ("APP.TWO", message(b"2", properties={"colour": "red"}), "", 0),
        ("APP.ONE", message(b"3"), "QM1", set_all),
        ("APP.ONE", message(b"4"), "", set_all),
    ]
    qm.put_messages(sent)
    one = qm.get_many("APP.ONE", 10)
    assert [each.body for each in one] == [b"1", b"3", b"4"]
    assert one[0].msg_id == b"m" * 24
    assert len({each.msg_id for each in one}) == 3
    assert {(each.correl_id, each.persistent, each.priority) for each in one} == {(b"c" * 24, True, 3)}
    assert {(each.format, each.user_id) for each in one} == {("MQSTR", "somebody")}
    two = qm.get("APP.TWO")
    assert two.properties == {"colour": "red"}
    assert two.user_id != "somebody"


def test_many_alike_keep_their_order_and_bodies(qm: Any) -> None:
    same = message(b"").descriptor
    batch = []
    for number in range(300):
        each = penstock.Message(b"%d" % number, descriptor=same)
        batch.append(("APP.ONE", each, "", mq.MQPMO_SET_ALL_CONTEXT))
    with qm.unit_of_work():
        qm.put_messages(batch)
        assert len(list(qm.browse("APP.ONE"))) == 0
    found = qm.get_many("APP.ONE", 1000)
    assert [each.body for each in found] == [b"%d" % number for number in range(300)]


def test_a_failure_names_the_message_and_leaves_nothing(qm: Any) -> None:
    outputs = [("APP.TWO", message(b"%d" % number), "", 0) for number in range(4)]
    with pytest.raises(penstock.QueueFull) as raised:
        qm.put_messages(outputs)
    assert raised.value.fields["index"] == 2
    assert qm.get("APP.TWO") is None


def test_a_queue_that_is_not_there_is_named_by_index(qm: Any) -> None:
    outputs = [("APP.ONE", message(b"1"), "", 0), ("APP.NOWHERE", message(b"2"), "", 0)]
    with pytest.raises(penstock.ObjectUnknown) as raised, qm.unit_of_work():
        qm.put_messages(outputs)
    assert raised.value.fields["index"] == 1
    assert qm.get("APP.ONE") is None


def test_a_batch_larger_than_a_frame_is_one_unit(qm: Any) -> None:
    outputs = [("APP.ONE", message(bytes(600_000)), "", 0) for _ in range(4)]
    qm.put_messages(outputs)
    assert [len(each.body) for each in qm.get_many("APP.ONE", 10)] == [600_000] * 4


def test_a_reply_to_alias_is_resolved_for_every_message(qm: Any) -> None:
    qm.mqsc("DEFINE QREMOTE(APP.ALIAS) RNAME(APP.REPLIES) RQMNAME(ELSEWHERE) REPLACE")
    described = penstock.Descriptor(reply_to="APP.ALIAS")
    outputs = [("APP.ONE", penstock.Message(b"x", descriptor=described), "", 0) for _ in range(3)]
    qm.put_messages(outputs)
    assert {each.reply_to for each in qm.get_many("APP.ONE", 10)} == {"APP.REPLIES"}


@pytest.mark.installed
@pytest.mark.parametrize(
    "rows",
    [
        [[9, 0, False, 0, None, bytes(24), bytes(24), None, b""]],
        [[0, 9, False, 0, None, bytes(24), bytes(24), None, b""]],
        [[0, 0, False, 0, None, b"short", bytes(24), None, b""]],
        [[0, 0, False, 0, None, bytes(24), bytes(24), None, "text"]],
        [[0, 0]],
        [5],
    ],
)
def test_rows_that_make_no_sense_are_refused(served: Served, rows: list[Any]) -> None:
    from penstock.client import calls

    assert "put_messages" in verbs.VERBS
    with penstock.connect("QM1", home=served.home) as client:
        client.begin()
        arguments = {"targets": [["APP.Q", "", 0]], "descriptors": [b""], "rows": rows}
        with pytest.raises(penstock.OptionsError) as raised:
            calls.call(client, "put_messages", arguments, 1)
        assert raised.value.reason == 2046
        client.backout()
        assert client.get("APP.Q") is None


def test_what_was_checked_is_checked_again_after_a_change(qm: Any) -> None:
    qm.mqsc("DEFINE QREMOTE(APP.ALIAS) RNAME(APP.REPLIES) RQMNAME(ELSEWHERE) REPLACE")
    described = penstock.Descriptor(reply_to="APP.ALIAS")
    output = ("APP.ONE", penstock.Message(b"x", descriptor=described), "", 0)
    qm.put_messages([output])
    qm.put_messages([output])
    qm.mqsc("ALTER QREMOTE(APP.ALIAS) RNAME(APP.OTHERS)")
    qm.put_messages([output])
    found = [each.reply_to for each in qm.get_many("APP.ONE", 10)]
    assert found == ["APP.REPLIES", "APP.REPLIES", "APP.OTHERS"]
    qm.mqsc("ALTER QLOCAL(APP.ONE) PUT(DISABLED)")
    with pytest.raises(penstock.MQError) as raised:
        qm.put_messages([output])
    assert raised.value.reason == 2051
