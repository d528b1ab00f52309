"""The persistent messages that a structure should hold, by a backup and what members recorded since.

Live is what was put, in the backup or in a round that was committed, and not got or cleared since; a set by
place and checksum of the head, so the order among members does not matter. Bodies stay in their files until
they are asked for. Called by `structure_recovery`. It changes nothing and asks no facility.
Invariant: a round counts only if an outcome says so, in a segment or in the facility.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.share.framed_file import FrameReader
from penstock.share.message_journal import CLEARED, MAGIC, OUTCOME, ROUND
from penstock.share.structure_backup import MAGIC as BACKUP_MAGIC
from penstock.share.structure_backup import read_backup
from penstock.store._checksum import crc32c

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Key = tuple[int, int]  # place of a message, and the checksum of its head
Outcome = tuple[list[int], list[int]]  # units that failed, and the places of all puts


@dataclass(slots=True)
class Kept:
    """A persistent message as a backup or journal has it."""

    queue: int
    lane: int
    seq: int
    key: bytes | None
    expires_at: float | None
    backouts: int
    head: bytes
    body: bytes


@dataclass(slots=True)
class _Place:
    reader: FrameReader
    offset: int
    index: int  # of the put in its round; -1 in a backup
    seq: int


class History:
    """Messages of some queues."""

    def __init__(self, queues: Iterable[int], wanted: Iterable[bytes] = ()) -> None:
        self._queues = frozenset(queues)
        self._wanted = frozenset(wanted)  # references whose bodies are asked for
        self._live: dict[Key, _Place] = {}
        self._gone: set[Key] = set()
        self._cleared: set[int] = set()
        self._bodies: dict[bytes, _Place] = {}

    def add_backup(self, path: Path) -> None:
        """Take over a backup; MQError if it is damaged."""
        reader = FrameReader(path, BACKUP_MAGIC)
        for offset, values in read_backup(reader):
            if values[0] in self._queues:
                self._live[values[2], crc32c(values[5])] = _Place(reader, offset, -1, values[2])

    def add_segments(self, paths: Iterable[Path], outcomes: Mapping[int, Outcome]) -> None:
        """Take over the segments of one member, the oldest first, with outcomes that the facility knows."""
        open_rounds: dict[int, tuple[list[Any], list[Any]]] = {}
        for path in paths:
            reader = FrameReader(path, MAGIC)
            for offset, (kind, *values) in reader:
                if kind == ROUND:
                    open_rounds[values[0]] = self._read(reader, offset, values[1]), values[2]
                elif kind == OUTCOME and (found := open_rounds.pop(values[0], None)) is not None:
                    self._apply(*found, (values[1], values[2]))
                elif kind == CLEARED:
                    self._cleared.update(values[0])
        for number, found in open_rounds.items():
            if (outcome := outcomes.get(number)) is not None:
                self._apply(*found, outcome)

    def _read(self, reader: FrameReader, offset: int, puts: list[Any]) -> list[Any]:
        """Return what must be known of puts until the outcome: unit, place in the round, head, location."""
        found = []
        for index, (unit, place, queue, _lane, _key, _expires, head, _body, reference) in enumerate(puts):
            if queue not in self._queues:
                continue
            if reference in self._wanted:
                self._bodies[reference] = _Place(reader, offset, index, 0)
            found.append((unit, place, crc32c(head), offset, index, reader))
        return found

    def _apply(self, puts: list[Any], gone: list[Any], outcome: Outcome) -> None:
        failed, seqs = outcome
        for unit, place, checksum, offset, index, reader in puts:
            if unit not in failed:
                self._live[seqs[place], checksum] = _Place(reader, offset, index, seqs[place])
        self._gone.update((seq, checksum) for unit, seq, checksum in gone if unit not in failed)

    def missing(self, present: set[Key]) -> list[Key]:
        """Return the live messages that a structure does not have, in the order of their places."""
        return sorted(
            key
            for key in self._live
            if key not in present and key not in self._gone and key[0] not in self._cleared
        )

    def message(self, key: Key) -> Kept:
        """Return a live message."""
        return _kept(self._live[key])

    def body(self, key: Key, reference: bytes) -> bytes | None:
        """Return the body of a message by its key, or by the reference that its row has."""
        place = self._live.get(key) or self._bodies.get(reference)
        return _kept(place).body if place is not None else None


def _kept(place: _Place) -> Kept:
    values = place.reader.at(place.offset)
    if place.index < 0:
        queue, lane, seq, expires_at, backouts, head, body, key = values
        return Kept(queue, lane, seq, key, expires_at, backouts, head, body)
    _, _, queue, lane, key, expires_at, head, body, _ = values[2][place.index]
    return Kept(queue, lane, place.seq, key, expires_at, 0, head, body)
