"""Attributes of TOPIC, SUB and COMMINFO, in the order in which DISPLAY shows them.

The defaults of TOPIC are those of SYSTEM.DEFAULT.TOPIC (as parent wherever that is possible); the values of
SYSTEM.BASE.TOPIC are in system_objects.
"""

from __future__ import annotations

from penstock.model.limits import TOPIC_STRING_LENGTH
from penstock.qmgr.catalogue.attribute import (
    ALTERED,
    CREATED,
    Attribute,
    integer,
    keyword,
    name_of,
    stored,
    string,
)
from penstock.qmgr.catalogue.missing import NO_MULTICAST

INHIBIT = {"ASPARENT": 0, "DISABLED": 1, "ENABLED": 2}
DELIVERY = {"ASPARENT": 0, "ALL": 1, "ALLDUR": 2, "ALLAVAIL": 3}
SCOPE = {"ALL": 0, "ASPARENT": 1, "QMGR": 4}
YES_NO = {"NO": 0, "YES": 1}
OURS = 0  # MQ has no number for it
ENCODINGS = {"ASPUB": -1, "NORMAL": 273, "REVERSED": 546, "S390": 785, "TNS": 1041}


def _or_parent(name: str, number: int, values: dict[str, int]) -> Attribute:
    return keyword(name, number, "ASPARENT", values)


TOPIC = (
    name_of("TOPIC", 2092, read_only=True),
    keyword("TYPE", 208, "LOCAL", {"LOCAL": 0, "CLUSTER": 1, "ALL": 2}, read_only=True),
    string("TOPICSTR", 2094, TOPIC_STRING_LENGTH),
    string("DESCR", 2093, 64),
    name_of("CLUSTER", 2029),
    keyword("CLROUTE", 255, "DIRECT", {"DIRECT": 0, "TOPICHOST": 1}),
    _or_parent("DURSUB", 175, {"ASPARENT": 0, "YES": 1, "NO": 2}),
    _or_parent("PUB", 181, INHIBIT),
    _or_parent("SUB", 182, INHIBIT),
    _or_parent("DEFPSIST", 185, {"ASPARENT": -1, "NO": 0, "YES": 1}),
    integer("DEFPRTY", 6, "ASPARENT", 0, 9, words={"ASPARENT": -2}),
    stored(
        "a publish is answered when it is done",
        _or_parent("DEFPRESP", 184, {"ASPARENT": 0, "SYNC": 1, "ASYNC": 2}),
    ),
    *ALTERED,
    _or_parent("PMSGDLV", 195, DELIVERY),
    _or_parent("NPMSGDLV", 196, DELIVERY),
    _or_parent("PUBSCOPE", 219, SCOPE),
    _or_parent("SUBSCOPE", 218, SCOPE),
    keyword("PROXYSUB", 199, "FIRSTUSE", {"FORCE": 1, "FIRSTUSE": 2}),
    keyword("WILDCARD", 216, "PASSTHRU", {"BLOCK": 1, "PASSTHRU": 2}),
    name_of("MDURMDL", 2096),
    name_of("MNDURMDL", 2097),
    stored(NO_MULTICAST, _or_parent("MCAST", 176, {"ASPARENT": 0, "ENABLED": 1, "DISABLED": 2, "ONLY": 3})),
    stored(NO_MULTICAST, name_of("COMMINFO", 2110)),
    _or_parent("USEDLQ", 234, {"ASPARENT": 0, "NO": 1, "YES": 2}),
    integer("CAPEXPRY", 276, "ASPARENT", 1, words={"NOLIMIT": -1, "ASPARENT": -2}),
    string("CUSTOM", 2119, 128),
)

