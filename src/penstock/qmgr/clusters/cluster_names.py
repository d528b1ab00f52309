"""Names that lead into a cluster, for `name_resolution`: queues, queue managers and their aliases.

Definitions of this queue manager win over the cluster: a name that is defined here is a cluster's only if it
is an instance of a cluster queue and others may be chosen as well (`Target.stays_here`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.clusters.own_objects import CLUSTERED
from penstock.qmgr.clusters.record import MEMBER, QUEUE

COMMAND = "SYSTEM.CLUSTER.COMMAND.QUEUE"  # messages between repositories, which no program may put
SHARED = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"  # of all channels that have no transmission queue of their own
OWN_PREFIX = "SYSTEM.CLUSTER.TRANSMIT."
MODEL = "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE"
ID_BYTES = 24

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.objects import Definition


def key_of(channel: str) -> bytes:
    """Return the correlation id of the messages of a channel on a cluster transmission queue."""
    return channel.encode().ljust(ID_BYTES)


def forbidden(where: str) -> MQError:
    """Return the error of a put that only repositories may do."""
    return error(
        mq.MQRC_NOT_AUTHORIZED, f"only a queue manager puts to {COMMAND} {where}".rstrip(), object=COMMAND
    )


def is_clustered(local: Definition) -> bool:
    """Return whether a definition here is an instance of a cluster queue."""
    attributes = local.attributes
    if local.kind == "QREMOTE" and not str(attributes["RNAME"]):
        return False  # a queue-manager alias
    return local.kind in CLUSTERED and bool(attributes.get("CLUSTER") or attributes.get("CLUSNL"))


def queue_route(
    engine: Engine, name: str, local: Definition | None, alias: Definition | None = None
) -> Route | None:
    """Return the route of a cluster queue; None when its messages stay at this queue manager.

    They stay if the workload rules leave the local instance alone: others have no higher rank, it is
    PUT(ENABLED) or no other is, and CLWLUSEQ prefers it. 2189 while a full repository has to be asked; the
    error names the question.
    """
    clusters = engine.clusters
    key = (QUEUE, name)
    clusters.interest.look_up(key, clusters.recent(), clusters.knows(key) or local is not None)
    target = clusters.workload.target(name, alias, local)
    if target is None or target.stays_here():
        return None
    return clusters.workload.open_route(target)


def qmgr_route(engine: Engine, name: str, qmgr: str) -> Route | None:
    """Return the route to a queue of a cluster queue manager, or of a clustered queue-manager alias.

    None when the clusters have neither; 2189 while a full repository has to be asked.
    """
    clusters, asked = engine.clusters, (MEMBER, qmgr)
    elsewhere = bool(engine.definition.attributes["DEFXMITQ"])  # the way without an answer
    clusters.interest.look_up(asked, clusters.recent(), clusters.knows(asked), not elsewhere)
    dependency = engine.dependencies.on("CLUSTER", qmgr)
    for member in clusters.members_part.named(qmgr):
        if not member.local:
            route = clusters.transmission.route(member.channel, name, qmgr)
            route.dependencies = (dependency,)
            return route
    repository = clusters.state.repository
    for key, body in repository.live(repository.named(QUEUE, qmgr)):
        if body.get("alias") and key.owner != clusters.qmid and key.cluster in clusters.inside:
            channel = clusters.members_part.channel_to(key.cluster, key.owner)
            if channel:
                route = clusters.transmission.route(channel, name, qmgr)
                route.dependencies = (dependency,)
                return route
    return None
