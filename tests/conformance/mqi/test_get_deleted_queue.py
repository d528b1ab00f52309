"""A queue that is deleted, cleared or redefined while it is in use."""

from __future__ import annotations

import penstock
from penstock import Get, Open


def test_a_one_shot_get_after_delete_is_2085(qm, queue, run, fails) -> None:
    qm.put(queue, b"x")
    qm.get(queue)
    run("DELETE QLOCAL(Q)")

    with fails(2085):
        qm.get(queue)


def test_a_queue_made_again_has_none_of_the_old_messages(qm, queue, run) -> None:
    qm.put(queue, b"old")
    run("DELETE QLOCAL(Q) PURGE")
    run("DEFINE QLOCAL(Q)")

    assert qm.get(queue) is None
    qm.put(queue, b"new")
    assert qm.get(queue).body == b"new"


def test_a_queue_in_use_is_not_deleted(qm, queue) -> None:
    qm.put(queue, b"x")
    with qm.open(queue, Open.BROWSE) as handle:
        reply = qm.mqsc("DELETE QLOCAL(Q) PURGE")[0]
        assert reply.id.endswith("E")
        assert handle.get(options=Get.BROWSE_FIRST).body == b"x"


def test_a_queue_with_a_message_in_a_unit_is_neither_cleared_nor_deleted(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2"])
    qm.begin()
    qm.get(queue)
    replies = [qm.mqsc(text)[0].id for text in ("CLEAR QLOCAL(Q)", "DELETE QLOCAL(Q) PURGE")]
    qm.backout()

    assert all(reply.endswith("E") for reply in replies)
    assert [m.body for m in qm.browse(queue)] == [b"1", b"2"]


def test_clear_empties_the_queue_and_its_indexes(qm, queue, run) -> None:
    qm.put(queue, b"x", correl_id=b"c")
    qm.get(queue, correl_id=b"none")
    run("CLEAR QLOCAL(Q)")

    assert qm.get(queue, correl_id=b"c") is None
    assert qm.get(queue) is None


def test_threads_that_get_while_the_queue_goes_see_an_error_or_a_message(qm, queue, run, spawn) -> None:
    qm.put_many(queue, [b"%d" % number for number in range(50)])

    def consume() -> int:
        count = 0
        try:
            while qm.get(queue) is not None:
                count += 1
        except penstock.MQError as problem:
            assert problem.reason in (2052, 2085)
        return count

    shares = [spawn(consume) for _ in range(2)]
    qm.mqsc("DELETE QLOCAL(Q) PURGE")

    assert sum(share.result(60) for share in shares) <= 50
