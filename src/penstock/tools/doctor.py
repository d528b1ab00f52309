"""The checks of `penstock doctor`: one finding per subject, nothing is changed.

Checks the build, limits, and PENSTOCK_HOME. It opens no queue manager. Called by `cli.doctor`, which adds the
findings of room `spark`. A finding is ok, a note (something optional is missing) or a problem (something that
Penstock needs is wrong), and a problem always has advice.
"""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import penstock
from penstock.model.errors import MQError
from penstock.store.files import Files
from penstock.store.home import penstock_home

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDLES_WANTED = 16_384  # 13,000 clients, files and some air
DISK_FREE_BYTES_WANTED = 1024**3
PROBE_SECONDS = 1.0
PROBE_BYTES = 4096


@dataclass(frozen=True)
class Finding:
    """The finding about one subject, and the advice."""

    subject: str
    state: Literal["ok", "note", "problem"]
    text: str
    advice: str = ""


def examine(home: Path | None = None, measure_sync: bool = False) -> list[Finding]:
    """Return all findings, most basic first."""
    place = penstock_home(home)
    findings = [version(), python(), *compiled_modules(), file_handles()]
    findings += [home_folder(place), disk_space(place)]
    if measure_sync:
        findings.append(sync_rate(place))
    return findings


def version() -> Finding:
    """Report the version of Penstock and its location."""
    return Finding("penstock", "ok", f"{penstock.__version__} in {Path(penstock.__file__).parent}")


def python() -> Finding:
    """Report the Python version and platform."""
    text = f"{platform.python_version()} ({sys.executable}) on {platform.system()} {platform.machine()}"
    return Finding("python", "ok", text)


def compiled_modules() -> Iterator[Finding]:
    """Report for each module that should be compiled whether it is.

    A module should be if it is a `.pyx`, or a `.py` with a `.pxd` beside it.
    """
    root = Path(penstock.__file__).parent
    sources = {path.with_suffix("") for pattern in ("*.pyx", "*.pxd") for path in root.rglob(pattern)}
    for source in sorted(sources):
        if not (source.with_suffix(".pyx").exists() or source.with_suffix(".py").exists()):
            continue  # a .pxd of declarations only
        name = ".".join(("penstock", *source.relative_to(root).parts))
        if any(source.with_name(source.name + suffix).exists() for suffix in EXTENSION_SUFFIXES):
            yield Finding(name, "ok", "compiled")
        elif source.with_suffix(".py").exists():
            yield Finding(name, "note", "not compiled: slower", "run `make build`, or install a wheel")
        else:
            yield Finding(name, "problem", "not built", "run `make build` (needs gcc), or install a wheel")


def file_handles() -> Finding:
    """Report how many files and sockets this process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = f"{soft} open files (could be raised to {hard})"
    if soft < HANDLES_WANTED:
        advice = f"enough for embedded use; for thousands of clients: ulimit -n {HANDLES_WANTED}"
        return Finding("file handles", "note", text, advice)
    return Finding("file handles", "ok", text)


def home_folder(home: Path) -> Finding:
    """Report whether queue managers can be created and opened in PENSTOCK_HOME."""
    there = nearest_existing(home)
    if not os.access(there, os.W_OK | os.X_OK):
        advice = "give this user the right to write there, or set PENSTOCK_HOME"
        return Finding("PENSTOCK_HOME", "problem", f"{home} cannot be written", advice)
    return Finding("PENSTOCK_HOME", "ok", str(home) if there == home else f"{home} (will be created)")


def disk_space(home: Path) -> Finding:
    """Report the free space on the disk of PENSTOCK_HOME."""
    free = shutil.disk_usage(nearest_existing(home)).free
    text = f"{free / 1024**3:.1f} GiB free"
    if free < DISK_FREE_BYTES_WANTED:
        return Finding("disk", "problem", text, "free at least 1 GiB: journals and queue files need room")
    return Finding("disk", "ok", text)


def sync_rate(home: Path) -> Finding:
    """Measure how many preallocated 4 KiB writes per second the disk sustains with a sync each."""
    with tempfile.TemporaryDirectory(dir=nearest_existing(home), prefix=".penstock-doctor-") as folder:
        try:
            rate = _syncs_a_second(Path(folder) / "probe", Files())
        except MQError as failure:
            return Finding("sync rate", "problem", f"the disk refused: {failure}", "use another disk")
    return Finding("sync rate", "ok", f"{rate:,.0f} syncs of {PROBE_BYTES} bytes a second")


def nearest_existing(path: Path) -> Path:
    """Return the path itself, or the nearest folder above it that exists."""
    return next(each for each in (path, *path.parents) if each.exists())


def _syncs_a_second(path: Path, files: Files) -> float:
    slots = 256
    descriptor = files.create(path)
    try:
        files.write(descriptor, path, bytes(PROBE_BYTES * slots), 0)
        files.sync(descriptor, path)
        begun, done, block = time.perf_counter(), 0, os.urandom(PROBE_BYTES)
        while (elapsed := time.perf_counter() - begun) < PROBE_SECONDS:
            files.write(descriptor, path, block, PROBE_BYTES * (done % slots))
            files.sync(descriptor, path)
            done += 1
    finally:
        os.close(descriptor)
    return done / elapsed
