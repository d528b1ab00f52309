"""SEMANTICS 6: BROWSE_NEXT misses what arrives before the cursor."""

from __future__ import annotations

from penstock import Get, Open


def test_a_later_message_of_higher_priority_is_missed(qm, queue) -> None:
    qm.put(queue, b"a", priority=5)
    qm.put(queue, b"b", priority=5)
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.put(queue, b"urgent", priority=9)

        assert handle.get(options=Get.BROWSE_NEXT).body == b"b"
        assert handle.get(options=Get.BROWSE_NEXT, quiet=True) is None
        assert handle.get(options=Get.BROWSE_FIRST).body == b"urgent"


def test_one_of_the_same_priority_is_seen(qm, queue) -> None:
    qm.put(queue, b"a", priority=5)
    qm.put(queue, b"low", priority=1)
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.put(queue, b"same", priority=5)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"same"


def test_a_message_that_returns_before_the_cursor_is_missed(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    qm.begin()
    qm.get(queue)
    with qm.open(queue, Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_FIRST).body == b"b"
        qm.backout()
        assert handle.get(options=Get.BROWSE_NEXT).body == b"c"
