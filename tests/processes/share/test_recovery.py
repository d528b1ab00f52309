"""RECOVER CFSTRUCT from backups and the message journals of members, while the others go on."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from penstock.model.errors import MQError
from penstock.share.repository import OBJECTS_WAKE
from tests.patience import until
from tests.shared_groups import Members, members

SMDS = "OFFLOAD(SMDS) DSGROUP('{}/smds/*/APPL1') DSBLOCK(64K) RECAUTO(NO)"


@pytest.fixture
def group(facility: str, tmp_path: Path) -> Any:
    """Two members with a structure that has data sets, and its queue BIG."""
    with members(facility, tmp_path, "QM1", "QM2") as found:
        one, two = found.here["QM1"], found.here["QM2"]
        one.mqsc(f"DEFINE CFSTRUCT(APPL1) RECOVER(YES) {SMDS.format(tmp_path)}", check=True)
        one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
        until(lambda: "BIG" in two.engine.queues)
        yield found


def change(group: Members, statement: str) -> None:
    """Change tables of the facility, as an accident would."""
    with psycopg.connect(group.url, autocommit=True) as connection:
        connection.execute(f"set search_path to {group.group.schema}")  # type: ignore[arg-type]
        connection.execute(statement)  # type: ignore[arg-type]


def fail(group: Members, tmp_path: Path, member: str) -> None:
    """Lose a data set."""
    (tmp_path / "smds" / member / "APPL1").unlink()
    group.here["QM1"].mqsc(f"RESET SMDS({member}) CFSTRUCT(APPL1) STATUS(FAILED)", check=True)


def recover(qm: Any, words: str = "") -> str:
    return str(qm.mqsc(f"RECOVER CFSTRUCT(APPL1) {words}")[0].text)


def everything(qm: Any) -> list[bytes]:
    """Get all that is on BIG."""
    found = []
    while (message := qm.get("BIG")) is not None:
        found.append(message.body)
    return found


def test_bodies_that_came_after_the_backup_are_in_the_journals_of_their_members(
    group: Members, tmp_path: Path
) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.put("BIG", b"a" * 100_000)
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    two.put("BIG", b"b" * 100_000)
    one.put("BIG", b"c" * 100_000)
    fail(group, tmp_path, "QM1")
    fail(group, tmp_path, "QM2")
    assert "3 restored, 0 returned" in recover(one)
    assert [two.get("BIG").body[:1] for _ in range(3)] == [b"a", b"b", b"c"]
    assert two.get("BIG") is None


def test_after_a_recovery_elsewhere_the_owner_writes_to_its_new_data_set(
    group: Members, tmp_path: Path
) -> None:
    """Before, it went on with the file that was gone, and what it had confirmed could not be read."""
    one, two = group.here["QM1"], group.here["QM2"]
    two.put("BIG", b"a" * 100_000)
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    fail(group, tmp_path, "QM2")
    assert "1 restored" in recover(one)
    until(lambda: two.host.sharing.commands.bodies.states["APPL1"].state == "ACTIVE")
    two.put("BIG", b"b" * 100_000)
    assert [one.get("BIG").body[:1] for _ in range(2)] == [b"a", b"b"]


def test_a_data_set_that_is_removed_while_it_is_open_confirms_nothing_more(
    group: Members, tmp_path: Path
) -> None:
    one = group.here["QM1"]
    one.put("BIG", b"a" * 100_000)
    (tmp_path / "smds" / "QM1" / "APPL1").unlink()
    with pytest.raises(MQError, match="2561"):
        one.put("BIG", b"b" * 100_000)
    assert group.rows("select state from structure") == [("FAILED",)]
    assert group.rows("select count(*) from p") == [(1,)]


def test_a_data_set_whose_file_is_still_readable_needs_no_backup(group: Members, tmp_path: Path) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.put("BIG", b"a" * 100_000)
    one.mqsc("RESET SMDS(QM1) CFSTRUCT(APPL1) STATUS(FAILED)", check=True)
    assert "1 restored" in recover(one)
    assert two.get("BIG").body == b"a" * 100_000


def test_lost_rows_come_back_from_backup_and_journals(group: Members) -> None:
    """Messages that were got or cleared meanwhile, by whichever member, do not."""
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc("DEFINE QLOCAL(OTHER) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
    until(lambda: "OTHER" in two.engine.queues)
    for number in range(4):
        one.put("BIG", b"%d" % number)
    one.put("OTHER", b"cleared")
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    assert two.get("BIG").body == b"0"
    assert one.get("BIG").body == b"1"
    two.put("BIG", b"large" * 20_000, priority=9)
    with two.unit_of_work():
        two.put("BIG", b"4", correl_id=b"X" * 24)
        two.put("BIG", b"5")
    with one.unit_of_work() as unit:
        one.put("BIG", b"never")
        unit.backout()
    two.put("BIG", b"gone")
    assert one.get("BIG").body == b"large" * 20_000
    assert two.get("BIG", correl_id=b"X" * 24).body == b"4"
    one.put("BIG", b"large" * 20_000, priority=9)
    one.mqsc("CLEAR QLOCAL(OTHER)", check=True)
    change(group, "delete from p where seq % 2 = 0")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert "returned" in recover(two)
    assert [body[:5] for body in everything(one)] == [b"large", b"2", b"3", b"5", b"gone"]
    assert one.get("OTHER") is None


def test_an_older_copy_of_the_facility_gets_its_messages_back_and_new_places(group: Members) -> None:
    one = group.here["QM1"]
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    for number in range(3):
        one.put("BIG", b"%d" % number)
    change(group, "delete from p")
    change(group, "alter sequence place restart with 1")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert "3 returned" in recover(one)
    until(lambda: one.host.sharing.commands.bodies.states["APPL1"].state == "ACTIVE")
    one.put("BIG", b"3")
    assert [one.get("BIG").body for _ in range(4)] == [b"0", b"1", b"2", b"3"]


def test_a_structure_that_has_lost_nothing_gets_nothing_back(group: Members) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.put("BIG", b"before")
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    one.put("BIG", b"after")
    two.begin()
    assert two.get("BIG").body == b"before"
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert "0 restored, 0 returned" in recover(one)
    two.commit()
    assert one.get("BIG").body == b"after"
    assert one.get("BIG") is None


def test_rounds_of_a_member_that_died_before_it_noted_their_outcome_count(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The facility says that they were committed, to its next life or to the member that recovers."""
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    two.put("BIG", b"gone")
    journal = two.host.sharing.facility.journal
    monkeypatch.setattr(journal, "ended", lambda number, failed, seqs: None)
    assert two.get("BIG").body == b"gone"
    two.put("BIG", b"here")  # it removes the outcome of the round before
    monkeypatch.undo()
    two.host.abandon()
    del group.here["QM2"]
    group.until_recovered("QM2")
    change(group, "delete from p")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert "returned" in recover(one)
    assert everything(one)[-1:] == [b"here"]


