"""Attributes of QMGR, in the order in which DISPLAY QMGR shows them.

Constants only, with MQ's numbers, defaults and bounds; `qmgr.attributes` answers questions about them.
The effect of a value is in the module that reads it; `stored` marks those that no module reads.
"""

from __future__ import annotations

from penstock.qmgr.catalogue.attribute import (
    ALTERED,
    CREATED,
    flag,
    integer,
    keyword,
    name_of,
    names,
    refusing,
    stored,
    string,
)
from penstock.qmgr.catalogue.missing import (
    NO_ACTIVITY,
    NO_EXITS,
    NO_IMAGES,
    NO_OVERRIDE,
    NO_WORKLOAD_EXITS,
)
from penstock.qmgr.catalogue.sharing import OF_QMGR

EVENT = {"DISABLED": 0, "ENABLED": 1}
SWITCH = {"OFF": 0, "ON": 1}
YES_NO = {"NO": 0, "YES": 1}
MONITOR = {"NONE": -1, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}
MONITOR_CLUSTER_SENDERS = {"QMGR": -3, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}
RECORDING = {"DISABLED": 0, "QUEUE": 1, "MSG": 2}
CONTROL = {"QMGR": 0, "MANUAL": 2}

NOT_FOR_COMMANDS = "publish/subscribe command messages are read one by one, each in a unit of its own"

COMMAND_LEVEL = 942
VERSION = "09040200"

