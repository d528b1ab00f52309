"""The synch records of message channels: how far each end got with each partner.

A record is found by role, channel name and the QMID of the partner, not by address or transmission queue: a
queue manager that moves to another host needs no RESET CHANNEL. The receiving end's record becomes true with
the unit of the messages it speaks of (journal record CHANNEL, applied at COMMIT); the sending end's follows
from the commit of a prepared batch (`batches`). Checkpoints hold the book; `recovery` replays what came
later, in order, so a record may be replayed again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.qmgr import records

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork

SENDER = "S"
RECEIVER = "R"
HELD = "H"  # STOP CHANNEL: it does not start before START CHANNEL; the partner is empty

Key = tuple[str, str, str]  # role, channel, QMID of the partner


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """The last batch that is committed here, and the identity of the partner."""

    luwid: int = 0
    seq: int = 0
    incarnation: str = ""  # the partner's, when the record was written
    reset: int = 0  # of a sender: RESET CHANNEL SEQNUM(n) that the partner has not seen yet


NONE = SyncRecord()
STOPPED = SyncRecord(1)


class SyncBook:
    """All synch records of one queue manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._records: dict[Key, SyncRecord] = {}
        self._partners: dict[tuple[str, str], dict[str, None]] = {}  # by role and channel

    def find(self, role: str, channel: str, partner: str) -> SyncRecord:
        """Return the record of an end; zeros if there is none."""
        return self._records.get((role, channel, partner), NONE)

    def partners(self, role: str, channel: str) -> list[str]:
        """Return the QMIDs that an end has records for."""
        return list(self._partners.get((role, channel), ()))

    def _keep(self, key: Key, record: SyncRecord) -> None:
        self._records[key] = record
        self._partners.setdefault(key[:2], {})[key[2]] = None

    def write(self, role: str, channel: str, partner: str, record: SyncRecord) -> None:
        """Log a record that holds at once."""
        key = (role, channel, partner)
        self._append(0, key, record)
        self._keep(key, record)

    def entries(self, role: str) -> list[tuple[str, str, SyncRecord]]:
        """Return channel, partner and record of all ends of a role."""
        return [(key[1], key[2], record) for key, record in self._records.items() if key[0] == role]

    def hold(self, channel: str, held: bool) -> None:
        """Note that a channel is stopped, or may start again, for this and later runs."""
        if held != self.is_held(channel):
            self.write(HELD, channel, "", STOPPED if held else NONE)

    def is_held(self, channel: str) -> bool:
        """Return whether a channel is stopped until START CHANNEL."""
        return bool(self.find(HELD, channel, "").luwid)

    def write_in(self, unit: UnitOfWork, channel: str, partner: str, record: SyncRecord) -> None:
        """Log a receiver's record that holds when its unit is committed and on disk."""
        key = (RECEIVER, channel, partner)
        self._engine.start_logging(unit)
        self._append(unit.number, key, record)
        unit.when_ended(lambda committed: self._keep(key, record) if committed else None)

    def committed_at_sender(self, channel: str, partner: str, luwid: int, seq: int) -> None:
        """Record a batch whose messages have left the transmission queue, as its COMMIT record does."""
        known = self.find(SENDER, channel, partner)
        self._keep((SENDER, channel, partner), replace(known, luwid=luwid, seq=seq))

    def _append(self, unit: int, key: Key, record: SyncRecord) -> None:
        value = (unit, key, (record.luwid, record.seq, record.incarnation, record.reset))
        end = self._engine.journal.append(records.CHANNEL, records.pack_value(value), b"")
        self._engine.step.wait_for(end)

    # -- restart ---------------------------------------------------------------------------

    def replay(self, key: list[str], values: list[Any]) -> None:
        """Take a record of the journal."""
        role, channel, partner = key
        self._keep((role, channel, partner), SyncRecord(*values))

    def state(self) -> list[Any]:
        """Return the state for a checkpoint."""
        return [
            (key, (record.luwid, record.seq, record.incarnation, record.reset))
            for key, record in self._records.items()
            if key[0] != HELD or record.luwid
        ]

    def restore(self, state: list[Any]) -> None:
        """Restore the state from a checkpoint."""
        for key, values in state:
            self.replay(key, values)
