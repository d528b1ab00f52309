"""The raised targets of the core beside the rows that `python -m tests.bench` and its peers measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.lab.analysis.results import Target, at_least, at_most, judge
from penstock.lab.analysis.samples import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence


class Raised(NamedTuple):
    """A raised target for the rows of one benchmark, or family of them, that begin with a text."""

    benchmark: str
    row: str
    target: Target
    floor: str = ""  # the floor or peer begins with it


RAISED = (
    Raised("pair", "put + get pair, 1 KB", at_most(6)),
    Raised("durable", "durable puts, 1 thread", at_least(0.6)),
    Raised("tree_xml", "XML 1 KB", at_least(10)),
    Raised("esql_programs", "", at_least(12)),
    Raised("tree_models", "", at_least(3)),
    Raised("flow_inline", "set", at_least(8), "lxml loop"),
    Raised("request-reply", "", at_least(8)),
    Raised("one-way", "", at_least(6), "NATS"),
    Raised("fan-out", "", at_least(5)),
    Raised("durable-16", "", at_least(3), "Redis"),
)
PEERS = (
    "request-reply",
    "one-way",
    "fan-out",
    "durable-1",
    "durable-16",
    "durable-batches",
    "between-servers",
)


def peers(benches: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return a line for each row that compares Penstock with another product, measured in turn."""
    found = []
    for bench in benches:
        for name, results in bench["results"].items():
            if any(_belongs(name, benchmark) for benchmark in PEERS):
                found += [_beside(row) for row in results if row["kind"] == "row"]
    return found


def _beside(row: dict[str, Any]) -> list[str]:
    ratio = row["ratio"]
    spread = f"{ratio['low']:.3g} to {ratio['high']:.3g}"
    return [
        row["what"],
        row["floor_name"],
        f"{ratio['median']:.3g} x",
        spread,
        str(len(row["subject"]["rounds"])),
    ]


def targets(benches: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return a line for each measured row that has a raised target, the furthest from it first."""
    found = []
    for bench in benches:
        for name, results in bench["results"].items():
            for row in results:
                raised = next((each for each in RAISED if _is(each, name, row)), None)
                if raised is not None:
                    found.append((_distance(raised.target, row["ratio"]["median"]), _line(raised, name, row)))
    return [line for _, line in sorted(found, key=lambda pair: -pair[0])]


def _is(raised: Raised, name: str, row: dict[str, Any]) -> bool:
    return (
        row["kind"] == "row"
        and _belongs(name, raised.benchmark)
        and row["what"].startswith(raised.row)
        and row["floor_name"].startswith(raised.floor)
    )


def _belongs(name: str, benchmark: str) -> bool:
    """Return whether a benchmark is one of a family: fan-out-10 is one of fan-out."""
    return name == benchmark or name.startswith(f"{benchmark}-")


def _distance(target: Target, ratio: float) -> float:
    """Return how far a ratio is from its target, as a factor; below 1 it is met."""
    return ratio / target.bound if target.at_most else target.bound / ratio


def _line(raised: Raised, name: str, row: dict[str, Any]) -> list[str]:
    ratio = row["ratio"]
    interval = Interval(ratio["low"], ratio["median"], ratio["high"], ratio["coverage"])
    what = f"{name}: {row['what']}, against {row['floor_name']}"
    spread = f"{ratio['low']:.3g} to {ratio['high']:.3g}"
    return [
        what,
        str(raised.target),
        f"{ratio['median']:.3g} x",
        spread,
        judge(interval, raised.target).value,
    ]
