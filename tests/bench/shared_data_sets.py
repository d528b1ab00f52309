"""Data sets of shared queues: rows S11 and S13 of the targets, with the published figures beside them.

S11: how fast the space map is built anew from the references in the structure. S13: puts of 64 KB while the
data set grows, against puts into free pages of the same one. A member and its server are in this process's
machine; the files are where the run's folder is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.results import Figures, Result, Row, at_least
from tests.bench.shared import seconds_of
from tests.postgresql import running_server
from tests.shared_groups import members

if TYPE_CHECKING:
    from penstock.lab.load.setting import Setting

REFERENCES, REFERENCES_QUICK = 100_000, 5000
BATCH = 500
PUTTERS = 10
LARGE = bytes(64 << 10)
FREE_MESSAGES = 150  # fit a new data set of 16 MB below 90 %
GROWING_MESSAGES = 600
EVERYTHING = " ".join(f"OFFLD{rule}TH(0) OFFLD{rule}SZ(0K)" for rule in (1, 2, 3))


def measure(setting: Setting) -> Iterator[Result]:
    with running_server() as url, TemporaryDirectory(dir=setting.folder) as home:
        with members(url, Path(home), "QM1") as group:
            qm = group.here["QM1"]
            yield _rebuild(setting, qm, Path(home))
            yield _growth(setting, qm, Path(home))


def _define(qm: Any, name: str, home: Path, words: str = "") -> Any:
    """Make a structure with a data set and its queue; return the member's data sets."""
    smds = f"OFFLOAD(SMDS) DSGROUP('{home}/smds/*/{name}') RECOVER(YES) SIZE(4G) {words}"
    qm.mqsc(f"DEFINE CFSTRUCT({name}) {smds}", check=True)
    attributes = f"CFSTRUCT({name}) DEFPSIST(YES) MAXDEPTH(10000000)"
    qm.mqsc(f"DEFINE QLOCAL({name}) QSGDISP(SHARED) {attributes}", check=True)
    return qm.host.sharing.commands.bodies.data_sets(name)


def _rebuild(setting: Setting, qm: Any, home: Path) -> Result:
    count = REFERENCES_QUICK if setting.quick else REFERENCES
    data_sets = _define(qm, "MAP", home, EVERYTHING)
    for _ in range(count // BATCH):
        with qm.unit_of_work():
            for _ in range(BATCH):
                qm.put("MAP", bytes(200), persistent=True)
    lines = []
    for _ in range(setting.rounds):
        began = time.perf_counter()
        with data_sets._facility.connect() as connection:
            found = data_sets.own.rebuild(data_sets._references(connection))
        took = time.perf_counter() - began
        assert found == count
        lines.append([f"{count / took:,.0f}", "77,000"])
    return Figures(
        f"S11 space map of {count} messages (target 300,000/s)", ("here /s", "published /s"), lines
    )


def _growth(setting: Setting, qm: Any, home: Path) -> Result:
    growing, free = [], []
    for number in range(setting.rounds):
        name = f"GROW{number}"
        data_sets = _define(qm, name, home)
        qm.put(name, LARGE, persistent=True)  # the first put formats
        pages = data_sets.own.map.pages
        free.append(_put_rate(qm, name, FREE_MESSAGES))
        assert data_sets.own.map.pages == pages
        growing.append(_put_rate(qm, name, GROWING_MESSAGES))
        assert data_sets.own.map.pages > pages
    what = f"S13 puts of 64 KB, {PUTTERS} putters, data set grows (published 0.39)"
    return Row(what, "free pages", "/s", growing, free, target=at_least(0.9))


def _put_rate(qm: Any, queue: str, count: int) -> float:
    def put() -> None:
        for _ in range(count // PUTTERS):
            qm.put(queue, LARGE, persistent=True)

    return count // PUTTERS * PUTTERS / seconds_of(put, PUTTERS)
