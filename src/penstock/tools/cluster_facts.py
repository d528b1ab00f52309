"""What one queue manager knows about a cluster: members, instances of queues, its own channels and objects.

Read with DISPLAY commands, embedded or connected. `penstock cluster` shows it, `cluster_checks` compares it.
A full repository knows everything, a partial one what its programs asked for. Changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.tools.channel_facts import displayed, mqsc_name

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

    Row = dict[str, Any]

UNKNOWN = "SYSTEM.TEMPQMGR."  # the name of a repository that has not answered yet begins so
PAGE = 50
LOOKED_AT_MAX = 10_000
DOWN = frozenset({"RETRYING", "STOPPED", "PAUSED"})


class MemberFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a cluster, as one queue manager sees it."""

    cluster: str
    name: str
    id: str
    role: str  # full or partial
    channel: str
    address: str
    state: str  # of the channel to it
    suspended: bool
    here: bool
    queues: int = 0

    @property
    def is_known(self) -> bool:
        """Whether it has answered: until then, only the address of its channel is known."""
        return not self.name.startswith(UNKNOWN)


def members_of(qm: BlockingQueueManager, cluster: str = "*") -> list[MemberFacts]:
    """Return the members that a queue manager knows, with the number of their queues that it knows."""
    counts: dict[tuple[str, str], int] = {}
    for row in instances_of(qm, cluster):
        counts[row["CLUSTER"], row["QMID"]] = counts.get((row["CLUSTER"], row["QMID"]), 0) + 1
    rows = displayed(qm, f"DISPLAY CLUSQMGR(*) CLUSTER({mqsc_name(cluster)}) ALL")
    return [_member(row, counts.get((row["CLUSTER"], row["QMID"]), 0)) for row in rows]


def _member(row: Row, queues: int) -> MemberFacts:
    return MemberFacts(
        cluster=row["CLUSTER"],
        name=row["CLUSQMGR"],
        id=row["QMID"],
        role="full" if row["QMTYPE"] == "REPOS" else "partial",
        channel=row["CHANNEL"],
        address=row["CONNAME"],
        state=row["STATUS"],
        suspended=row["SUSPEND"] == "YES",
        here=row["DEFTYPE"] == "CLUSRCVR",
        queues=queues,
    )


def instances_of(qm: BlockingQueueManager, cluster: str = "*", queue: str = "*") -> list[Row]:
    """Return the instances of cluster queues that a queue manager knows, its own too."""
    return displayed(qm, f"DISPLAY QCLUSTER({mqsc_name(queue)}) CLUSTER({mqsc_name(cluster)}) ALL")


def own_channels(qm: BlockingQueueManager, cluster: str, kind: str) -> list[Row]:
    """Return the CLUSRCVR or CLUSSDR channels defined for a cluster, by CLUSTER or CLUSNL."""
    rows = displayed(qm, f"DISPLAY CHANNEL(*) CHLTYPE({kind}) ALL")
    lists = _lists_with(qm, cluster)
    return [row for row in rows if row["CLUSTER"] == cluster or row["CLUSNL"] in lists]


def own_objects(qm: BlockingQueueManager, cluster: str) -> list[Row]:
    """Return the queues and topics that a queue manager shares in a cluster, with TYPE and NAME."""
    lists = _lists_with(qm, cluster)
    found = []
    for kind, name in (("QLOCAL", "QUEUE"), ("QALIAS", "QUEUE"), ("QREMOTE", "QUEUE"), ("TOPIC", "TOPIC")):
        for row in displayed(qm, f"DISPLAY {kind}(*) ALL"):
            if row.get("CLUSTER") == cluster or row.get("CLUSNL") in lists:
                found.append({**row, "TYPE": kind, "NAME": row[name], "CLUSNL": row.get("CLUSNL", "")})
    return found


def _lists_with(qm: BlockingQueueManager, cluster: str) -> set[str]:
    rows = displayed(qm, "DISPLAY NAMELIST(*) NAMES")
    return {row["NAMELIST"] for row in rows if cluster in row["NAMES"]}


def is_started(qm: BlockingQueueManager) -> bool:
    """Return whether a server runs the queue manager: only then its channels run."""
    return bool(displayed(qm, "DISPLAY QMSTATUS CHINIT")[0]["CHINIT"] == "RUNNING")


def repository_of(qm: BlockingQueueManager) -> tuple[str, str]:
    """Return the cluster (REPOS) and the namelist of clusters (REPOSNL) that it is a full repository of."""
    row = displayed(qm, "DISPLAY QMGR REPOS REPOSNL")[0]
    return row["REPOS"], row["REPOSNL"]


def last_error(qm: BlockingQueueManager, channel: str) -> str:
    """Return the last error of a channel; empty if there is none."""
    rows = displayed(qm, f"DISPLAY CHSTATUS({mqsc_name(channel)}) ALL")
    return next((str(row["LSTERR"]) for row in rows if row.get("LSTERR")), "")


def transmission_queues(qm: BlockingQueueManager, members: list[MemberFacts]) -> set[str]:
    """Return the queues on which messages for some members wait."""
    names = {each.channel for each in members if not each.here}
    rows = displayed(qm, "DISPLAY CLUSQMGR(*) XMITQ")
    return {row["XMITQ"] for row in rows if row["CHANNEL"] in names and row["XMITQ"]}


def waiting_on(qm: BlockingQueueManager, queues: set[str], channels: set[str]) -> int:
    """Return how many messages wait on transmission queues for some channels; at most LOOKED_AT_MAX are read.

    Many channels share a queue: the correlation id of a message is the name of its channel.
    """
    return sum(_waiting(qm, queue, channels) for queue in queues)


def _waiting(qm: BlockingQueueManager, queue: str, channels: set[str]) -> int:
    count, after = 0, None
    for _ in range(LOOKED_AT_MAX // PAGE):
        rows = qm.peek(queue, after=after, count=PAGE, body_bytes=0)
        count += sum(each.message.correl_id.decode("latin-1").strip() in channels for each in rows)
        if len(rows) < PAGE:
            break
        after = (rows[-1].lane, rows[-1].place)
    return count
