"""Clause 1: a verb does the same whichever way the queue manager is reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import penstock
from penstock.model import constants as mq
from tests.conformance.client.conftest import Blocking, until

pytestmark = pytest.mark.installed
ID = b"c" * 24


def test_put_and_get_carry_body_ids_and_persistence(qm: Any) -> None:
    receipt = qm.put("Q", b"one", persistent=True, correl_id=ID)
    message = qm.get("Q", wait=60.0)
    assert (message.body, message.msg_id, message.correl_id) == (b"one", receipt.msg_id, ID)
    assert message.persistent
    assert qm.get("Q") is None


def test_text_properties_and_descriptor_travel(qm: Any) -> None:
    qm.put("Q", "fünf", properties={"colour": "red"}, priority=7, reply_to="Q2", expiry=100.0)
    message = qm.get("Q")
    assert message.body.decode() == "fünf"
    assert (message.format.strip(), message.priority, message.reply_to) == ("MQSTR", 7, "Q2")
    assert message.properties["colour"] == "red"
    assert 0 < message.expiry <= 100


def test_get_by_correl_id_and_selector(qm: Any) -> None:
    qm.put("Q", b"a", properties={"size": 1})
    qm.put("Q", b"b", correl_id=ID)
    qm.put("Q", b"c", properties={"size": 30})
    assert qm.get("Q", correl_id=ID).body == b"b"
    assert qm.get("Q", selector="size > 10").body == b"c"
    assert qm.get("Q").body == b"a"


def test_batches_keep_their_order(qm: Any) -> None:
    bodies = [str(number).encode() for number in range(500)]
    receipts = qm.put_many("Q", bodies, persistent=True)
    assert len({receipt.msg_id for receipt in receipts}) == 500
    found: list[bytes] = []
    while len(found) < 500:
        found += [message.body for message in qm.get_many("Q", 200, wait=60.0)]
    assert found == bodies


def test_unit_of_work_commits_and_backs_out(qm: Any) -> None:
    qm.put("Q", b"stays")
    with pytest.raises(ZeroDivisionError), qm.unit_of_work():  # noqa: PT012
        assert qm.get("Q").body == b"stays"
        qm.put("Q2", b"never")
        raise ZeroDivisionError
    assert qm.get("Q2") is None
    with qm.unit_of_work():
        assert qm.get("Q").backout_count == 1
        qm.put("Q2", b"there")
    assert qm.get("Q") is None
    assert qm.get("Q2").body == b"there"


def test_nested_units_are_refused(qm: Any, fails: Callable[[int], Any]) -> None:
    with qm.unit_of_work(), fails(2128):
        qm.begin()


def test_browse_leaves_messages(qm: Any) -> None:
    qm.put_many("Q", [b"1", b"2", b"3"])
    assert [message.body for message in qm.browse("Q")] == [b"1", b"2", b"3"]
    assert qm.get("Q").body == b"1"


def test_handle_browses_with_a_cursor_and_takes_under_it(qm: Any, fails: Callable[[int], Any]) -> None:
    qm.put_many("Q", [b"1", b"2"])
    with qm.open("Q", mq.MQOO_BROWSE | mq.MQOO_INPUT_SHARED | mq.MQOO_INQUIRE) as handle:
        handle.get(options=mq.MQGMO_BROWSE_FIRST)
        assert handle.get(options=mq.MQGMO_BROWSE_NEXT).body == b"2"
        assert handle.get(options=mq.MQGMO_MSG_UNDER_CURSOR).body == b"2"
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 1
        handle.get()
        with fails(2033):
            handle.get()


def test_failures_have_their_reasons(qm: Any, fails: Callable[[int], Any]) -> None:
    with fails(2085):
        qm.put("NOWHERE", b"")
    with fails(2085):
        qm.get("NOWHERE")
    with fails(2090):
        qm.get("Q", wait=-3.0)


def test_mqsc_answers_and_streams(qm: Any) -> None:
    replies = qm.mqsc("DEFINE QLOCAL(NEW) REPLACE\nDISPLAY QLOCAL(NEW) MAXDEPTH\nNONSENSE")
    assert [reply.failed for reply in replies[:3]] == [False, False, True]
    pieces = list(qm.mqsc_script(["DISPLAY QUEUE(*)\n"]))
    assert pieces[-1].exit_code == 0
    assert "DEFINE QLOCAL('NEW')" in qm.export()


def test_mqsc_with_check_runs_all_and_raises_the_first_failure(qm: Any) -> None:
    assert len(qm.mqsc("DEFINE QLOCAL(NEW) REPLACE\nDISPLAY QLOCAL(NEW)", check=True)) == 2
    with pytest.raises(penstock.CommandError, match=r"line 2.*DELETE QLOCAL\(NOT.THERE\).*1 more") as caught:
        qm.mqsc("DEFINE QLOCAL(FIRST)\nDELETE QLOCAL(NOT.THERE)\nNONSENSE\nDEFINE QLOCAL(LAST)", check=True)
    assert (caught.value.reason, caught.value.fields["id"]) == (3008, "AMQ8147E")
    assert sum(reply.failed for reply in caught.value.fields["replies"]) == 2
    qm.mqsc("DELETE QLOCAL(FIRST)\nDELETE QLOCAL(LAST)", check=True)


def test_backup_tells_the_path_of_the_copy(qm: Any, tmp_path: Path) -> None:
    target = tmp_path / "copy" / "QM1"
    assert qm.backup(str(target)) == target
    assert (target / "qm.ini").exists()


def test_prepared_units_wait_for_their_outcome(qm: Any) -> None:
    qm.begin()
    qm.put("Q", b"later", persistent=True)
    qm.prepare("x1")
    assert qm.get("Q") is None
    assert [each["xid"] for each in qm.prepared()] == ["x1"]
    qm.commit_prepared("x1")
    assert qm.get("Q").body == b"later"


def test_publications_reach_subscriptions(qm: Any) -> None:
    qm.publish("price/apple", b"old", retain=True)
    with qm.subscribe("price/#") as subscription:
        assert subscription.get(wait=60.0).body == b"old"
        qm.publish("price/pear", b"2", persistent=True)
        assert subscription.get(wait=60.0).body == b"2"
        assert subscription.get() is None


def test_durable_subscription_keeps_what_came_meanwhile(qm: Any, fails: Callable[[int], Any]) -> None:
    with qm.subscribe("news/#", durable="s1") as subscription:
        assert subscription.durable
    qm.publish("news/a", b"1")
    with qm.subscribe("news/#", durable="s1") as subscription:
        assert [message.body for message in subscription.messages(wait=0.5)] == [b"1"]
        subscription.close(remove=True)
    with fails(2428):
        qm.unsubscribe("s1")


def test_messages_ends_when_nothing_comes(qm: Any) -> None:
    qm.put_many("Q", [b"1", b"2", b"3"])
    assert [message.body for message in qm.messages("Q", wait=0.2)] == [b"1", b"2", b"3"]


def test_reservations_of_flows(qm: Any) -> None:
    flow = f"F{uuid4().hex}"
    qm.put_many("Q", [b"1", b"2"], persistent=True)
    epoch = qm.batches.new_epoch(flow)
    batch = qm.batches.reserve(flow, "Q", after=0, epoch=epoch)
    assert batch["rows"] == 2
    found = qm.batches.read_slice(flow, batch["n"], 0, 1, epoch=epoch)
    assert [message.body for message in found] == [b"1", b"2"]
    qm.batches.prepare_outputs(flow, 1, 0, 0, [("Q2", b"out")], epoch=epoch)
    qm.batches.commit(flow, 1, {0: 0}, epoch=epoch)
    assert qm.get("Q2", wait=60.0).body == b"out"
    assert qm.get("Q") is None


@pytest.mark.parametrize("unit_of_work", [False, True])
def test_consumer_calls_back_until_stopped(qm: Any, unit_of_work: bool) -> None:
    found: list[bytes] = []
    with qm.consume("Q", lambda message: found.append(message.body), unit_of_work=unit_of_work):
        qm.put_many("Q", [b"1", b"2", b"3"])
        until(qm, lambda: len(found) == 3)
    qm.put("Q", b"after")
    assert found == [b"1", b"2", b"3"]
    assert qm.get("Q").body == b"after"


def test_consumer_backs_out_what_its_callback_refuses(qm: Any) -> None:
    counts: list[int] = []

    def callback(message: Any) -> None:
        counts.append(message.backout_count)
        if len(counts) == 1:
            raise ValueError("not now")

    qm.put("Q", b"x")
    with qm.consume("Q", callback, unit_of_work=True, on_error=lambda failure, message: None):
        until(qm, lambda: len(counts) == 2)
    assert counts == [0, 1]
    assert qm.get("Q") is None


@pytest.mark.parametrize("unit_of_work", [False, True])
def test_suspended_consumer_takes_nothing_until_resumed(qm: Any, unit_of_work: bool) -> None:
    found: list[bytes] = []
    with qm.consume("Q", lambda message: found.append(message.body), unit_of_work=unit_of_work) as consumer:
        qm.put("Q", b"1")
        until(qm, lambda: found == [b"1"])
        consumer.suspend()
        qm.put("Q", b"2")
        until(qm, lambda: [message.body for message in qm.browse("Q")] == [b"2"])
        assert found == [b"1"]
        consumer.resume()
        until(qm, lambda: found == [b"1", b"2"])
        consumer.suspend()
    assert qm.get("Q") is None


def test_failed_callback_ends_the_consumer_and_stop_tells(qm: Any) -> None:
    def callback(message: Any) -> None:
        raise ValueError("no")

    qm.put("Q", b"x")
    consumer = qm.consume("Q", callback, unit_of_work=True)
    until(qm, lambda: not consumer.running)
    with pytest.raises(ValueError, match="no"):
        consumer.stop()
    assert qm.get("Q").backout_count == 1


def test_subscription_calls_back(qm: Any) -> None:
    found: list[bytes] = []
    with qm.subscribe("fruit/#") as subscription:
        with subscription.consume(lambda message: found.append(message.body)):
            qm.publish("fruit/fig", b"f")
            until(qm, lambda: found == [b"f"])


def test_request_gets_its_reply_and_not_another(qm: Any) -> None:
    def reply(message: Any) -> Any:
        answers = qm.put if not isinstance(qm, Blocking) else qm._subject.put
        return answers(message.reply_to, message.body.upper(), correl_id=message.msg_id)

    replies: list[bytes] = []
    qm.put("Q2", b"not this", correl_id=ID)
    with qm.consume("Q", reply):
        for body in (b"a", "text"):
            replies.append(qm.request("Q", body, "Q2", wait=60.0).body)
    assert replies == [b"A", b"TEXT"]
    assert qm.get("Q2").body == b"not this"


def test_request_without_reply_is_none_and_to_nowhere_fails(qm: Any, fails: Callable[[int], Any]) -> None:
    assert qm.request("Q", b"nobody", "Q2", wait=0.1) is None
    message = qm.get("Q")
    assert (message.reply_to, message.msg_type) == ("Q2", mq.MQMT_REQUEST)
    with fails(2085):
        qm.request("NOWHERE", b"", "Q2", wait=60.0)
    qm.put("Q", b"goes on")
    assert qm.get("Q").body == b"goes on"


def test_lists_of_names_are_tuples_however_they_came(qm: Any) -> None:
    qm.mqsc("DEFINE NAMELIST(BOTH) NAMES(Q,Q2) REPLACE")
    (shown,) = qm.mqsc("DISPLAY NAMELIST(BOTH) NAMES")
    assert shown.attributes["NAMES"] == ("Q", "Q2")
    with qm.open("BOTH", mq.MQOO_INQUIRE, object_type=mq.MQOT_NAMELIST) as handle:
        assert handle.inquire("NAMES") == {"NAMES": ("Q", "Q2")}


def test_a_stream_queue_has_its_copies(qm: Any) -> None:
    def done(text: str) -> None:
        assert not any(reply.failed for reply in qm.mqsc(text))

    done("ALTER QLOCAL(Q) STREAMQ(Q2) STRMQOS(MUSTDUP)")
    try:
        qm.put("Q", b"one", persistent=True)
        qm.put_many("Q", [b"two", b"three"])
        with qm.unit_of_work():
            qm.put("Q", b"four", persistent=True)
        for queue in ("Q", "Q2"):
            assert [message.body for message in qm.get_many(queue, 9)] == [b"one", b"two", b"three", b"four"]
        done("ALTER QLOCAL(Q2) PUT(DISABLED)")
        with pytest.raises(penstock.Inhibited):
            qm.put("Q", b"five")
        assert qm.get("Q") is None
    finally:
        done("ALTER QLOCAL(Q) STREAMQ(' ') STRMQOS(BESTEF)")
        done("ALTER QLOCAL(Q2) PUT(ENABLED)")


def test_warnings_of_begin_and_inquire(qm: Any) -> None:
    assert qm.begin() == 2121
    qm.backout()
    assert not qm.mqsc("DEFINE QALIAS(A2) TARGET(Q) REPLACE")[0].failed
    with qm.open("A2", mq.MQOO_INQUIRE) as handle:
        found = handle.inquire("CURDEPTH", "TARGET")
    assert (found.warning, found) == (2068, {"CURDEPTH": None, "TARGET": "Q"})


def test_a_handle_is_of_no_use_after_a_change_with_force(qm: Any) -> None:
    assert not qm.mqsc("DEFINE QALIAS(A3) TARGET(Q) REPLACE")[0].failed
    with qm.open("A3", mq.MQOO_OUTPUT) as handle:
        handle.put(b"one")
        assert qm.mqsc("ALTER QALIAS(A3) TARGET(Q2)")[0].reason == 3210
        assert not qm.mqsc("ALTER QALIAS(A3) TARGET(Q2) FORCE")[0].failed
        with pytest.raises(penstock.ObjectChanged) as caught:
            handle.put(b"two")
    assert caught.value.reason == 2041
    assert qm.get("Q").body == b"one"


def test_distribution_lists(qm: Any) -> None:
    receipts = qm.put_list(["Q", {"queue": "Q2", "correl_id": ID}], b"one", persistent=True)
    assert [receipt.msg_id for receipt in receipts] == [qm.get("Q").msg_id, qm.get("Q2", correl_id=ID).msg_id]
    with pytest.raises(penstock.MQError) as caught:
        qm.put_list(["Q", "NO.SUCH"], b"two")
    assert (caught.value.reason, caught.value.fields["reasons"]) == (2136, [0, 2085])
    qm.begin()
    qm.put_list(["Q", "Q2"], b"three")
    qm.backout()
    assert [message.body for message in qm.get_many("Q", 9)] == [b"two"]
    assert qm.get("Q2") is None
