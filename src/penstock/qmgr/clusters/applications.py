"""The instances of each application at the members of a uniform cluster, and who gives up some of them.

Each member reports its counts to all others. `plan` is a pure function of these counts, so members that have
heard the same come to the same plan, and nobody is sent more than it lacks. Instances are client connections
of one application name; only those that may be moved count as movable. `serve.balancing` moves them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.qmgr.clusters.exchange import APPS
from penstock.qmgr.clusters.members import DOWN
from penstock.qmgr.clusters.work import Work

if TYPE_CHECKING:
    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.clusters.members import Member

REPEAT_SECONDS = 30.0  # a report is sent again, though nothing has changed
SILENT_SECONDS = 100.0  # a member that has not reported for so long does not count
NAMES_MAX = 1000  # applications of one member
NAME_MAX = 256

Counts = dict[str, tuple[int, int]]  # by application: instances, and how many of them are movable
Move = tuple[str, str, int]  # from, to (QMIDs), how many


@dataclass(slots=True)
class Report:
    """What a member has said last."""

    qmgr: str
    heard: float
    counts: Counts = field(default_factory=dict)


def quotas(counts: dict[str, tuple[int, int]], suspended: set[str]) -> dict[str, int]:
    """Return how many instances of one application each member has when it is balanced, by QMID.

    Every member gets the same number, or one more; those that have most keep the rest, and come first. A
    suspended member gets none, but if all are they keep what they have.
    """
    order = sorted(counts, key=lambda qmid: (-counts[qmid][0], qmid))
    takers = [qmid for qmid in order if qmid not in suspended]
    if not takers:
        return {qmid: counts[qmid][0] for qmid in order}
    each, rest = divmod(sum(count for count, _ in counts.values()), len(takers))
    quota = dict.fromkeys(order, 0)
    quota.update({qmid: each + (place < rest) for place, qmid in enumerate(takers)})
    return quota


def plan(counts: dict[str, tuple[int, int]], suspended: set[str]) -> list[Move]:
    """Return the moves that balance one application over members: instances and movable ones, by QMID."""
    quota = quotas(counts, suspended)
    lacking = {qmid: most - counts[qmid][0] for qmid, most in quota.items() if most > counts[qmid][0]}
    moves: list[Move] = []
    for source in quota:
        count, movable = counts[source]
        left = min(count - quota[source], movable)
        for target, room in list(lacking.items()):
            number = min(left, room)
            if number > 0:
                moves.append((source, target, number))
                lacking[target] -= number
                left -= number
    return moves


class Applications:
    """The counts of this queue manager and of the other members of its uniform cluster."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.cluster = ""  # the uniform cluster, if this queue manager is in one
        self.own: Counts = {}
        self.reports: dict[str, Report] = {}  # by QMID
        self._sent: tuple[float, Counts, tuple[str, ...]] = (-1e9, {}, ())

    # -- reports ---------------------------------------------------------------------------

    def count(self, own: Counts, now: float) -> None:
        """Take the counts of this queue manager, and report them if they have changed or it is time."""
        self.own = own
        if self.cluster not in self.clusters.inside:
            return
        self.clusters.want_members(self.cluster, now)
        channels = tuple(sorted({each.qmid: each.channel for each in self.others()}.values()))
        sent, before, to = self._sent
        if (own, channels) == (before, to) and 0 <= now - sent < REPEAT_SECONDS:
            return
        self._sent = (now, own, channels)
        work = Work(self.clusters, now)
        for channel in channels:
            work.send(channel, APPS, self.cluster, apps={name: list(each) for name, each in own.items()})
        work.finish()

    def others(self) -> list[Member]:
        """Return the other members that can be reached."""
        found = self.clusters.members(self.cluster) if self.cluster else []
        return [
            each for each in found if not each.local and self.clusters.channel_state(each.channel) not in DOWN
        ]

    def heard(self, qmid: str, qmgr: str, apps: Any, now: float) -> bool:
        """Take the report of a member; False if it cannot be read."""
        if not isinstance(apps, dict) or len(apps) > NAMES_MAX:
            return False
        counts: Counts = {}
        for name, value in apps.items():
            if not (isinstance(name, str) and len(name) <= NAME_MAX and _is_count(value)):
                return False
            counts[name] = (value[0], value[1])
        self.reports[qmid] = Report(qmgr, now, counts)
        return True

    # -- questions -------------------------------------------------------------------------

    def counted(self, now: float) -> dict[str, Counts]:
        """Return the counts of all members that are known to run, by QMID; this queue manager is one."""
        found = {self.clusters.qmid: self.own}
        for member in self.others():
            report = self.reports.get(member.qmid)
            if report is not None and 0 <= now - report.heard < SILENT_SECONDS:
                found[member.qmid] = report.counts
        return found

    def names(self, now: float) -> list[str]:
        """Return the applications of all members."""
        return sorted({name for counts in self.counted(now).values() for name in counts})

    def of(self, name: str, now: float) -> dict[str, tuple[int, int]]:
        """Return the counts of an application at each member."""
        return {qmid: counts.get(name, (0, 0)) for qmid, counts in self.counted(now).items()}

    def moves(self, name: str, now: float) -> list[Move]:
        """Return the moves that would balance an application."""
        return plan(self.of(name, now), self._suspended())

    def quotas(self, name: str, now: float) -> dict[str, int]:
        """Return how many instances of an application each member has when it is balanced."""
        return quotas(self.of(name, now), self._suspended())

    def _suspended(self) -> set[str]:
        return {each.qmid for each in self.clusters.members(self.cluster) if each.suspended}

    def heard_at(self, qmid: str, now: float) -> float:
        """Return when a member has reported last."""
        report = self.reports.get(qmid)
        return now if report is None else report.heard

    def name_of(self, qmid: str) -> str:
        """Return the name of a member."""
        if qmid == self.clusters.qmid:
            return self.clusters.engine.name
        report = self.reports.get(qmid)
        return report.qmgr if report is not None else ""


def _is_count(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(each) is int and 0 <= each < 1 << 31 for each in value)
        and value[1] <= value[0]
    )
