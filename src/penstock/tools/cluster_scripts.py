"""The MQSC commands with which a queue manager makes, joins and leaves a cluster, and what speaks against it.

Changes nothing: `penstock cluster` runs the commands. An objection is a sentence for the user, empty if there
is none; it is asked for before anything is changed. A CLUSRCVR comes last when joining, and
channels are deleted last when leaving, so that a command that failed can be given again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.names import is_object_name
from penstock.tools import cluster_facts as facts
from penstock.tools.channel_facts import displayed, mqsc_name

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

CHANNEL_CHARACTERS_MAX = 20


def channel_name(cluster: str, qmgr: str, wanted: str = "") -> tuple[str, str]:
    """Return the name of a member's CLUSRCVR and an objection to it."""
    name = wanted or f"{cluster}.{qmgr}"
    if not is_object_name(cluster):
        return name, f"{cluster!r} cannot be the name of a cluster: letters, digits and . _ / %, 1 to 48"
    if len(name) > CHANNEL_CHARACTERS_MAX:
        return name, (
            f"the channel would be {name}, {len(name)} characters, and a channel's name has at most "
            f"{CHANNEL_CHARACTERS_MAX}: give a shorter one with --channel"
        )
    return name, ""


def objection(qm: BlockingQueueManager, cluster: str, channel: str, full: bool) -> str:
    """Return why a queue manager cannot enter a cluster with a channel of this name."""
    if facts.own_channels(qm, cluster, "CLUSRCVR"):
        return f"{qm.name} is in cluster {cluster} already"
    for row in displayed(qm, f"DISPLAY CHANNEL({mqsc_name(channel)}) ALL"):
        if row["CHANNEL"] == channel:
            return f"{qm.name} has a channel {channel} ({row['CHLTYPE']}) already: give another --channel"
    name, namelist = facts.repository_of(qm)
    if full and (namelist or name not in ("", cluster)):
        what = f"namelist {namelist} (REPOSNL)" if namelist else f"{name} (REPOS)"
        return (
            f"{qm.name} is a full repository of {what} already: REPOS has one name, "
            "so put both into a namelist and ALTER QMGR REPOSNL"
        )
    return ""


def entering(cluster: str, channel: str, address: str, full: bool) -> list[str]:
    """Return the commands that make a queue manager a member, or a full repository."""
    repository = [f"ALTER QMGR REPOS({mqsc_name(cluster)})"] if full else []
    return [*repository, _channel(channel, "CLUSRCVR", address, cluster)]


def objection_to_sender(qm: BlockingQueueManager, cluster: str, channel: str) -> str:
    """Return why a queue manager cannot have a CLUSSDR of this name: it is another channel's."""
    for row in displayed(qm, f"DISPLAY CHANNEL({mqsc_name(channel)}) ALL"):
        if row["CHANNEL"] == channel and (row["CHLTYPE"], row.get("CLUSTER")) != ("CLUSSDR", cluster):
            return f"{qm.name} has a channel {channel} ({row['CHLTYPE']}) of another purpose already"
    return ""


def sending(cluster: str, channel: str, address: str) -> str:
    """Return the command for the channel to a full repository."""
    return _channel(channel, "CLUSSDR", address, cluster)


def _channel(name: str, kind: str, address: str, cluster: str) -> str:
    return (
        f"DEFINE CHANNEL({mqsc_name(name)}) CHLTYPE({kind}) CONNAME({mqsc_name(address)})"
        f" CLUSTER({mqsc_name(cluster)}) REPLACE"
    )


def objection_to_leave(qm: BlockingQueueManager, cluster: str) -> str:
    """Return why a queue manager cannot leave: something belongs to the cluster by a namelist."""
    channels = [row for kind in ("CLUSRCVR", "CLUSSDR") for row in facts.own_channels(qm, cluster, kind)]
    if not channels and not channels_to_delete(qm, cluster):
        return f"{qm.name} is not in cluster {cluster}"
    objects = facts.own_objects(qm, cluster)
    listed = [(row["CHANNEL"], row["CLUSNL"]) for row in channels if row["CLUSNL"]]
    listed += [(row["NAME"], row["CLUSNL"]) for row in objects if row["CLUSNL"]]
    if listed:
        name, namelist = listed[0]
        return f"{name} is in {cluster} by namelist {namelist}: take {cluster} out of the namelist yourself"
    if facts.repository_of(qm)[1]:
        return f"{qm.name} is a full repository by a namelist (REPOSNL): take {cluster} out of it first"
    return ""


def unsharing(qm: BlockingQueueManager, cluster: str) -> list[str]:
    """Return the commands that take the objects of a queue manager and itself out of a cluster."""
    commands = [
        f"ALTER {row['TYPE']}({mqsc_name(row['NAME'])}) CLUSTER('')" for row in facts.own_objects(qm, cluster)
    ]
    if facts.repository_of(qm)[0] == cluster:
        commands.append("ALTER QMGR REPOS('')")
    for row in facts.own_channels(qm, cluster, "CLUSRCVR"):
        commands.append(f"ALTER CHANNEL({mqsc_name(row['CHANNEL'])}) CHLTYPE(CLUSRCVR) CLUSTER('')")
    return commands


def deleting(channels: list[str]) -> list[str]:
    """Return the commands that end and delete channels."""
    names = [mqsc_name(each) for each in channels]
    stops = [f"STOP CHANNEL({name}) MODE(FORCE) STATUS(INACTIVE)" for name in names]
    return stops + [f"DELETE CHANNEL({name})" for name in names]


def senders_gone(other: BlockingQueueManager, cluster: str, members: list[facts.MemberFacts]) -> list[str]:
    """Return the commands for a full repository that has a CLUSSDR by hand to the member that leaves."""
    own = {each.channel for each in members if each.here}
    names = [row["CHANNEL"] for row in facts.own_channels(other, cluster, "CLUSSDR")]
    return deleting([each for each in names if each in own])


def senders_moved(other: BlockingQueueManager, cluster: str, members: list[facts.MemberFacts]) -> list[str]:
    """Return the commands for a member whose CLUSSDR by hand leads to the full repository that leaves.

    Another one takes its place, if the member has no other.
    """
    gone = senders_gone(other, cluster, members)
    left = [each for each in members if each.role == "full" and each.is_known and not each.here]
    if not gone or not left:
        return []
    names = {row["CHANNEL"] for row in facts.own_channels(other, cluster, "CLUSSDR")}
    if names & {each.channel for each in left}:
        return gone
    return [sending(cluster, left[0].channel, left[0].address), *gone]


def channels_to_delete(qm: BlockingQueueManager, cluster: str) -> list[str]:
    """Return the channels of a cluster, and a CLUSRCVR that an earlier attempt has taken out of it."""
    found = [row for kind in ("CLUSRCVR", "CLUSSDR") for row in facts.own_channels(qm, cluster, kind)]
    own, _ = channel_name(cluster, qm.name)
    left = displayed(qm, f"DISPLAY CHANNEL({mqsc_name(own)}) CHLTYPE(CLUSRCVR) ALL")
    found += [row for row in left if row["CHANNEL"] == own and not row["CLUSTER"] and not row["CLUSNL"]]
    return [row["CHANNEL"] for row in found]
