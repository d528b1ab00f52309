"""The examination behind `penstock doctor`: one finding a subject, nothing is changed.

Looks at the build, at what optional parts need (Java, PySpark), at limits, and at PENSTOCK_HOME. It
opens no queue manager. Called by `cli.doctor`. A finding is ok, a note (something optional is not
there) or a problem (something that Penstock needs is wrong), and a problem always has advice.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import penstock
from penstock.host.folder import penstock_home
from penstock.model.errors import MQError
from penstock.store.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDLES_WANTED = 16_384  # 13,000 clients, files and some air
DISK_FREE_BYTES_WANTED = 1024**3
JAVA_WANTED = 17
JAVA_TIMEOUT_S = 10.0
PROBE_SECONDS = 1.0
PROBE_BYTES = 4096


@dataclass(frozen=True)
class Finding:
    """What is known about one subject, and what to do about it."""

    subject: str
    state: Literal["ok", "note", "problem"]
    text: str
    advice: str = ""


def examine(home: Path | None = None, measure_sync: bool = False) -> list[Finding]:
    """Return all findings, most basic first."""
    place = penstock_home(home)
    findings = [version(), python(), *compiled_modules(), java(), pyspark(), file_handles()]
    findings += [home_folder(place), disk_space(place)]
    if measure_sync:
        findings.append(sync_rate(place))
    return findings


def version() -> Finding:
    """Say which Penstock this is and where it lies."""
    return Finding("penstock", "ok", f"{penstock.__version__} in {Path(penstock.__file__).parent}")


def python() -> Finding:
    """Say which Python runs, on what."""
    text = f"{platform.python_version()} ({sys.executable}) on {platform.system()} {platform.machine()}"
    return Finding("python", "ok", text)


def compiled_modules() -> Iterator[Finding]:
    """Say of each module that should be compiled whether it is.

    A module should be when it is a `.pyx`, or a `.py` with a `.pxd` beside it.
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


def java() -> Finding:
    """Say which Java Spark would use."""
    program = java_program()
    if program is None:
        return Finding("java", "note", "not found", "only Spark needs it: install Java 17 or later")
    try:
        answer = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=JAVA_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        return Finding("java", "note", f"{program} does not answer: {failure}", "only Spark needs it")
    match = re.search(r'version "(\d+)[^"]*"', answer.stderr + answer.stdout)
    number = int(match[1]) if match else 0
    shown = match[0].removeprefix("version ").strip('"') if match else "unknown version"
    if number < JAVA_WANTED:
        return Finding("java", "note", f"{shown} at {program}", f"Spark needs Java {JAVA_WANTED} or later")
    return Finding("java", "ok", f"{shown} at {program}")


def java_program() -> str | None:
    """Return the java that JAVA_HOME or PATH leads to."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return str(Path(home) / "bin" / "java")
    return shutil.which("java")


def pyspark() -> Finding:
    """Say whether PySpark is installed, without importing it."""
    if importlib.util.find_spec("pyspark") is None:
        return Finding("pyspark", "note", "not installed", "only Spark needs it: the extra penstock[spark]")
    try:
        return Finding("pyspark", "ok", version_of("pyspark"))
    except PackageNotFoundError:
        return Finding("pyspark", "ok", "unknown version")


def file_handles() -> Finding:
    """Say how many files and sockets this process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = f"{soft} open files (could be raised to {hard})"
    if soft < HANDLES_WANTED:
        advice = f"enough for embedded use; for thousands of clients: ulimit -n {HANDLES_WANTED}"
        return Finding("file handles", "note", text, advice)
    return Finding("file handles", "ok", text)


def home_folder(home: Path) -> Finding:
    """Say whether queue managers can be created and opened in PENSTOCK_HOME."""
    there = nearest_existing(home)
    if not os.access(there, os.W_OK | os.X_OK):
        advice = "give this user the right to write there, or set PENSTOCK_HOME"
        return Finding("PENSTOCK_HOME", "problem", f"{home} cannot be written", advice)
    return Finding("PENSTOCK_HOME", "ok", str(home) if there == home else f"{home} (will be created)")


def disk_space(home: Path) -> Finding:
    """Say how much room the disk of PENSTOCK_HOME has."""
    free = shutil.disk_usage(nearest_existing(home)).free
    text = f"{free / 1024**3:.1f} GiB free"
    if free < DISK_FREE_BYTES_WANTED:
        return Finding("disk", "problem", text, "free at least 1 GiB: journals and queue files need room")
    return Finding("disk", "ok", text)


def sync_rate(home: Path) -> Finding:
    """Measure how many preallocated 4 KiB writes a second the disk takes with a sync each."""
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
