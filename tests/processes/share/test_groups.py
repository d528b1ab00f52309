"""Message groups and segments on shared queues."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from penstock import Get, MsgFlag, Open
from penstock.model.errors import MQError
from tests.shared_groups import Members


def put(qm: Any, number: int, group: bytes = b"G") -> None:
    flags = MsgFlag.LAST_IN_GROUP if number == 3 else MsgFlag.IN_GROUP
    body = b"%s%d" % (group, number)
    qm.put("PARTS", body, group_id=group.ljust(24, b"\0"), seq_number=number, flags=flags, persistent=True)


def segment(qm: Any, offset: int, last: bool = False) -> None:
    flags = MsgFlag.LAST_SEGMENT if last else MsgFlag.SEGMENT
    qm.put("PARTS", b"%04d" % offset, group_id=b"S".ljust(24, b"\0"), offset=offset, flags=flags)


def test_groups_and_segments_come_in_logical_order_and_whole_at_any_member(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    pair.share("PARTS", INDXTYPE="GROUPID")
    for number, group in ((3, b"G"), (1, b"G"), (1, b"H"), (2, b"H")):
        put(one, number, group)
    segment(one, 4, last=True)
    whole = Get.LOGICAL_ORDER | Get.ALL_MESSAGES_AVAILABLE
    got: list[bytes] = []

    def work() -> None:
        with two.open("PARTS") as handle, two.unit_of_work():
            for _ in range(3):
                got.append(handle.get(options=whole, wait=60).body)

    with two.open("PARTS") as handle:
        assert handle.get(options=whole, quiet=True) is None  # no group is complete
        worker = threading.Thread(target=work)
        worker.start()
        put(one, 2)  # from elsewhere: the wait goes on with the whole group
        worker.join(60)
        assert got == [b"G1", b"G2", b"G3"]
        assert handle.get(options=Get.COMPLETE_MESSAGE | Get.ALL_MESSAGES_AVAILABLE, quiet=True) is None
        segment(one, 0)
        assert handle.get(options=Get.COMPLETE_MESSAGE | Get.ALL_MESSAGES_AVAILABLE).body == b"00000004"
    assert sorted(two.get("PARTS").body for _ in range(2)) == [b"H1", b"H2"]
    assert two.get("PARTS") is None
    with pytest.raises(MQError, match=r"2394.*INDXTYPE\(GROUPID\)"):
        with one.open("ORDERS") as handle:
            handle.get(options=Get.LOGICAL_ORDER)


def test_a_browse_in_logical_order_shows_each_group_as_a_whole(pair: Members) -> None:
    """Groups come at the place of their first message; a message that continues one is waited for."""
    one, two = pair.here["QM1"], pair.here["QM2"]
    pair.share("PARTS", INDXTYPE="GROUPID")
    for number, group in ((2, b"G"), (1, b"H"), (1, b"G"), (3, b"G")):
        put(one, number, group)
    one.put("PARTS", b"alone")
    first, following = Get.BROWSE_FIRST | Get.LOGICAL_ORDER, Get.BROWSE_NEXT | Get.LOGICAL_ORDER
    with two.open("PARTS", options=Open.BROWSE | Open.INPUT_SHARED) as handle:
        assert handle.get(options=first).body == b"H1"
        assert handle.get(options=following, quiet=True) is None
        put(one, 2, b"H")
        put(one, 3, b"H")
        assert [handle.get(options=following).body for _ in range(2)] == [b"H2", b"H3"]
        assert [handle.get(options=following).body for _ in range(3)] == [b"G1", b"G2", b"G3"]
        assert handle.get(options=following).body == b"alone"
        assert handle.get(options=following, quiet=True) is None
        with pytest.raises(MQError, match="2259"):
            handle.get(options=Get.BROWSE_NEXT)
        complete = first | Get.ALL_MESSAGES_AVAILABLE | Get.LOCK
        with one.open("PARTS") as getter:
            assert getter.get(group_id=b"H".ljust(24, b"\0")).body == b"H1"
        assert handle.get(options=complete).body == b"G1"  # H is not complete any more
        with one.open("PARTS") as getter:
            assert getter.get(options=Get.LOGICAL_ORDER).body == b"alone"  # G1 is locked
        assert handle.get(options=Get.UNDER_CURSOR).body == b"G1"
    with pytest.raises(MQError, match=r"2394.*INDXTYPE\(GROUPID\)"):
        with one.open("ORDERS", options=Open.BROWSE) as handle:
            handle.get(options=first)


def test_a_browse_shows_segments_as_one_message(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    pair.share("PARTS", INDXTYPE="GROUPID")
    segment(one, 4, last=True)
    whole = Get.COMPLETE_MESSAGE | Get.LOGICAL_ORDER
    with two.open("PARTS", options=Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_FIRST | whole, quiet=True) is None
        segment(one, 0)
        assert handle.get(options=Get.BROWSE_FIRST | whole).body == b"00000004"
        assert handle.get(options=Get.BROWSE_NEXT | whole, quiet=True) is None
