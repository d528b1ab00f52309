"""Attributes of the four kinds of queue, in the order in which DISPLAY QUEUE shows them.

QLOCAL and QMODEL share one table but for what only a queue that exists can have (CURDEPTH, IPPROCS).
The numbers are MQIA_/MQCA_ selectors of MQINQ and MQSET.
"""

from __future__ import annotations

from penstock.qmgr.catalogue.attribute import (
    ALTERED,
    CREATED,
    Attribute,
    flag,
    integer,
    keyword,
    name_of,
    stored,
    string,
)
from penstock.qmgr.catalogue.missing import NO_IMAGES
from penstock.qmgr.catalogue.sharing import DISPOSITION, OF_QUEUES

EVENT = {"DISABLED": 0, "ENABLED": 1}
INHIBIT = {"ENABLED": 0, "DISABLED": 1}
YES_NO = {"NO": 0, "YES": 1}
SWITCH_AS_QMGR = {"QMGR": -3, "OFF": 0, "ON": 1}

BIND = keyword("DEFBIND", 61, "OPEN", {"OPEN": 0, "NOTFIXED": 1, "GROUP": 2})
CAP_EXPIRY = integer("CAPEXPRY", 276, "NOLIMIT", 1, words={"NOLIMIT": -1})
CLUSTER = (name_of("CLUSNL", 2030), name_of("CLUSTER", 2029))
CUSTOM = string("CUSTOM", 2119, 128)
DEFAULT_PRIORITY = integer("DEFPRTY", 6, 0, 0, 9)
DEFAULT_PERSISTENCE = keyword("DEFPSIST", 5, "NO", YES_NO)
DEFAULT_RESPONSE = keyword("DEFPRESP", 184, "SYNC", {"SYNC": 1, "ASYNC": 2})
DESCRIPTION = string("DESCR", 2013, 64)
GET = keyword("GET", 9, "ENABLED", INHIBIT)
PUT = keyword("PUT", 10, "ENABLED", INHIBIT)
READ_AHEAD = keyword("DEFREADA", 188, "NO", {"NO": 0, "YES": 1, "DISABLED": 2})
SCOPE = stored("there is no cell directory", keyword("SCOPE", 45, "QMGR", {"QMGR": 1, "CELL": 2}))
PROPERTY_CONTROL = keyword(
    "PROPCTL", 190, "COMPAT", {"COMPAT": 0, "NONE": 1, "ALL": 2, "FORCE": 3, "V6COMPAT": 4}
)
WORKLOAD = (
    integer("CLWLPRTY", 96, 0, 0, 9),
    integer("CLWLRANK", 95, 0, 0, 9),
)

DYNAMIC = {"PREDEFINED": 1, "PERMDYN": 2, "TEMPDYN": 3, "SHAREDYN": 4}
INPUT_SHARED = {"SHARED": 2, "EXCL": 4}


def _name(kind: str) -> tuple[Attribute, ...]:
    types = {"QLOCAL": 1, "QMODEL": 2, "QALIAS": 3, "QREMOTE": 6}
    return (
        name_of("QUEUE", 2016, read_only=True),
        keyword("TYPE", 20, kind, {kind: types[kind]}, read_only=True),
    )


