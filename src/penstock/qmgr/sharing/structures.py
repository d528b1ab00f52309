"""What the attributes of a CFSTRUCT mean together: rules of offload, sizes, and what contradicts.

Pure functions over attributes; `admin` asks what is wrong with a definition, `share` what to do. Invariant:
a definition for which `refusal_of` returns nothing can be used by every function here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.catalogue.sharing import size_bytes
from penstock.qmgr.sharing.offload_rules import OffloadRule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.qmgr.catalogue.attributes import Value

PERSISTENT_LEVEL_MIN = 3  # RECOVER(YES), persistent messages
LARGE_LEVEL_MIN = 4  # bodies over 63 KB
OFFLOAD_LEVEL_MIN = 5  # OFFLOAD, OFFLDn, DS...
RULES = (("OFFLD1SZ", "OFFLD1TH"), ("OFFLD2SZ", "OFFLD2TH"), ("OFFLD3SZ", "OFFLD3TH"))
MEMBERS_MAX = 31
NAME_LENGTH_MAX = 12
GROUP_NAME_LENGTH_MAX = 4
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_CHARACTERS = _LETTERS | frozenset("0123456789")


def name_refusal(name: str, length_max: int, what: str) -> str:
    """Return why a name cannot be that of a structure or group; empty if it can.

    >>> name_refusal("QSG1", 4, "group")
    ''
    """
    if not name or len(name) > length_max:
        return f"the name of a {what} has 1 to {length_max} characters"
    if name[0] not in _LETTERS or not _CHARACTERS.issuperset(name):
        return f"the name of a {what} has A to Z and 0 to 9, and begins with a letter"
    return ""


def completed(given: Mapping[str, Value], values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the attributes of a new structure with OFFLOAD and its rules chosen by level and DSGROUP."""
    found = dict(values)
    level = int(str(found["CFLEVEL"]))
    if "OFFLOAD" not in given:
        by_level = "SMDS" if found.get("DSGROUP") else "DB2"
        by_level = "OBJECT" if "://" in str(found.get("DSGROUP", "")) else by_level
        found["OFFLOAD"] = by_level if level >= OFFLOAD_LEVEL_MIN else "NONE"
    if found["OFFLOAD"] in ("DB2", "NONE"):  # only bodies that fit no entry, as in MQ
        for size, _ in RULES:
            if size not in given:
                found[size] = "64K"
    return found


def refusal_of(values: Mapping[str, Value]) -> str:
    """Return what contradicts in the attributes of a structure; empty if nothing does."""
    level, offload, files = int(str(values["CFLEVEL"])), values["OFFLOAD"], str(values.get("DSGROUP", ""))
    if values["RECOVER"] == "YES" and level < PERSISTENT_LEVEL_MIN:
        return f"RECOVER(YES) needs CFLEVEL({PERSISTENT_LEVEL_MIN}) or more"
    if offload != "NONE" and level < OFFLOAD_LEVEL_MIN:
        return f"OFFLOAD({offload}) needs CFLEVEL({OFFLOAD_LEVEL_MIN})"
    if offload == "NONE" and level >= OFFLOAD_LEVEL_MIN:
        return "CFLEVEL(5) needs OFFLOAD(SMDS), OFFLOAD(DB2) or OFFLOAD(OBJECT)"
    if offload == "SMDS" and (files.count("*") != 1 or not files.startswith("/")):
        return "OFFLOAD(SMDS) needs DSGROUP('/folder/*/name'): a path with one * for the queue manager's name"
    if offload == "OBJECT" and files.count("*") != 1:
        return "OFFLOAD(OBJECT) needs DSGROUP('s3://bucket/prefix/*'), or file:///folder/*, with one *"
    if offload == "OBJECT" and "://" not in files:
        return "OFFLOAD(OBJECT) needs the URL of an object store in DSGROUP, such as s3://bucket/prefix/*"
    return ""


def rules_of(values: Mapping[str, Value]) -> tuple[OffloadRule, ...]:
    """Return rules 1 to 3 of a structure."""
    return tuple(
        OffloadRule(size_bytes(str(values[size])), int(str(values[threshold]))) for size, threshold in RULES
    )


def size_of(values: Mapping[str, Value]) -> int:
    """Return the bytes that a structure may use."""
    return size_bytes(str(values["SIZE"]))


def block_bytes(values: Mapping[str, Value]) -> int:
    """Return the size of a block of the structure's data sets."""
    return size_bytes(str(values["DSBLOCK"]))


def is_tolerant(values: Mapping[str, Value], qmgr: Mapping[str, Value]) -> bool:
    """Return whether the queue manager goes on when this structure cannot be reached (CFCONLOS)."""
    choice = values.get("CFCONLOS", "ASQMGR")
    return (qmgr.get("CFCONLOS", "TOLERATE") if choice == "ASQMGR" else choice) == "TOLERATE"


def recovers_itself(values: Mapping[str, Value]) -> bool:
    """Return whether a failed structure or data set is recovered without a command (RECAUTO)."""
    return values.get("RECAUTO") == "YES" and values.get("RECOVER") == "YES"
