"""SEMANTICS 6: COMPLETE_MSG gives the segments of a message as one."""

from __future__ import annotations

from penstock import Get, MsgFlag


def put(qm, queue, pieces, order=None, **details):
    offsets = [sum(map(len, pieces[:index])) for index in range(len(pieces))]
    for index in order or range(len(pieces)):
        last = index == len(pieces) - 1
        qm.put(
            queue,
            pieces[index],
            group_id=b"S".ljust(24, b"\0"),
            offset=offsets[index],
            flags=MsgFlag.LAST_SEGMENT if last else MsgFlag.SEGMENT,
            **details,
        )


def test_the_segments_are_joined(qm, queue) -> None:
    put(qm, queue, [b"one ", b"two ", b"three"], order=(2, 0, 1))

    with qm.open(queue) as handle:
        message = handle.get(options=Get.COMPLETE_MESSAGE)

    assert message.body == b"one two three"
    assert (message.descriptor.offset, message.descriptor.flags) == (0, 0)
    assert qm.get(queue) is None


def test_an_incomplete_message_stays(qm, queue, fails) -> None:
    put(qm, queue, [b"one ", b"two ", b"three"], order=(0, 2))

    with qm.open(queue) as handle, fails(2033):
        handle.get(options=Get.COMPLETE_MESSAGE)
    assert len(list(qm.browse(queue))) == 2


def test_a_message_that_is_no_segment_is_got_as_usual(qm, queue) -> None:
    put(qm, queue, [b"one ", b"two "], order=(0,))
    qm.put(queue, b"whole")

    with qm.open(queue) as handle:
        assert handle.get(options=Get.COMPLETE_MESSAGE).body == b"whole"


def test_all_segments_return_on_backout(qm, queue) -> None:
    put(qm, queue, [b"one ", b"two"], persistent=True)

    with qm.open(queue) as handle:
        handle.get(options=Get.COMPLETE_MESSAGE | Get.SYNCPOINT)
        qm.backout()
        message = handle.get(options=Get.COMPLETE_MESSAGE)

    assert (message.body, message.backout_count) == (b"one two", 1)


def test_persistent_segments_go_together_over_a_restart(embed) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    put(qm, "Q", [b"one ", b"two"], persistent=True)
    with qm.open("Q") as handle:
        handle.get(options=Get.COMPLETE_MESSAGE)
    qm.host.abandon()

    assert embed().get("Q") is None


def test_truncation_looks_at_the_whole_message(qm, queue) -> None:
    put(qm, queue, [b"one ", b"two"])

    with qm.open(queue) as handle:
        seen = handle.get(options=Get.COMPLETE_MESSAGE, max_length=5)
        message = handle.get(options=Get.COMPLETE_MESSAGE | Get.ACCEPT_TRUNCATED, max_length=5)

    assert (seen.warning, seen.length) == (2080, 7)
    assert (message.warning, message.body, message.length) == (2079, b"one t", 7)


def test_without_the_option_segments_come_one_by_one(qm, queue) -> None:
    put(qm, queue, [b"one ", b"two"])

    assert [qm.get(queue).body for _ in range(2)] == [b"one ", b"two"]


def test_a_full_unit_takes_no_part_of_it(qm, queue, run, fails) -> None:
    run("ALTER QMGR MAXUMSGS(2)")
    put(qm, queue, [b"1", b"2", b"3"])

    with qm.open(queue) as handle:
        with fails(2024):
            handle.get(options=Get.COMPLETE_MESSAGE | Get.SYNCPOINT)
        qm.commit()
    assert len(list(qm.browse(queue))) == 3
