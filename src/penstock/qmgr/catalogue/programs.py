"""Attributes of PROCESS, NAMELIST, LISTENER and SERVICE, in the order in which DISPLAY shows them.

Constants only, with MQ's numbers, defaults and bounds; `qmgr.attributes` answers questions about them.
What starts a program or a listener is elsewhere.
"""

from __future__ import annotations

from penstock.qmgr.catalogue.attribute import ALTERED, integer, keyword, name_of, names, stored, string
from penstock.qmgr.catalogue.sharing import DISPOSITION

APPLICATION_TYPES = {
    "UNIX": 6,
    "AIX": 6,
    "CICS": 1,
    "DEF": 6,
    "DOS": 5,
    "IMS": 3,
    "MVS": 2,
    "OS390": 2,
    "NOTESAGENT": 22,
    "NSK": 13,
    "OS400": 8,
    "VMS": 12,
    "WINDOWS": 9,
    "WINDOWSNT": 11,
    "ZOS": 2,
    "USER": 25,
}
CONTROL = {"QMGR": 0, "STARTONLY": 1, "MANUAL": 2}

PROCESS = (
    name_of("PROCESS", 2012, read_only=True),
    string("DESCR", 2011, 64),
    integer("APPLTYPE", 1, "UNIX", words=APPLICATION_TYPES),
    string("APPLICID", 2001, 256),
    string("ENVRDATA", 2007, 128),
    string("USERDATA", 2021, 128),
    *ALTERED,
    *DISPOSITION,
)

NAMELIST = (
    name_of("NAMELIST", 2010, read_only=True),
    integer("NAMCOUNT", 19, 0, 0, 256, read_only=True),
    names("NAMES", 2020, 48, 256, characters="name", own_line=True),
    string("DESCR", 2009, 64),
    *ALTERED,
    *DISPOSITION,
)

LISTENER = (
    name_of("LISTENER", 3554, read_only=True),
    keyword("CONTROL", 1601, "MANUAL", CONTROL),
    stored(
        "listeners use TCP", keyword("TRPTYPE", 1501, "TCP", {"LU62": 1, "TCP": 2, "NETBIOS": 3, "SPX": 4})
    ),
    integer("PORT", 1522, 0, 0, 65535),
    string("IPADDR", 3552, 48),
    integer("BACKLOG", 1602, 0),
    string("DESCR", 3555, 64),
    *ALTERED,
)

SERVICE = (
    name_of("SERVICE", 2077, read_only=True),
    keyword("CONTROL", 139, "MANUAL", CONTROL),
    keyword("SERVTYPE", 121, "COMMAND", {"COMMAND": 0, "SERVER": 1}),
    string("STARTCMD", 2079, 256),
    string("STARTARG", 2080, 1000),
    string("STOPCMD", 2081, 256),
    string("STOPARG", 2082, 1000),
    string("STDOUT", 2083, 256),
    string("STDERR", 2084, 256),
    string("DESCR", 2078, 64),
    *ALTERED,
)
