"""The fields of MQSC's status displays, in the order in which they are shown, each with its blank value.

A field that is here can be asked for and compared in WHERE whether or not there is a row to show. The
values come from the engine and the runtime; a blank value is 0 for numbers and text for the rest.
"""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

QUEUE_FIELDS: Row = {
    "CURDEPTH": 0,
    "IPPROCS": 0,
    "LGETDATE": "",
    "LGETTIME": "",
    "LPUTDATE": "",
    "LPUTTIME": "",
    "MEDIALOG": "",
    "MONQ": "OFF",
    "MSGAGE": "",
    "OPPROCS": 0,
    "QTIME": " , ",
    "RESERVED": 0,
    "UNCOM": "NO",
}
MONITORED = ("LGETDATE", "LGETTIME", "LPUTDATE", "LPUTTIME", "MSGAGE")
HANDLE_FIELDS: Row = {
    "APPLDESC": "",
    "APPLTAG": "",
    "APPLTYPE": "USER",
    "ASTATE": "NONE",
    "BROWSE": "NO",
    "CHANNEL": "",
    "CONNAME": "",
    "HSTATE": "INACTIVE",
    "INPUT": "NO",
    "INQUIRE": "NO",
    "OUTPUT": "NO",
    "PID": 0,
    "QMURID": "0.0",
    "SET": "NO",
    "TID": 0,
    "URID": "",
    "URTYPE": "QMGR",
    "USERID": "",
}
CONNECTION_FIELDS: Row = {
    "EXTCONN": "",
    "TYPE": "CONN",
    "PID": 0,
    "TID": 0,
    "APPLDESC": "",
    "APPLTAG": "",
    "APPLTYPE": "USER",
    "ASTATE": "NONE",
    "CHANNEL": "",
    "CLIENTID": "",
    "CONNAME": "",
    "CONNOPTS": "",
    "USERID": "",
    "UOWLOG": "",
    "UOWSTDA": "",
    "UOWSTTI": "",
    "UOWLOGDA": "",
    "UOWLOGTI": "",
    "URTYPE": "QMGR",
    "EXTURID": "",
    "QMURID": "0.0",
    "UOWSTATE": "NONE",
}
OPEN_FIELDS: Row = {
    "EXTCONN": "",
    "TYPE": "HANDLE",
    "OBJNAME": "",
    "OBJTYPE": "QUEUE",
    "TOPICSTR": "",
    "SUBNAME": "",
    "OPENOPTS": "",
    "HSTATE": "INACTIVE",
    "ASTATE": "NONE",
    "READA": "NO",
}
# There is no channel initiator, no command server and no second instance: these values are constants.
QMGR_FIELDS: Row = {
    "TYPE": "QMGR",
    "STATUS": "RUNNING",
    "CHINIT": "STOPPED",
    "CMDSERV": "STOPPED",
    "CONNS": 0,
    "ARCHLOG": "",
    "ARCHSZ": 0,
    "CURRLOG": "",
    "DATFSSZ": 0,
    "DATFSUSE": 0,
    "DATPATH": "",
    "HOSTNAME": "",
    "INCARNATION": "",
    "INSTDESC": "",
    "INSTNAME": "",
    "INSTPATH": "",
    "LDAPCONN": "INACTIVE",
    "LOGEXTSZ": 0,
    "LOGFSSZ": 0,
    "LOGFSUSE": 0,
    "LOGINUSE": 0,
    "LOGPATH": "",
    "LOGPRIM": 0,
    "LOGSEC": 0,
    "LOGTYPE": "",
    "LOGUTIL": 0,
    "MEDIALOG": "",
    "MEDIASZ": 0,
    "RECLOG": "",
    "RECSZ": 0,
    "REUSESZ": 0,
    "STANDBY": "NOPERMIT",
    "STARTDA": "",
    "STARTTI": "",
}
QMGR_HEAD = ("QMNAME", "TYPE", "STATUS")


def _fields(texts: str, numbers: str = "") -> Row:
    return {**dict.fromkeys(texts.split(), ""), **dict.fromkeys(numbers.split(), 0)}


# What can be asked of channels, listeners ..., also where none runs; rows may have fewer fields.
RUNTIME_FIELDS: dict[str, Row] = {
    "CHANNEL": _fields(
        "CHANNEL CHLTYPE CONNAME STATUS SUBSTATE CHSTADA CHSTATI COMPHDR COMPMSG COMPRATE COMPTIME CURRENT"
        " EXITTIME INDOUBT JOBNAME LOCLADDR LSTLUWID LSTMSGDA LSTMSGTI CURLUWID MCASTAT MCAUSER MONCHL"
        " NETTIME NPMSPEED QMNAME RAPPLTAG RPRODUCT RQMNAME RVERSION SECPROT SSLCERTI SSLCERTU SSLCIPH"
        " SSLKEYDA SSLKEYTI SSLPEER STATCHL STOPREQ XBATCHSZ XMITQ XQTIME",
        "BATCHES BATCHSZ BUFSRCVD BUFSSENT BYTSRCVD BYTSSENT CURMSGS CURSEQNO CURSHCNV HBINT KAINT LONGRTS"
        " LSTSEQNO MAXMSGL MAXSHCNV MSGS PORT SHORTRTS SSLRKEYS XQMSGSA",
    ),
    "LISTENER": _fields(
        "LISTENER STATUS ADAPTER CONTROL DESCR IPADDR LOCLNAME NTBNAMES STARTDA STARTTI TPNAME TRPTYPE",
        "BACKLOG COMMANDS PID PORT SESSIONS SOCKET",
    ),
    "SERVICE": _fields(
        "SERVICE STATUS CONTROL DESCR SERVTYPE STARTARG STARTCMD STARTDA STARTTI STDERR STDOUT STOPARG"
        " STOPCMD",
        "PID",
    ),
    "CLUSQMGR": _fields(
        "CLUSQMGR CHANNEL CLUSTER CLUSDATE CLUSTIME CONNAME DEFTYPE DESCR QMID QMTYPE STATUS SUSPEND TRPTYPE"
        " VERSION XMITQ",
        "CLWLPRTY CLWLRANK CLWLWGHT NETPRTY",
    ),
    "APPLICATION": _fields("APPLNAME CLUSTER BALANCED TYPE", "COUNT MOVCOUNT"),
}