QMGR = (
    name_of("QMNAME", 2015, read_only=True),
    stored(NO_OVERRIDE, keyword("ACCTCONO", 136, "DISABLED", EVENT)),
    integer("ACCTINT", 135, 1800, 1, 604800),
    keyword("ACCTMQI", 133, "OFF", SWITCH),
    keyword("ACCTQ", 134, "OFF", {"NONE": -1, **SWITCH}),
    keyword("ACTIVREC", 138, "MSG", RECORDING),
    stored(NO_ACTIVITY, keyword("ACTVCONO", 239, "DISABLED", EVENT)),
    keyword("ACTVTRC", 240, "OFF", SWITCH),
    keyword("ADVCAP", 273, "DISABLED", EVENT, read_only=True),
    *ALTERED,
    keyword("AMQPCAP", 265, "NO", YES_NO, read_only=True),
    keyword("AUTHOREV", 47, "DISABLED", EVENT),
    integer("CCSID", 2, 1208, 1, 65535),
    string("CERTLABL", 2121, 64),
    refusing(
        "certificates are checked by the rules of the TLS library only",
        keyword("CERTVPOL", 252, "ANY", {"ANY": 0, "RFC5280": 1}),
        "RFC5280",
    ),
    keyword("CHAD", 55, "DISABLED", EVENT),
    keyword("CHADEV", 56, "DISABLED", EVENT),
    stored(NO_EXITS, string("CHADEXIT", 2026, 128)),
    keyword("CHLEV", 73, "DISABLED", {**EVENT, "EXCEPTION": 2}),
    keyword("CHLAUTH", 248, "ENABLED", EVENT),
    stored(NO_WORKLOAD_EXITS, string("CLWLDATA", 2034, 32)),
    stored(NO_WORKLOAD_EXITS, string("CLWLEXIT", 2033, 128)),
    stored(NO_WORKLOAD_EXITS, integer("CLWLLEN", 58, 100)),
    integer("CLWLMRUC", 97, 999999999, 1),
    keyword("CLWLUSEQ", 98, "LOCAL", {"LOCAL": 0, "ANY": 1}),
    keyword("CMDEV", 99, "DISABLED", {**EVENT, "NODISPLAY": 3}),
    integer("CMDLEVEL", 31, COMMAND_LEVEL, read_only=True),
    name_of("COMMANDQ", 2003, default="SYSTEM.ADMIN.COMMAND.QUEUE", read_only=True),
    keyword("CONFIGEV", 51, "DISABLED", EVENT),
    name_of("CONNAUTH", 2125, default="SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
    *CREATED,
    string("CUSTOM", 2119, 128),
    name_of("DEADQ", 2006),
    keyword("DEFCLXQ", 250, "SCTQ", {"SCTQ": 0, "CHANNEL": 1}),
    name_of("DEFXMITQ", 2025),
    string("DESCR", 2014, 64),
    keyword("DISTL", 34, "YES", YES_NO, read_only=True),
    stored(NO_IMAGES, integer("IMGINTVL", 269, 60, 1, words={"OFF": 0})),
    stored(NO_IMAGES, integer("IMGLOGLN", 270, "OFF", 1, words={"OFF": 0})),
    stored(NO_IMAGES, keyword("IMGRCOVO", 271, "YES", YES_NO)),
    stored(NO_IMAGES, keyword("IMGRCOVQ", 272, "YES", YES_NO)),
    stored(NO_IMAGES, keyword("IMGSCHED", 268, "MANUAL", {"MANUAL": 0, "AUTO": 1})),
    keyword("INHIBTEV", 48, "DISABLED", EVENT),
    stored("keys are read from PEM files that are not encrypted", string("INITKEY", 2054, 256, secret=True)),
    stored(
        "a listener has the address family of its IPADDR",
        keyword("IPADDRV", 93, "IPV4", {"IPV4": 0, "IPV6": 1}),
    ),
    keyword("LOCALEV", 49, "DISABLED", EVENT),
    keyword("LOGGEREV", 94, "DISABLED", EVENT),
    integer("MARKINT", 68, 5000, words={"NOLIMIT": -1}),
    integer("MAXHANDS", 11, 256, 1),
    integer("MAXMSGL", 13, 4194304, 32768, 104857600),
    stored(
        "the length of properties is not limited",
        integer("MAXPROPL", 192, "NOLIMIT", 0, 104857600, words={"NOLIMIT": -1}),
    ),
    integer("MAXPRTY", 14, 9, 0, 9, read_only=True),
    integer("MAXUMSGS", 33, 10000, 1),
    stored(
        "channel status always has its figures",
        keyword("MONACLS", 124, "QMGR", MONITOR_CLUSTER_SENDERS),
    ),
    stored("channel status always has its figures", keyword("MONCHL", 122, "OFF", MONITOR)),
    keyword("MONQ", 123, "OFF", MONITOR),
    name_of("PARENT", 2102),
    keyword("PERFMEV", 53, "DISABLED", EVENT),
    keyword("PLATFORM", 32, "UNIX", {"UNIX": 3}, read_only=True),
    keyword("PSMODE", 187, "ENABLED", {"DISABLED": 0, "COMPAT": 1, "ENABLED": 2}),
    keyword("PSCLUS", 249, "ENABLED", EVENT),
    stored(NOT_FOR_COMMANDS, keyword("PSNPMSG", 203, "DISCARD", {"DISCARD": 2, "KEEP": 3})),
    stored(
        NOT_FOR_COMMANDS, keyword("PSNPRES", 205, "NORMAL", {"NORMAL": 0, "SAFE": 1, "DISCARD": 2, "KEEP": 3})
    ),
    stored(NOT_FOR_COMMANDS, integer("PSRTYCNT", 206, 5)),
    stored(NOT_FOR_COMMANDS, keyword("PSSYNCPT", 207, "IFPER", {"YES": 0, "IFPER": 1})),
    string("QMID", 2032, 48, read_only=True),
    keyword("REMOTEEV", 50, "DISABLED", EVENT),
    name_of("REPOS", 2035),
    name_of("REPOSNL", 2036),
    keyword("REVDNS", 254, "ENABLED", {"ENABLED": 0, "DISABLED": 1}),
    keyword("ROUTEREC", 137, "MSG", RECORDING),
    keyword("SCHINIT", 119, "QMGR", CONTROL),
    stored("there is no command server", keyword("SCMDSERV", 120, "QMGR", CONTROL)),
    keyword("SPLCAP", 251, "DISABLED", EVENT, read_only=True),
    refusing("revocation lists are not looked at", name_of("SSLCRLNL", 2050)),
    stored("keys are read from PEM files that are not encrypted", string("SSLCRYP", 2051, 256)),
    keyword("SSLEV", 75, "DISABLED", EVENT),
    refusing("the TLS library is not switched to FIPS mode", keyword("SSLFIPS", 92, "NO", YES_NO), "YES"),
    stored("keys are read from PEM files that are not encrypted", string("KEYRPWD", 2055, 1024, secret=True)),
    string("SSLKEYR", 2049, 256),
    refusing("the TLS library changes keys by itself and cannot be asked to", integer("SSLRKEYC", 76, 0)),
    stored(
        "automatically defined channels have no statistics messages of their own",
        keyword("STATACLS", 130, "QMGR", MONITOR_CLUSTER_SENDERS),
    ),
    keyword("STATCHL", 129, "OFF", MONITOR),
    integer("STATINT", 131, 1800, 1, 604800),
    keyword("STATMQI", 127, "OFF", SWITCH),
    keyword("STATQ", 128, "OFF", {"NONE": -1, **SWITCH}),
    keyword("STRSTPEV", 52, "ENABLED", EVENT),
    refusing(
        "cipher suites are not limited to those of Suite B; SSLCIPH of a channel names one",
        names("SUITEB", 247, 8, 3, values={"NONE": 1, "128_BIT": 2, "192_BIT": 4}, default=("NONE",)),
        "128_BIT",
        "192_BIT",
    ),
    flag("SYNCPT", 30, "YES", read_only=True),
    integer("TREELIFE", 183, 1800, 0, 604000),
    integer("TRIGINT", 25, 999999999),
    string("VERSION", 2120, 8, VERSION, read_only=True),
    keyword("XRCAP", 243, "NO", YES_NO, read_only=True),
    *OF_QMGR,
)
