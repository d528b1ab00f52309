"""The workload algorithm: which instance of a cluster queue gets a message.

The steps are IBM MQ's, in the order of version 8 and later; each function is one of them. All but the last
depend on definitions, records and channel states alone, so `clusters` keeps their result. The last one takes
the least recently used channel, or distributes by weight over all choices that were ever made here.
"""

from __future__ import annotations

from dataclasses import dataclass
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


class Chooser:
    """The last steps, with the memory of all choices."""

    def __init__(self) -> None:
        self._ordinal = 0
        self.used: dict[str, int] = {}  # channel -> ordinal of its last choice
        self.counts: dict[str, int] = {}  # channel -> how often it was chosen

    def choose(self, instances: list[Instance], recent_max: int) -> Instance:
        """Choose one of at least one; at most `recent_max` (CLWLMRUC) channels are in use."""
        if len(instances) > recent_max:
            instances = sorted(instances, key=lambda each: -self.used.get(each.channel, 0))[:recent_max]
        if len(instances) == 1:
            chosen = instances[0]
        else:
            chosen = self._least_used(instances)
        self._ordinal += 1
        self.used[chosen.channel] = self._ordinal
        self.counts[chosen.channel] = self.counts.get(chosen.channel, 0) + 1
        return chosen

    def _least_used(self, instances: list[Instance]) -> Instance:
        used = self.used
        weighted = False
        chosen = instances[0]
        least = used.get(chosen.channel, 0)
        for each in instances:
            if each.weight != USUAL_WEIGHT:
                weighted = True
                break
            ordinal = used.get(each.channel, 0)
            if ordinal < least:
                chosen, least = each, ordinal
        if not weighted:
            return chosen
        counts = self.counts
        return min(
            instances, key=lambda each: (counts.get(each.channel, 0) / each.weight, used.get(each.channel, 0))
        )
