"""Attributes of AUTHINFO, AUTHREC and CHLAUTH, in the order in which DISPLAY shows them.

AUTHINFO and CHLAUTH are several kinds in one: each attribute names the AUTHTYPEs or TYPEs that have it.
AUTHREC and CHLAUTH are records, not objects with one name: what identifies them is in `objects`.
"""

from __future__ import annotations

from penstock.qmgr.catalogue.attribute import ALTERED, integer, keyword, name_of, names, stored, string

YES_NO = {"NO": 0, "YES": 1}
CHECK = {"OPTIONAL": 0, "NONE": 1, "REQDADM": 2, "REQUIRED": 3}
LDAP_LENGTH = 1024
AUTHENTICATION = {"CRLLDAP": 1, "OCSP": 2, "IDPWOS": 3, "IDPWLDAP": 4}
OWN_PASSWORDS = "passwords are those that `penstock user` keeps"
NOT_ASKED = "LDAP and OCSP servers are not asked; a CONNAUTH that names IDPWLDAP lets no password pass"

AUTHINFO = (
    name_of("AUTHINFO", 2045, read_only=True),
    stored(NOT_ASKED, keyword("AUTHTYPE", 66, "", AUTHENTICATION), "CRLLDAP", "OCSP", "IDPWLDAP"),
    keyword("ADOPTCTX", 260, "YES", YES_NO, on="IDPWOS IDPWLDAP"),
    string("DESCR", 2046, 64),
    string("CONNAME", 2053, 264, on="CRLLDAP IDPWLDAP"),
    keyword("CHCKCLNT", 258, "REQDADM", CHECK, on="IDPWOS"),
    keyword("CHCKCLNT", 258, "REQUIRED", CHECK, on="IDPWLDAP"),
    keyword("CHCKLOCL", 257, "OPTIONAL", CHECK, on="IDPWOS IDPWLDAP"),
    integer("FAILDLAY", 259, 1, 0, 60, on="IDPWOS IDPWLDAP"),
    string("BASEDNU", 2126, LDAP_LENGTH, on="IDPWLDAP"),
    string("LDAPUSER", 2047, 256, on="CRLLDAP IDPWLDAP"),
    string("LDAPPWD", 2048, 32, on="CRLLDAP IDPWLDAP", secret=True),
    string("SHORTUSR", 2127, 128, on="IDPWLDAP"),
    string("CLASSUSR", 2128, 128, "inetOrgPerson", on="IDPWLDAP"),
    string("USRFIELD", 2129, 128, on="IDPWLDAP"),
    keyword("SECCOMM", 261, "NO", {"NO": 0, "YES": 1, "ANON": 2}, on="IDPWLDAP"),
    keyword("AUTHORMD", 263, "OS", {"OS": 0, "SEARCHGRP": 1, "SEARCHUSR": 2, "SRCHGRPSN": 3}, on="IDPWLDAP"),
    string("BASEDNG", 2132, LDAP_LENGTH, on="IDPWLDAP"),
    string("CLASSGRP", 2133, 128, "groupOfNames", on="IDPWLDAP"),
    string("FINDGRP", 2135, 128, on="IDPWLDAP"),
    string("GRPFIELD", 2134, 128, on="IDPWLDAP"),
    keyword("NESTGRP", 264, "NO", YES_NO, on="IDPWLDAP"),
    string("OCSPURL", 2109, 256, on="OCSP"),
    stored(OWN_PASSWORDS, keyword("AUTHENMD", 266, "OS", {"OS": 0, "PAM": 1}, on="IDPWOS")),
    *ALTERED,
)

AUTHORITIES = {
    "ALTUSR": 1,
    "BROWSE": 2,
    "CHG": 3,
    "CLR": 4,
    "CONNECT": 5,
    "CRT": 6,
    "CTRL": 17,
    "CTRLX": 18,
    "DLT": 7,
    "DSP": 8,
    "GET": 9,
    "INQ": 10,
    "PASSALL": 12,
    "PASSID": 13,
    "PUB": 19,
    "PUT": 11,
    "RESUME": 21,
    "SET": 14,
    "SETALL": 15,
    "SETID": 16,
    "SUB": 20,
    "SYSTEM": 22,
}
AUTHORITY_GROUPS = {"NONE": 0, "ALL": -1, "ALLADM": -2, "ALLMQI": -3}

