"""Attributes of CHANNEL: one table, each attribute with the channel types that have it.

Attributes with the same meaning but another default for some types (DISCINT, MCATYPE) are listed
twice. All but CLNTCONN and AMQP run; of a type that does not, no attribute has effect. The numbers
are those of PCF (MQIACH_/MQCACH_): channels cannot be inquired by MQINQ.
"""

from __future__ import annotations

from penstock.model import cipher_specs
from penstock.qmgr.catalogue.attribute import (
    ALTERED,
    checking,
    integer,
    keyword,
    name_of,
    names,
    refusing,
    stored,
    string,
)
from penstock.qmgr.catalogue.missing import NO_COMPRESSION, NO_EXITS

CHANNEL_TYPES = {
    "SDR": 1,
    "SVR": 2,
    "RCVR": 3,
    "RQSTR": 4,
    "CLNTCONN": 6,
    "SVRCONN": 7,
    "CLUSRCVR": 8,
    "CLUSSDR": 9,
    "AMQP": 11,
}
YES_NO = {"NO": 0, "YES": 1}
MONITOR = {"QMGR": -3, "OFF": 0, "LOW": 17, "MEDIUM": 33, "HIGH": 65}
HEADER_COMPRESSION = {"NONE": 0, "SYSTEM": 8}
COMPRESSION = {
    "NONE": 0,
    "RLE": 1,
    "ZLIBFAST": 2,
    "ZLIBHIGH": 4,
    "LZ4FAST": 16,
    "LZ4HIGH": 32,
    "ANY": 268435455,
}
MCA_TYPE = {"PROCESS": 1, "THREAD": 2}

SENDING = "SDR SVR CLUSSDR CLUSRCVR"
RECEIVING = "RCVR RQSTR CLUSRCVR"
MESSAGE = "SDR SVR RCVR RQSTR CLUSSDR CLUSRCVR"
CLUSTER = "CLUSSDR CLUSRCVR"
NOT_AMQP = MESSAGE + " SVRCONN CLNTCONN"
CALLING = "SDR SVR RQSTR CLUSSDR CLUSRCVR CLNTCONN"
LOGGING_ON = "SDR SVR RQSTR CLUSSDR CLNTCONN"
ANSWERING = "SVR RCVR RQSTR CLUSRCVR SVRCONN AMQP"
CERTIFIED = "SDR SVR RCVR RQSTR CLUSRCVR SVRCONN CLNTCONN AMQP"

RUN = {"SVRCONN", "SDR", "SVR", "RCVR", "RQSTR", "CLUSSDR", "CLUSRCVR"}
NOT_RUN = "channels of this type do not run; clients connect by SVRCONN and need no CLNTCONN"
NO_PROCESSES = "channels run in the server's own process"
NOT_SNA = "channels use TCP"

