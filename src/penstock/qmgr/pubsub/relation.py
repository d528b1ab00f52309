"""A relation: another queue manager that publications come from and go to, and what each side wants.

A relation is the parent or a child of a hierarchy, or a member of a publish/subscribe cluster. It has what
both sides wait for, as `Patterns` with a sum by which two queue managers compare them. Names of the SUB
objects that proxies are kept as are made here, too. Holds data; `proxies` changes it.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.qmgr.objects import Definition

CONTROL, PUBS = "SYSTEM.INTER.QMGR.CONTROL", "SYSTEM.INTER.QMGR.PUBS"
PARENT, CHILD, MEMBER = "PARENT", "CHILD", "CLUSTER"
STARTING, ACTIVE, REFUSED, FAILED = "STARTING", "ACTIVE", "REFUSED", "ERROR"
RELATIONS_MAX = 1000  # of a hierarchy
FINGERPRINT_BYTES = 8
SUM_MAX = 1 << 64
MARKER = "SYSTEM.HIERARCHY.RELATION/"
PROXY_NAME, MEMBER_PROXY_NAME = "SYSTEM.PROXY ", "SYSTEM.CLUSTER.PROXY "
MEMBER_KEY = "CLUSTER "  # before the QMID, so that no name of a queue manager is a member's key

Wanted = tuple[str, str]  # pattern and its scheme


class Patterns(set[Wanted]):
    """Topics and patterns, with a sum that two queue managers compare; use `add` and `remove` only."""

    def __init__(self) -> None:
        super().__init__()
        self.sum = 0

    def add(self, wanted: Wanted) -> None:
        """Take one in."""
        if wanted not in self:
            super().add(wanted)
            self.sum = (self.sum + number_of(wanted)) % SUM_MAX

    def remove(self, wanted: Wanted) -> None:
        """Take one out."""
        if wanted in self:
            super().remove(wanted)
            self.sum = (self.sum - number_of(wanted)) % SUM_MAX


@dataclass(slots=True)
class Relation:
    """A queue manager that publications come from and go to."""

    name: str
    kind: str  # PARENT, CHILD or MEMBER
    qmid: str = ""
    status: str = STARTING
    sent: Patterns | None = None  # what it holds for us; None: unknown, all is sent again
    pending: set[Wanted] = field(default_factory=set)  # what may have changed since `sent`
    clusters: tuple[str, ...] = ()  # of a member: those that both are in
    tried: float = 0.0  # when the parent was asked last
    asked: float = 0.0  # when its proxies were asked for last
    compared: float = 0.0  # when the sums were compared last
    heard: bool = False  # it has sent its proxies since this relation began
    blocked_until: float = 0.0  # no way to it was found: the next attempt
    arriving: set[Wanted] | None = None  # the whole set that it is sending, in several messages

    @property
    def key(self) -> str:
        """The name it is found by."""
        return MEMBER_KEY + self.qmid if self.kind == MEMBER else self.name

    @property
    def mark(self) -> bytes:
        """Its fingerprint in the path of a publication."""
        return fingerprint(self.qmid)

    def again(self) -> None:
        """Have everything sent again."""
        self.sent = None


@functools.lru_cache(maxsize=10_000)
def fingerprint(qmid: str) -> bytes:
    """Return the text for a queue manager in the path of a publication."""
    return hashlib.blake2b(qmid.encode(), digest_size=FINGERPRINT_BYTES).digest()


def number_of(wanted: Wanted) -> int:
    """Return what a topic or pattern adds to the sum by which two queue managers compare theirs."""
    text = f"{wanted[1]} {wanted[0]}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def marker_name(name: str) -> str:
    """Return the name of the SUB that keeps a relation of the hierarchy across restarts."""
    return MARKER + name


def proxy_name(relation: Relation, wanted: Wanted) -> str:
    """Return the name of the SUB of a proxy."""
    text, scheme = wanted
    prefix = MEMBER_PROXY_NAME + relation.qmid if relation.kind == MEMBER else PROXY_NAME + relation.name
    return f"{prefix} {scheme} {text}"


def key_of(definition: Definition) -> str:
    """Return the key of the relation that a proxy is held for; empty for one that marks a relation."""
    if definition.name.startswith(MEMBER_PROXY_NAME):
        return MEMBER_KEY + str(definition.attributes["USERDATA"])
    return "" if definition.name.startswith(MARKER) else str(definition.attributes["DESTQMGR"])
