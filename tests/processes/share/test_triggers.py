"""Triggers of shared queues fire once for the group, and CLEAR QLOCAL empties a shared queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import Open
from tests.patience import until
from tests.shared_groups import Members, members


@pytest.fixture
def group(facility: str, tmp_path: Path) -> Any:
    with members(facility, tmp_path, "QM1", "QM2") as found:
        one = found.here["QM1"]
        one.mqsc("DEFINE CFSTRUCT(APPL1) CFLEVEL(3) RECOVER(YES)", check=True)
        for qm in found.here.values():
            qm.mqsc("DEFINE QLOCAL(INIT)", check=True)
            qm.mqsc("DEFINE PROCESS(WORK) APPLICID('work')", check=True)
        yield found


def define(group: Members, words: str) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc(f"DEFINE QLOCAL(JOBS) QSGDISP(SHARED) CFSTRUCT(APPL1) PROCESS(WORK) {words}", check=True)
    until(lambda: "JOBS" in two.engine.queues)


def armed(group: Members) -> bool:
    return bool(group.rows("select armed from queue where name = 'JOBS'")[0][0])


def test_first_fires_once_at_each_member_that_listens_and_again_after_a_program_was_there(
    group: Members,
) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    define(group, "TRIGGER TRIGTYPE(FIRST) INITQ(INIT)")
    with (
        one.open("INIT", options=Open.INPUT_SHARED) as first,
        two.open("INIT", options=Open.INPUT_SHARED) as second,
    ):
        two.put("JOBS", b"a")
        assert b"JOBS" in first.get(wait=60).body
        assert b"JOBS" in second.get(wait=60).body
        two.put("JOBS", b"b")  # not the first any more
        assert not armed(group)
        with one.open("JOBS", options=Open.INPUT_SHARED) as program:
            assert program.get().body == b"a"
        assert b"JOBS" in first.get(wait=60).body  # it left a message behind
        assert b"JOBS" in second.get(wait=60).body
        assert first.get(quiet=True) is None
        assert second.get(quiet=True) is None


def test_a_shared_initiation_queue_gets_one_message_and_depth_switches_the_trigger_off(
    group: Members,
) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc("DEFINE QLOCAL(STARTS) QSGDISP(SHARED) CFSTRUCT(APPL1)", check=True)
    define(group, "TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(3) INITQ(STARTS)")
    until(lambda: "STARTS" in two.engine.queues)
    with (
        one.open("STARTS", options=Open.INPUT_SHARED) as monitor,
        two.open("STARTS", options=Open.INPUT_SHARED) as other,
    ):
        for number in range(3):
            two.put("JOBS", b"%d" % number)
        assert b"JOBS" in monitor.get(wait=60).body
        assert other.get(quiet=True) is None
        for qm in (one, two):
            until(lambda qm=qm: qm.engine.queues["JOBS"].definition.attributes["TRIGGER"] == "NO")
        assert monitor.get(quiet=True) is None


def test_every_fires_for_each_message_at_the_member_that_puts(group: Members) -> None:
    two = group.here["QM2"]
    define(group, "TRIGGER TRIGTYPE(EVERY) INITQ(INIT)")
    with two.open("INIT", options=Open.INPUT_SHARED) as monitor:
        with two.unit_of_work():
            two.put("JOBS", b"a")
            two.put("JOBS", b"b")
        assert b"JOBS" in monitor.get(wait=60).body
        assert b"JOBS" in monitor.get(wait=60).body
        assert monitor.get(quiet=True) is None


def test_clear_empties_a_shared_queue_that_nobody_uses(group: Members) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    define(group, "")
    for number in range(3):
        two.put("JOBS", b"%d" % number, persistent=bool(number))
    two.begin()
    assert two.get("JOBS") is not None
    assert one.mqsc("CLEAR QLOCAL(JOBS)")[0].reason == 2042  # a unit holds a message
    two.commit()
    with two.open("JOBS", options=Open.OUTPUT):
        assert one.mqsc("CLEAR QLOCAL(JOBS)")[0].reason == 2042
    until(lambda: group.rows("select count(*) from opened where inputs + outputs > 0") == [(0,)])
    one.mqsc("CLEAR QLOCAL(JOBS)", check=True)
    assert two.get("JOBS") is None
    assert group.rows("select count(*) from p") == [(0,)]
