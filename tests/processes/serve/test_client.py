"""The verbs over sockets: what the embedded queue manager does, a client sees the same."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

import penstock
from tests.patience import lasts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.served import Served

pytestmark = pytest.mark.installed


@pytest.fixture(params=["tcp", "local"])
def qm(request: pytest.FixtureRequest, served: Served) -> Iterator[penstock.ClientQueueManager]:
    with served.connect() if request.param == "tcp" else served.local() as qm:
        yield qm
        for queue in ("APP.Q", "APP.REPLIES"):
            while qm.get_many(queue, 1000):
                pass


def test_a_message_goes_there_and_back(qm: penstock.ClientQueueManager) -> None:
    receipt = qm.put("APP.Q", b"hello", correl_id=b"c" * 24, persistent=True)
    message = qm.get("APP.Q")
    assert message is not None
    assert (message.body, message.msg_id, message.persistent) == (b"hello", receipt.msg_id, True)
    assert message.put_time == receipt.put_time
    assert qm.get("APP.Q") is None


def test_everything_that_a_put_takes_arrives(qm: penstock.ClientQueueManager) -> None:
    qm.put("APP.Q", "text", properties={"colour": "red"}, priority=7, expiry=6000.0, reply_to="APP.REPLIES")
    message = qm.get("APP.Q", selector="colour = 'red'")
    assert message is not None
    assert (message.body, message.format, message.priority) == (b"text", "MQSTR", 7)
    assert message.properties == {"colour": "red"}
    assert message.reply_to == "APP.REPLIES"
    assert message.expiry is not None
    assert 5000 < message.expiry <= 6000


def test_a_get_waits_for_a_message_of_another_connection(
    qm: penstock.ClientQueueManager, served: Served
) -> None:
    with served.connect(share=False) as other:
        timer = threading.Timer(0.2, lambda: other.put("APP.Q", b"late"))
        timer.start()
        message = qm.get("APP.Q", wait=60.0)
        timer.join()
    assert message is not None
    assert message.body == b"late"


def test_a_wait_ends_in_time(qm: penstock.ClientQueueManager) -> None:
    with lasts(0.3):
        assert qm.get("APP.Q", wait=0.3) is None


def test_a_unit_of_work_is_one(qm: penstock.ClientQueueManager) -> None:
    def fail() -> None:
        with qm.unit_of_work():
            qm.put("APP.Q", b"never")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert qm.get("APP.Q") is None

    with qm.unit_of_work():
        qm.put("APP.Q", b"one", persistent=True)
        qm.put("APP.Q", "two", properties={"a": 1})
    first, second = qm.get("APP.Q"), qm.get("APP.Q")
    assert first is not None
    assert second is not None
    assert (first.body, second.body) == (b"one", b"two")


def test_two_threads_have_units_of_their_own(qm: penstock.ClientQueueManager) -> None:
    """One commits while the other, on the same connection, backs out."""
    inside = threading.Barrier(2)

    def work(body: bytes, commit: bool) -> None:
        qm.begin()
        qm.put("APP.Q", body)
        inside.wait(60)
        qm.commit() if commit else qm.backout()

    threads = [threading.Thread(target=work, args=each) for each in ((b"yes", True), (b"no", False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [message.body for message in qm.get_many("APP.Q", 10)] == [b"yes"]


def test_an_argument_that_does_not_exist_takes_no_message(qm: penstock.ClientQueueManager) -> None:
    qm.put("APP.Q", b"stays")

    with pytest.raises(TypeError):
        qm.get_many("APP.Q", 10, corel_id=b"typo")
    assert [message.body for message in qm.get_many("APP.Q", 10)] == [b"stays"]


def test_many_threads_share_a_connection(qm: penstock.ClientQueueManager) -> None:
    def work(number: int) -> None:
        for count in range(50):
            mark = f"{number:08}{count:016}".encode()
            qm.put("APP.Q", mark, correl_id=mark)
            message = qm.get("APP.Q", correl_id=mark, wait=60.0)
            if message is None or message.body != mark:
                wrong.append((mark, message))

    wrong: list[object] = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_many_messages_in_one_call(qm: penstock.ClientQueueManager) -> None:
    bodies = [b"%d" % number * 1000 for number in range(2000)]
    receipts = qm.put_many("APP.Q", bodies, persistent=True)
    assert len({receipt.msg_id for receipt in receipts}) == 2000
    found: list[bytes | None] = []
    while more := qm.get_many("APP.Q", 700):
        found += [message.body for message in more]
    assert found == bodies


def test_browsing_leaves_messages_there(qm: penstock.ClientQueueManager) -> None:
    qm.put_many("APP.Q", [b"a", b"b", b"c"])
    assert [message.body for message in qm.browse("APP.Q")] == [b"a", b"b", b"c"]
    assert len(qm.get_many("APP.Q", 10)) == 3


def test_handles_know_options_and_attributes(qm: penstock.ClientQueueManager) -> None:
    with qm.open("APP.Q") as handle:
        handle.put(b"x", persistent=False)
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 1}
        message = handle.get(options=penstock.Get.SYNCPOINT)
        assert message is not None
        qm.backout()
        message = handle.get()
        assert message is not None
        assert message.backout_count == 1
        with pytest.raises(penstock.NoMessage):
            handle.get()


def test_large_messages(qm: penstock.ClientQueueManager) -> None:
    body = bytes(range(256)) * 12_000
    qm.put("APP.Q", body)
    message = qm.get("APP.Q")
    assert message is not None
    assert message.body == body


def test_failures_are_raised_as_they_were(qm: penstock.ClientQueueManager) -> None:
    with pytest.raises(penstock.MQError) as caught:
        qm.put("APP.NOT.THERE", b"")
    assert caught.value.reason == 2085
    with pytest.raises(penstock.MQError) as caught:
        qm.get("APP.Q", wait=-5.0)
    assert caught.value.reason == 2090
    with pytest.raises(penstock.MQError) as caught:
        qm.open("APP.Q", 1 << 30)
    assert caught.value.reason in (2045, 2046)


def test_a_client_may_do_what_it_may(served: Served) -> None:
    with served.connect() as qm:
        for attempt in (lambda: qm.put("SECRET", b""), lambda: qm.get("SECRET"), lambda: qm.open("SECRET")):
            with pytest.raises(penstock.NotAuthorized):
                attempt()
        reply = qm.mqsc("DELETE QLOCAL(SECRET)")[0]
        assert reply.failed
        with pytest.raises(penstock.NotAuthorized):
            qm.stop()
    with served.local() as admin:
        assert not admin.mqsc("DISPLAY QLOCAL(SECRET)")[0].failed


def test_asynchronous_puts_fail_at_commit(qm: penstock.ClientQueueManager) -> None:
    option = penstock.Put.ASYNC_RESPONSE
    qm.put("APP.Q", b"fine", options=option)
    qm.put("APP.NOT.THERE", b"", options=option)
    status = qm.put_status()
    assert (status.done, status.failed) == (1, 1)
    assert status.failure is not None
    assert status.failure.reason == 2085

    qm.begin()
    qm.put("APP.Q", b"lost", options=option)
    qm.put("APP.NOT.THERE", b"", options=option)
    with pytest.raises(penstock.BackedOut):
        qm.commit()
    assert [message.body for message in qm.get_many("APP.Q", 10)] == [b"fine"]


def test_prepared_units_outlive_their_connection(served: Served) -> None:
    with served.local() as qm:
        qm.begin()
        qm.put("APP.Q", b"prepared", persistent=True)
        qm.prepare("xid-1")
    with served.local() as qm:
        assert [each["xid"] for each in qm.prepared()] == ["xid-1"]
        qm.commit_prepared("xid-1")
        message = qm.get("APP.Q")
        assert message is not None
        assert message.body == b"prepared"


def test_flows_reserve_and_commit_over_the_wire(served: Served) -> None:
    with served.local() as qm:
        qm.put_many("APP.Q", [b"a", b"b"], persistent=True)
        epoch = qm.batches.new_epoch("f")
        batch = qm.batches.reserve("f", "APP.Q", after=qm.batches.recorded("f"), epoch=epoch)
        rows = qm.batches.read_slice("f", batch["n"], 0, 1, epoch=epoch)
        assert [row.body for row in rows] == [b"a", b"b"]
        outputs = [("APP.REPLIES", row.body + b"!") for row in rows]
        qm.batches.prepare_outputs("f", batch["n"], 0, "try", outputs, epoch=epoch)
        qm.batches.commit("f", batch["n"], {0: "try"}, epoch=epoch)
        assert [message.body for message in qm.get_many("APP.REPLIES", 5)] == [b"a!", b"b!"]
        assert qm.get("APP.Q") is None


@pytest.mark.parametrize("properties", [{"a": 2**70}, {"a": object()}, {"a": [1]}, ["a"], 5])
def test_properties_that_cannot_travel_are_refused(
    qm: penstock.ClientQueueManager, properties: object
) -> None:
    with pytest.raises(penstock.MQError, match="2473"):
        qm.put("APP.Q", b"", properties=properties)
    assert qm.get("APP.Q") is None
