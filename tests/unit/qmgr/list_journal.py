"""A journal that is a list: for tests of the engine alone. Checked by mypy against what the engine needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.qmgr.interfaces import Journal


class ListJournal:
    """A journal whose positions are record numbers."""

    def __init__(self, first: int = 0) -> None:
        self.records: list[tuple[int, bytes]] = []
        self.first = first

    @property
    def end(self) -> int:
        return self.first + len(self.records)

    def append(self, kind: int, head: bytes, body: bytes = b"") -> int:
        self.records.append((kind, bytes(head) + bytes(body)))
        return self.end


def as_the_engine_sees_it(journal: ListJournal) -> Journal:
    """Return the same journal: mypy refuses one that the engine could not use."""
    return journal
