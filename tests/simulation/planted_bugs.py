"""Channel ends with one rule of the protocol left out: the simulator has to find each of them."""

from __future__ import annotations

from collections import deque
from typing import Any

from penstock.channel.receiver import Receiver
from penstock.channel.sender import RUNNING, Sender
from penstock.model.errors import MQError
from penstock.qmgr.channels import batches


class ConfirmsEarly(Sender):
    """CONFIRM leaves before PREPARE is on disk."""

    def when_prepared(self, made: Any, action: Any) -> None:
        action()


class ForgetsDoubt(Sender):
    """Everything in doubt is backed out, whatever the other end has."""

    def _resynchronise(self, committed: Any, incarnation: str, knew: str, now: float) -> None:
        before = self.engine.sync_book
        batches.decide(self.engine, self.definition.channel, 0, now)
        before.committed_at_sender(self.definition.channel, self.partner, committed.luwid, committed.seq)


class BelievesInSuccess(Sender):
    """Everything in doubt is committed, whatever the other end has."""

    def _resynchronise(self, committed: Any, incarnation: str, knew: str, now: float) -> None:
        count = len(batches.in_doubt(self.engine, self.definition.channel))
        batches.decide(self.engine, self.definition.channel, count, now)
        self.engine.sync_book.committed_at_sender(
            self.definition.channel, self.partner, committed.luwid, committed.seq
        )


class CommitsBeforeTheAnswer(Sender):
    """A batch is committed when its CONFIRM leaves."""

    def _confirm(self, number: int, request: Any) -> None:
        super()._confirm(number, request)
        for _, batch in self.waiting if self.state == RUNNING else ():
            if batch.luwid == request.luwid:
                batches.commit(self.engine, batch, self.engine.started)

    def _confirmed(self, frame: Any, now: float) -> None:
        self.waiting.popleft()
        self.confirms_sent -= 1
        self.pump(now)


class GetsBetweenBackouts(Sender):
    """Rule 3: messages are got and sent when only the oldest batch in doubt was backed out."""

    left: tuple[Any, ...] = ()

    def _resynchronise(self, committed: Any, incarnation: str, knew: str, now: float) -> None:
        engine, channel = self.engine, self.definition.channel
        rest = [b for b in batches.in_doubt(engine, channel) if b.luwid > committed.luwid]
        for batch in batches.in_doubt(engine, channel):
            if batch.luwid <= committed.luwid:
                batches.commit(engine, batch, now)
        units = [unit for unit in engine.prepared.values() if unit.number in {b.luwid for b in rest}]
        for unit in units[:1]:
            batches.back_out(engine, unit, now)
        self.left = tuple(units[1:])

    def pump(self, now: float) -> None:
        super().pump(now)
        left, self.left = self.left, ()
        for unit in left:
            batches.back_out(self.engine, unit, now)


class TrustsAnyRecord(Sender):
    """Rule 6: the other end's record is taken over although it fits nothing here."""

    def _resynchronise(self, committed: Any, incarnation: str, knew: str, now: float) -> None:
        try:
            super()._resynchronise(committed, incarnation, knew, now)
        except MQError:
            batches.decide(self.engine, self.definition.channel, 0, now)
            self.engine.next_unit = max(self.engine.next_unit, committed.luwid + 1)
            self.engine.sync_book.committed_at_sender(
                self.definition.channel, self.partner, committed.luwid, committed.seq
            )


class BacksOutTooMuch(Sender):
    """FAILED backs out every batch in doubt, also those that the other end had committed before."""

    def _back_out_from(self, number: int, now: float) -> None:
        super()._back_out_from(1 if number else 0, now)


class ShowsClaimedMessages(Sender):
    """Claim on put: a batch that is backed out makes messages available that are not on disk yet."""

    def _back_out_from(self, number: int, now: float) -> None:
        pending, self.engine.wishes.pending = self.engine.wishes.pending, deque()
        super()._back_out_from(number, now)
        self.engine.wishes.pending = pending


class ClaimsOutOfTurn(Sender):
    """Claim on put: a message overtakes those in front of it that are not on disk yet."""

    def _may_claim(self, queue: Any) -> bool:
        if queue.arrivals is not None and len(queue.arrivals._messages) > 1:
            queue.arrivals._messages.rotate(-1)
        return super()._may_claim(queue)


class ResendsAllFast(Sender):
    """Fast messages are sent again although the other end cannot say what it took."""

    def _resend_fast(self, token: str, taken: object, now: float) -> None:
        super()._resend_fast(token, taken if isinstance(taken, int) else 0, now)


class AnswersEarly(Receiver):
    """Rule 1: the answer to a greeting does not wait for the disk."""

    def when_logged(self, action: Any) -> None:
        action()


class KeepsOldLinks(Receiver):
    """Rule 2: a new link does not end the old one."""

    def adopt(self, replaces: str, now: float) -> int | None:
        old = self.running.ends.pop((self.definition.channel, self.partner), None)
        taken = super().adopt(replaces, now)
        return old.fast_taken if old is not None and old.token == replaces else taken


class ConfirmsUnsynced(Receiver):
    """CONFIRMED leaves before the batch is on disk."""

    def commit(self, number: int, unit: Any, request: Any, now: float) -> None:
        super().commit(number, unit, request, now)
        self._committed(number, request, now)

    def _committed(self, number: int, request: Any, now: float) -> None:
        if number not in self.__dict__.setdefault("answered", set()):
            self.answered.add(number)
            super()._committed(number, request, now)


class RecordsApart(Receiver):
    """The synch record is not in the unit of its messages."""

    def commit(self, number: int, unit: Any, request: Any, now: float) -> None:
        from penstock.qmgr.channels.sync_book import RECEIVER, SyncRecord

        unit.when_ended(lambda committed: self._committed(number, request, now))
        self.engine.commit(unit, now)
        record = SyncRecord(request.luwid, request.last, self.incarnation)
        self.engine.sync_book.write(RECEIVER, self.definition.channel, self.partner, record)


BUGS: dict[str, tuple[type[Sender], type[Receiver]]] = {
    "confirms-early": (ConfirmsEarly, Receiver),
    "forgets-doubt": (ForgetsDoubt, Receiver),
    "believes-in-success": (BelievesInSuccess, Receiver),
    "commits-before-the-answer": (CommitsBeforeTheAnswer, Receiver),
    "gets-between-backouts": (GetsBetweenBackouts, Receiver),
    "trusts-any-record": (TrustsAnyRecord, Receiver),
    "backs-out-too-much": (BacksOutTooMuch, Receiver),
    "shows-claimed-messages": (ShowsClaimedMessages, Receiver),
    "claims-out-of-turn": (ClaimsOutOfTurn, Receiver),
    "resends-all-fast": (ResendsAllFast, Receiver),
    "answers-early": (Sender, AnswersEarly),
    "keeps-old-links": (Sender, KeepsOldLinks),
    "confirms-unsynced": (Sender, ConfirmsUnsynced),
    "records-apart": (Sender, RecordsApart),
}
