"""A round: what one pipe sends and gets answered in one go, for all callers that wait.

Each step is a transaction of its own in one round trip (`exchange`): commit, release, open, claim, look,
wake. A step that the server refuses fails by itself, with a reason by the server's state; a commit for
several units that is refused is made again for each of them. Called by `pipe`. Every function that it calls
is in `schema`. It decides nothing about a verb.
Invariants: no step waits for another member's sync. What was sent and not answered is in `unanswered`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import psycopg

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing.wishes import (
    Claim,
    Commit,
    Hold,
    Look,
    Mark,
    Open,
    Release,
    Row,
    Settle,
    Unmark,
    Untag,
)
from penstock.share import connection_tags, held_units, marks, shared_channels
from penstock.share.exchange import Statement

if TYPE_CHECKING:
    from penstock.share.exchange import Answer
    from penstock.share.message_journal import MessageJournal
    from penstock.share.pipe import Pipe

_GETS = ("int[]", "int[]", "smallint[]", "bigint[]", "boolean[]")
_PUTS = (
    "int[]",
    "int[]",
    "smallint[]",
    "boolean[]",
    "bytea[]",
    "float8[]",
    "smallint[]",
    "bytea[]",
    "bytea[]",
)
COMMIT = Statement("commit_2", "smallint", "bigint", "bigint", *_GETS, *_PUTS, "int[]", "bigint[]", rows=True)
CLAIM = Statement("claim_1", "smallint", "int", "int", "float8", rows=True)
CLAIM_BY = Statement("claim_by_1", "smallint", "int", "int", "float8", "bytea", "bytea", "bytea", rows=True)
CLAIM_THESE = Statement("claim_these_1", "smallint", "int", "bigint[]", rows=True)
RELEASE = Statement("release_1", "smallint", "boolean", "int[]", "smallint[]", "bigint[]", "boolean[]")
LOOK = Statement("look_1", "int", "smallint", "bigint", "int", "float8", rows=True)
OPEN = Statement("open_1", "smallint", "int", "int", "int", "boolean")
WAIT = Statement("wait_1", "smallint", "int")
WAKE = Statement("wake_1", "smallint", "text", "int[]")
STATEMENTS = (
    COMMIT,
    CLAIM,
    CLAIM_BY,
    CLAIM_THESE,
    RELEASE,
    LOOK,
    OPEN,
    WAIT,
    WAKE,
    held_units.HOLD,
    held_units.SETTLE,
    shared_channels.SETTLE_BATCH,
    marks.LOOK_UNMARKED,
    marks.MARK,
    marks.UNMARK,
    connection_tags.UNTAG,
)

FULL = "53"  # class of states: no disk, no memory
DAMAGED = ("XX001", "XX002", "42P01", "42883")  # pages or index damaged, tables or functions missing

Results = list[tuple[Any, Any]]  # wish, and rows, a truth or an MQError


class Round:
    """The wishes of one round by kind, and their results."""

    def __init__(self, pipe: Pipe, wishes: list[Any]) -> None:
        self.pipe = pipe
        self.facility = pipe.facility
        self.member = pipe.facility.member
        self.commits: list[Commit] = []
        self.holds: list[Hold] = []
        self.settles: list[Settle] = []
        self.releases: list[Release] = []
        self.opens: list[Open] = []
        self.claims: dict[int, list[Claim]] = {}
        self.others: list[Claim | Look | Mark | Unmark | Untag] = []
        self.results: Results = []
        self.unanswered: dict[int, list[Commit]] = {}  # by the number of their round
        self._steps: list[tuple[Any, tuple[Statement, tuple[Any, ...]]]] = []
        for wish in wishes:
            self._sort(wish)

    def _sort(self, wish: Any) -> None:
        if isinstance(wish, Commit):
            self.commits.append(wish)
        elif isinstance(wish, Hold):
            self.holds.append(wish)
        elif isinstance(wish, Settle):
            self.settles.append(wish)
        elif isinstance(wish, Release):
            self.releases.append(wish)
        elif isinstance(wish, Open):
            self.opens.append(wish)
        elif isinstance(wish, Claim) and wish.takes_any:
            self.claims.setdefault(wish.queue.number, []).append(wish)
        else:
            self.others.append(wish)

    def run(self) -> Results:
        """Send all steps, then hand out all answers; raise if the connection is lost."""
        committing = self._stored()
        if committing:
            self._step_commit(committing)
        for hold in self.holds:
            self._step(lambda a, w=hold: self._held(w, a), held_units.HOLD, *self._hold(hold))
        for settle in self.settles:
            self._step_settle(settle)
        for wish in self.releases:
            self._step(lambda a, w=wish: self._released(w, a), RELEASE, *self._release(wish, wish.counted))
        for opened in self.opens:
            self._step(lambda a, w=opened: self._opened(w, a), OPEN, *self._open(opened))
        now = time.time()
        for queue, claims in sorted(self.claims.items()):
            self._register(queue)
            self._step(lambda a, w=claims: self._claimed(w, a), CLAIM, self.member, queue, len(claims), now)
        for other in self.others:
            self._step_other(other, now)
        if woken := self._to_wake(committing):
            self._step(lambda a: None, WAKE, self.member, self.facility.channel, woken)
        while self._steps:  # a refused step may leave others to be made
            steps, self._steps = self._steps, []
            answers = self.pipe.exchange.run([call for _, call in steps])
            for (done, _), answer in zip(steps, answers, strict=True):
                done(answer)
        return self.results

    def _step(self, done: Any, statement: Statement, *arguments: Any) -> None:
        self._steps.append((done, (statement, arguments)))

    # -- commits -----------------------------------------------------------------------------

    def _stored(self) -> list[Commit]:
        """Have large bodies stored elsewhere; return the commits whose puts all have a place."""
        puts = [put for wish in self.commits for put in wish.puts]
        bodies = self.facility.bodies
        if bodies is not None and puts:
            bodies.store(puts)
        good = []
        for wish in self.commits:
            failure = next((put.failure for put in wish.puts if put.failure is not None), None)
            if failure is None:
                good.append(wish)
            else:
                self._refused(wish, failure)
        return good

    def _step_commit(self, commits: list[Commit]) -> None:
        number = self.facility.next_round()
        before = self.pipe.past.pop() if self.pipe.past else 0
        self.unanswered[number] = commits
        journal = self.facility.journal
        recorded = journal if journal is not None and journal.started(number, commits) else None
        self._step(
            lambda answer: self._committed(number, before, commits, recorded, answer),
            COMMIT,
            *self._commit(commits, number, before),
        )

    def _commit(self, commits: list[Commit], number: int, before: int) -> tuple[Any, ...]:
        gets = [(unit, row) for unit, wish in enumerate(commits) for row in wish.gets]
        puts = [(unit, put) for unit, wish in enumerate(commits) for put in wish.puts]
        mixed = [(unit, wish.outcome) for unit, wish in enumerate(commits) if wish.outcome]
        return (
            self.member,
            number,
            before,
            [unit for unit, _ in gets],
            [row.queue for _, row in gets],
            [row.lane for _, row in gets],
            [row.seq for _, row in gets],
            [row.persistent for _, row in gets],
            [unit for unit, _ in puts],
            [put.queue for _, put in puts],
            [put.lane for _, put in puts],
            [put.persistent for _, put in puts],
            [put.key for _, put in puts],
            [put.expires_at for _, put in puts],
            [put.place for _, put in puts],
            [put.head for _, put in puts],
            [put.body for _, put in puts],
            [unit for unit, _ in mixed],
            [outcome for _, outcome in mixed],
        )

    def _committed(
        self, number: int, before: int, commits: list[Commit], recorded: MessageJournal | None, answer: Answer
    ) -> None:
        del self.unanswered[number]
        if isinstance(answer, psycopg.Error):
            if before:
                self.pipe.past.append(before)  # nothing of it has happened
            if len(commits) == 1:
                self._refused(commits[0], refusal(answer, mq.MQRC_BACKED_OUT))
            else:
                for wish in commits:
                    self._step_commit([wish])
            return
        self.pipe.past.append(number)
        failed = set(answer[0][0])
        if recorded is not None:
            recorded.ended(number, failed, answer[0][1])
        self.pipe.units += len(commits)
        for wish, result in commit_results(commits, failed):
            if isinstance(result, MQError):
                self._refused(wish, result)
            else:
                self.results.append((wish, True))

    def _refused(self, wish: Commit, failure: MQError) -> None:
        self.results.append((wish, failure))
        self.facility.free_bodies([wish])

    # -- prepared units ------------------------------------------------------------------------

    def _hold(self, wish: Hold) -> tuple[Any, ...]:
        gets, puts = wish.gets, wish.puts
        return (
            *(self.member, wish.xid, wish.user, time.time(), wish.outcome),
            *([row.queue for row in gets], [row.lane for row in gets], [row.seq for row in gets]),
            [row.persistent for row in gets],
            *([put.queue for put in puts], [put.lane for put in puts], [put.persistent for put in puts]),
            *([put.key for put in puts], [put.expires_at for put in puts]),
            *([put.head for put in puts], [put.body for put in puts]),
        )

    def _held(self, wish: Hold, answer: Answer) -> None:
        result: Any = True
        if isinstance(answer, psycopg.Error):
            result = refusal(answer, mq.MQRC_BACKED_OUT)
        elif answer[0][0] == "exists":
            text = f"a unit is prepared under {wish.xid} already"
            result = error(mq.PSRC_UNIT_EXISTS, text, xid=wish.xid)
        elif answer[0][0] == "lost":
            result = lost_claims()
        self.results.append((wish, result))

    def _step_settle(self, wish: Settle) -> None:
        number = self.facility.next_round()
        recorded = held_units.recorded(self.facility, number, wish.xid) if wish.commit else None
        first = (self.member, number, wish.xid, wish.commit)
        last = (wish.user,) if wish.record is None else wish.record
        statement = held_units.SETTLE if wish.record is None else shared_channels.SETTLE_BATCH
        self._step(lambda a: self._settled(wish, number, recorded, a), statement, *first, *last)

    def _settled(self, wish: Settle, number: int, recorded: MessageJournal | None, answer: Answer) -> None:
        if isinstance(answer, psycopg.Error):
            self.results.append((wish, refusal(answer, mq.MQRC_CF_NOT_AVAILABLE)))
            return
        state, queues, places, *private = answer[0]  # a batch of a channel has no private half
        if state == "done" and wish.commit:
            self.pipe.past.append(number)
            if recorded is not None:
                recorded.ended(number, (), places)
        if queues:
            self._step(lambda a: None, WAKE, self.member, self.facility.channel, queues)
        self.results.append((wish, (state, queues, private[0] if private else 0)))

    # -- the others --------------------------------------------------------------------------

    def _release(self, wish: Release, counted: bool) -> tuple[Any, ...]:
        rows = wish.rows
        return (
            self.member,
            counted,
            [row.queue for row in rows],
            [row.lane for row in rows],
            [row.seq for row in rows],
            [row.persistent for row in rows],
        )

    def _released(self, wish: Release, answer: Answer) -> None:
        if not isinstance(answer, psycopg.Error):
            self.results.append((wish, True))
        elif (answer.sqlstate or "").startswith(FULL):  # to count takes space, to give back does not
            self._step(lambda a: self._given_back(wish, a), RELEASE, *self._release(wish, False))
        else:
            raise answer  # a new incarnation has no claims

    def _given_back(self, wish: Release, answer: Answer) -> None:
        if isinstance(answer, psycopg.Error):
            raise answer
        self.results.append((wish, True))

    def _open(self, wish: Open) -> tuple[Any, ...]:
        return self.member, wish.queue.number, wish.inputs, wish.outputs, wish.exclusive

    def _opened(self, wish: Open | Mark, answer: Answer) -> None:
        self.results.append((wish, _refusal_or(answer, lambda rows: rows[0][0])))

    def _register(self, queue: int) -> None:
        """Have a put elsewhere wake this member for a queue, if none does yet: before it claims."""
        registered = self.facility.registered
        if queue not in registered:
            registered.add(queue)
            self._step(
                lambda a: registered.discard(queue) if isinstance(a, psycopg.Error) else None,
                WAIT,
                self.member,
                queue,
            )

    def _step_other(self, wish: Claim | Look | Mark | Unmark | Untag, now: float) -> None:
        if isinstance(wish, Untag):
            self._step(lambda a: None, connection_tags.UNTAG, self.member, wish.tag)
            return
        queue = wish.queue.number
        if isinstance(wish, Mark):
            marked = (self.member, queue, wish.row.seq, wish.change, wish.seconds)
            self._step(lambda a: self._opened(wish, a), marks.MARK, *marked)
            return
        if isinstance(wish, Unmark):
            self._step(lambda a: None, marks.UNMARK, self.member, queue, wish.seqs)
            return
        self._register(queue)
        if isinstance(wish, Look):
            look = marks.LOOK_UNMARKED if wish.unmarked else LOOK
            self._step(lambda a: self._looked(wish, a), look, queue, wish.lane, wish.seq, wish.count, now)
        elif wish.seqs is not None:
            self._step(lambda a: self._claimed([wish], a), CLAIM_THESE, self.member, queue, wish.seqs)
        else:
            ids = (wish.key, wish.msg_id, wish.correl_id)
            arguments = (self.member, queue, wish.count, now, *ids)
            self._step(lambda a: self._claimed([wish], a), CLAIM_BY, *arguments)

    def _looked(self, wish: Look, answer: Answer) -> None:
        rows = _refusal_or(answer, lambda found: self._rows(wish.queue.number, found))
        if not isinstance(rows, MQError):
            for row in rows:
                if row.failure is not None and not self._is_there(row):
                    row.failure = error(mq.MQRC_NO_MSG_AVAILABLE, "it was got meanwhile")
        self.results.append((wish, rows))

    def _is_there(self, row: Row) -> bool:
        table = "p" if row.persistent else "n"
        statement = f"select from {table} where queue = %s and lane = %s and seq = %s"
        return bool(self.facility.execute(statement, (row.queue, row.lane, row.seq)))

    def _claimed(self, claims: list[Claim], answer: Answer) -> None:
        """Give each of several claims on a queue one message, in their order."""
        rows = _refusal_or(answer, lambda found: self._rows(claims[0].queue.number, found))
        if len(claims) == 1 or isinstance(rows, MQError):
            self.results += [(wish, rows) for wish in claims]
            return
        for place, wish in enumerate(claims):
            self.results.append((wish, rows[place : place + 1]))

    def _rows(self, queue: int, found: list[tuple[Any, ...]]) -> list[Row]:
        rows = [Row(queue, *values) for values in found]
        away = [row for row in rows if row.place]
        if away and self.facility.bodies is not None:
            self.facility.bodies.load(away)
        return rows

    def _to_wake(self, commits: list[Commit]) -> list[int]:
        queues = {put.queue for wish in commits for put in wish.puts}
        queues |= {row.queue for wish in self.releases for row in wish.rows}
        return sorted(queues)


def _refusal_or(answer: Answer, made: Any) -> Any:
    if isinstance(answer, psycopg.Error):
        return refusal(answer, mq.MQRC_CF_NOT_AVAILABLE)
    return made(answer)


def refusal(failure: psycopg.Error, otherwise: int) -> MQError:
    """Return the reason of a step that the server has refused and undone."""
    state = failure.sqlstate or ""
    text = (str(failure).strip().splitlines() or [type(failure).__name__])[0]
    if state.startswith(FULL):
        return error(mq.MQRC_STORAGE_MEDIUM_FULL, f"the facility has no space left: {text}")
    if state in DAMAGED:
        return error(mq.MQRC_CF_STRUC_FAILED, f"the facility is damaged: {text}")
    return error(otherwise, f"the facility has refused the work: {text}")


def commit_results(commits: list[Commit], failed: set[int]) -> Results:
    """Return what became of units whose round was committed but for those that failed."""
    return [(wish, lost_claims() if unit in failed else True) for unit, wish in enumerate(commits)]


def lost_claims() -> MQError:
    """Return why a unit was not committed whose claims are not its own any more."""
    return error(mq.MQRC_BACKED_OUT, "the unit's messages were released when its connection was lost")
