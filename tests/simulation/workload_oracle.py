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
