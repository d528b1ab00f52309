"""What a topic inherits: the attributes of TOPIC objects, resolved down to one place in the tree.

Each ASPARENT takes the value of the nearest object above, in the end that of SYSTEM.BASE.TOPIC, and MQ's
own when that object is gone. Nodes without an object share the settings of the node above, so there
are as many `TopicSettings` as there are objects. `topic_tree` asks; nothing here knows a node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.qmgr.objects import Definition

BASE_TOPIC = "SYSTEM.BASE.TOPIC"
ROOT: dict[str, Any] = {  # of the topics at the top of a tree, which have nothing above to inherit
    "DURSUB": "YES",
    "PUB": "ENABLED",
    "SUB": "ENABLED",
    "DEFPSIST": "NO",
    "DEFPRTY": 0,
    "DEFPRESP": "SYNC",
    "PMSGDLV": "ALLDUR",
    "NPMSGDLV": "ALLAVAIL",
    "PUBSCOPE": "ALL",
    "SUBSCOPE": "ALL",
    "MDURMDL": "SYSTEM.DURABLE.MODEL.QUEUE",
    "MNDURMDL": "SYSTEM.NDURABLE.MODEL.QUEUE",
    "MCAST": "DISABLED",
    "USEDLQ": "YES",
    "CAPEXPRY": "NOLIMIT",
}
BASE: dict[str, Any] = {
    **ROOT,
    "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
    "CLUSTER": "",
    "CLROUTE": "NONE",
}


@dataclass(slots=True)
class TopicSettings:
    """The attributes in force at a topic.

    `blocked_levels` counts the levels of the lowest object, here or above, that is WILDCARD(BLOCK).
    """

    values: dict[str, Any]
    blocked_levels: int = 0
    admin: str = ""
    cluster_topic: str = ""  # the topic string of the object that has CLUSTER, here or above
    pub_enabled: bool = field(init=False)
    sub_enabled: bool = field(init=False)
    persistent: bool = field(init=False)
    priority: int = field(init=False)
    stays_here: bool = field(init=False)  # PUBSCOPE(QMGR): no other queue manager gets publications
    best_effort: bool = field(init=False)  # non-persistent: all that can take it get it
    life: float = field(init=False)  # seconds, 0 for no cap

    def __post_init__(self) -> None:
        values = self.values
        self.pub_enabled = values["PUB"] == "ENABLED"
        self.sub_enabled = values["SUB"] == "ENABLED"
        self.persistent = values["DEFPSIST"] == "YES"
        self.stays_here = values["PUBSCOPE"] == "QMGR"
        self.best_effort = values["NPMSGDLV"] == "ALLAVAIL"
        self.priority = int(values["DEFPRTY"])
        cap = str(values["CAPEXPRY"])
        self.life = int(cap) / 10 if cap.isdigit() else 0.0


def resolve(
    above: TopicSettings | None,
    definition: Definition | None,
    levels: int,
    shared: Definition | None = None,
) -> TopicSettings:
    """Return the settings of a node with `levels` levels, below `above`, where an object may be.

    `shared` is the object of another member of a cluster for the same topic string: an object that is
    defined here has the attributes, but the topic stays in the cluster.
    """
    if definition is None:
        return above if above is not None else TopicSettings(dict(BASE))
    base = BASE if above is None else above.values
    given = definition.attributes
    values = {
        name: value if given.get(name) in ("ASPARENT", "", None) else given[name]
        for name, value in base.items()
    }
    blocked = 0 if above is None else above.blocked_levels
    if given.get("WILDCARD") == "BLOCK" and levels:
        blocked = levels
    clustered = next((each for each in (definition, shared) if each and each.attributes.get("CLUSTER")), None)
    if clustered is None:
        values["CLUSTER"], values["CLROUTE"] = base["CLUSTER"], base["CLROUTE"]
        topic = "" if above is None else above.cluster_topic
    else:
        values["CLUSTER"] = clustered.attributes["CLUSTER"]
        values["CLROUTE"] = clustered.attributes.get("CLROUTE", "DIRECT")
        topic = str(clustered.attributes["TOPICSTR"])
    return TopicSettings(values, blocked, definition.name, topic)
