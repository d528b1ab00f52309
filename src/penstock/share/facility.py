"""The facility of a group as one member uses it: sessions, pipes, outcome of rounds, reconnection.

`host.sharing` starts it, submits wishes and is given results (`deliver`) and the news that the facility was
lost or regained, in threads of this room. It knows neither gate nor clients and decides nothing about a verb.
Invariants: every session of a member holds the member's lock, so that peers know when all of them are gone;
a member that reconnects asks for the outcome of what it had sent before it does anything else.
"""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing.wishes import Claim, Commit, Hold, Look, Mark, Release, Untag
from penstock.share import members, rounds, schema
from penstock.share.pipe import Inbox, Pipe
from penstock.share.usage import PipeFigures, StructureFigures
from penstock.share.wakeups import Listener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from penstock.qmgr.sharing.group import Group
    from penstock.qmgr.sharing.wishes import Row
    from penstock.share.members import Member
    from penstock.share.message_journal import MessageJournal
    from penstock.share.shared_channels import SharedChannel
    from penstock.share.usage import QueueFigures

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 5
RECONNECT_SECONDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SESSION = (
    "set search_path to {schema}; set statement_timeout = '60s'; set lock_timeout = '5s'; "
    "set idle_in_transaction_session_timeout = '5s'"
)


