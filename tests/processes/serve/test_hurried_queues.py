"""Queues whose definitions let clients hurry: DEFPRESP(ASYNC) and DEFREADA(YES)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.served import Served

pytestmark = pytest.mark.installed


@pytest.fixture
def qm(served: Served) -> Iterator[penstock.ClientQueueManager]:
    with served.local() as admin:
        admin.mqsc("DEFINE QLOCAL(APP.ASYNC) DEFPRESP(ASYNC) MAXDEPTH(300) REPLACE")
        admin.mqsc("DEFINE QLOCAL(APP.AHEAD) DEFREADA(YES) REPLACE")
    with served.connect(share=False) as qm:
        yield qm
    with served.local() as admin:
        admin.mqsc("CLEAR QLOCAL(APP.ASYNC)")
        admin.mqsc("CLEAR QLOCAL(APP.AHEAD)")


def test_puts_to_an_asynchronous_queue_wait_for_no_answer(qm: penstock.ClientQueueManager) -> None:
    for number in range(350):
        try:
            qm.put("APP.ASYNC", b"%d" % number)
        except penstock.QueueFull:
            break  # one in 256 asks
    status = qm.put_status()
    assert status.done > 200
    assert len(qm.get_many("APP.ASYNC", 1000)) == 300
    assert status.failed == 0 or (status.failure is not None and status.failure.reason == 2053)


def test_an_asynchronous_put_that_fails_fails_its_unit(qm: penstock.ClientQueueManager) -> None:
    qm.put_many("APP.ASYNC", [b"x"] * 299)
    qm.put("APP.ASYNC", b"last")
    qm.begin()
    qm.put("APP.ASYNC", b"too many")
    with pytest.raises(penstock.BackedOut):
        qm.commit()


def test_messages_are_read_ahead_in_their_order(qm: penstock.ClientQueueManager, served: Served) -> None:
    bodies = [b"%d" % number for number in range(250)]
    qm.put_many("APP.AHEAD", bodies)
    found = [qm.get("APP.AHEAD") for _ in range(3)]
    with served.local() as admin, admin.open("APP.AHEAD") as handle:
        assert handle.inquire("CURDEPTH")["CURDEPTH"] < 200
    found += [qm.get("APP.AHEAD") for _ in range(247)]
    assert [message.body for message in found if message is not None] == bodies
    assert qm.get("APP.AHEAD", wait=0.05) is None


def test_persistent_messages_are_never_read_ahead(qm: penstock.ClientQueueManager, served: Served) -> None:
    qm.put_many("APP.AHEAD", [b"a", b"b"], persistent=False)
    qm.put_many("APP.AHEAD", [b"c", b"d"], persistent=True)
    first, second = qm.get("APP.AHEAD"), qm.get("APP.AHEAD")
    assert first is not None
    assert second is not None
    with served.local() as admin, admin.open("APP.AHEAD") as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 2}
    assert [message.body for message in qm.get_many("APP.AHEAD", 5)] == [b"c", b"d"]


def test_batches_are_read_ahead_in_their_order(qm: penstock.ClientQueueManager, served: Served) -> None:
    bodies = [b"%d" % number for number in range(95)]
    qm.put_many("APP.AHEAD", bodies)
    found = qm.get_many("APP.AHEAD", 10)
    found += qm.get_many("APP.AHEAD", 10)
    with served.local() as admin, admin.open("APP.AHEAD") as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 35}
    while batch := qm.get_many("APP.AHEAD", 10):
        assert len(batch) <= 10
        found += batch
    assert [message.body for message in found] == bodies


def test_a_batch_of_persistent_messages_is_whole_and_nothing_behind_it_is_read_ahead(
    qm: penstock.ClientQueueManager, served: Served
) -> None:
    qm.put("APP.AHEAD", b"tells that the queue is read ahead", persistent=False)
    assert qm.get("APP.AHEAD") is not None
    qm.put_many("APP.AHEAD", [b"%d" % number for number in range(30)], persistent=True)
    assert [message.body for message in qm.get_many("APP.AHEAD", 3)] == [b"0", b"1", b"2"]
    with served.local() as admin, admin.open("APP.AHEAD") as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 27}


def test_many_puts_that_do_not_all_fit_are_none(qm: penstock.ClientQueueManager, served: Served) -> None:
    qm.put_many("APP.ASYNC", [b"x"] * 295, persistent=False)
    with pytest.raises(penstock.MQError) as failure:
        qm.put_many("APP.ASYNC", [b"y"] * 6, persistent=False)
    assert failure.value.reason == 2053
    qm.put_many("APP.ASYNC", [b"z"] * 5, persistent=False)
    found = qm.get_many("APP.ASYNC", 1000)
    assert [message.body for message in found[-5:]] == [b"z"] * 5
    assert len(found) == 300
    assert len({message.msg_id for message in found}) == 300


def test_what_was_read_ahead_is_found_by_its_id_and_by_many(qm: penstock.ClientQueueManager) -> None:
    for number in range(10):
        qm.put("APP.AHEAD", b"%d" % number, correl_id=b"%024d" % number)
    assert [qm.get("APP.AHEAD").body for _ in range(2)] == [b"0", b"1"]  # type: ignore[union-attr]
    by_id = qm.get("APP.AHEAD", correl_id=b"%024d" % 7)
    assert by_id is not None
    assert by_id.body == b"7"
    assert len(qm.get_many("APP.AHEAD", 100)) == 7


def test_units_do_not_read_ahead(qm: penstock.ClientQueueManager) -> None:
    qm.put_many("APP.AHEAD", [b"a", b"b", b"c"])
    qm.begin()
    assert qm.get("APP.AHEAD") is not None
    assert qm.get("APP.AHEAD") is not None
    qm.backout()
    assert [message.body for message in qm.get_many("APP.AHEAD", 5)] == [b"a", b"b", b"c"]
