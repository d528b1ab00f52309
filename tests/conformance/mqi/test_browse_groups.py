"""SEMANTICS 6: browsing in logical order, of complete groups and of whole messages."""

from __future__ import annotations

from penstock import Get, MsgFlag, Open

FIRST = Get.BROWSE_FIRST | Get.LOGICAL_ORDER
NEXT = Get.BROWSE_NEXT | Get.LOGICAL_ORDER


def member(qm, queue, group, number, last=False):
    flags = MsgFlag.LAST_IN_GROUP if last else MsgFlag.IN_GROUP
    qm.put(queue, b"%s%d" % (group, number), group_id=group.ljust(24, b"\0"), seq_number=number, flags=flags)


def mixed(qm, queue):
    member(qm, queue, b"A", 2, last=True)
    member(qm, queue, b"A", 1)
    member(qm, queue, b"B", 1)
    qm.put(queue, b"single")
    member(qm, queue, b"B", 2, last=True)


def test_a_browse_in_logical_order_shows_groups_one_after_the_other(qm, queue) -> None:
    mixed(qm, queue)
    with qm.open(queue, Open.BROWSE) as handle:
        seen = [handle.get(options=FIRST).body]
        seen += [handle.get(options=NEXT).body for _ in range(4)]
        end = handle.get(options=NEXT, quiet=True)

    assert (seen, end) == ([b"A1", b"A2", b"B1", b"B2", b"single"], None)


def test_first_begins_again(qm, queue) -> None:
    mixed(qm, queue)
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=FIRST)
        handle.get(options=NEXT)
        assert handle.get(options=FIRST).body == b"A1"
        assert handle.get(options=NEXT).body == b"A2"


def test_changing_the_order_between_nexts_is_2259(qm, queue, fails) -> None:
    mixed(qm, queue)
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=FIRST)
        with fails(2259):
            handle.get(options=Get.BROWSE_NEXT)
        handle.get(options=Get.BROWSE_FIRST)
        with fails(2259):
            handle.get(options=NEXT)


def test_incomplete_groups_are_passed_over(qm, queue) -> None:
    member(qm, queue, b"A", 1)
    member(qm, queue, b"B", 1)
    member(qm, queue, b"B", 2, last=True)
    with qm.open(queue, Open.BROWSE) as handle:
        assert handle.get(options=FIRST | Get.ALL_MESSAGES_AVAILABLE).body == b"B1"
        assert handle.get(options=NEXT | Get.ALL_MESSAGES_AVAILABLE).body == b"B2"


def test_a_whole_message_is_browsed_and_its_segments_stay(qm, run) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(100)")
    qm.put("S", b"x" * 250, flags=MsgFlag.SEGMENTATION_ALLOWED)
    qm.put("S", b"behind")
    with qm.open("S", Open.BROWSE) as handle:
        seen = handle.get(options=Get.BROWSE_FIRST | Get.COMPLETE_MESSAGE)
        following = handle.get(options=Get.BROWSE_NEXT | Get.COMPLETE_MESSAGE)

    assert (seen.body, following.body) == (b"x" * 250, b"behind")
    assert len(list(qm.browse("S"))) == 4


def test_a_browse_does_not_pin_the_group(qm, queue) -> None:
    mixed(qm, queue)
    with qm.open(queue, Open.BROWSE) as browser, qm.open(queue) as getter:
        browser.get(options=FIRST)
        assert [getter.get(options=Get.LOGICAL_ORDER).body for _ in range(2)] == [b"A1", b"A2"]
        assert browser.get(options=NEXT, quiet=True) is None
