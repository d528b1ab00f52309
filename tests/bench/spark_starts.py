"""Seconds of `penstock flow run --until-empty` over one message, each beside its limit.

Cold without and with the archive of Spark's classes, the first run of a newcomer (the command of
`first-flow.md` after `make setup`, which has made the archive; it starts the warm session), in the warm
session, and inline. Every round ends the warm session that it began.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import Row, within
from penstock.spark.starting import class_archive, resident
from penstock.spark.starting.session import spark_folder
from tests.bench.spark_setting import PATIENCE_SECONDS, bodies, station_in
from tests.uncompiled import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting
    from tests.flow_station import Station

NO_ARCHIVE, COLD, WARM, INLINE = "cold, no class archive", "cold", "in the warm session", "inline"
NEWCOMER = "a newcomer's first run: cold, starts the warm session"
LIMITS = {NO_ARCHIVE: 15.0, COLD: 8.0, NEWCOMER: 15.0, WARM: 1.5, INLINE: 0.5}  # seconds


def measure(setting: Setting) -> Iterator[Row]:
    found: dict[str, list[float]] = {what: [] for what in LIMITS}
    with TemporaryDirectory(dir=setting.folder) as folder:
        station = station_in(Path(folder))
        try:
            for _ in range(setting.rounds):
                for what, seconds in starts(station):
                    found[what].append(seconds)
        finally:
            station.stop()
    for what, limit in LIMITS.items():
        yield within(f"penstock flow run over one message, {what}", limit, found[what])


def starts(station: Station) -> Iterator[tuple[str, float]]:
    """Run the flow in every way once."""
    with without_archive():
        yield NO_ARCHIVE, seconds_of(station, "spark", warm=False)
    wait_for_archive(spark_folder(station.home))
    yield COLD, seconds_of(station, "spark", warm=False)
    yield NEWCOMER, seconds_of(station, "spark", warm=True)
    try:
        yield WARM, seconds_of(station, "spark", warm=True)
    finally:
        resident.stop(station.home)
    yield INLINE, seconds_of(station, "inline", warm=False)


def seconds_of(station: Station, engine: str, warm: bool) -> float:
    """Put a message, and run the command that takes it through the flow."""
    with station.connect() as qm:
        qm.put("IN", bodies(1)[0], persistent=True)
    words = ("--project", str(station.project), "--qmgr", "QM1", "--engine", engine, "--until-empty")
    command = station.command("flow", "run", "simple", *words, "--json")
    environment = {**station.env, "PENSTOCK_SPARK_WARM": str(int(warm))}
    began = time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr or done.stdout}")
    with station.connect() as qm:
        assert qm.get("OUT", wait=PATIENCE_SECONDS) is not None
    return took


@contextmanager
def without_archive() -> Iterator[None]:
    """Take the archive of the installation away for a while."""
    shared = class_archive.shared_folder()
    aside = shared.with_name("spark-aside")
    if not shared.exists():
        yield
        return
    shared.rename(aside)
    try:
        yield
    finally:
        aside.rename(shared)


def wait_for_archive(folder: Path) -> None:
    """Wait until the JVM has written its archive: it goes on with that after the command has ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        written = [time.time() - each.stat().st_mtime for each in folder.glob("classes-*.new-*")]
        if written and min(written) > class_archive.SETTLED_SECONDS:
            return
        time.sleep(0.5)
