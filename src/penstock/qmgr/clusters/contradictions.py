"""Records of a cluster that contradict each other: what the error log says when one of them arrives.

Two queue managers of one name, two CLUSRCVR channels of one name, and instances of a queue whose defaults
differ are allowed, as in IBM MQ, and no message is lost by them; but programs may not get what was meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.clusters.record import MEMBER, QUEUE, Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.qmgr.clusters.repository import Repository

DEFAULTS = ("DEFBIND", "DEFPSIST", "DEFPRTY")  # programs get those of one instance, for all


def contradictions(repository: Repository, changed: Iterable[Key]) -> Iterator[str]:
    """Yield a sentence for each contradiction that a changed record brings."""
    for key in changed:
        held = repository.find(key)
        if held is None or held.body is None:
            continue
        if key.kind == MEMBER:
            yield from _names(repository, key, held.body)
        elif key.kind == QUEUE:
            yield from _defaults(repository, key, held.body)


def _names(repository: Repository, key: Key, body: dict[str, Any]) -> Iterator[str]:
    for other, content in repository.members(key.cluster):
        if other.owner == key.owner:
            continue
        if content.get("qmgr") == body.get("qmgr"):
            yield (
                f"Cluster {key.cluster} has two queue managers called {body.get('qmgr')}: {key.owner} and"
                f" {other.owner}. Messages that name it go to the most recent one; remove one that"
                f" is gone at a full repository: RESET CLUSTER({key.cluster}) ACTION(FORCEREMOVE) QMID(...)"
            )
        if other.name == key.name:
            yield (
                f"Channel {key.name} is the CLUSRCVR of {body.get('qmgr')} and of {content.get('qmgr')} in"
                f" cluster {key.cluster}: give each one a name of its own, else messages take detours"
            )


def _defaults(repository: Repository, key: Key, body: dict[str, Any]) -> Iterator[str]:
    own = body.get("attributes") or {}
    for other, content in repository.live(repository.named(QUEUE, key.name)):
        theirs = content.get("attributes") or {}
        differing = [name for name in DEFAULTS if own.get(name) != theirs.get(name)]
        if other.owner != key.owner and other.cluster == key.cluster and differing:
            one, two = (
                " ".join(f"{name}({values.get(name)})" for name in differing) for values in (own, theirs)
            )
            yield (
                f"Queue {key.name} of cluster {key.cluster} has {one} at {body.get('qmgr')} and {two} at"
                f" {content.get('qmgr')}: programs that leave it open get either"
            )
            return