def test_a_recovery_without_all_journals_is_refused_and_changes_nothing(group: Members) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    two.put("BIG", b"kept")
    change(group, "delete from p")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    folder = two.host.folder.path / "backups"
    folder.rename(folder.with_name("away"))
    one.host.sharing.wakes[OBJECTS_WAKE] = lambda _text: None  # what it did itself it knows without
    text = recover(one)
    assert "of QM2 cannot be read here" in text
    assert group.rows("select state from structure") == [("FAILED",)]
    with pytest.raises(MQError, match="2373"):
        one.put("BIG", b"no")
    for segment in folder.with_name("away").iterdir():
        segment.rename(folder / segment.name)
    assert "1 returned" in recover(one)
    assert one.get("BIG").body == b"kept"


def test_a_journal_with_a_gap_is_named_and_a_backup_begins_it_anew(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.share import message_journal

    one = group.here["QM1"]
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    monkeypatch.setattr(message_journal, "SEGMENT_BYTES_MAX", 100)
    one.put("BIG", b"x" * 200)
    one.put("BIG", b"y")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert "the message journal of QM1 has a gap" in recover(one)
    assert "CSQE140W" in (one.host.folder.errors / "AMQERR01.LOG").read_text()
    monkeypatch.undo()
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    assert "0 returned" in recover(one)


def test_a_long_journal_has_its_member_back_up_and_old_segments_go(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.share import structure_actions

    one = group.here["QM1"]
    for _ in range(5):
        one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    folder = one.host.folder.path / "backups"
    assert len(list(folder.glob("messages-*"))) == 3  # of the last two backups, and the one before the last
    monkeypatch.setattr(structure_actions, "BACKUP_BYTES", 500)
    one.put("BIG", b"x" * 1000)
    until(lambda: group.rows("select count(*) from backup where ended is not null") == [(6,)])


def test_members_wait_for_each_other_before_a_backup_begins(group: Members) -> None:
    """A put that is under way at another member is in the backup or in a journal."""
    one, two = group.here["QM1"], group.here["QM2"]
    ended = threading.Event()

    def put() -> None:
        while not ended.is_set():
            two.put("BIG", b"x")

    putter = threading.Thread(target=put)
    putter.start()
    try:
        one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    finally:
        ended.set()
        putter.join()
    ((count,),) = group.rows("select count(*) from p")
    change(group, "delete from p")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert f"{count} returned" in recover(one)
    assert group.rows("select count(*) from p") == [(count,)]


def test_a_recovery_whose_member_dies_leaves_the_structure_failed(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, it was INRECOVER for ever: no put, and no other recovery."""
    from penstock.share import structure_recovery

    one, two = group.here["QM1"], group.here["QM2"]
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    one.put("BIG", b"kept")
    change(group, "delete from p")
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    inside, dead = threading.Event(), threading.Event()

    def die(self: Any) -> Any:
        inside.set()
        dead.wait(60)
        raise MQError(2345, "dead")

    monkeypatch.setattr(structure_recovery.StructureRecovery, "run", die)

    def recover_there() -> None:
        with contextlib.suppress(MQError):
            recover(two)

    recovery = threading.Thread(target=recover_there)
    recovery.start()
    assert inside.wait(60)
    monkeypatch.undo()
    assert "is being recovered" in recover(one)
    two.host.abandon()
    del group.here["QM2"]
    until(lambda: group.rows("select state from structure") == [("FAILED",)])
    assert "1 returned" in recover(one)
    dead.set()
    recovery.join(60)
    assert one.get("BIG").body == b"kept"


def test_a_structure_that_is_made_anew_has_no_old_backups(group: Members) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    one.put("BIG", b"old")
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    assert one.get("BIG").body == b"old"
    one.mqsc("DELETE QLOCAL(BIG)\nDELETE CFSTRUCT(APPL1)", check=True)
    one.mqsc("DEFINE CFSTRUCT(APPL1) RECOVER(YES) RECAUTO(NO)", check=True)
    one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
    one.mqsc("RESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    assert "there is no backup" in recover(two)
