"""SEMANTICS 6: BROWSE_FIRST starts at the head, BROWSE_NEXT goes on."""

from __future__ import annotations

from penstock import Get, Open


def test_the_queue_is_seen_in_delivery_order(qm, queue) -> None:
    for number, priority in enumerate((1, 5, 1, 5)):
        qm.put(queue, b"%d" % number, priority=priority)

    with qm.open(queue, Open.BROWSE) as handle:
        seen = [handle.get(options=Get.BROWSE_FIRST).body]
        seen += [handle.get(options=Get.BROWSE_NEXT).body for _ in range(3)]

    assert seen == [b"1", b"3", b"0", b"2"]


def test_nothing_is_removed(qm, queue) -> None:
    qm.put(queue, b"x")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_FIRST)

    assert qm.get(queue).body == b"x"


def test_first_starts_again(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_NEXT)
        assert handle.get(options=Get.BROWSE_FIRST).body == b"a"


def test_next_without_first_starts_at_the_head(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_NEXT).body == b"a"


def test_the_end_is_2033_and_later_arrivals_are_seen(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        with fails(2033):
            handle.get(options=Get.BROWSE_NEXT)
        qm.put(queue, b"b")
        assert handle.get(options=Get.BROWSE_NEXT).body == b"b"


def test_each_handle_has_a_cursor_of_its_own(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as one, qm.open(queue, Open.BROWSE) as two:
        one.get(options=Get.BROWSE_FIRST)
        assert two.get(options=Get.BROWSE_NEXT).body == b"a"
        assert one.get(options=Get.BROWSE_NEXT).body == b"b"


def test_a_browsed_message_does_not_change_later(qm, queue) -> None:
    qm.put(queue, b"x")
    with qm.open(queue) as handle:
        seen = handle.get(options=Get.BROWSE_FIRST)
        qm.begin()
        handle.get()
        qm.backout()
        assert seen.backout_count == 0
