"""DefaultQBufferSize: groups and segments of which some are on disk."""

from __future__ import annotations

from penstock import Get, MsgFlag


def test_a_group_in_logical_order(spilling, spilled) -> None:
    for number in range(60, 0, -1):
        flags = MsgFlag.LAST_IN_GROUP if number == 60 else MsgFlag.IN_GROUP
        body = b"%05d" % number * 50
        spilling.put("Q", body, group_id=b"G".ljust(24, b"\0"), seq_number=number, flags=flags)

    assert spilled(spilling) > 30
    with spilling.open("Q") as handle:
        options = Get.LOGICAL_ORDER | Get.ALL_MESSAGES_AVAILABLE
        got = [handle.get(options=options).body for _ in range(60)]
    assert got == [b"%05d" % number * 50 for number in range(1, 61)]


def test_a_message_of_segments(spilling, spilled) -> None:
    spilling.mqsc("ALTER QLOCAL(Q) MAXMSGL(320)")
    body = bytes(range(256)) * 80
    spilling.put("Q", body, flags=MsgFlag.SEGMENTATION_ALLOWED)

    assert spilled(spilling) > 30
    with spilling.open("Q") as handle:
        assert handle.get(options=Get.BROWSE_FIRST | Get.COMPLETE_MESSAGE).body == body
        assert handle.get(options=Get.COMPLETE_MESSAGE).body == body
    assert spilling.get("Q") is None