_MQI = {
    "QUEUE": "BROWSE GET INQ PASSALL PASSID PUT SET SETALL SETID",
    "QMGR": "ALTUSR CONNECT INQ SET SETALL SETID",
    "TOPIC": "PUB RESUME SUB",
    "PROCESS": "INQ",
    "NAMELIST": "INQ",
    "AUTHINFO": "INQ",
    "RQMNAME": "PUT",
}
_ADMINISTRATION = {
    "QUEUE": "CHG CLR DLT DSP",
    "QMGR": "CHG DLT DSP",
    "TOPIC": "CHG CLR CTRL DLT DSP",
    "CHANNEL": "CHG CTRL CTRLX DLT DSP",
    "CLNTCONN": "CHG DLT DSP",
    "LISTENER": "CHG CTRL DLT DSP",
    "SERVICE": "CHG CTRL DLT DSP",
    "PROCESS": "CHG DLT DSP",
    "NAMELIST": "CHG DLT DSP",
    "AUTHINFO": "CHG DLT DSP",
    "COMMINFO": "CHG DLT DSP",
}
OBJECT_TYPES = {
    "AUTHINFO": 7,
    "CHANNEL": 6,
    "CLNTCONN": 1014,
    "COMMINFO": 9,
    "LISTENER": 11,
    "NAMELIST": 2,
    "PROCESS": 3,
    "QMGR": 5,
    "QUEUE": 1,
    "RQMNAME": 1017,
    "SERVICE": 12,
    "TOPIC": 8,
}


def authorities_of(object_type: str, words: tuple[str, ...]) -> frozenset[str]:
    """Return the single authorities that some words (ALL, ALLMQI, GET ...) mean for a type of object."""
    mqi = frozenset(_MQI.get(object_type, "").split())
    administration = frozenset(_ADMINISTRATION.get(object_type, "").split())
    meaning = {
        "NONE": frozenset[str](),
        "ALLMQI": mqi,
        "ALLADM": administration,
        "ALL": mqi | administration,
    }
    found: frozenset[str] = frozenset()
    for word in words:
        found |= meaning.get(word, frozenset({word}))
    return found


AUTHREC = (
    string("PROFILE", 3067, 48),
    string("ENTITY", 3068, 1024),
    keyword("ENTTYPE", 1118, "", {"PRINCIPAL": 1, "GROUP": 2}),
    keyword("OBJTYPE", 1016, "", OBJECT_TYPES),
    names("AUTHLIST", 1115, 8, 64, values={**AUTHORITIES, **AUTHORITY_GROUPS}, own_line=True),
)

RULE_TYPES = {"BLOCKUSER": 1, "BLOCKADDR": 2, "SSLPEERMAP": 3, "ADDRESSMAP": 4, "USERMAP": 5, "QMGRMAP": 6}
MAPS = "SSLPEERMAP ADDRESSMAP USERMAP QMGRMAP"

CHLAUTH = (
    string("CHLAUTH", 3501, 20, read_only=True),
    keyword("TYPE", 1352, "", RULE_TYPES),
    string("DESCR", 2118, 64),
    string("CUSTOM", 2119, 128),
    string("SSLPEER", 3545, 1024, on="SSLPEERMAP"),
    string("SSLCERTI", 3550, 1024, on="SSLPEERMAP"),
    string("ADDRESS", 3506, 264, on=MAPS),
    string("CLNTUSER", 3567, 64, on="USERMAP"),
    string("QMNAME", 2017, 48, on="QMGRMAP"),
    names("ADDRLIST", 3566, 264, 256, on="BLOCKADDR", own_line=True),
    names("USERLIST", 3568, 64, 100, on="BLOCKUSER", own_line=True),
    string("MCAUSER", 3527, 64, on=MAPS),
    keyword("USERSRC", 1638, "MAP", {"MAP": 0, "NOACCESS": 1, "CHANNEL": 2}, on=MAPS),
    keyword("CHCKCLNT", 258, "ASQMGR", {"REQDADM": 2, "REQUIRED": 3, "ASQMGR": 4}, on=MAPS),
    keyword("WARN", 1639, "NO", YES_NO),
    *ALTERED,
)
