"""What this queue manager says about itself in its clusters, from its definitions.

A queue manager is in a cluster when it has a CLUSRCVR there; its queues and topics with CLUSTER or CLUSNL are
advertised in the clusters that it is in. Pure functions of the object registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.qmgr.catalogue.queue_manager import VERSION
from penstock.qmgr.clusters.record import MEMBER, QUEUE, TOPIC, Key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition, Objects

    class HasObjects(Protocol):
        """An engine, as far as names need it."""

        @property
        def objects(self) -> Objects:
            """All definitions."""


CLUSTERED = ("QLOCAL", "QALIAS", "QREMOTE")
# The attributes of a CLUSRCVR that concern only its own queue manager.
OWN_BUSINESS = frozenset(
    [
        "CHANNEL",
        "CHLTYPE",
        "CLUSTER",
        "CLUSNL",
        "MCAUSER",
        "MRDATA",
        "MREXIT",
        "MRRTY",
        "MRTMR",
        "PUTAUT",
        "SSLCAUTH",
        "ALTDATE",
        "ALTTIME",
    ]
)
OF_QUEUE = ["DESCR", "PUT", "DEFBIND", "DEFPSIST", "DEFPRTY", "DEFPRESP", "CLWLRANK", "CLWLPRTY", "CAPEXPRY"]
OF_TOPIC = [
    "DESCR",
    "TOPICSTR",
    "CLROUTE",
    "PUB",
    "SUB",
    "PUBSCOPE",
    "SUBSCOPE",
    "PROXYSUB",
    "DEFPSIST",
    "DEFPRTY",
    "DEFPRESP",
    "DURSUB",
    "PMSGDLV",
    "NPMSGDLV",
    "WILDCARD",
]


def names_in(engine: HasObjects, name: object, namelist: object) -> list[str]:
    """Return the clusters that an attribute and its namelist twin name (CLUSTER and CLUSNL, REPOS ...)."""
    if str(name or "").strip():
        return [str(name).strip()]
    found = engine.objects.find("NAMELIST", str(namelist or "").strip())
    names = found.attributes.get("NAMES", ()) if found is not None else ()
    return [str(each) for each in names if str(each)] if isinstance(names, tuple) else []


def clusters_of(engine: Engine, definition: Definition) -> list[str]:
    """Return the clusters of a queue, topic or channel."""
    attributes = definition.attributes
    return names_in(engine, attributes.get("CLUSTER"), attributes.get("CLUSNL"))


def full_for(engine: Engine) -> list[str]:
    """Return the clusters that this queue manager is to be a full repository of (REPOS, REPOSNL)."""
    attributes = engine.definition.attributes
    return names_in(engine, attributes.get("REPOS"), attributes.get("REPOSNL"))


def channels(engine: Engine, subtype: str) -> list[Definition]:
    """Return the cluster channels of a type."""
    return [each for each in engine.objects.all("CHANNEL") if each.subtype == subtype]


def joined(engine: Engine) -> dict[str, list[Definition]]:
    """Return the clusters that this queue manager is in, each with its CLUSRCVR definitions there."""
    found: dict[str, list[Definition]] = {}
    for definition in channels(engine, "CLUSRCVR"):
        for cluster in clusters_of(engine, definition):
            found.setdefault(cluster, []).append(definition)
    return found


def address_of(definition: Definition, listening: str) -> str:
    """Return where others reach a CLUSRCVR: CONNAME, completed from `host(port)` of a listener here.

    An empty one is that address, and `(port)` has its host.
    """
    conname = str(definition.attributes.get("CONNAME", "")).strip()
    host = listening.partition("(")[0]
    return f"{host}{conname}" if conname.startswith("(") else conname or listening


def member_records(
    engine: Engine, qmid: str, suspended: set[str], listening: str
) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield the records of the CLUSRCVR channels."""
    full = full_for(engine)
    for cluster, definitions in joined(engine).items():
        for each in definitions:
            values = {key: value for key, value in each.attributes.items() if key not in OWN_BUSINESS}
            body = {
                "qmgr": engine.name,
                "repos": cluster in full,
                "suspended": cluster in suspended,
                "version": VERSION,
                "attributes": _plain({**values, "CONNAME": address_of(each, listening)}),
            }
            yield Key(cluster, MEMBER, each.name, qmid), body


def object_records(
    engine: Engine, qmid: str, definition: Definition, inside: dict[str, Any]
) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield the records of a queue or topic in the clusters that this queue manager is in."""
    if definition.kind == "TOPIC":
        kind, wanted = TOPIC, OF_TOPIC
    elif definition.kind in CLUSTERED:
        kind, wanted = QUEUE, OF_QUEUE
    else:
        return
    for cluster in clusters_of(engine, definition):
        if cluster in inside:
            values = {key: definition.attributes[key] for key in wanted if key in definition.attributes}
            body: dict[str, Any] = {
                "type": definition.kind,
                "qmgr": engine.name,
                "attributes": _plain(values),
            }
            if definition.kind == "QREMOTE":
                body["alias"] = not str(definition.attributes["RNAME"])
            yield Key(cluster, kind, definition.name, qmid), body


def desired(engine: Engine, qmid: str, suspended: set[str], listening: str = "") -> dict[Key, dict[str, Any]]:
    """Return all records that this queue manager has to have."""
    inside = joined(engine)
    found = dict(member_records(engine, qmid, suspended, listening))
    if inside:
        for namespace in ("QUEUE", "TOPIC"):
            for definition in engine.objects.all(namespace):
                found.update(object_records(engine, qmid, definition, inside))
    return found


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as a message carries them, so that a record that came back is equal."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
