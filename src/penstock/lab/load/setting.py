"""What a benchmark is given: how many rounds, how long, and a folder on a real disk.

`interleave` is the one loop over rounds: both sides run in every round, the other one first in every
second round, so that a slower machine or other programs affect both. A folder
in memory would make every sync free, so such a place is refused.
"""

from __future__ import annotations

import gc
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.load.crew import Crew
from penstock.lab.load.queue_server import DEPTH_MAX, command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.lab.load.crew import Task

IN_MEMORY = frozenset({"tmpfs", "ramfs"})
REPEATS_QUICK = 2
PLACES = ("build", "/var/tmp", "/tmp")  # tried in this order


@dataclass(frozen=True)
class Setting:
    """One run's parameters."""

    rounds: int
    quick: bool
    folder: Path

    def size(self, full: int, quick: int) -> int:
        """Return the number that this run should use."""
        return quick if self.quick else full

    @property
    def repeats(self) -> int:
        """How often to run costly measurements that have no floor."""
        return min(self.rounds, REPEATS_QUICK) if self.quick else self.rounds

    def interleave(
        self, subject: Callable[[], float], floor: Callable[[], float], *, times: int = 1
    ) -> tuple[list[float], list[float]]:
        """Measure both in each round; return the values of each.

        `times` makes more and shorter rounds of what takes only milliseconds.
        """
        mine: list[float] = []
        others: list[float] = []
        for number in range(self.rounds * times):
            sides = [(subject, mine), (floor, others)]
            for measure, values in sides if number % 2 == 0 else reversed(sides):
                gc.collect()
                values.append(measure())
        return mine, others

    @contextmanager
    def crew(self, tasks: Sequence[Task], *, threads: bool = False) -> Iterator[Crew]:
        """Let roles run, with their logs in a folder that is gone afterwards."""
        with (
            tempfile.TemporaryDirectory(dir=self.folder) as logs,
            Crew(tasks, Path(logs), threads=threads) as crew,
        ):
            yield crew

    @contextmanager
    def queue_manager(self, *queues: str, **options: Any) -> Iterator[penstock.QueueManager]:
        """Run a new queue manager with these local queues; gone afterwards."""
        home = Path(tempfile.mkdtemp(dir=self.folder))
        qm = penstock.embed("BENCH", create=True, home=home, **options)
        try:
            for queue in queues:
                define(qm, queue)
            yield qm
        finally:
            qm.close()
            shutil.rmtree(home, ignore_errors=True)


def define(qm: penstock.QueueManager, queue: str, attributes: str = "") -> None:
    """Define a local queue that is never full."""
    command(qm, f"DEFINE QLOCAL('{queue}') MAXDEPTH({DEPTH_MAX}) {attributes}")


@contextmanager
def real_folder() -> Iterator[Path]:
    """Make a temporary folder on a file system that is not memory; removed afterwards."""
    for place in PLACES:
        if Path(place).is_dir() and file_system(Path(place)) not in IN_MEMORY:
            break
    else:
        raise RuntimeError(f"none of {', '.join(PLACES)} is on a disk")
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=place)).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def file_system(path: Path) -> str:
    """Return the type of the file system that holds a path, such as "ext4"."""
    found = subprocess.run(
        ["stat", "--file-system", "--format=%T", str(path)], capture_output=True, text=True, check=False
    )
    return found.stdout.strip().replace("ext2/ext3", "ext4")
