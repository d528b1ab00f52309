"""SEMANTICS 6, 13: marking what the cooperating set has marked is 2200; bad mark options are 2046."""

from __future__ import annotations

import pytest

from penstock import Get, Open

OPENED = Open.BROWSE | Open.CO_OPERATIVE | Open.INPUT_SHARED
MARK = Get.BROWSE_FIRST | Get.MARK_BROWSE_CO_OPERATIVE


def test_marking_a_marked_message_is_2200(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one, qm.open(queue, OPENED) as two:
        one.get(options=MARK)
        with fails(2200):
            two.get(options=MARK)


def test_a_refused_mark_leaves_the_cursor_and_locks_nothing(qm, queue, fails) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, OPENED) as one, qm.open(queue, OPENED) as two:
        one.get(options=MARK)
        with fails(2200):
            two.get(options=MARK | Get.LOCK)
        with fails(2034):
            two.get(options=Get.BROWSE_UNDER_CURSOR)
        assert qm.get(queue).body == b"a"


def test_a_browse_under_the_cursor_for_unmarked_messages_is_2200_when_it_is_marked(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one, qm.open(queue, OPENED) as two:
        two.get(options=Get.BROWSE_FIRST)
        one.get(options=MARK)
        with fails(2200):
            two.get(options=Get.BROWSE_UNDER_CURSOR | Get.UNMARKED_BROWSE)


def test_a_mark_for_the_set_needs_a_cooperating_handle(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle, fails(2046):
        handle.get(options=MARK)


@pytest.mark.parametrize(
    "options",
    [
        Get.MARK_BROWSE_HANDLE,
        Get.UNMARKED_BROWSE,
        Get.BROWSE_FIRST | Get.MARK_BROWSE_HANDLE | Get.UNMARK_BROWSE_HANDLE,
        Get.BROWSE_FIRST | Get.MARK_BROWSE_CO_OPERATIVE | Get.UNMARK_BROWSE_CO_OPERATIVE,
    ],
)
def test_mark_options_without_sense_are_refused(qm, queue, fails, options) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as handle, fails(2046):
        handle.get(options=options)


def test_co_op_needs_browse(qm, queue, fails) -> None:
    with fails(2046):
        qm.open(queue, Open.INPUT_SHARED | Open.CO_OPERATIVE)
