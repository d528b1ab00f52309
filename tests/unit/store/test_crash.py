"""The power fails at operation n of the store, for every n.

Story: a write is torn after k bytes, or what was not synced is lost, all of it or only the oldest
part while a later part reached the disk. The machine comes up again, recovery reads the folder and
the store goes on; then the power fails once more. Everything that was promised must be there, in
order, and nothing may be there that was never written.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.store.faults import LOSE_ALL, LOSE_OLDEST, Faults
from penstock.store.journal import create_journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.segments import FIRST_POSITION
from tests.unit.store.workload import TINY, Diary, check_after_crash, live

pytestmark = pytest.mark.crash

ACCIDENTS = {
    "nothing of the write": {"tear_bytes": 0},
    "torn in the header": {"tear_bytes": 21},
    "torn in a record": {"tear_bytes": 1000},
    "all but the end": {"tear_bytes": 60_000},
    "un-synced lost": {"lose": LOSE_ALL},
    "reordered": {"lose": LOSE_OLDEST, "tear_bytes": 1 << 30},
}


def new_store(folder: Path) -> Path:
    create_journal(folder / "log", TINY)
    return folder


def seed(n: int, life: int) -> int:
    """The first life is the same for every n, so that n walks through it; the second one varies."""
    return 1 if life == 0 else 100 + n


def operations_of_one_life(folder: Path) -> int:
    faults = Faults()
    live(new_store(folder), Diary(), faults, end=FIRST_POSITION, seed=1)
    return faults.operations


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_nothing_promised_is_lost_at_any_operation(tmp_path: Path, accident: str, scale: int) -> None:
    total = operations_of_one_life(tmp_path / "whole")
    assert total > 100
    first, step = (1, 1) if scale > 1 else (1 + list(ACCIDENTS).index(accident) % 4, 4)
    for n in range(first, total + 1, step):
        folder = new_store(tmp_path / str(n))
        diary = Diary()
        end = FIRST_POSITION
        for life in range(2):
            plan = Faults(stop_at=n, **ACCIDENTS[accident])
            try:
                live(folder, diary, plan, end=end, seed=seed(n, life))
            except MQError as stopped:
                assert stopped.reason == 8004, str(stopped)
            plan.lose_names()
            end = check_after_crash(folder, diary)
        live(folder, diary, None, end=end, seed=0, rounds=1)
        check_after_crash(folder, diary)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_disk_error_at_any_operation_is_told_and_loses_nothing(tmp_path: Path, code: int) -> None:
    total = operations_of_one_life(tmp_path / "whole")
    for n in range(1, total + 1, 3):
        folder = new_store(tmp_path / str(n))
        diary = Diary()
        try:
            live(folder, diary, Faults(stop_at=n, error=code), end=FIRST_POSITION, seed=1)
        except MQError as stopped:
            assert stopped.reason in (8004, 8005 if code == errno.ENOSPC else 8013)
            assert stopped.fields["errno"] in (code, errno.ECANCELED)
        check_after_crash(folder, diary)


def test_a_creation_cut_short_leaves_no_half_journal(tmp_path: Path) -> None:
    for n in range(1, 5):
        folder = tmp_path / str(n)
        with pytest.raises(MQError):
            create_journal(folder, TINY, Faults(stop_at=n, tear_bytes=100))
        assert n == 4 or not list(folder.glob("S*.LOG"))  # 4 is the folder's sync, after the rename
        if n < 4:
            create_journal(folder, TINY)
        open_journal(folder, TINY, FIRST_POSITION).close()
        assert list(read_journal(folder)) == []
