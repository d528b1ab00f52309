"""SEMANTICS 6: MSG_UNDER_CURSOR removes the browsed message; 2034 when it is gone."""

from __future__ import annotations

from penstock import Get, Open


def test_the_browsed_message_is_removed(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_NEXT)
        assert handle.get(options=Get.UNDER_CURSOR).body == b"b"

    assert [m.body for m in qm.browse(queue)] == [b"a", b"c"]


def test_a_second_get_under_the_cursor_is_2034(qm, queue, fails) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_NEXT)
        handle.get(options=Get.UNDER_CURSOR)
        with fails(2034):
            handle.get(options=Get.UNDER_CURSOR)
        with fails(2034):
            handle.get(options=Get.BROWSE_UNDER_CURSOR)


def test_next_goes_on_behind_the_removed_message(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c", b"d"])
    taken = []
    with qm.open(queue) as handle:
        message = handle.get(options=Get.BROWSE_FIRST)
        while message is not None:
            if message.body in (b"b", b"c"):
                taken.append(handle.get(options=Get.UNDER_CURSOR).body)
            message = handle.get(options=Get.BROWSE_NEXT, quiet=True)

    assert taken == [b"b", b"c"]
    assert [m.body for m in qm.browse(queue)] == [b"a", b"d"]


def test_a_message_that_another_got_is_2034(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        qm.get(queue)
        with fails(2034):
            handle.get(options=Get.UNDER_CURSOR)


def test_without_a_browse_it_is_2034(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue) as handle, fails(2034):
        handle.get(options=Get.UNDER_CURSOR)


def test_it_works_in_a_unit_and_returns_on_backout(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.UNDER_CURSOR | Get.SYNCPOINT)
        qm.backout()
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).backout_count == 1
        assert handle.get(options=Get.BROWSE_NEXT).body == b"b"


def test_it_needs_browse_and_input(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.INPUT_SHARED) as handle, fails(2036):
        handle.get(options=Get.UNDER_CURSOR)
    with qm.open(queue, Open.BROWSE) as handle, fails(2037):
        handle.get(options=Get.UNDER_CURSOR)
