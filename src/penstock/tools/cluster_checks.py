"""Compares what the members of a cluster know, and names who cannot reach whom.

Each member is asked once (`seen_by`); `findings` compares the answers. What an owner says about itself is the
truth; full repositories must know all of it, partial ones nothing else. Members that nobody asked are named:
their knowledge is not judged. Changes nothing. Called by `penstock cluster check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.tools import cluster_facts as facts
from penstock.tools.channel_facts import displayed
from penstock.tools.doctor import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager

    Records = dict[tuple[str, str, str], dict[str, Any]]  # (kind, name, id of the owner)

OF_MEMBER = ("QMTYPE", "SUSPEND", "CONNAME", "CLWLPRTY", "CLWLRANK", "CLWLWGHT", "NETPRTY")
OF_QUEUE = ("CLUSQT", "PUT", "DEFBIND", "CLWLPRTY", "CLWLRANK")
REPAIR = "it is repaired within the hour; at once with REFRESH CLUSTER at the owner"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What one queue manager answered."""

    name: str
    id: str
    version: str
    is_started: bool
    is_inside: bool  # it has a CLUSRCVR in the cluster
    members: list[facts.MemberFacts]
    records: dict[tuple[str, str, str], dict[str, Any]]
    owners: dict[str, str]  # id -> name
    errors: dict[str, str]  # channel that is down -> its last error

    @property
    def is_full(self) -> bool:
        """Whether it is a full repository of the cluster."""
        return any(each.here and each.role == "full" for each in self.members)


def seen_by(qm: BlockingQueueManager, cluster: str) -> Seen:
    """Ask one queue manager."""
    about = displayed(qm, "DISPLAY QMGR QMID VERSION")[0]
    members = facts.members_of(qm, cluster)
    rows = [
        row for row in displayed(qm, "DISPLAY CLUSQMGR(*) ALL") if row["CLUSTER"] == cluster and row["QMID"]
    ]
    records: Records = {("member", r["CHANNEL"], r["QMID"]): {k: r[k] for k in OF_MEMBER} for r in rows}
    owners = {row["QMID"]: row["CLUSQMGR"] for row in rows}
    for row in facts.instances_of(qm, cluster):
        records["queue", row["QUEUE"], row["QMID"]] = {key: row[key] for key in OF_QUEUE}
        owners.setdefault(row["QMID"], row["CLUSQMGR"])
    return Seen(
        name=qm.name,
        id=about["QMID"],
        version=about["VERSION"],
        is_started=facts.is_started(qm),
        is_inside=any(each.here for each in members),
        members=members,
        records=records,
        owners=owners,
        errors={e.channel: facts.last_error(qm, e.channel) for e in members if e.state in facts.DOWN},
    )


def findings(cluster: str, asked: list[Seen]) -> list[Finding]:
    """Return what is well, doubtful (a note) or wrong (a problem) in a cluster."""
    inside = [each for each in asked if each.is_inside]
    outside = [
        Finding(each.name, "problem", f"is not in {cluster}", f"penstock cluster join {cluster} {each.name}")
        for each in asked
        if not each.is_inside
    ]
    outside += [
        Finding(each.name, "problem", "is not started: nobody reaches it", f"penstock qmgr start {each.name}")
        for each in asked
        if not each.is_started
    ]
    different = [*_differences(asked), *_twice(inside)]
    names = ", ".join(each.name for each in inside)
    if len(inside) == 1 and not different:
        different = [Finding("knowledge", "note", f"only {names} was asked: there is nothing to compare")]
    elif inside and not different:
        different = [Finding("knowledge", "ok", f"{names} agree about members and queues")]
    unreached = [each for seen in inside for each in _unreached(seen)]
    if inside and not unreached:
        unreached = [Finding("channels", "ok", f"no channel of {names} is in retry, paused or stopped")]
    return [
        *outside,
        *_repositories(cluster, inside),
        *different,
        *unreached,
        *_versions(inside),
        *_rest(inside),
    ]


