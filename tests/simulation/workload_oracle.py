"""The workload rules a second time: slow and literal, to compare with `qmgr.clusters.choice`."""

from __future__ import annotations

from penstock.qmgr.clusters.choice import Instance


def oracle(given: list[Instance], use_local: bool) -> list[Instance]:  # noqa: C901 -- literal
    """The rules of IBM MQ's documentation, one sentence at a time, by removing from the list."""
    left = list(given)
    for instance in list(left):  # the highest rank of a channel
        if any(other.channel_rank > instance.channel_rank for other in given):
            left.remove(instance)
    now = list(left)
    for instance in now:  # the highest rank of a queue
        if any(other.queue_rank > instance.queue_rank for other in now):
            left.remove(instance)
    now = list(left)
    if any(instance.put_enabled for instance in now):  # put-disabled queues
        left = [instance for instance in now if instance.put_enabled]
    if use_local:  # the local queue
        for instance in left:
            if instance.local:
                return [instance]
    now = list(left)
    if not all(instance.suspended for instance in now):  # suspended queue managers
        left = [instance for instance in now if not instance.suspended]
    for states in (  # the best group of channel states
        {"RUNNING", "INACTIVE"},
        {"BINDING", "INITIALIZING", "STARTING", "STOPPING"},
        {"RETRYING"},
        {"REQUESTING", "PAUSED", "STOPPED"},
    ):
        those = [instance for instance in left if instance.state in states]
        if those:
            left = those
            break
    now = list(left)
    for instance in now:  # per queue manager the highest network priority
        if any(other.qmid == instance.qmid and other.net_priority > instance.net_priority for other in now):
            left.remove(instance)
    now = list(left)
    for instance in now:
        if any(other.channel_priority > instance.channel_priority for other in now):
            left.remove(instance)
    now = list(left)
    for instance in now:
        if any(other.queue_priority > instance.queue_priority for other in now):
            left.remove(instance)
    return left


def chosen_by_oracle(given: list[Instance], recent_max: int, past: list[str]) -> list[Instance]:
    """The last steps, from the channels of all past choices, oldest first: who may be chosen now."""
    left = list(given)
    while len(left) > recent_max:  # CLWLMRUC: the channel that was not used for longest leaves
        least = min(_last_use(each.channel, past) for each in left)
        left.remove([each for each in left if _last_use(each.channel, past) == least][-1])
    if all(instance.weight == 50 for instance in left):  # the least recently used channel
        least = min(_last_use(each.channel, past) for each in left)
        return [each for each in left if _last_use(each.channel, past) == least]
    shares = [past.count(each.channel) / each.weight for each in left]  # whatever the queue was
    fewest = [each for each, share in zip(left, shares, strict=True) if share == min(shares)]
    least = min(_last_use(each.channel, past) for each in fewest)
    return [each for each in fewest if _last_use(each.channel, past) == least]


def _last_use(channel: str, past: list[str]) -> int:
    return max((place for place, name in enumerate(past) if name == channel), default=-1)
