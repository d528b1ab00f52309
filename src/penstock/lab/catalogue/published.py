"""Figures that were published for the tests: context beside ours, never part of a ratio.

They come from other machines, products and years. The files are kept as they were read from the reports;
misprints of the reports are described in notes and not corrected. No figure here is a target.
"""

from __future__ import annotations

import csv
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.lab.catalogue.test_file import Test

FOLDER = Path(__file__).with_name("published")
SOURCES = {
    "broker-v5-nodes": "WBIMB V5, HP RP7410, 8 x 750 MHz, 2004",
    "mq-v53-windows": "WebSphere MQ V5.3, Windows, 4 x 700 MHz, 2002",
    "mq-v8-pubsub": "MQ V8, 24 cores, 2015",
    "mq-zos-v71": "WebSphere MQ for z/OS V7.1, 2013",
}


class Figure(NamedTuple):
    """One published figure."""

    source: str
    x: float | None
    metric: str
    value: str
    unit: str
    note: str


@cache
def rows(name: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of a file of published figures."""
    with (FOLDER / f"{name}.csv").open(newline="") as file:
        return tuple(csv.DictReader(file))


def figures(test: Test) -> list[Figure]:
    """Return what was published for a test."""
    if test.published is None:
        return []
    name, where = test.published.file, test.published.where
    found = [row for row in rows(name) if all(fnmatchcase(row[key], value) for key, value in where.items())]
    return [figure for row in found for figure in _READERS[name](row, SOURCES[name])]


def _broker(row: Mapping[str, Any], source: str) -> Iterator[Figure]:
    x = float(row["message_bytes"])
    note = "persistent" if row["persistent"].lower() == "yes" else ""
    yield Figure(source, x, "rate", row["messages_per_s"], "/s", note)
    yield Figure(source, x, "cpu_ms", row["cpu_ms_per_message"], "ms", note)


def _windows(row: Mapping[str, Any], source: str) -> Iterator[Figure]:
    x = float(row["apps"])
    yield Figure(
        f"{row['product']}{source[source.index(',') :]}",
        x,
        "rate",
        row["round_trips_per_s"],
        "/s",
        row["note"],
    )
    yield Figure(
        f"{row['product']}{source[source.index(',') :]}", x, "response_s", row["response_s"], "s", row["note"]
    )


def _pubsub(row: Mapping[str, Any], source: str) -> Iterator[Figure]:
    yield Figure(source, None, row["metric"], row["v8"], row["unit"], row["note"])
    if row["v75"]:
        yield Figure(source.replace("V8", "V7.5"), None, row["metric"], row["v75"], row["unit"], row["note"])


def _zos(row: Mapping[str, Any], source: str) -> Iterator[Figure]:
    yield Figure(source, None, f"{row['topic']}: {row['measure']}", row["value"], row["unit"], row["note"])


_READERS = {
    "broker-v5-nodes": _broker,
    "mq-v53-windows": _windows,
    "mq-v8-pubsub": _pubsub,
    "mq-zos-v71": _zos,
}
