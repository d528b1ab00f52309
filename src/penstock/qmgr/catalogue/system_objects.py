"""What a new queue manager has: the SYSTEM.* default objects, the system queues and the CHLAUTH rules.

Data and the few functions that turn it into definitions; the engine puts them into its registry when a
queue manager is created, and `admin` asks here which default object a DEFINE copies, and whether an
object still is as it was born. Each entry lists only what differs from the catalogue's defaults.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from penstock.qmgr.catalogue.attributes import Value, defaults
from penstock.qmgr.objects import Definition, channel_rule_name
from penstock.qmgr.pubsub.topic_settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_OBJECTS = {
    "QLOCAL": "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "QALIAS": "SYSTEM.DEFAULT.ALIAS.QUEUE",
    "QREMOTE": "SYSTEM.DEFAULT.REMOTE.QUEUE",
    "QMODEL": "SYSTEM.DEFAULT.MODEL.QUEUE",
    "PROCESS": "SYSTEM.DEFAULT.PROCESS",
    "NAMELIST": "SYSTEM.DEFAULT.NAMELIST",
    "LISTENER": "SYSTEM.DEFAULT.LISTENER.TCP",
    "TOPIC": "SYSTEM.DEFAULT.TOPIC",
    "SUB": "SYSTEM.DEFAULT.SUB",
    "SERVICE": "SYSTEM.DEFAULT.SERVICE",
    "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
}
DEFAULT_CHANNELS = {
    "SDR": "SYSTEM.DEF.SENDER",
    "SVR": "SYSTEM.DEF.SERVER",
    "RCVR": "SYSTEM.DEF.RECEIVER",
    "RQSTR": "SYSTEM.DEF.REQUESTER",
    "SVRCONN": "SYSTEM.DEF.SVRCONN",
    "CLNTCONN": "SYSTEM.DEF.CLNTCONN",
    "CLUSSDR": "SYSTEM.DEF.CLUSSDR",
    "CLUSRCVR": "SYSTEM.DEF.CLUSRCVR",
    "AMQP": "SYSTEM.DEF.AMQP",
}
DEFAULT_AUTHINFOS = {
    kind: f"SYSTEM.DEFAULT.AUTHINFO.{kind}" for kind in ("CRLLDAP", "IDPWLDAP", "IDPWOS", "OCSP")
}

Entry = tuple[str, str, dict[str, Value]]

_EVENT: dict[str, Value] = {
    "MAXDEPTH": 3000,
    "MAXMSGL": 9000,
    "DEFSOPT": "EXCL",
    "SHARE": "NO",
    "TRIGTYPE": "NONE",
}
_COMMAND: dict[str, Value] = {**_EVENT, "MAXMSGL": 32762}
_WIDE_EVENT: dict[str, Value] = {"DEFSOPT": "EXCL", "SHARE": "NO", "TRIGTYPE": "NONE"}
_REPORT: dict[str, Value] = {"ACCTQ": "OFF", "STATQ": "OFF", "MAXDEPTH": 3000, "TRIGTYPE": "NONE"}
_ENDLESS: dict[str, Value] = {"MAXDEPTH": 999999999}
_KEPT: dict[str, Value] = {**_ENDLESS, "DEFPSIST": "YES"}
_LARGE: dict[str, Value] = {**_ENDLESS, "MAXMSGL": 104857600}
_STREAM: dict[str, Value] = {"DEFPSIST": "YES", "MSGDLVSQ": "FIFO"}
_DELAYED: dict[str, Value] = {
    **_ENDLESS,
    "DEFSOPT": "EXCL",
    "SHARE": "NO",
    "MSGDLVSQ": "FIFO",
    "QDPMAXEV": "DISABLED",
}
_INITIATION: dict[str, Value] = {"MAXDEPTH": 1000, "MAXMSGL": 1000, "TRIGTYPE": "NONE"}


def _queue(name: str, descr: str, values: Mapping[str, Value], kind: str = "QLOCAL") -> Entry:
    return kind, name, {"DESCR": descr, **values}


def _typed(kind: str, attribute: str, names: Mapping[str, str]) -> Iterator[Entry]:
    for subtype, name in names.items():
        yield kind, name, {attribute: subtype}


_QUEUES: tuple[Entry, ...] = (
    _queue("SYSTEM.ADMIN.ACCOUNTING.QUEUE", "Accounting messages", _REPORT),
    _queue("SYSTEM.ADMIN.ACTIVITY.QUEUE", "Activity reports", {}),
    _queue("SYSTEM.ADMIN.CHANNEL.EVENT", "Events of channels", _EVENT),
    _queue("SYSTEM.ADMIN.COMMAND.EVENT", "Events of commands", _WIDE_EVENT),
    _queue("SYSTEM.ADMIN.COMMAND.QUEUE", "Commands to the queue manager", _COMMAND),
    _queue("SYSTEM.ADMIN.CONFIG.EVENT", "Events of configuration", _WIDE_EVENT),
    _queue("SYSTEM.ADMIN.LOGGER.EVENT", "Events of the log", _EVENT),
    _queue("SYSTEM.ADMIN.PERFM.EVENT", "Events of queue depth and service interval", _EVENT),
    _queue("SYSTEM.ADMIN.PUBSUB.EVENT", "Events of publish/subscribe", {}),
    _queue("SYSTEM.ADMIN.QMGR.EVENT", "Events of the queue manager", _COMMAND),
    _queue("SYSTEM.ADMIN.STATISTICS.QUEUE", "Statistics messages", _REPORT),
    _queue("SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE", "Activity trace messages", _REPORT),
    _queue("SYSTEM.ADMIN.TRACE.ROUTE.QUEUE", "Trace-route replies", {}),
    _queue("SYSTEM.AMQP.COMMAND.QUEUE", "Commands to the AMQP service", _COMMAND),
    _queue("SYSTEM.AUTH.DATA.QUEUE", "Authority data", _ENDLESS),
    _queue("SYSTEM.BROKER.ADMIN.STREAM", "Admin stream of queued publish/subscribe", _STREAM),
    _queue("SYSTEM.BROKER.CONTROL.QUEUE", "Control queue of queued publish/subscribe", _STREAM),
    _queue("SYSTEM.BROKER.DEFAULT.STREAM", "Default stream of queued publish/subscribe", _STREAM),
    _queue(
        "SYSTEM.BROKER.INTER.BROKER.COMMUNICATIONS",
        "Replies between publish/subscribe brokers",
        {**_LARGE, **_STREAM, "SHARE": "NO"},
    ),
    _queue(
        "SYSTEM.CHANNEL.INITQ", "Initiation queue of channels", {**_EVENT, "MAXDEPTH": 1000, "MAXMSGL": 2000}
    ),
    _queue(
        "SYSTEM.CHANNEL.SYNCQ",
        "Synchronisation data of channels",
        {"DEFPSIST": "YES", "MAXDEPTH": 20000, "MAXMSGL": 20000, "QDEPTHLO": 40, "TRIGTYPE": "NONE"},
    ),
    _queue("SYSTEM.CHLAUTH.DATA.QUEUE", "Channel authentication data", _LARGE),
    _queue("SYSTEM.CICS.INITIATION.QUEUE", "Initiation queue for CICS", _INITIATION),
    _queue("SYSTEM.CLUSTER.COMMAND.QUEUE", "Commands between cluster members", _ENDLESS),
    _queue("SYSTEM.CLUSTER.HISTORY.QUEUE", "History of the cluster", _ENDLESS),
    _queue("SYSTEM.CLUSTER.REPOSITORY.QUEUE", "Repository of the cluster", _ENDLESS),
    _queue("SYSTEM.CLUSTER.TRANSMIT.QUEUE", "Transmission queue of clusters", {**_ENDLESS, "USAGE": "XMITQ"}),
    _queue(
        "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE",
        "Model of transmission queues of clusters",
        {**_ENDLESS, "USAGE": "XMITQ", "DEFTYPE": "PERMDYN", "SHARE": "YES", "DEFSOPT": "SHARED"},
        "QMODEL",
    ),
    _queue("SYSTEM.DDELAY.LOCAL.QUEUE", "Messages of deferred delivery", _DELAYED),
    _queue("SYSTEM.DEAD.LETTER.QUEUE", "Dead letters", {**_ENDLESS, "TRIGTYPE": "NONE"}),
    ("QALIAS", "SYSTEM.DEFAULT.ALIAS.QUEUE", {}),
    _queue("SYSTEM.DEFAULT.INITIATION.QUEUE", "Initiation queue", _INITIATION),
    ("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {}),
    ("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE", {}),
    ("QREMOTE", "SYSTEM.DEFAULT.REMOTE.QUEUE", {}),
    _queue(
        "SYSTEM.DURABLE.MODEL.QUEUE",
        "Model of managed queues of durable subscriptions",
        {**_ENDLESS, "DEFTYPE": "PERMDYN", "SHARE": "YES", "DEFSOPT": "SHARED"},
        "QMODEL",
    ),
    _queue("SYSTEM.DURABLE.SUBSCRIBER.QUEUE", "Durable subscriptions", _LARGE),
    _queue("SYSTEM.HIERARCHY.STATE", "State of the publish/subscribe hierarchy", _KEPT),
    _queue("SYSTEM.INTER.QMGR.CONTROL", "Distributed publish/subscribe: control", _KEPT),
    _queue("SYSTEM.INTER.QMGR.FANREQ", "Distributed publish/subscribe: proxy subscriptions", _KEPT),
    _queue("SYSTEM.INTER.QMGR.PUBS", "Distributed publish/subscribe: publications", _KEPT),
    _queue("SYSTEM.INTERNAL.REPLY.QUEUE", "Internal replies", {**_ENDLESS, "MAXMSGL": 32762}),
    _queue("SYSTEM.INTERNAL.REQUEST.QUEUE", "Internal requests", {**_ENDLESS, "MAXMSGL": 32762}),
    _queue(
        "SYSTEM.JMS.TEMPQ.MODEL",
        "Model of temporary queues of JMS",
        {"MAXMSGL": 104857600, "SHARE": "YES", "DEFSOPT": "SHARED"},
        "QMODEL",
    ),
    ("QMODEL", "SYSTEM.MQEXPLORER.REPLY.MODEL", {"DEFREADA": "YES"}),
    _queue(
        "SYSTEM.MQSC.REPLY.QUEUE",
        "Replies to MQSC commands",
        {"MAXDEPTH": 3000, "MAXMSGL": 32762, "TRIGTYPE": "NONE"},
        "QMODEL",
    ),
    _queue(
        "SYSTEM.NDURABLE.MODEL.QUEUE",
        "Model of managed queues of other subscriptions",
        {**_ENDLESS, "DEFREADA": "YES", "SHARE": "YES", "DEFSOPT": "SHARED"},
        "QMODEL",
    ),
    _queue("SYSTEM.PENDING.DATA.QUEUE", "Deferred messages", _DELAYED),
    _queue("SYSTEM.PROTECTION.ERROR.QUEUE", "Messages that failed protection", _KEPT),
    _queue("SYSTEM.PROTECTION.POLICY.QUEUE", "Policies of message protection", _KEPT),
    _queue("SYSTEM.REST.REPLY.QUEUE", "Replies to REST requests", {**_ENDLESS, "QDPMAXEV": "DISABLED"}),
    _queue("SYSTEM.RETAINED.PUB.QUEUE", "Retained publications", {**_LARGE, "MSGDLVSQ": "FIFO"}),
    _queue("SYSTEM.SELECTION.EVALUATION.QUEUE", "Evaluation of selectors", _LARGE),
    _queue("SYSTEM.SELECTION.VALIDATION.QUEUE", "Validation of selectors", _ENDLESS),
)

_CHANNELS: tuple[Entry, ...] = (
    ("CHANNEL", "SYSTEM.AUTO.RECEIVER", {"CHLTYPE": "RCVR", "DESCR": "Auto-defined by"}),
    ("CHANNEL", "SYSTEM.AUTO.SVRCONN", {"CHLTYPE": "SVRCONN", "DESCR": "Auto-defined by"}),
    *_typed("CHANNEL", "CHLTYPE", DEFAULT_CHANNELS),
)

_BLOCKING: dict[str, Value] = {"WILDCARD": "BLOCK", "MCAST": "DISABLED"}

_TOPICS: tuple[Entry, ...] = (
    (
        "TOPIC",
        "SYSTEM.ADMIN.TOPIC",
        {
            **ROOT,
            "DESCR": "Root of the administrative topics",
            "TOPICSTR": "$SYS/MQ",
            "PUBSCOPE": "QMGR",
            "SUBSCOPE": "QMGR",
            "WILDCARD": "BLOCK",
        },
    ),
    (
        "TOPIC",
        "SYSTEM.BASE.TOPIC",
        {
            **ROOT,
            "DESCR": "Where attributes that are as parent end",
            "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
        },
    ),
    (
        "TOPIC",
        "SYSTEM.BROKER.ADMIN.STREAM",
        {
            **_BLOCKING,
            "TOPICSTR": "SYSTEM.BROKER.ADMIN.STREAM",
            "DESCR": "Admin stream of queued publish/subscribe",
        },
    ),
    (
        "TOPIC",
        "SYSTEM.BROKER.DEFAULT.STREAM",
        {**_BLOCKING, "DESCR": "Default stream of queued publish/subscribe"},
    ),
    ("TOPIC", "SYSTEM.BROKER.DEFAULT.SUBPOINT", {**_BLOCKING, "DESCR": "Default subscription point"}),
    ("TOPIC", "SYSTEM.DEFAULT.TOPIC", {}),
    ("SUB", "SYSTEM.DEFAULT.SUB", {}),
    ("COMMINFO", "SYSTEM.DEFAULT.COMMINFO.MULTICAST", {}),
)

_OTHERS: tuple[Entry, ...] = (
    ("NAMELIST", "SYSTEM.DEFAULT.NAMELIST", {}),
    (
        "NAMELIST",
        "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
        {
            "NAMES": ("SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM"),
            "DESCR": "Queues that queued publish/subscribe watches",
        },
    ),
    (
        "NAMELIST",
        "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST",
        {"NAMES": ("SYSTEM.BROKER.DEFAULT.SUBPOINT",), "DESCR": "Topic objects that are subscription points"},
    ),
    ("PROCESS", "SYSTEM.DEFAULT.PROCESS", {}),
    ("LISTENER", "SYSTEM.DEFAULT.LISTENER.TCP", {}),
    ("SERVICE", "SYSTEM.DEFAULT.SERVICE", {}),
    *_typed("AUTHINFO", "AUTHTYPE", DEFAULT_AUTHINFOS),
)

_RULES: tuple[tuple[str, dict[str, Value]], ...] = (
    ("*", {"TYPE": "BLOCKUSER", "USERLIST": ("*MQADMIN",), "DESCR": "Default rule: no privileged users"}),
    (
        "SYSTEM.*",
        {
            "TYPE": "ADDRESSMAP",
            "ADDRESS": "*",
            "USERSRC": "NOACCESS",
            "DESCR": "Default rule: no SYSTEM channels",
        },
    ),
    (
        "SYSTEM.ADMIN.SVRCONN",
        {
            "TYPE": "ADDRESSMAP",
            "ADDRESS": "*",
            "USERSRC": "CHANNEL",
            "DESCR": "Default rule: the administration channel",
        },
    ),
)


def default_object(kind: str, subtype: str = "") -> str:
    """Return the name of the object whose attributes a DEFINE copies; empty when there is none."""
    if kind == "CHANNEL":
        return DEFAULT_CHANNELS.get(subtype, "")
    if kind == "AUTHINFO":
        return DEFAULT_AUTHINFOS.get(subtype, "")
    return DEFAULT_OBJECTS.get(kind, "")


def qmgr_definition(name: str, now: float) -> Definition:
    """Return the QMGR definition of a new queue manager."""
    stamp = time.strftime("%Y-%m-%d_%H.%M.%S", time.gmtime(now))
    values = defaults("QMGR")
    values["CERTLABL"] = f"ibmwebspheremq{name.lower()}"[:64]
    values["QMID"] = f"{name}_{stamp}"[:48]
    return Definition("QMGR", name, values, 1, now, now)


def system_definitions(name: str, now: float) -> Iterator[Definition]:
    """Yield everything a new queue manager has: QMGR first, then the SYSTEM objects and CHLAUTH rules.

    Ids count from 1 in this order; the engine continues after the last.
    """
    yield qmgr_definition(name, now)
    number = 1
    for kind, called, values in _entries():
        number += 1
        yield Definition(kind, called, values, number, now, now)


def born_as(kind: str, name: str) -> Mapping[str, Value] | None:
    """Return the initial attributes of a SYSTEM object or default rule; None for any other."""
    return _born().get((kind, name))


def default_rules() -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Yield the channel authentication rules of a new queue manager: name in the registry, attributes."""
    for (kind, name), values in _born().items():
        if kind == "CHLAUTH":
            yield name, values


def _entries() -> Iterator[tuple[str, str, dict[str, Value]]]:
    for kind, name, changes in (*_QUEUES, *_CHANNELS, *_TOPICS, *_OTHERS):
        subtype = str(changes.get("CHLTYPE", changes.get("AUTHTYPE", "")))
        yield kind, name, defaults(kind, subtype) | changes
    for profile, changes in _RULES:
        values = defaults("CHLAUTH", str(changes["TYPE"])) | {"CHLAUTH": profile} | changes
        yield "CHLAUTH", channel_rule_name(profile, values), values


@cache
def _born() -> dict[tuple[str, str], dict[str, Value]]:
    return {(kind, name): values for kind, name, values in _entries()}
