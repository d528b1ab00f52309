"""Reads the files of the catalogue, and chooses tests by name or pattern."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from penstock.lab.catalogue.test_file import Test, extended, test_of
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILES = Path(__file__).with_name("files")
SEEDS = {
    "000": "WebSphere Business Integration Message Broker V5 for HP-UX (2004)",
    "001": "WebSphere MQ for Windows V5.3 (2002)",
    "002": "MQ V8 publish/subscribe (2015)",
    "003": "WebSphere MQ for z/OS V7.1 (2013)",
    "004": "Message Broker V6 aggregation (2006)",
}


@cache
def catalogue() -> Mapping[str, Test]:
    """Return every test by its name, in the order of seeds and names."""
    return read(FILES)


def read(folder: Path) -> dict[str, Test]:
    """Read the files of a folder and of the folders in it."""
    raw = {path.stem: (path, _values(path)) for path in sorted(folder.rglob("*.yaml"))}
    return {name: test_of(_resolved(name, raw, ()), path.name) for name, (path, _) in raw.items()}


def _values(path: Path) -> dict[str, Any]:
    try:
        values = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as failure:
        raise error(mq.PSRC_LAB_FILE, f"{path.name}: {failure}", file=path.name) from None
    if not isinstance(values, dict) or values.get("test") != path.stem:
        raise error(mq.PSRC_LAB_FILE, f"{path.name}: `test` has to be {path.stem}", file=path.name)
    return values


def _resolved(
    name: str, raw: Mapping[str, tuple[Path, dict[str, Any]]], behind: tuple[str, ...]
) -> dict[str, Any]:
    path, values = raw[name]
    base = values.get("extends")
    if base is None:
        return values
    if base not in raw or base in (name, *behind):
        raise error(mq.PSRC_LAB_FILE, f"{path.name}: it cannot extend {base!r}", file=path.name)
    return extended(_resolved(base, raw, (*behind, name)), values)


def chosen(names: Sequence[str]) -> list[Test]:
    """Return the tests of names, other names, seeds and patterns such as `cl*`; all for none. 8601."""
    known = catalogue()
    found: dict[str, Test] = {}
    for wanted in names or ("*",):
        some = {name: test for name, test in known.items() if _is(test, wanted)}
        if not some:
            raise error(mq.PSRC_LAB_TEST, f"no test is called {wanted!r}", test=wanted)
        found |= some
    return list(found.values())


def _is(test: Test, wanted: str) -> bool:
    return wanted in (test.test, test.also, test.seed) or fnmatchcase(test.test, wanted)