CHANNEL = (
    string("CHANNEL", 3501, 20, characters="name", read_only=True),
    stored(NOT_RUN, keyword("CHLTYPE", 1511, "", CHANNEL_TYPES), *(set(CHANNEL_TYPES) - RUN)),
    keyword("AFFINITY", 1621, "PREFERRED", {"NONE": 0, "PREFERRED": 1}, on="CLNTCONN"),
    *ALTERED,
    integer("BATCHHB", 1567, 0, 0, 999999, on=SENDING),
    integer("BATCHINT", 1564, 0, on=SENDING),
    integer("BATCHLIM", 1624, 5000, 0, 999999, on=SENDING),
    integer("BATCHSZ", 1502, 50, 1, 9999, on=MESSAGE),
    stored(
        "all channels show the certificate of the queue manager", string("CERTLABL", 2121, 64, on=CERTIFIED)
    ),
    integer("CLNTWGHT", 1620, 0, 0, 99, on="CLNTCONN"),
    name_of("CLUSNL", 2030, on=CLUSTER),
    name_of("CLUSTER", 2029, on=CLUSTER),
    integer("CLWLPRTY", 1578, 0, 0, 9, on=CLUSTER),
    integer("CLWLRANK", 1577, 0, 0, 9, on=CLUSTER),
    integer("CLWLWGHT", 1579, 50, 1, 99, on=CLUSTER),
    stored(
        NO_COMPRESSION,
        names("COMPHDR", 1575, 8, 2, values=HEADER_COMPRESSION, default=("NONE",), on=NOT_AMQP),
    ),
    stored(
        "zlib alone is built in",
        names("COMPMSG", 1576, 8, 16, values=COMPRESSION, default=("NONE",), on=MESSAGE),
        *("RLE", "LZ4FAST", "LZ4HIGH"),
    ),
    stored(
        NO_COMPRESSION,
        names("COMPMSG", 1576, 8, 16, values=COMPRESSION, default=("NONE",), on="SVRCONN CLNTCONN"),
    ),
    string("CONNAME", 3506, 264, on=CALLING),
    keyword("CONVERT", 1515, "NO", YES_NO, on=SENDING),
    keyword("DEFRECON", 1640, "NO", {"NO": 0, "YES": 1, "QMGR": 2, "DISABLED": 3}, on="CLNTCONN"),
    string("DESCR", 3502, 64),
    integer("DISCINT", 1503, 6000, 0, 999999, on=SENDING),
    integer("DISCINT", 1503, 0, 0, 999999, on="SVRCONN"),
    integer("AMQPKA", 1644, "AUTO", 0, 99999, words={"AUTO": -1}, on="AMQP"),
    integer("HBINT", 1563, 300, 0, 999999, on=NOT_AMQP),
    stored(
        "heartbeats (HBINT) find a lost partner",
        integer("KAINT", 1566, "AUTO", 0, 99999, words={"AUTO": -1}, on=NOT_AMQP),
    ),
    string("LOCLADDR", 3520, 48, on=CALLING + " AMQP"),
    integer("LONGRTY", 1507, 999999999, on=SENDING),
    integer("LONGTMR", 1506, 1200, on=SENDING),
    integer("MAXINST", 1618, 999999999, on="SVRCONN AMQP"),
    integer("MAXINSTC", 1619, 999999999, on="SVRCONN"),
    integer("MAXMSGL", 1510, 4194304, 0, 104857600),
    stored(NO_PROCESSES, string("MCANAME", 3507, 20, on="SDR SVR RQSTR CLUSSDR CLUSRCVR")),
    stored(NO_PROCESSES, keyword("MCATYPE", 1517, "PROCESS", MCA_TYPE, on="SDR SVR RQSTR")),
    stored(NO_PROCESSES, keyword("MCATYPE", 1517, "THREAD", MCA_TYPE, on=CLUSTER)),
    string("MCAUSER", 3527, 64, on=RECEIVING + " SVRCONN AMQP"),
    stored(
        "a sending end uses its transmission queue with the rights of the queue manager",
        string("MCAUSER", 3527, 64, on="SDR SVR CLUSSDR"),
    ),
    stored(NOT_SNA, string("MODENAME", 3503, 8, on=CALLING)),
    stored(
        "channel status always has its figures",
        keyword("MONCHL", 122, "QMGR", MONITOR, on=MESSAGE + " SVRCONN"),
    ),
    stored(NO_EXITS, string("MRDATA", 3535, 32, on=RECEIVING)),
    stored(NO_EXITS, string("MREXIT", 3534, 128, on=RECEIVING)),
    integer("MRRTY", 1544, 10, on=RECEIVING),
    integer("MRTMR", 1545, 1000, on=RECEIVING),
    stored(NO_EXITS, names("MSGDATA", 3514, 32, 31, on=MESSAGE)),
    stored(NO_EXITS, names("MSGEXIT", 3509, 128, 31, on=MESSAGE)),
    integer("NETPRTY", 1565, 0, 0, 9, on="CLUSRCVR"),
    keyword("NPMSPEED", 1562, "FAST", {"NORMAL": 1, "FAST": 2}, on=MESSAGE),
    stored(NOT_SNA, string("PASSWORD", 3518, 12, on=LOGGING_ON, secret=True)),
    integer("PORT", 1522, 5672, 1, 65535, on="AMQP"),
    stored(
        "it is for partners that know no message properties; all of ours do",
        keyword(
            "PROPCTL",
            190,
            "COMPAT",
            {"COMPAT": 0, "NONE": 1, "ALL": 2, "FORCE": 3, "V6COMPAT": 4},
            on=SENDING,
        ),
    ),
    keyword("PUTAUT", 1508, "DEF", {"DEF": 1, "CTX": 2, "ONLYMCA": 3, "ALTMCA": 4}, on=RECEIVING),
    name_of("QMNAME", 2015, on="CLNTCONN"),
    stored(NO_EXITS, names("RCVDATA", 3516, 32, 31, on=NOT_AMQP)),
    stored(NO_EXITS, names("RCVEXIT", 3511, 128, 31, on=NOT_AMQP)),
    keyword("RESETSEQ", 1623, "NO", YES_NO, on=MESSAGE, read_only=True),
    stored(NO_EXITS, string("SCYDATA", 3513, 32, on=NOT_AMQP)),
    stored(NO_EXITS, string("SCYEXIT", 3508, 128, on="CLNTCONN")),
    refusing(
        "security exits are not called; CHLAUTH rules do that",
        string("SCYEXIT", 3508, 128, on="SVRCONN SDR SVR RCVR RQSTR CLUSSDR CLUSRCVR"),
    ),
    stored(NO_EXITS, names("SENDDATA", 3515, 32, 31, on=NOT_AMQP)),
    stored(NO_EXITS, names("SENDEXIT", 3510, 128, 31, on=NOT_AMQP)),
    integer("SEQWRAP", 1509, 999999999, 100, on=MESSAGE),
    integer("SHARECNV", 1615, 10, on="SVRCONN CLNTCONN"),
    integer("SHORTRTY", 1505, 10, on=SENDING),
    integer("SHORTTMR", 1504, 60, on=SENDING),
    keyword("SSLCAUTH", 1568, "REQUIRED", {"REQUIRED": 0, "OPTIONAL": 1}, on=ANSWERING),
    string("SSLCIPH", 3544, 256, on="CLNTCONN AMQP"),
    checking(cipher_specs.refusal, string("SSLCIPH", 3544, 256, on=MESSAGE + " SVRCONN")),
    string("SSLPEER", 3545, 1024),
    keyword("STATCHL", 129, "QMGR", MONITOR, on=MESSAGE),
    string("TPROOT", 3571, 10240, "SYSTEM.BASE.TOPIC", on="AMQP"),
    name_of("TMPMODEL", 3572, default="SYSTEM.DEFAULT.MODEL.QUEUE", on="AMQP"),
    string("TMPQPRFX", 3573, 32, "AMQP.*", on="AMQP"),
    stored(NOT_SNA, string("TPNAME", 3504, 64, on=CALLING)),
    stored(
        "channels use TCP",
        keyword("TRPTYPE", 1501, "TCP", {"LU62": 1, "TCP": 2, "NETBIOS": 3, "SPX": 4}, on=NOT_AMQP),
    ),
    keyword("USECLTID", 1629, "NO", YES_NO, on="AMQP"),
    keyword("USEDLQ", 234, "YES", {"NO": 1, "YES": 2}, on=MESSAGE),
    stored(NOT_SNA, string("USERID", 3517, 12, on=LOGGING_ON)),
    name_of("XMITQ", 3505, on="SDR SVR"),
)
