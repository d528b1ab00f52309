"""Browses that mark shared messages: cooperating browsers of all members see each message once."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from penstock import Get, Open
from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members, members

TAKE = Get.BROWSE_NEXT | Get.UNMARKED_BROWSE | Get.MARK_BROWSE_CO_OPERATIVE
CO_OP = Open.BROWSE | Open.INPUT_SHARED | Open.CO_OPERATIVE


def fill(qm: Any, count: int) -> None:
    with qm.unit_of_work():
        for number in range(count):
            qm.put("ORDERS", b"%d" % number, persistent=True)


def test_browsers_of_two_members_share_a_queue_and_mark_each_message_once(pair: Members) -> None:
    fill(pair.here["QM1"], 40)
    seen: Counter[bytes] = Counter()
    opened = threading.Barrier(4)
    ended = threading.Barrier(4)  # a handle that is closed takes its marks with it

    def browse(qm: Any) -> None:
        with qm.open("ORDERS", options=CO_OP) as handle:
            opened.wait(60)
            while (message := handle.get(options=TAKE, quiet=True)) is not None:
                seen[message.body] += 1
            ended.wait(60)

    browsers = [threading.Thread(target=browse, args=(qm,)) for qm in pair.here.values() for _ in range(2)]
    for qm in pair.here.values():
        qm.mqsc("ALTER QMGR MARKINT(NOLIMIT)", check=True)
    for browser in browsers:
        browser.start()
    for browser in browsers:
        browser.join(60)
    assert seen == Counter({b"%d" % number: 1 for number in range(40)})


def test_a_mark_ends_with_its_handle_its_interval_its_removal_and_its_member(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    fill(one, 1)
    one.mqsc("ALTER QMGR MARKINT(NOLIMIT)", check=True)
    first = Get.BROWSE_FIRST | Get.UNMARKED_BROWSE | Get.MARK_BROWSE_CO_OPERATIVE
    with two.open("ORDERS", options=CO_OP) as other:
        with one.open("ORDERS", options=CO_OP) as handle:
            assert handle.get(options=first).body == b"0"
            assert other.get(options=first, quiet=True) is None
            assert other.get(options=Get.BROWSE_FIRST).body == b"0"  # who does not ask sees all
            with pytest.raises(MQError, match="2200"):
                other.get(options=Get.BROWSE_UNDER_CURSOR | Get.UNMARKED_BROWSE)
            handle.get(options=Get.BROWSE_UNDER_CURSOR | Get.UNMARK_BROWSE_CO_OPERATIVE)
            assert other.get(options=Get.BROWSE_UNDER_CURSOR | Get.UNMARKED_BROWSE).body == b"0"
            handle.get(options=first)
        assert other.get(options=first, wait=60).body == b"0"
    two.mqsc("ALTER QMGR MARKINT(1)", check=True)
    with two.open("ORDERS", options=CO_OP) as other, one.open("ORDERS", options=CO_OP) as handle:
        until(lambda: other.get(options=first, quiet=True) is not None)
        until(lambda: handle.get(options=first, quiet=True) is not None)
        until(lambda: pair.rows("select count(*) from mark") == [(1,)])
        one.host.abandon()
        del pair.here["QM1"]
        assert other.get(options=first, wait=60).body == b"0"
    until(lambda: pair.rows("select count(*) from mark") == [(0,)])


def test_a_marked_message_is_got_as_any_other_and_free_again_after_a_backout(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    fill(one, 1)
    one.mqsc("ALTER QMGR MARKINT(NOLIMIT)", check=True)
    with one.open("ORDERS", options=CO_OP) as handle, two.open("ORDERS", options=CO_OP) as other:
        handle.get(options=TAKE)
        with two.unit_of_work() as unit:
            assert two.get("ORDERS").body == b"0"
            unit.backout()
        assert other.get(options=TAKE).body == b"0"


def test_a_mark_of_a_handle_is_its_own(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    fill(one, 2)
    own = Get.BROWSE_FIRST | Get.UNMARKED_BROWSE | Get.MARK_BROWSE_HANDLE
    with one.open("ORDERS", options=Open.BROWSE) as handle, two.open("ORDERS", options=Open.BROWSE) as other:
        assert [handle.get(options=own).body for _ in range(2)] == [b"0", b"1"]
        assert handle.get(options=own, quiet=True) is None
        assert other.get(options=own).body == b"0"
        handle.get(options=Get.BROWSE_FIRST | Get.UNMARK_BROWSE_HANDLE)
        assert handle.get(options=own).body == b"0"


def test_a_message_that_is_refused_as_too_long_is_not_marked(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"long", persistent=True)
    with one.open("ORDERS", options=CO_OP) as handle, two.open("ORDERS", options=CO_OP) as other:
        assert handle.get(options=TAKE, max_length=2).warning == 2080
        assert other.get(options=TAKE).body == b"long"


def test_a_message_that_cannot_be_read_fails_a_browse_once_and_is_not_left_out(
    facility: str, tmp_path: Path
) -> None:
    """Before, a browse and a get with a selector said that there was nothing."""
    with members(facility, tmp_path, "QM1", "QM2") as group:
        one, two = group.here["QM1"], group.here["QM2"]
        words = f"RECOVER(YES) OFFLOAD(OBJECT) DSGROUP('file://{tmp_path}/objects/*')"
        one.mqsc(f"DEFINE CFSTRUCT(APPL1) {words}", check=True)
        one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
        until(lambda: "BIG" in two.engine.queues)
        one.put("BIG", b"first")
        one.put("BIG", bytes(100_000))
        one.put("BIG", b"last")
        (path,) = [each for each in (tmp_path / "objects").rglob("*") if each.is_file()]
        path.unlink()
        with two.open("BIG", options=Open.BROWSE) as handle:
            assert handle.get(options=Get.BROWSE_NEXT).body == b"first"
            for options in (Get.BROWSE_NEXT, Get.BROWSE_UNDER_CURSOR):
                with pytest.raises(MQError, match="2561"):
                    handle.get(options=options)
            assert handle.get(options=Get.BROWSE_NEXT).body == b"last"
            assert handle.get(options=Get.BROWSE_NEXT, quiet=True) is None
        with pytest.raises(MQError, match="2561"):
            two.get("BIG", selector="number = 1")
        assert two.get("BIG").body == b"first"
