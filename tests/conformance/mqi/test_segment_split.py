"""SEMANTICS 6: the queue manager splits a message beyond MAXMSGL when that is allowed."""

from __future__ import annotations

from penstock import Get, MsgFlag

BODY = bytes(range(256)) * 10


def test_the_message_is_cut_and_can_be_got_whole(qm, run) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(1000)")
    qm.put("S", BODY, flags=MsgFlag.SEGMENTATION_ALLOWED)

    pieces = [m.length for m in qm.browse("S")]
    with qm.open("S") as handle:
        message = handle.get(options=Get.COMPLETE_MESSAGE)

    assert len(pieces) == 3
    assert max(pieces) <= 1000
    assert message.body == BODY


def test_the_segments_come_in_order_with_their_offsets(qm, run) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(1000)")
    qm.put("S", BODY, flags=MsgFlag.SEGMENTATION_ALLOWED)

    got = [qm.get("S") for _ in range(3)]

    assert b"".join(m.body for m in got) == BODY
    assert [m.descriptor.offset for m in got] == [0, got[0].length, got[0].length + got[1].length]
    assert [bool(m.descriptor.flags & MsgFlag.LAST_SEGMENT) for m in got] == [False, False, True]


def test_without_the_flag_it_is_2030(qm, run, fails) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(1000)")

    with fails(2030):
        qm.put("S", BODY)


def test_properties_and_ids_come_with_the_whole(qm, run) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(1000)")
    qm.put("S", BODY, flags=MsgFlag.SEGMENTATION_ALLOWED, correl_id=b"c", properties={"n": 1})

    with qm.open("S") as handle:
        message = handle.get(options=Get.COMPLETE_MESSAGE, correl_id=b"c")

    assert (message.properties, message.correl_id[:1]) == ({"n": 1}, b"c")


def test_a_queue_without_room_for_all_segments_keeps_none(qm, run, fails) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(1000) MAXDEPTH(2)")

    with fails(2053):
        qm.put("S", BODY, flags=MsgFlag.SEGMENTATION_ALLOWED)

    assert list(qm.browse("S")) == []