class Facility:
    """One member's way to the facility of its group."""

    def __init__(
        self,
        group: Group,
        name: str,
        deliver: Callable[[rounds.Results], None],
        lost: Callable[[], None],
        regained: Callable[[], None],
        woken: Callable[[str], None],
        counted: Callable[[dict[int, QueueFigures]], None],
        expired: Callable[[list[Row]], None],
    ) -> None:
        self.group = group
        self.name = name
        self.deliver = deliver
        self._lost = lost
        self._regained = regained
        self.woken = woken
        self.counted = counted
        self.expired = expired
        self.figures: dict[int, QueueFigures] = {}  # a second old
        self.bodies: Any = None
        self.journal: MessageJournal | None = None
        self.joined: Callable[[], None] = lambda: None  # called before the first round of an incarnation
        self.left_rounds: list[tuple[int, list[int], list[int]]] = []  # committed by the life before
        self.names: frozenset[str] = frozenset()  # of the members, a second old
        self.queuing: frozenset[str] = frozenset()  # of those with intra-group queuing, a second old
        self.queues_inside = False  # whether this member has it
        self.listed_channels: Callable[[list[SharedChannel]], None] = lambda found: None
        self.ended_units: dict[int, str] = {}  # outcomes of this member's units of two halves, a second old
        self.member = 0
        self.incarnation = 0
        self.channel = group.schema
        self.lock_space = 0
        self.registered: set[int] = set()  # queues for which a put elsewhere wakes this member
        self.notices: Callable[[str, str], None] = lambda number, text: None
        self._inbox = Inbox()
        self._pipes: list[Pipe] = []
        self._listener: Listener | None = None
        self._watch: members.Watch | None = None
        self._lock = threading.Lock()
        self._round = 0
        self._unanswered: list[tuple[int, list[Commit]]] = []  # rounds without an answer
        self._resolved: rounds.Results = []  # answers of such rounds, until the member has joined
        self._late: list[Any] = []  # submitted without a facility: never sent, so it did not happen
        self._reconnector: threading.Thread | None = None
        self._stopping = threading.Event()
        self._spare: Any = None  # the connection of `connect`
        self._spare_lock = threading.Lock()
        self._past = PipeFigures()

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Join the group; MQError 2345 if the facility cannot be reached."""
        try:
            self._join()
        except (psycopg.Error, OSError) as failure:
            self._drop()
            raise unreachable(self.group.name, failure) from failure

    def keep_trying(self, failure: Exception) -> None:
        """Join the group as soon as its facility is there."""
        self.broken(None, [], failure)

    def _join(self) -> None:
        with self.session(bare=True) as connection:
            schema.install(connection, self.group.schema, self.group.name)
            connection.execute(SESSION.format(schema=self.group.schema))
            self.lock_space = connection.execute("select lock_space from grp").fetchone()[0]
            self.member = members.number_of(connection, self.name)
            members.fence(connection, self.lock_space, self.member, self.group.member_timeout)
            self._resolve(connection)
            self.left_rounds += members.rounds_of(connection, self.member)
            self.incarnation = members.activate(connection, self.member, self.lock_space)
            connection.execute(members.BEAT, (self.queues_inside, self.member))
            self.names, self.queuing = members.names_of(connection)
            self._round = self.incarnation << 40
            self.registered = set()
            self._inbox = Inbox(self.group.pipes)
            self._pipes = []
            for number in range(self.group.pipes):
                self._pipes.append(Pipe(self, self._inbox, number))
            self._listener = Listener(self, self.session())
            self._watch = members.Watch(self, self.session())
        self.joined()
        results, self._resolved = self._resolved, []
        if results:
            self.free_bodies([wish for wish, result in results if isinstance(result, MQError)])
            self.deliver(results)
        for thread in (*self._pipes, self._listener, self._watch):
            thread.start()

    def _resolve(self, connection: Any) -> None:
        """Ask for the outcome of rounds whose answers were lost; what is not there will never be."""
        while self._unanswered:
            number, commits = self._unanswered[0]
            state, failed = self.outcome(connection, number)
            if state == "C":
                self._resolved += rounds.commit_results(commits, set(failed or ()))
            else:
                self._resolved += [(wish, rounds.lost_claims()) for wish in commits]
            del self._unanswered[0]  # a join that fails later asks for nothing twice, and loses nothing

    def free_bodies(self, commits: list[Commit]) -> None:
        """Give back the space of bodies whose units were not committed."""
        if self.bodies is not None:
            puts = [put for wish in commits for put in wish.puts if put.place]
            if puts:
                self.bodies.failed(puts)

    @contextmanager
    def between_rounds(self) -> Iterator[None]:
        """Wait until no round is under way, and let none begin meanwhile."""
        with ExitStack() as stack:
            for pipe in list(self._pipes):
                stack.enter_context(pipe.busy)
            yield

    def outcome(self, connection: Any, unit: int) -> tuple[str, list[int] | None]:
        """Return how a unit ended; one that had not is backed out for ever by the question."""
        connection.execute(
            "insert into outcome values (%s, %s, 'B') on conflict do nothing", (self.member, unit)
        )
        row = connection.execute(
            "select state, failed from outcome where member = %s and unit = %s", (self.member, unit)
        ).fetchone()
        return row[0], row[1]

    def stop(self) -> None:
        """Leave: finish what was submitted, free what is claimed, end the sessions."""
        self._stopping.set()
        if self._reconnector is not None:
            self._reconnector.join()
        late, self._late = self._late, []
        self._give_up(late, OSError("the queue manager stops"))  # never sent: it did not happen
        self._inbox.end()
        for pipe in self._pipes:
            if pipe.is_alive():
                pipe.join()
        try:
            if self.member:
                with self.connect() as connection:
                    members.deactivate(connection, self.member)
        except (psycopg.Error, MQError) as failure:
            logger.warning("leave_incomplete group=%s cause=%s", self.group.name, failure)
        self._drop()

    def abandon(self) -> None:
        """End the sessions without a word, as a crash would."""
        self._stopping.set()
        self._drop()

    def _drop(self) -> None:
        for part in (*self._pipes, self._listener, self._watch):
            if part is not None:
                part.close()
        with self._spare_lock:
            if self._spare is not None:
                self._spare.close()
                self._spare = None

    def broken(self, round_: rounds.Round | None, wishes: list[Any], failure: Exception) -> None:
        """Note that a connection is lost: everything starts again, as a new incarnation.

        What the round had been answered stays; commits without an answer are asked for later.
        """
        sent = dict(round_.unanswered) if round_ is not None else {}
        results = list(round_.results) if round_ is not None else []
        known = {wish for wish, _ in results} | {wish for commits in sent.values() for wish in commits}
        with self._lock:
            self._unanswered += sent.items()
            first = self._reconnector is None and not self._stopping.is_set()
            if first:
                self._reconnector = threading.Thread(
                    target=self._reconnect, args=(failure,), name="penstock-regain", daemon=True
                )
        if results:
            self.deliver(results)
        self._give_up([wish for wish in wishes if wish not in known], failure)
        if first:
            assert self._reconnector is not None
            self._reconnector.start()

    def session_lost(self, failure: Exception) -> None:
        """Note that a session without rounds has lost its connection."""
        self.broken(None, [], failure)

    def _give_up(self, wishes: list[Any], failure: Exception) -> None:
        told = unreachable(self.group.name, failure)
        if wishes:
            self.deliver([(wish, told) for wish in wishes])

    def _reconnect(self, failure: Exception) -> None:
        self.notices(
            "CSQE005W", f"The connection to the facility of group {self.group.name} is lost: {failure}"
        )
        self._lost()
        self._inbox.end()
        self._drop()
        for pipe in self._pipes:
            if pipe.is_alive():
                pipe.join()
        self._past = self.status()
        self._pipes = []
        left = self._inbox.drain()
        self._give_up(left, failure)  # never sent: it did not happen
        tries = 0
        while not self._stopping.wait(RECONNECT_SECONDS[min(tries, len(RECONNECT_SECONDS) - 1)]):
            tries += 1
            try:
                self._join()
            except (psycopg.Error, OSError, MQError) as problem:
                logger.info("no_facility group=%s cause=%s", self.group.name, problem)
                self._drop()
                continue
            with self._lock:
                self._reconnector = None
                late, self._late = self._late, []
            self._go_on(late)
            self.notices("CSQE006I", f"The facility of group {self.group.name} is connected again.")
            self._regained()
            return

    def _go_on(self, late: list[Any]) -> None:
        """Do what was wished without a facility: claims and tags ended with the life before."""
        results: rounds.Results = []
        for wish in late:
            if isinstance(wish, Release | Untag):
                results.append((wish, True))
            elif isinstance(wish, Commit | Hold) and wish.gets:
                results.append((wish, rounds.lost_claims()))
            else:
                self._inbox.add(wish)
        self.deliver(results)

    # -- wishes ------------------------------------------------------------------------------

    def submit(self, wish: Any) -> None:
        """Leave a wish for the next round; `deliver` gets its result."""
        with self._lock:
            if self._reconnector is None:
                self._inbox.add(wish)
                return
            if not isinstance(wish, Claim | Look | Mark):
                self._late.append(wish)  # it waits for the reconnection
                return
        self._give_up([wish], OSError("reconnecting"))

    def next_round(self) -> int:
        """Return a number for a round, which no other round of this member ever has; it is negative."""
        with self._lock:
            self._round += 1
            return -self._round

    # -- statements of others ----------------------------------------------------------------

    def session(self, bare: bool = False) -> Any:
        """Open a session; unless bare it holds the member's lock, so that peers see it is there."""
        connection = psycopg.connect(
            self.group.facility,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            application_name=f"penstock {self.group.name} {self.name}",
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            tcp_user_timeout=10_000,
        )
        connection.prepare_threshold = None if bare else 0
        connection.add_notice_handler(lambda notice: None)
        if not bare:
            try:
                connection.execute(SESSION.format(schema=self.group.schema), prepare=False)
                members.hold(connection, self.lock_space, self.member)
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def connect(self) -> Iterator[Any]:
        """Give a connection for statements of one's own, one user at a time; 2345 without a facility."""
        with self._spare_lock:
            if self._reconnector not in (None, threading.current_thread()):
                raise unreachable(self.group.name, OSError("reconnecting"))  # a session now would be ended
            try:
                if self._spare is None or self._spare.closed or self._spare.broken:
                    self._spare = self.session()
            except (psycopg.Error, OSError) as failure:
                raise unreachable(self.group.name, failure) from failure
            try:
                yield self._spare
            except psycopg.Error as failure:
                if self._spare.broken or self._spare.closed:
                    raise unreachable(self.group.name, failure) from failure
                raise rounds.refusal(failure, mq.MQRC_CF_NOT_AVAILABLE) from failure

    def execute(
        self, statement: str, arguments: tuple[Any, ...] | Mapping[str, Any] = ()
    ) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        with self.connect() as connection:
            cursor = connection.execute(statement, arguments)
            return list(cursor.fetchall()) if cursor.description is not None else []

    def queue_number(self, name: str, structure: str) -> int:
        """Return the number of a shared queue in the facility; it gets one if it has none."""
        self.execute(
            "insert into queue(name, structure) select %s, %s"
            " where not exists (select from queue where name = %s) on conflict do nothing",
            (name, structure, name),
        )
        return int(self.execute("select id from queue where name = %s", (name,))[0][0])

    def notify(self, topic: str, text: str) -> None:
        """Wake the members with a text for those who know the topic."""
        self.execute("select pg_notify(%s, %s)", (self.channel, f"{topic}:{text}"))

    def queue_figures(self) -> dict[int, QueueFigures]:
        """Return what each queue holds in the group, as of a second ago."""
        return self.figures

    def structure_figures(self) -> dict[str, StructureFigures]:
        """Return what each structure holds, as of a second ago."""
        found: dict[str, StructureFigures] = {}
        for queue in self.figures.values():
            there = found.setdefault(queue.structure, StructureFigures())
            there.messages += queue.messages
            there.bytes += queue.bytes
            there.offloaded += queue.offloaded
        return found

    def members(self) -> list[Member]:
        """Return the members of the group."""
        with self.connect() as connection:
            return members.listing(connection, self.lock_space)

    def status(self) -> PipeFigures:
        """Return what the pipes of this member have done."""
        figures = PipeFigures(self._past.rounds, self._past.units, self._past.seconds)
        for pipe in self._pipes:
            figures.rounds += pipe.rounds
            figures.units += pipe.units
            figures.seconds += pipe.seconds
        return figures


def unreachable(group: str, failure: Exception) -> MQError:
    """Return the error of a call that the facility cannot serve."""
    text = str(failure).strip().splitlines()[0] if str(failure).strip() else type(failure).__name__
    return error(mq.MQRC_CF_NOT_AVAILABLE, f"the facility of group {group} cannot be reached: {text}")
