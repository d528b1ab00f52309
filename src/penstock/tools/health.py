"""Health of queue managers, queues and channels for monitoring systems: a verdict, a line, figures.

Ranges, verdicts and the line follow the guidelines of Nagios plug-ins: `10` alerts outside 0 to 10, `10:`
below 10, `~:10` above 10, `10:20` outside, `@10:20` inside. The checks read figures that a connection
returned; they connect nowhere and print nothing. Called by `penstock health`.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.model.status import QueueFigures, Status


class Verdict(enum.IntEnum):
    """The exit codes of a plug-in."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


SEVERITY = (Verdict.OK, Verdict.UNKNOWN, Verdict.WARNING, Verdict.CRITICAL)  # the last one counts


@dataclass(frozen=True, slots=True)
class Range:
    """The values that are OK, or with `inside` those that are not."""

    text: str
    low: float
    high: float
    inside: bool = False

    def alerts(self, value: float) -> bool:
        """Return whether a value calls for an alert."""
        return (self.low <= value <= self.high) == self.inside


def range_of(text: str) -> Range | None:
    """Read a range; None for an empty text. Raises 2046 for anything else.

    >>> range_of("10").alerts(11), range_of("10:").alerts(11), range_of("@10:20").alerts(11)
    (True, False, True)
    """
    if not text:
        return None
    low, _, high = text.removeprefix("@").rpartition(":")
    try:
        lowest = -math.inf if low == "~" else float(low or 0)
        highest = float(high) if high else math.inf
    except ValueError:
        lowest, highest = 1.0, 0.0
    if lowest > highest or math.isnan(lowest) or not (low or high):
        raise error(mq.MQRC_OPTIONS_ERROR, f"{text} is not a range such as 10, 10:, ~:10, 10:20 or @10:20")
    return Range(text, lowest, highest, text.startswith("@"))


def plain(value: float) -> str:
    """Return a number with digits alone: figures of plug-ins have no exponents.

    >>> plain(1_234_567), plain(0.00001), plain(2.5)
    ('1234567', '0.00001', '2.5')
    """
    return f"{value:.6f}".rstrip("0").rstrip(".")


@dataclass(slots=True)
class Figure:
    """One measured value with its limits."""

    name: str
    value: float
    unit: str = ""
    warning: Range | None = None
    critical: Range | None = None
    highest: float | None = None

    def verdict(self) -> Verdict:
        """Return what the value means."""
        if self.critical is not None and self.critical.alerts(self.value):
            return Verdict.CRITICAL
        if self.warning is not None and self.warning.alerts(self.value):
            return Verdict.WARNING
        return Verdict.OK

    def __str__(self) -> str:
        limits = [each.text if each else "" for each in (self.warning, self.critical)]
        highest = "" if self.highest is None else plain(self.highest)
        return f"{self.name}={plain(self.value)}{self.unit};{limits[0]};{limits[1]};0;{highest}".rstrip(";")


@dataclass(slots=True)
class Check:
    """What was checked, and the findings."""

    subject: str  # QUEUE, QMGR ...
    found: list[tuple[Verdict, str]] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    def note(self, verdict: Verdict, text: str) -> None:
        """Add a finding."""
        self.found.append((verdict, text))

    def measure(self, text: str, figure: Figure) -> None:
        """Add a figure; it is a finding where it calls for an alert."""
        self.figures.append(figure)
        if figure.verdict() is not Verdict.OK:
            self.note(figure.verdict(), f"{text} {plain(figure.value)}{figure.unit}")

    @property
    def verdict(self) -> Verdict:
        """Return the worst finding; OK without any."""
        return max((verdict for verdict, _ in self.found), key=SEVERITY.index, default=Verdict.OK)

    def line(self, all_well: str) -> str:
        """Return the line of a plug-in: verdict, the worst findings, figures."""
        worst = [text for verdict, text in self.found if verdict is self.verdict] or [all_well]
        figures = " | " + " ".join(map(str, self.figures)) if self.figures else ""
        return f"{self.subject} {self.verdict.name} - {', '.join(worst)}{figures}"

    def facts(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "subject": self.subject.lower(),
            "verdict": self.verdict.name,
            "findings": [{"verdict": verdict.name, "text": text} for verdict, text in self.found],
            "figures": {each.name: each.value for each in self.figures},
        }


def queue_check(
    row: QueueFigures,
    now: float,
    warning: Range | None,
    critical: Range | None,
    warning_age: Range | None = None,
    critical_age: Range | None = None,
) -> Check:
    """Check a queue: its depth, and the age of its oldest message."""
    check, name = Check("QUEUE"), row.queue
    check.measure(f"{name} depth", Figure("depth", row.depth, "", warning, critical))
    age = max(0.0, now - row.oldest) if row.oldest else 0.0
    check.measure(f"{name} oldest", Figure("oldest", round(age, 1), "s", warning_age, critical_age))
    return check


def qmgr_check(status: Status, warning: Range | None, critical: Range | None) -> Check:
    """Check a queue manager that answers: how full its log is, and whether its disk has room."""
    check, log = Check("QMGR"), status.log
    used = 100 * log.used_bytes / max(1, log.capacity_bytes)
    check.measure("log", Figure("log", round(used, 1), "%", warning, critical, 100))
    check.figures.append(Figure("sync", round(log.sync_seconds_mean, 6), "s"))
    if status.disk_low:
        check.note(Verdict.CRITICAL, "the disk has little room left")
    return check


CHANNEL_STATES = {
    "RUNNING": Verdict.OK,
    "INACTIVE": Verdict.OK,
    "RETRYING": Verdict.WARNING,
    "PAUSED": Verdict.WARNING,
    "STOPPED": Verdict.CRITICAL,
}


def channel_check(channel: str, states: list[str], waiting: Figure | None, undelivered: str = "") -> Check:
    """Check a channel: the states of its instances, what waits for it, and what it has not delivered."""
    check = Check("CHANNEL")
    for state in states:
        verdict = CHANNEL_STATES.get(state, Verdict.OK)
        if verdict is not Verdict.OK:
            check.note(verdict, f"{channel} is {state}")
    if undelivered:
        check.note(Verdict.WARNING, f"{channel} has not delivered {undelivered}")
    if waiting is not None:
        check.measure(f"{channel} waiting", waiting)
    return check


def flow_check(
    brokers: list[dict[str, Any]], flow: str, warning: Range | None, critical: Range | None
) -> Check:
    """Check the workers of deployed flows, of one or of all."""
    check = Check("FLOW")
    stopped = [each["name"] for each in brokers if each["deployments"] and each["process"] is None]
    for name in stopped:
        check.note(Verdict.CRITICAL, f"broker {name} does not run")
    workers = [row for each in brokers for row in each["workers"] if flow in ("", row["flow"])]
    if not workers and not stopped:
        check.note(Verdict.UNKNOWN, f"no flow {flow} is deployed" if flow else "no flow is deployed")
    for row in workers:
        if row["state"] in ("paused", "starting"):
            check.note(Verdict.WARNING, f"{row['flow']} is {row['state']}")
        elif row["state"] != "running":
            check.note(Verdict.CRITICAL, f"{row['flow']} is {row['state']}")
    given_up = sum(row["given_up"] or 0 for row in workers)
    check.measure("given up", Figure("given_up", given_up, "", warning, critical))
    return check