def _repositories(cluster: str, inside: list[Seen]) -> Iterator[Finding]:
    found = {
        each.id: each.name
        for seen in inside
        for each in seen.members
        if each.role == "full" and each.is_known
    }
    names = ", ".join(sorted(set(found.values())))
    if not found:
        advice = f"ALTER QMGR REPOS({cluster}) at two members"
        yield Finding("full repositories", "problem", "none is known", advice)
    elif len(found) == 1:
        advice = f"make a second one: penstock cluster join {cluster} QM --through {names} --full"
        yield Finding("full repositories", "note", f"only {names}: without it no record is exchanged", advice)
    else:
        yield Finding("full repositories", "ok", names)
    for seen in inside:
        if found and not any(each.role == "full" and each.is_known for each in seen.members):
            advice = f"check its CLUSSDR: penstock channel list -m {seen.name}"
            yield Finding(seen.name, "problem", "knows no full repository", advice)


def _differences(asked: list[Seen]) -> Iterator[Finding]:
    """Yield records that differ from their owner's, or from another full repository's."""
    own = {seen.id: {key: v for key, v in seen.records.items() if key[2] == seen.id} for seen in asked}
    fulls = [seen for seen in asked if seen.is_full]
    told = {key: (seen.name, value) for seen in fulls for key, value in seen.records.items()}
    told = {key: each for key, each in told.items() if key[2] not in own}
    names = {owner: name for seen in asked for owner, name in seen.owners.items()}
    for seen in asked:
        truth = {
            key: (names[owner], v) for owner, records in own.items() for key, v in records.items()
        } | told
        for key in sorted(truth.keys() | seen.records.keys()):
            what = f"{key[0]} {key[1]} of {names.get(key[2], key[2])}"
            text = _difference(seen, key, truth.get(key), bool(fulls) or key[2] in own)
            if text:
                yield Finding(seen.name, "problem", f"{text.format(what)}", REPAIR)


def _difference(
    seen: Seen, key: tuple[str, str, str], truth: tuple[str, dict[str, Any]] | None, is_judged: bool
) -> str:
    """Return how a record differs from what its owner or a full repository has; {} becomes its name."""
    known = seen.records.get(key)
    if truth is None:
        return "knows {}, which is not there" if is_judged else ""
    if known is None:
        return "does not know {}" if seen.is_full else ""
    parts = [f"{k}({known[k]}), {truth[0]} has {k}({v})" for k, v in truth[1].items() if known[k] != v]
    return "has {} with " + "; ".join(parts).replace("{", "{{").replace("}", "}}") if parts else ""


def _twice(inside: list[Seen]) -> Iterator[Finding]:
    """Yield queue managers of one name and two identities: one was deleted and made again."""
    found: dict[str, set[str]] = {}
    for seen in inside:
        for each in seen.members:
            if each.is_known:
                found.setdefault(each.name, set()).add(each.id)
    for name, ids in sorted(found.items()):
        if len(ids) > 1:
            advice = "at a full repository: RESET CLUSTER ACTION(FORCEREMOVE) QMID of the one that is gone"
            yield Finding(name, "problem", f"is known twice: {', '.join(sorted(ids))}", advice)


def _unreached(seen: Seen) -> Iterator[Finding]:
    for each in seen.members:
        target = each.name if each.is_known else f"the full repository at {each.address}"
        advice = f"penstock channel explain {each.channel} -m {seen.name}"
        if each.here:
            continue
        if each.state in facts.DOWN:
            why = seen.errors.get(each.channel, "")
            text = f"cannot reach {target}: {each.channel} is {each.state}{': ' + why if why else ''}"
            yield Finding(seen.name, "problem", text, advice)
        elif not each.is_known:
            text = f"has no answer of {target} by {each.channel} ({each.state})"
            yield Finding(seen.name, "problem", text, advice)


def _versions(inside: list[Seen]) -> Iterator[Finding]:
    versions = {seen.name: seen.version for seen in inside}
    if len(set(versions.values())) > 1:
        text = ", ".join(f"{name} {version}" for name, version in versions.items())
        yield Finding("versions", "note", f"they differ: {text}", "update full repositories first")
    elif versions:
        yield Finding("versions", "ok", f"all have {next(iter(versions.values()))}")


def _rest(inside: list[Seen]) -> Iterator[Finding]:
    asked = {seen.id for seen in inside}
    rest = {each.name for seen in inside for each in seen.members if each.is_known and each.id not in asked}
    if rest:
        text = f"not asked, so not compared: {', '.join(sorted(rest))}"
        yield Finding("members", "note", text, "name their mq:// addresses, too")
