"""SEMANTICS 6: when the message under the cursor is gone, the browse goes on behind its place."""

from __future__ import annotations

from penstock import Get, Open


def test_next_goes_on_after_another_got_the_message(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.get(queue)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"b"


def test_next_goes_on_when_several_around_it_are_gone(qm, queue) -> None:
    receipts = qm.put_many(queue, [b"a", b"b", b"c", b"d"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_NEXT)
        for receipt in receipts[:3]:
            qm.get(queue, msg_id=receipt.msg_id)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"d"


def test_a_cursor_in_a_priority_that_is_empty_now_goes_to_the_lower_one(qm, queue) -> None:
    qm.put(queue, b"high", priority=9)
    qm.put(queue, b"low", priority=1)
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.get(queue)
        qm.put(queue, b"middle", priority=5)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"middle"


def test_a_cleared_queue_is_browsed_from_what_comes_later(qm, queue, fails) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        while qm.get(queue) is not None:
            pass
        with fails(2034):
            handle.get(options=Get.BROWSE_UNDER_CURSOR)
        with fails(2033):
            handle.get(options=Get.BROWSE_NEXT)
        qm.put(queue, b"new")
        assert handle.get(options=Get.BROWSE_NEXT).body == b"new"