_STORED = (
    keyword("ACCTQ", 134, "QMGR", SWITCH_AS_QMGR),
    *ALTERED,
    name_of("BOQNAME", 2019),
    integer("BOTHRESH", 22, 0),
    CAP_EXPIRY,
    *CLUSTER,
    string("CLCHNAME", 2124, 20),
    *WORKLOAD,
    keyword("CLWLUSEQ", 98, "QMGR", {"QMGR": -3, "LOCAL": 0, "ANY": 1}),
    *CREATED,
    integer("CURDEPTH", 3, 0, read_only=True),
    CUSTOM,
    BIND,
    DEFAULT_PRIORITY,
    DEFAULT_PERSISTENCE,
    DEFAULT_RESPONSE,
    READ_AHEAD,
    keyword("DEFSOPT", 4, "SHARED", INPUT_SHARED, synonyms={"EXCLUSIVE": "EXCL"}),
    keyword("DEFTYPE", 7, "PREDEFINED", DYNAMIC, read_only=True),
    DESCRIPTION,
    stored("a list is put as one message for each destination", keyword("DISTL", 34, "NO", YES_NO)),
    GET,
    stored("backout counts always outlive a restart", flag("HARDENBO", 8, "YES")),
    stored(NO_IMAGES, keyword("IMGRCOVQ", 272, "QMGR", {"NO": 0, "YES": 1, "QMGR": 2})),
    name_of("INITQ", 2008),
    integer("IPPROCS", 17, 0, read_only=True),
    integer("MAXDEPTH", 15, 5000),
    stored(
        "the size of a queue on disk is not limited",
        integer("MAXFSIZE", 274, "DEFAULT", 20, 267386880, words={"DEFAULT": -1}),
    ),
    integer("MAXMSGL", 13, 4194304, 0, 104857600),
    keyword("MONQ", 123, "QMGR", {"QMGR": -3, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}),
    keyword("MSGDLVSQ", 16, "PRIORITY", {"PRIORITY": 0, "FIFO": 1}),
    flag("TRIGGER", 24, "NO"),
    keyword("NPMCLASS", 78, "NORMAL", {"NORMAL": 0, "HIGH": 10}),
    integer("OPPROCS", 18, 0, read_only=True),
    name_of("PROCESS", 2012),
    PUT,
    PROPERTY_CONTROL,
    integer("QDEPTHHI", 40, 80, 0, 100),
    integer("QDEPTHLO", 41, 20, 0, 100),
    keyword("QDPHIEV", 43, "DISABLED", EVENT),
    keyword("QDPLOEV", 44, "DISABLED", EVENT),
    keyword("QDPMAXEV", 42, "ENABLED", EVENT),
    keyword("QSVCIEV", 46, "NONE", {"NONE": 0, "HIGH": 1, "OK": 2}),
    integer("QSVCINT", 54, 999999999),
    integer("RETINTVL", 21, 999999999),
    SCOPE,
    flag("SHARE", 23, "YES"),
    keyword("STATQ", 128, "QMGR", SWITCH_AS_QMGR),
    name_of("STREAMQ", 2138),
    keyword("STRMQOS", 275, "BESTEF", {"BESTEF": 0, "MUSTDUP": 1}),
    string("TRIGDATA", 2023, 64),
    integer("TRIGDPTH", 29, 1, 1),
    integer("TRIGMPRI", 26, 0, 0, 9),
    keyword("TRIGTYPE", 28, "FIRST", {"NONE": 0, "FIRST": 1, "EVERY": 2, "DEPTH": 3}),
    keyword("USAGE", 12, "NORMAL", {"NORMAL": 0, "XMITQ": 1}),
    *OF_QUEUES,
)

_MODEL_ONLY = {
    "DEFTYPE": keyword("DEFTYPE", 7, "TEMPDYN", {k: v for k, v in DYNAMIC.items() if k != "PREDEFINED"}),
    "DEFSOPT": keyword("DEFSOPT", 4, "EXCL", INPUT_SHARED, synonyms={"EXCLUSIVE": "EXCL"}),
    "SHARE": flag("SHARE", 23, "NO"),
}
_LOCAL_ONLY = frozenset(
    {"CURDEPTH", "IPPROCS", "OPPROCS", "CLUSNL", "CLUSTER", "CLCHNAME", "CLWLPRTY", "CLWLRANK", "CLWLUSEQ"}
    | {"DEFBIND", "SCOPE"}
)

QLOCAL = (*_name("QLOCAL"), *_STORED)

QMODEL = (
    *_name("QMODEL"),
    *(_MODEL_ONLY.get(each.name, each) for each in _STORED if each.name not in _LOCAL_ONLY),
)

_FOR_PUTS = (
    *ALTERED,
    CAP_EXPIRY,
    *CLUSTER,
    *WORKLOAD,
    CUSTOM,
    BIND,
    DEFAULT_PRIORITY,
    DEFAULT_PERSISTENCE,
    DEFAULT_RESPONSE,
)

QALIAS = (
    *_name("QALIAS"),
    *_FOR_PUTS,
    READ_AHEAD,
    DESCRIPTION,
    GET,
    PUT,
    PROPERTY_CONTROL,
    SCOPE,
    name_of("TARGET", 2002, aliases=("TARGQ",)),
    keyword("TARGTYPE", 193, "QUEUE", {"QUEUE": 1, "TOPIC": 8}),
    *DISPOSITION,
)

QREMOTE = (
    *_name("QREMOTE"),
    *_FOR_PUTS,
    DESCRIPTION,
    PUT,
    name_of("RNAME", 2018),
    name_of("RQMNAME", 2017),
    SCOPE,
    name_of("XMITQ", 2024),
    *DISPOSITION,
)
