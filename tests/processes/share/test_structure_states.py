"""What displays and messages say of a structure that fails, is backed up, and is recovered."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.share import structure_actions
from penstock.store.shared_data_set import SharedDataSet
from tests.patience import until
from tests.shared_groups import Members, members


@pytest.fixture
def group(facility: str, tmp_path: Path) -> Any:
    """Two members with a structure that recovers itself, and its queue BIG."""
    with members(facility, tmp_path, "QM1", "QM2") as found:
        one, two = found.here["QM1"], found.here["QM2"]
        words = f"RECAUTO(YES) OFFLOAD(SMDS) DSGROUP('{tmp_path}/smds/*/APPL1')"
        one.mqsc(f"DEFINE CFSTRUCT(APPL1) RECOVER(YES) {words}", check=True)
        one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
        until(lambda: "BIG" in two.engine.queues)
        yield found


def backup(qm: Any) -> dict[str, Any]:
    (reply,) = qm.mqsc("DISPLAY CFSTATUS(APPL1) TYPE(BACKUP)")
    return dict(reply.attributes)


def messages(qm: Any, number: str) -> int:
    log = qm.host.folder.errors / "AMQERR01.LOG"
    return log.read_text().count(number) if log.exists() else 0


def test_a_backup_is_told_from_none_and_from_one_under_way(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times are those of the last complete one."""
    one, two = group.here["QM1"], group.here["QM2"]
    none = backup(two)
    assert (none["STATUS"], none["QMNAME"], none["BKUPDATE"]) == ("NONE", "", "")
    seen: list[str] = []
    back_up = structure_actions.back_up

    def look_and_back_up(*given: Any) -> Any:
        seen.append(backup(two)["STATUS"])
        return back_up(*given)

    monkeypatch.setattr(structure_actions, "back_up", look_and_back_up)
    one.mqsc("BACKUP CFSTRUCT(APPL1)", check=True)
    good = backup(two)
    assert seen == ["INBACKUP"]
    assert (good["STATUS"], good["QMNAME"]) == ("ACTIVE", "QM1")
    assert good["BKUPTIME"]
    one.mqsc("ALTER CFSTRUCT(APPL1) RECAUTO(NO)\nRESET CFSTRUCT(APPL1) ACTION(FAIL)", check=True)
    failed = backup(two)
    assert (failed["STATUS"], failed["QMNAME"], failed["BKUPTIME"]) == ("FAILED", "QM1", good["BKUPTIME"])
    assert failed["FAILTIME"]


def test_a_backup_whose_member_dies_is_not_under_way_for_ever(
    group: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = group.here["QM1"], group.here["QM2"]
    inside, dead = threading.Event(), threading.Event()

    def die(*_given: Any) -> Any:
        inside.set()
        dead.wait(60)
        raise MQError(2345, "dead")

    monkeypatch.setattr(structure_actions, "back_up", die)

    def back_up_there() -> None:
        with contextlib.suppress(MQError):
            two.mqsc("BACKUP CFSTRUCT(APPL1)")

    thread = threading.Thread(target=back_up_there)
    thread.start()
    assert inside.wait(60)
    assert backup(one)["STATUS"] == "INBACKUP"
    two.host.abandon()
    del group.here["QM2"]
    until(lambda: backup(one)["STATUS"] == "NONE")
    dead.set()
    thread.join(60)


@pytest.mark.parametrize("state", ["INRECOVER", "ACTIVE"])
def test_a_structure_that_somebody_else_recovers_is_not_reported_as_lost(group: Members, state: str) -> None:
    """RECAUTO acts on a state that is a second old: an operator may have been quicker."""
    one = group.here["QM1"]
    one.put("BIG", b"x" * 100_000)
    group.rows(f"update structure set state = '{state}', recoverer = 2 returning 1")
    turns = group.rows("select turn from structure")
    one.host.sharing.commands.actions._recover_automatically("APPL1")
    assert group.rows("select turn from structure") == turns
    assert messages(one, "CSQE133E") == 0
    group.rows("update structure set state = 'ACTIVE' returning 1")


def test_a_recovery_that_cannot_be_is_tried_and_reported_once(group: Members, tmp_path: Path) -> None:
    """Before, each try counted as a new failure: they followed each other without end."""
    one, two = group.here["QM1"], group.here["QM2"]
    two.put("BIG", b"x" * 100_000)
    (tmp_path / "smds" / "QM2" / "APPL1").unlink()
    one.mqsc("RESET SMDS(QM2) CFSTRUCT(APPL1) STATUS(FAILED)", check=True)
    ((failed_at,),) = group.rows("select failed_at from structure")
    until(lambda: messages(one, "CSQE133E"))
    commands = one.host.sharing.commands
    for _ in range(3):
        commands.refresh()
        commands.actions.recover_failed()
    assert messages(one, "CSQE133E") == 1
    assert group.rows("select state, failed_at from structure") == [("FAILED", failed_at)]
    assert one.mqsc("RECOVER CFSTRUCT(APPL1)")[0].failed
    assert "1 messages removed" in one.mqsc("RECOVER CFSTRUCT(APPL1) TYPE(PURGE)")[0].text


def test_a_data_set_whose_map_cannot_be_built_is_closed_again(
    group: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried once a second."""
    one = group.here["QM1"]
    one.put("BIG", b"x" * 100_000)

    def lost(self: SharedDataSet, references: Any) -> int:
        raise MQError(2345, "the facility is away")

    monkeypatch.setattr(SharedDataSet, "rebuild", lost)
    bodies = one.host.sharing.commands.bodies
    bodies.begin_life()
    with pytest.raises(MQError, match="2345"):
        bodies.data_sets("APPL1").resume()
    with bodies.data_sets("APPL1")._lock:  # nobody tries just now
        opened = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not [path for path in opened if path.startswith(str(tmp_path / "smds"))]
    monkeypatch.undo()
    assert one.get("BIG").body == b"x" * 100_000


def test_a_folder_that_cannot_be_looked_into_stops_nothing_else(group: Members, tmp_path: Path) -> None:
    one = group.here["QM1"]
    far = f"{tmp_path}/{'x' * 256}/*"
    one.mqsc(f"DEFINE CFSTRUCT(FAR) OFFLOAD(SMDS) DSGROUP('{far}')", check=True)
    one.put("BIG", b"x" * 100_000)
    bodies = one.host.sharing.commands.bodies
    until(lambda: "FAR" in bodies.states)
    bodies.begin_life()
    bodies.open_own()
    assert bodies.data_sets("APPL1").own is not None


@pytest.mark.parametrize("folder", ["{}/" + "x" * 256, "{}/file", "/proc/none"])
def test_a_folder_that_cannot_be_used_refuses_the_put_alone(
    group: Members, tmp_path: Path, folder: str
) -> None:
    """Before, the failure of the file system ended the connection of the member."""
    one = group.here["QM1"]
    (tmp_path / "file").touch()
    words = f"DSGROUP('{folder.format(tmp_path)}/*/APPL2')"
    one.mqsc(f"DEFINE CFSTRUCT(APPL2) RECOVER(YES) OFFLOAD(SMDS) {words}", check=True)
    one.mqsc("DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(APPL2) DEFPSIST(YES)", check=True)
    with pytest.raises(MQError) as refused:
        one.put("Q", b"x" * 100_000)
    assert refused.value.reason not in (2345, 2003)
    one.put("Q", b"small")
    assert one.get("Q").body == b"small"
    assert one.host.sharing.facility.incarnation == 1
