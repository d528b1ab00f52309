"""The power goes at write or sync n: torn after some bytes, or with everything lost that was not synced.

The store counts its writes, syncs, renames and removals, journal, message files and checkpoints
together, and stops at number n; from then on nothing has an effect. Then the queue manager is started
again on what is left. `make soak` takes every n.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from penstock.store.faults import LOSE_ALL, LOSE_OLDEST, Faults
from tests.crash.stopped_workload import Workload, make, verify

pytestmark = pytest.mark.crash

SOAK = os.environ.get("PENSTOCK_SOAK", "") not in ("", "0")
ACCIDENTS = (
    {"tear_bytes": 0},
    {"tear_bytes": 20},
    {"tear_bytes": 3000},
    {"lose": LOSE_ALL},
    {"lose": LOSE_OLDEST},
)
SEEDS = tuple(range(1, 13)) if SOAK else (1, 2, 3)
SAMPLES = 50  # stops for each seed in `make test`; soak takes every operation


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fresh")
    make(home)
    return home


def stops(operations: int, seed: int) -> list[int]:
    if SOAK:
        return list(range(1, operations + 1))
    return sorted({1 + (seed * 7 + i * operations // SAMPLES) % operations for i in range(SAMPLES)})


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_confirmed_is_lost_and_nothing_else_appears(fresh: Path, tmp_path: Path, seed: int) -> None:
    counting = Faults()
    shutil.copytree(fresh, tmp_path / "whole")
    assert Workload(tmp_path / "whole", seed, counting).run()

    for n in stops(counting.operations, seed):
        accident = ACCIDENTS[n % len(ACCIDENTS)]
        home = tmp_path / f"at-{n}"
        shutil.copytree(fresh, home)
        work = Workload(home, seed, Faults(stop_at=n, **accident))
        work.run()
        try:
            verify(work)
        except BaseException as failure:
            failure.add_note(f"seed {seed}, stopped at operation {n} with {accident}")
            raise
        shutil.rmtree(home)