SUB = (
    string("SUBID", 7016, 48, characters="hex", read_only=True),
    string("SUB", 3152, TOPIC_STRING_LENGTH, read_only=True),
    string("TOPICSTR", 2094, TOPIC_STRING_LENGTH),
    name_of("TOPICOBJ", 2092),
    keyword("DISTYPE", 262, "RESOLVED", {"RESOLVED": 0, "DEFINED": 1}, read_only=True),
    name_of("DEST", 3154),
    name_of("DESTQMGR", 3153),
    string("DESTCORL", 7015, 48, characters="hex"),
    keyword("DESTCLAS", 1273, "PROVIDED", {"MANAGED": 1, "PROVIDED": 2}),
    keyword("DURABLE", 1274, "YES", {"YES": 1, "NO": 2}, read_only=True),
    keyword("SUBSCOPE", 218, "ALL", {"ALL": 0, "QMGR": 4}),
    integer("SUBLEVEL", 1307, 1, 0, 9),
    string("SUBUSER", 3156, 64),
    string("PUBACCT", 7010, 64, characters="hex"),
    string("SELECTOR", 3160, TOPIC_STRING_LENGTH),
    keyword("SELTYPE", 1321, "NONE", {"NONE": 0, "STANDARD": 1, "EXTENDED": 2}, read_only=True),
    string("USERDATA", 3159, TOPIC_STRING_LENGTH),
    string("PUBAPPID", 3135, 32),
    integer("EXPIRY", 1244, "UNLIMITED", 0, words={"UNLIMITED": -1}),
    integer("PUBPRTY", 1283, "ASPUB", 0, 9, words={"ASPUB": -3, "ASQDEF": -1}),
    keyword("PUBPSIST", OURS, "ASPUB", {"NO": 0, "YES": 1, "ASQDEF": 2, "ASPUB": -3}),
    keyword("GROUPED", OURS, "NO", YES_NO),
    keyword("PSPROP", 1271, "MSGPROP", {"NONE": 0, "COMPAT": 1, "RFH2": 2, "MSGPROP": 3}),
    keyword("REQONLY", 1280, "NO", YES_NO),
    keyword("VARUSER", 1277, "ANY", {"FIXED": 1, "ANY": 2}),
    keyword("WSCHEMA", 1288, "TOPIC", {"CHAR": 1, "TOPIC": 2}),
    keyword(
        "SUBTYPE", 1289, "ADMIN", {"API": 1, "ADMIN": 2, "PROXY": 3, "USER": -2, "ALL": -1}, read_only=True
    ),
    *CREATED,
    *ALTERED,
)

COMMINFO = (
    name_of("COMMINFO", 2110, read_only=True),
    keyword("TYPE", 223, "MULTICAST", {"MULTICAST": 1}),
    *ALTERED,
    stored(NO_MULTICAST, keyword("BRIDGE", 233, "ENABLED", {"DISABLED": 0, "ENABLED": 1})),
    stored(NO_MULTICAST, integer("CCSID", 2, "ASPUB", 1, 65535, words={"ASPUB": -4})),
    stored(NO_MULTICAST, keyword("COMMEV", 232, "DISABLED", {"DISABLED": 0, "ENABLED": 1, "EXCEPTION": 2})),
    string("DESCR", 2111, 64),
    stored(NO_MULTICAST, integer("ENCODING", 1243, "ASPUB", words=ENCODINGS)),
    stored(NO_MULTICAST, string("GRPADDR", 3562, 264, "239.0.0.0")),
    stored(NO_MULTICAST, integer("MCHBINT", 1628, 2000)),
    stored(
        NO_MULTICAST,
        keyword("MCPROP", 1626, "ALL", {"ALL": -1, "REPLY": 2, "USER": 1, "NONE": 0, "COMPAT": -2}),
    ),
    stored(NO_MULTICAST, integer("MONINT", 81, 60)),
    stored(NO_MULTICAST, integer("MSGHIST", 1625, 100)),
    stored(NO_MULTICAST, keyword("NSUBHIST", 1627, "NONE", {"NONE": 0, "ALL": -1})),
    stored(NO_MULTICAST, integer("PORT", 1522, 1414, 1, 65535)),
)
