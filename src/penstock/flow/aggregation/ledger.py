"""The records as one batch sees them: takes read the store below, new records stay in memory until the unit
ends.

A record that one message of a batch stores and the next one takes never reaches a queue: an aggregation whose
replies arrive together costs one control record. A message that fails is reverted without affecting the
others. The runner writes the remaining records with `flush` before it commits, or drops everything when it
backs out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.aggregation.records import State

if TYPE_CHECKING:
    from penstock.flow.aggregation.records import Record, Records


class _Step(NamedTuple):
    was_taken: bool
    record: Record


class Ledger:
    """Records over other records."""

    def __init__(self, below: Records) -> None:
        self.below = below
        self.held: dict[State, dict[bytes, list[Record]]] = {}
        self.steps: list[_Step] = []

    def take(self, state: State, key: bytes) -> Record | None:
        here = self.held.get(state, {}).get(key)
        record = here[-1] if here else None
        if record is not None:
            self._drop(record)
        else:
            record = self.below.take(state, key)
        return None if record is None else self._taken(record)

    def take_control(self, aggregation: bytes) -> Record:
        if self.held.get(State.CONTROL, {}).get(aggregation):
            record = self.take(State.CONTROL, aggregation)
            assert record is not None
            return record
        return self._taken(self.below.take_control(aggregation))

    def take_group(self, state: State, group: bytes) -> list[Record]:
        here = [
            record for each in self.held.get(state, {}).values() for record in each if record.group == group
        ]
        for record in here:
            self._drop(record)
        return [self._taken(record) for record in (*here, *self.below.take_group(state, group))]

    def keep(self, record: Record) -> None:
        self._add(record)
        self.steps.append(_Step(False, record))

    # -- for the runner --------------------------------------------------------------------

    def mark(self) -> int:
        """Return the current state of the ledger, for `revert`."""
        return len(self.steps)

    def revert(self, mark: int) -> None:
        """Undo everything since a mark. Records that were taken from the store below stay in memory from then
        on.
        """
        while len(self.steps) > mark:
            step = self.steps.pop()
            if step.was_taken:
                self._add(step.record)
            else:
                self._drop(step.record)

    def flush(self) -> list[Record]:
        """Return the records that remain to be written, and clear the list."""
        left = [record for kept in self.held.values() for each in kept.values() for record in each]
        self.forget()
        return left

    def forget(self) -> None:
        """Start again: the unit of work has ended, by commit or backout."""
        self.held.clear()
        self.steps.clear()

    # -- helpers ---------------------------------------------------------------------------

    def _taken(self, record: Record) -> Record:
        self.steps.append(_Step(True, record))
        return record

    def _add(self, record: Record) -> None:
        self.held.setdefault(record.state, {}).setdefault(record.key, []).append(record)

    def _drop(self, record: Record) -> None:
        by_key = self.held[record.state]
        by_key[record.key].remove(record)
        if not by_key[record.key]:
            del by_key[record.key]
