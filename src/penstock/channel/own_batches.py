"""The batches of a sending end whose transmission queue is private: prepared units of this queue manager.

`Sender` asks this, or `SharedBatches` for a shared transmission queue: the same questions, and who answers
them is the difference. Records and units are in `qmgr.channels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.channel import resynchronising
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import SENDER

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.channel.resynchronising import Partner
    from penstock.model.errors import MQError
    from penstock.qmgr.channels.batches import Batch
    from penstock.qmgr.channels.sync_book import SyncRecord
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork


class OwnBatches:
    """The batches of one channel on one link."""

    is_shared = False

    def __init__(self, engine: Engine, channel: str, of_cluster: bool) -> None:
        self._engine = engine
        self._channel = channel
        self._of_cluster = of_cluster

    def identity(self) -> dict[str, Any]:
        """Return who sends, and the resets that the other end must apply."""
        engine = self._engine
        return {
            "from": engine.name,
            "qmid": str(engine.definition.attributes["QMID"]),
            "incarnation": engine.incarnation,
            "resets": resynchronising.pending_resets(engine, self._channel),
        }

    def begin(self, failed: Callable[[MQError], None]) -> None:
        """Begin a link; nothing but the disk can fail."""

    def ended(self) -> None:
        """End a link."""

    def resynchronise(self, partner: Partner, committed: SyncRecord, now: float) -> None:
        """Decide every batch in doubt."""
        resynchronising.resynchronise(self._engine, self._channel, partner, committed, self._of_cluster, now)

    def when_resolved(self, action: Callable[[], None]) -> None:
        """Call something when no batch is in doubt any more."""
        action()

    def sequence(self, partner: str) -> int:
        """Return the number of the last message that is committed."""
        return self._engine.sync_book.find(SENDER, self._channel, partner).seq

    def prepare(self, unit: UnitOfWork, partner: str, first: int, last: int, now: float) -> Batch:
        """Prepare a batch."""
        return batches.prepare(self._engine, unit, self._channel, partner, first, last, now)

    def when_prepared(self, batch: Batch, action: Callable[[], None]) -> None:
        """Call something when the batch is on disk."""
        self._engine.when_durable(action)

    def commit(self, batch: Batch, now: float) -> int:
        """Remove the messages of a batch; return the position that nobody has to wait for."""
        step = self._engine.step
        before = step.position
        batches.commit(self._engine, batch, now)
        position = step.position
        step.wait_for(before)
        return position

    def give_back(self, unit: UnitOfWork, now: float) -> None:
        """Return the messages of a batch that is not prepared."""
        batches.back_out(self._engine, unit, now)

    def back_out(self, batch: Batch, now: float) -> None:
        """Return the messages of a prepared batch."""
        batches.back_out(self._engine, self._engine.in_doubt[batch.channel][batch], now)
