"""The workload algorithm: which instance of a cluster queue gets a message.

The steps are IBM MQ's, in the order of version 8 and later; each function is one of them. All but the last
depend on definitions, records and channel states alone, so `clusters` keeps their result. The last one takes
the least recently used channel, or distributes by weight over all choices that were ever made here. Compiled
through `choice.pxd`.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapreplace
from typing import Any

# State classes: the best one that is present is used.
CLASSES = (
    ("RUNNING", "INACTIVE"),
    ("BINDING", "INITIALIZING", "STARTING", "STOPPING", "SWITCHING"),
    ("RETRYING",),
    ("REQUESTING", "PAUSED", "STOPPED"),
)
CLASS_OF = {state: number for number, states in enumerate(CLASSES) for state in states}
USUAL_WEIGHT = 50


@dataclass(slots=True, eq=False)
class Instance:
    """A queue of one queue manager, reached by one channel."""

    cluster: str
    qmid: str
    qmgr: str
    channel: str
    local: bool = False
    put_enabled: bool = True
    queue_rank: int = 0
    queue_priority: int = 0
    channel_rank: int = 0
    channel_priority: int = 0
    weight: int = USUAL_WEIGHT
    net_priority: int = 0
    suspended: bool = False
    state: str = "INACTIVE"
    route: Any = None  # made when it is first chosen


def eligible(instances: list[Instance], use_local: bool) -> list[Instance]:
    """Return the instances among which the last steps choose; disabled ones only if all are."""
    left = _highest(instances, lambda each: each.channel_rank)
    left = _highest(left, lambda each: each.queue_rank)
    enabled = [each for each in left if each.put_enabled]
    left = enabled or left
    local = [each for each in left if each.local]
    if local and use_local:
        return local[:1]
    resumed = [each for each in left if not each.suspended]
    left = resumed or left
    best = min((CLASS_OF.get(each.state, 0) for each in left), default=0)
    left = [each for each in left if CLASS_OF.get(each.state, 0) == best]
    left = _by_net_priority(left)
    left = _highest(left, lambda each: each.channel_priority)
    return _highest(left, lambda each: each.queue_priority)


def _highest(instances: list[Instance], value: Any) -> list[Instance]:
    top = max((value(each) for each in instances), default=0)
    return [each for each in instances if value(each) == top]


def _by_net_priority(instances: list[Instance]) -> list[Instance]:
    """Keep for each queue manager its channels of the highest NETPRTY."""
    top: dict[str, int] = {}
    for each in instances:
        top[each.qmid] = max(top.get(each.qmid, 0), each.net_priority)
    return [each for each in instances if each.net_priority == top[each.qmid]]


class Candidates:
    """The eligible instances of one target, and the order in which they take turns if nothing else counts."""

    def __init__(self, instances: list[Instance], recent_max: int) -> None:
        """Take at least one instance; at most `recent_max` (CLWLMRUC) channels are in use."""
        self.instances = instances
        self.recent_max = recent_max
        self.turns: list[tuple[int, int]] = []  # a heap of last choices, as far as they are known, and places
        if len(instances) <= recent_max and all(each.weight == USUAL_WEIGHT for each in instances):
            self.turns = [(0, place) for place in range(len(instances))]


class Chooser:
    """The last steps, with the memory of all choices."""

    def __init__(self) -> None:
        self._ordinal = 0
        self.used: dict[str, int] = {}  # channel -> ordinal of its last choice
        self.counts: dict[str, int] = {}  # channel -> how often it was chosen

    def choose(self, candidates: Candidates) -> Instance:
        """Choose one of at least one."""
        self._ordinal = ordinal = self._ordinal + 1
        turns = candidates.turns
        if turns:
            chosen = self._whose_turn(candidates.instances, turns, ordinal)
        else:
            chosen = self._by_weight(candidates)
        channel = chosen.channel
        self.used[channel] = ordinal
        self.counts[channel] = self.counts.get(channel, 0) + 1
        return chosen

    def _whose_turn(self, instances: list[Instance], turns: list[tuple[int, int]], ordinal: int) -> Instance:
        """Return the instance whose channel was used least recently, for whatever queue."""
        used = self.used
        while True:
            turn = turns[0]
            last, place = turn
            chosen = instances[place]
            really = used.get(chosen.channel, 0)
            if really == last:
                heapreplace(turns, (ordinal, place))
                return chosen
            heapreplace(turns, (really, place))

    def _by_weight(self, candidates: Candidates) -> Instance:
        instances, used, counts = candidates.instances, self.used, self.counts
        if len(instances) > candidates.recent_max:
            instances = sorted(instances, key=lambda each: -used.get(each.channel, 0))
            instances = instances[: candidates.recent_max]
        if all(each.weight == USUAL_WEIGHT for each in instances):
            return min(instances, key=lambda each: used.get(each.channel, 0))
        return min(
            instances, key=lambda each: (counts.get(each.channel, 0) / each.weight, used.get(each.channel, 0))
        )
