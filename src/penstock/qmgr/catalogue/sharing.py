"""Attributes of queue-sharing groups: CFSTRUCT, and what queues and the queue manager have for a group.

Constants only, in the order in which DISPLAY CFSTRUCT shows them. SIZE is ours: there is no policy outside
the queue manager that sizes a structure. Which values go together is in `qmgr.sharing.structures`; a queue
manager without a group takes only the defaults (`admin.commands.group_objects`).
"""

from __future__ import annotations

from dataclasses import replace

from penstock.qmgr.catalogue.attribute import (
    ALTERED,
    Attribute,
    checking,
    integer,
    keyword,
    name_of,
    string,
)

YES_NO = {"NO": 0, "YES": 1}
SIZE_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE_BYTES_MIN = 1 << 20
SIZE_BYTES_MAX = 1 << 44
BLOCKS = {f"{size}K": size for size in (8, 16, 32, 64, 128, 256, 512)} | {"1M": 1024}
OFFLOADS = {"NONE": 0, "SMDS": 1, "DB2": 2, "OBJECT": 4}
DISPOSITIONS = {"QMGR": 0, "COPY": 1, "SHARED": 2, "GROUP": 3}
INDEXES = {"NONE": 0, "MSGID": 1, "CORRELID": 2, "MSGTOKEN": 4, "GROUPID": 5}


def size_bytes(text: str) -> int:
    """Return the bytes that a size such as 512M means; ValueError if it means none.

    >>> size_bytes("512M"), size_bytes("64k")
    (536870912, 65536)
    """
    word = text.strip().upper()
    unit = SIZE_UNITS.get(word[-1:], 0)
    digits = word[:-1] if unit else word
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise ValueError(f"{text!r} is not a size")
    return int(digits) * (unit or 1)


def _size_refusal(text: str) -> str:
    try:
        size = size_bytes(text)
    except ValueError:
        return "a size is a number with K, M, G or T behind it"
    if not SIZE_BYTES_MIN <= size <= SIZE_BYTES_MAX:
        return "allowed is 1M to 16T"
    return ""


def _rule(number: int, threshold: int, size: int) -> tuple[Attribute, Attribute]:
    sizes = {f"{kilobytes}K": kilobytes for kilobytes in range(65)}
    return (
        integer(f"OFFLD{number}TH", 224 + number, threshold, 0, 100),
        keyword(f"OFFLD{number}SZ", 0, f"{size}K", sizes),
    )


CFSTRUCT = (
    name_of("CFSTRUCT", 2039, 12, read_only=True),
    string("DESCR", 2052, 64),
    integer("CFLEVEL", 70, 5, 1, 5),
    keyword("RECOVER", 71, "NO", YES_NO),
    keyword("OFFLOAD", 224, "NONE", OFFLOADS),
    *_rule(1, 70, 32),
    *_rule(2, 80, 4),
    *_rule(3, 90, 0),
    string("DSGROUP", 0, 1024),
    keyword("DSBLOCK", 0, "256K", BLOCKS, synonyms={"1024K": "1M"}),
    integer("DSBUFS", 228, 100, 1, 9999),
    keyword("DSEXPAND", 0, "YES", YES_NO),
    keyword("RECAUTO", 244, "YES", YES_NO),
    keyword("CFCONLOS", 246, "ASQMGR", {"TERMINATE": 0, "TOLERATE": 1, "ASQMGR": 2}),
    checking(_size_refusal, string("SIZE", 0, 16, "512M")),
    *ALTERED,
)

_DISPOSITION = keyword("QSGDISP", 63, "QMGR", {k: v for k, v in DISPOSITIONS.items() if k != "SHARED"})
DISPOSITION = (_DISPOSITION,)  # of every object that a group may copy to its members
OF_QUEUES = (
    replace(_DISPOSITION, values=DISPOSITIONS),
    name_of("CFSTRUCT", 2039, 12),
    keyword("INDXTYPE", 57, "NONE", INDEXES),
)
OF_QMGR = (
    keyword("CFCONLOS", 245, "TOLERATE", {"TERMINATE": 0, "TOLERATE": 1}),
    keyword("IGQ", 64, "DISABLED", {"DISABLED": 0, "ENABLED": 1}),
    keyword("IGQAUT", 65, "DEF", {"DEF": 1, "CTX": 2, "ONLYIGQ": 3, "ALTIGQ": 4}),
    string("IGQUSER", 2041, 64),
    name_of("QSGNAME", 2040, 4, read_only=True),
)
NAMES = frozenset(  # shown only in a group
    {"QSGDISP", "CFSTRUCT", "INDXTYPE", "CFCONLOS", "IGQ", "IGQAUT", "IGQUSER", "QSGNAME"}
)
