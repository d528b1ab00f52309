"""The archive of loaded classes that makes every start of Spark's JVM except the first one fast.

A JVM that finds no archive writes one when it ends (`ArchiveClassesAtExit`; from Java 25 on
`AOTCacheOutput`); later ones map it instead of loading ten thousand classes. An archive fits one build of
Java and one list of jars: both are in its name. It is written under a temporary name and renamed by a later
start, so that a JVM which was killed while writing leaves nothing usable behind; Java itself ignores an
archive that does not fit. `penstock spark prepare` puts one beside the installation, for all homes. Called by
`launcher`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.starting.java import MAJOR_OF_AHEAD_CACHE
from penstock.store.home import make_private

if TYPE_CHECKING:
    from penstock.spark.starting.java import Java

WRITING_SECONDS = 120.0
QUIET_SECONDS = 1.5  # after which an archive that is written in one go is complete
SETTLED_SECONDS = 5.0  # a file that was not written for this long is complete, or never will be
ARCHIVE_BYTES_MIN = 10 << 20  # smaller ones are remains of a JVM that was killed
KEEP = 3  # archives of other builds that stay


def options(folder: Path, java: Java, jars: Path) -> list[str]:
    """Return the JVM options that use the archive, or that write one if there is none."""
    if not can_be_made(java):
        return []
    archive = path_of(folder, java, jars)
    ahead = java.major >= MAJOR_OF_AHEAD_CACHE
    _take_over(archive)
    for made in (archive, path_of(shared_folder(), java, jars)):
        if made.exists():
            return [f"-XX:AOTCache={made}" if ahead else f"-XX:SharedArchiveFile={made}"]
    make_private(folder)
    fresh = archive.with_suffix(f".new-{os.getpid()}")
    return [f"-XX:AOTCacheOutput={fresh}" if ahead else f"-XX:ArchiveClassesAtExit={fresh}"]


def shared_folder() -> Path:
    """Return the folder of archives for all homes of this installation."""
    return Path(sys.prefix) / "share" / "penstock" / "spark"


def share(source: Path, target: Path) -> None:
    """Let another folder use the archives of this one."""
    target.mkdir(parents=True, exist_ok=True)
    for archive in source.glob("classes-*.jsa"):
        (target / archive.name).symlink_to(archive)


def written(folder: Path) -> Path:
    """Wait until a JVM that has ended a session has written its archive, and return it."""
    deadline = time.monotonic() + WRITING_SECONDS
    while time.monotonic() < deadline:
        for fresh in folder.glob("classes-*.new-*"):
            facts = fresh.stat()
            if facts.st_size >= ARCHIVE_BYTES_MIN and time.time() - facts.st_mtime > QUIET_SECONDS:
                return fresh
        time.sleep(0.1)
    raise error(mq.PSRC_SPARK_START, f"no archive of classes was written to {folder}")


def move(archive: Path, place: Path) -> None:
    """Move a complete archive to its place, which may be on another disk."""
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_suffix(f".copy-{os.getpid()}")
    shutil.move(archive, fresh)
    fresh.replace(place)
    _drop_old(place)


def can_be_made(java: Java) -> bool:
    """Return whether this Java can write an archive; some lack the base archive."""
    return java.major >= MAJOR_OF_AHEAD_CACHE or (java.home / "lib/server/classes.jsa").exists()


def path_of(folder: Path, java: Java, jars: Path) -> Path:
    """Return the path of the archive for a Java and a folder of jars."""
    parts = [str(java.home), java.version]
    release = java.home / "release"
    if release.exists():
        parts.append(release.read_text(errors="replace"))
    for jar in sorted(jars.glob("*.jar")):
        facts = jar.stat()
        parts.append(f"{jar} {facts.st_size} {facts.st_mtime_ns}")
    return folder / f"classes-{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:16]}.jsa"


def _take_over(archive: Path) -> None:
    """Rename a complete archive of an earlier JVM; drop remains."""
    for fresh in sorted(archive.parent.glob(f"{archive.stem}.new-*")):
        try:
            facts = fresh.stat()
            if time.time() - facts.st_mtime < SETTLED_SECONDS:
                continue  # it may be growing
            if facts.st_size < ARCHIVE_BYTES_MIN:
                fresh.unlink()
            else:
                fresh.replace(archive)
        except FileNotFoundError:
            continue  # another start was quicker
    _drop_old(archive)


def _drop_old(archive: Path) -> None:
    others = [each for each in archive.parent.glob("classes-*.jsa") if each != archive]
    for old in sorted(others, key=lambda each: each.stat().st_mtime)[:-KEEP]:
        old.unlink(missing_ok=True)
