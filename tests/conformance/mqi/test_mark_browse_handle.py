"""SEMANTICS 6: MARK_BROWSE_HANDLE hides a message from this handle's browses for unmarked ones."""

from __future__ import annotations

from penstock import Get, Open

NEXT_UNMARKED = Get.BROWSE_FIRST | Get.UNMARKED_BROWSE | Get.MARK_BROWSE_HANDLE


def test_each_message_is_seen_once(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        seen = [handle.get(options=NEXT_UNMARKED).body for _ in range(2)]
        end = handle.get(options=NEXT_UNMARKED, quiet=True)

    assert (seen, end) == ([b"a", b"b"], None)


def test_a_late_message_of_higher_priority_is_not_missed(qm, queue) -> None:
    qm.put(queue, b"a", priority=1)
    qm.put(queue, b"b", priority=1)
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=NEXT_UNMARKED)
        qm.put(queue, b"urgent", priority=9)
        assert [handle.get(options=NEXT_UNMARKED).body for _ in range(2)] == [b"urgent", b"b"]


def test_the_mark_is_this_handles_only(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as one, qm.open(queue, Open.BROWSE) as two:
        one.get(options=NEXT_UNMARKED)
        assert two.get(options=NEXT_UNMARKED).body == b"a"
        assert one.get(options=NEXT_UNMARKED, quiet=True) is None


def test_it_can_be_removed(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=NEXT_UNMARKED)
        handle.get(options=Get.BROWSE_UNDER_CURSOR | Get.UNMARK_BROWSE_HANDLE)
        assert handle.get(options=NEXT_UNMARKED).body == b"a"


def test_a_browse_that_does_not_ask_sees_marked_messages(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=NEXT_UNMARKED)
        assert handle.get(options=Get.BROWSE_FIRST).body == b"a"


def test_a_message_that_was_got_and_backed_out_is_unmarked(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue) as handle:
        handle.get(options=NEXT_UNMARKED)
        handle.get(options=Get.SYNCPOINT)
        qm.backout()
        assert handle.get(options=NEXT_UNMARKED).body == b"a"
