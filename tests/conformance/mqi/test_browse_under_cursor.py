"""SEMANTICS 6: BROWSE_MSG_UNDER_CURSOR shows the same message again."""

from __future__ import annotations

from penstock import Get, Open


def test_the_same_message_is_seen_again(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_NEXT)
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).body == b"b"
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).body == b"b"


def test_a_cursor_that_never_moved_is_2034(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle, fails(2034):
        handle.get(options=Get.BROWSE_UNDER_CURSOR)


def test_a_message_that_another_got_is_2034(qm, queue, fails) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.get(queue)
        with fails(2034):
            handle.get(options=Get.BROWSE_UNDER_CURSOR)


def test_a_message_that_a_unit_holds_is_2034_until_it_returns(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.begin()
        qm.get(queue)
        with fails(2034):
            handle.get(options=Get.BROWSE_UNDER_CURSOR)
        qm.backout()
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).backout_count == 1
