"""Decides whether a message body stays in its structure or is offloaded, and what a message costs there.

The rules of CFSTRUCT: over 63 KB always, under 122 bytes never, and between them rules 1 to 3 by size and
by how full the structure is. Pure functions; `share.bodies` and the displays call them. Not here: where
offloaded bodies go (OFFLOAD) and who counts. Invariant: the same arguments give the same answer on every
member.
"""

from __future__ import annotations

from dataclasses import dataclass

WHOLE_BYTES_MAX = 63 << 10  # a larger body never fits an entry
OFFLOADED_BYTES_MIN = 122  # a smaller body fits the entry's own elements
ENTRY_BYTES = 256
ELEMENT_BYTES = 256
OFFLOADED_COST_BYTES = 768  # one entry and two elements


@dataclass(frozen=True, slots=True)
class OffloadRule:
    """OFFLDnSZ and OFFLDnTH: bodies over `size_bytes` are offloaded from `threshold_percent` on."""

    size_bytes: int
    threshold_percent: int


DEFAULT_RULES = (OffloadRule(32 << 10, 70), OffloadRule(4 << 10, 80), OffloadRule(0, 90))


def is_offloaded(length: int, percent: float, rules: tuple[OffloadRule, ...] = DEFAULT_RULES) -> bool:
    """Return whether a message of this length, with its headers, is offloaded when the structure is so full.

    >>> is_offloaded(40_000, 69.9), is_offloaded(40_000, 70), is_offloaded(121, 99), is_offloaded(64_513, 0)
    (False, True, False, True)
    """
    if length < OFFLOADED_BYTES_MIN:
        return False
    if length > WHOLE_BYTES_MAX:
        return True
    return any(percent >= rule.threshold_percent and length > rule.size_bytes for rule in rules)


def cost_bytes(length: int, offloaded: bool) -> int:
    """Return what a message of this length, with its headers, takes of the structure's SIZE.

    >>> cost_bytes(16_384, False), cost_bytes(16_384, True)
    (16640, 768)
    """
    if offloaded:
        return OFFLOADED_COST_BYTES
    return -(-length // ELEMENT_BYTES) * ELEMENT_BYTES + ENTRY_BYTES


def percent_full(used_bytes: int, size_bytes: int) -> float:
    """Return how full a structure is; it may pass 100 by what one round puts."""
    return used_bytes * 100 / size_bytes if size_bytes else 100.0


def entries_max(size_bytes: int) -> int:
    """Return how many entries a structure holds at most (ENTSMAX)."""
    return size_bytes // OFFLOADED_COST_BYTES
