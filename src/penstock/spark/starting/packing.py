"""Penstock for Spark's workers: an archive of the installed, compiled package and its dependencies.

Compiled modules do not load from a zip of sources, so they are shipped as files that Spark unpacks beside
each executor. An archive fits one version of Python on one platform; `check_build` reports a mismatch in the
first task of a batch, before a less clear error occurs. PySpark and Arrow are not included: workers have
them. Data sources are included by name, and never a password: a URL with one is refused.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import tarfile
from importlib.metadata import PackageNotFoundError, distribution
from io import BytesIO
from typing import TYPE_CHECKING, Any

import penstock
from penstock.esql.database.data_sources import FILE, DataSources, shown_url
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution
    from pathlib import Path

UNPACKED = "penstock_environment"  # the folder's name beside an executor
FACTS = "penstock-environment.json"
HOME = "home"  # the folder in it that is PENSTOCK_HOME of executors, if data sources are packed
NAME = re.compile(r"[A-Za-z0-9._-]+")


def build() -> str:
    """Return what a worker must have in common with the driver."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"Penstock {penstock.__version__}, Python {version}, {platform.system()} {platform.machine()}"


def check_build(wanted: str) -> None:
    """Refuse to work for a driver of another build: 8406."""
    here = build()
    if here != wanted:
        raise error(
            mq.PSRC_SPARK_WORKER,
            f"the driver has {wanted}; this worker has {here}",
            driver=wanted,
            worker=here,
        )


def pack(target: Path, more: Iterable[str] = (), sources: Iterable[str] = ()) -> dict[str, Any]:
    """Write the archive; return its facts.

    `more` names packages that flows need besides ours, `sources` data sources.
    """
    urls = urls_of(sources)
    needed = {each.name: each for name in ("penstock", *more) for each in with_needs(name)}
    packages = {name: needed[name].version for name in sorted(needed)}
    facts = {"build": build(), "packages": packages, "sources": list(urls)}
    with tarfile.open(target, "w:gz", compresslevel=1) as archive:
        for each in needed.values():
            for path, name in _files(each):
                archive.add(path, name, recursive=False)
        _add_json(archive, FACTS, facts)
        if urls:
            _add_json(archive, f"{HOME}/{FILE}", urls)
    return {**facts, "archive": str(target), "bytes": target.stat().st_size}


def urls_of(sources: Iterable[str]) -> dict[str, str]:
    """Return the URLs of data sources by name: 8230 for an unknown one, 8231 for one with a password."""
    known = DataSources()
    found = {name: known.url(name) for name in sources}
    for name, url in found.items():
        if shown_url(url) != url:
            text = (
                f"the URL of data source {name} has a password, which is not packed: name a file that workers"
                " have, such as postgresql://me@host/shop?passfile=/etc/penstock-secret/pgpass"
            )
            raise error(mq.PSRC_DSN_ERROR, text, dsn=name)
    return found


def _add_json(archive: tarfile.TarFile, name: str, value: Any) -> None:
    text = json.dumps(value, indent=2).encode()
    entry = tarfile.TarInfo(name)
    entry.size = len(text)
    archive.addfile(entry, BytesIO(text))


def options_for(archive: Path, *, has_sources: bool = False) -> dict[str, str]:
    """Return the Spark options that give an archive to executors."""
    options = {
        "spark.archives": f"{archive}#{UNPACKED}",
        "spark.executorEnv.PYTHONPATH": UNPACKED,
    }
    if has_sources:
        options["spark.executorEnv.PENSTOCK_HOME"] = f"{UNPACKED}/{HOME}"
    return options


def with_needs(name: str, seen: set[str] | None = None) -> Iterator[Distribution]:
    """Yield a package and its dependencies, without those of extras; 8401 if it is not installed."""
    seen = set() if seen is None else seen
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return
    seen.add(key)
    try:
        found = distribution(name)
    except PackageNotFoundError as cause:
        raise error(mq.PSRC_SPARK_MISSING, f"package {name} is not installed here") from cause
    yield found
    for need in found.requires or ():
        word, _, condition = need.partition(";")
        match = NAME.match(word.strip())
        if match and "extra ==" not in condition and _applies(match[0], condition):
            yield from with_needs(match[0], seen)


def _applies(name: str, condition: str) -> bool:
    """Return whether a dependency applies here; its markers were evaluated when it was installed."""
    if not condition.strip():
        return True
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _files(found: Distribution) -> Iterator[tuple[str, str]]:
    """Yield the files of a package among its modules, and their targets."""
    for entry in found.files or ():
        if ".." in entry.parts or "__pycache__" in entry.parts:
            continue
        path = entry.locate()
        if path.is_file():  # type: ignore[attr-defined]
            yield str(path), str(entry)
