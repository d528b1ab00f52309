# cython: nonecheck=True
"""The queue manager on the network: one loop that drives the engine for all clients.

The loop's thread makes every call of a client's put, get and commit; the journal's native thread writes;
a few workers run what may take long (MQSC, passwords, reading bodies). What one look at the sockets
brings is handled together and answered in one write for each connection. Invariant: an answer that
promises something durable leaves after the journal has it. Compiled through `server.pxd`.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from penstock.face._clock import monotonic
from penstock.host.folders.folder_lock import ENDING, QUIESCING
from penstock.host.host import LOG_BEHIND, SPILL_BEHIND
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol._frames import ReadBuffer
from penstock.qmgr.selectors.evaluations import Evaluation
from penstock.serve.channels import Channels
from penstock.serve.connections import Connections
from penstock.serve.conversations.evaluating import Evaluating
from penstock.serve.conversations.large_frames import LargeFrames
from penstock.serve.conversations.round_waits import RoundWait
from penstock.serve.conversations.scans import Scans
from penstock.serve.deadlines import Deadlines
from penstock.serve.entry.connection_limits import limits_of
from penstock.serve.listeners import Listeners
from penstock.serve.message_channels.initiator import MessageChannels
from penstock.serve.send_buffer import write_all
from penstock.serve.services import Services

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.host import Host
    from penstock.serve.answers import Answer
    from penstock.serve.conversations.remote_gets import RemoteGets
    from penstock.serve.conversations.waits import Wait
    from penstock.serve.link import Link
    from penstock.serve.message_channels.link import ChannelLink
    from penstock.serve.monitoring.metrics import Metrics
    from penstock.serve.send_buffer import SendBuffer

logger = logging.getLogger(__name__)

WORKERS = 8
READERS = 4
IMMEDIATE_SECONDS = 5.0  # that a client has to read its last answers
READ_BYTES = 256 << 10
SWEEP_SECONDS = 1.0
HELD_SECONDS = 0.01  # between looks whether housekeeping has caught up
LOOKS_MAX = 4  # polls of the sockets before the journal request
PRODUCERS_MIN = 4  # whose next messages are worth waiting for with a sync
UNHURRIED_SECONDS = 0.05  # that what nothing waits for may wait for a sync of others
LATE_SECONDS = 0.001  # that a get waits for them
LINKS_ALONE = 2  # a producer and its consumer
TURN_SECONDS = 0.002  # that the frames of one link take before other links have their turn
WAITS_SECONDS = 0.02  # between looks at waits that may be over


class Server:
    """All connections of one running queue manager."""

    def __init__(self, host: Host, loop: asyncio.AbstractEventLoop) -> None:
        self.host = host
        self.engine = host.engine
        self.gate = host.gate
        self.journal = host.journal
        self.error_log = host.error_log
        self.loop = loop
        self.clock = monotonic
        self.workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="penstock-worker")
        self.readers = ThreadPoolExecutor(READERS, thread_name_prefix="penstock-reader")
        self.links: set[Link] = set()
        self.buffer = ReadBuffer(READ_BYTES)  # one for all: it is emptied before the next read
        self.stopping = ""
        self.stopped = asyncio.Event()
        self.dirty: list[SendBuffer] = []  # links that have something to write
        self.unanswered: deque[Answer] = deque()
        self.woken: deque[Wait] = deque()
        self.rung: list[ChannelLink] = []  # channels for which messages have come
        self.rung_early: list[ChannelLink] = []  # the same, before these messages are on disk
        self.deadlines = Deadlines()
        self.scans = Scans(self)
        self.large_frames = LargeFrames(self)
        self.evaluating = Evaluating(self)
        self.turn_seconds = TURN_SECONDS
        self.turns_ended = 0  # with something left over
        self.behind = 0  # resources that housekeeping is behind with: clients that fill them wait
        self.held: list[Any] = []  # waiting links of clients and of channels
        self._releaser: asyncio.TimerHandle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._called = False
        self._flushing = False
        self._thread = threading.get_ident()
        self._wanted = 0
        self._asked = 0
        self._finished = 0  # the durable position at the last `synced`
        self._seen = 0  # the requested position when the sockets were polled
        self._looks = 0
        self._pressing = False  # an answer other than a get's waits for the disk
        self._puts_together = 0  # that the last sync has answered
        self._late: asyncio.TimerHandle | None = None
        self._unhurried = self._overdue = 0  # positions that nothing waits for: the last, the oldest
        self._later: asyncio.TimerHandle | None = None
        self.access: Any = None
        self.tls: Any = None  # the last context, and its files
        self.metrics: Metrics | None = None
        limits = limits_of(host.settings.channels)
        self.connections = Connections(limits.sockets)
        self.channels = Channels(self, limits)
        self.message_channels = MessageChannels(self)
        self.listeners = Listeners(self)
        self.services = Services(self)
        loop.add_reader(self.journal.eventfd, self._on_sync)
        self._sweeper = loop.call_later(SWEEP_SECONDS, self._sweep)

    # -- durability ------------------------------------------------------------------------

    def reach(self, position: int) -> None:
        """Have the journal get to a position, without an answer that waits for it.

        What waits in the engine for an old position is finished soon: no sync to come would do that.
        """
        if position < 0:  # a round of the group: the journal has to get where it begins
            position = self.host.sharing.take_ticket(-position).position
        if position > self._wanted:
            self._wanted = position
            self._pressing = True
        elif position <= self._finished:
            self.loop.call_soon(self._on_sync)

    def reach_late(self, position: int) -> None:
        """Have the journal get to a position with the next sync, or with one of its own a moment later."""
        if position > self._unhurried:
            self._unhurried = position
        if self._later is None:
            self._overdue = self._unhurried
            self._later = self.loop.call_later(UNHURRIED_SECONDS, self._reach_late)

    def _reach_late(self) -> None:
        """Sync what no sync of others has carried; what came meanwhile has its own time."""
        self._later = None
        if self._overdue > self._asked:
            self.reach(self._unhurried)
            self.flush()
        elif self._unhurried > self._asked:
            self.reach_late(self._unhurried)

    def when_durable(self, position: int, answer: Answer) -> None:
        """Release an answer once the journal has got to a position; at once for 0.

        A position may be an old one when another thread has finished a sync: no sync to come would send the
        answer.
        """
        if position <= self._finished:
            answer.release()
            return
        if position > self._wanted:
            self._wanted = position
        if answer.presses:
            self._pressing = True
        answer.position = position
        self.unanswered.append(answer)

    def when_rounds(self, numbers: list[int], position: int, answer: Answer | None) -> None:
        """Release an answer when rounds of the group's facility are done, and the journal has a position."""
        RoundWait(self, numbers, position, answer).begin()

    def _on_sync(self) -> None:
        _empty_bell(self.journal.eventfd)
        if self.journal.stopped:
            self._journal_stopped()
            return
        self._flushing = True  # woken gets need not call the loop: they are answered now
        try:
            self.synced()
        finally:
            self._flushing = False
        self.flush()

    def synced(self) -> None:
        """Finish in the engine what is on disk, and send the answers that waited for it."""
        durable = self.journal.durable
        with self.gate.anyway:
            self.engine.step.begin()
            finished = self.engine.durable(durable)
            position = self.engine.step.end()
        if position > self._wanted:
            self._wanted = position
        self._finished = finished
        unanswered = self.unanswered
        self._puts_together = 0
        while unanswered:
            answer = unanswered[0]
            if answer.position > finished:
                break
            unanswered.popleft()
            if answer.produces:
                self._puts_together += 1
            try:
                answer.release()
            except Exception as failure:  # noqa: BLE001 - an edge: the failure of one client, which is logged
                answer.failed(failure)
        if finished < durable:
            self.turns_ended += 1
            self.loop.call_soon(self._on_sync)  # the rest, when others have had their turn
        self.relieve()

    def relieve(self) -> None:
        """Have housekeeping free log and memory; while it is far behind, links that fill them are held."""
        self.behind = self.host.hurry()
        if self.behind and self._releaser is None:
            self._releaser = self.loop.call_later(HELD_SECONDS, self._release)

    def filled(self) -> int:
        """Return how full that is which housekeeping is behind with, to compare it with later."""
        fill = self.journal.end if self.behind & LOG_BEHIND else 0
        return fill + len(self.engine.wishes.spilling) if self.behind & SPILL_BEHIND else fill

    def _release(self) -> None:
        self._releaser = None
        self.relieve()
        if not self.behind:
            held, self.held = self.held, []
            for link in held:
                link.let_go()

    def _journal_stopped(self) -> None:
        try:
            self.journal.wait(self.journal.end)
        except MQError as failure:
            self.host.stop(failure)
            self.loop.remove_reader(self.journal.eventfd)
            self.unanswered.clear()
            self.stop("immediate")

    # -- waits -----------------------------------------------------------------------------

    def woke(self, wait: Wait) -> None:
        """Note an answered waiter; called under the engine's lock, in any thread.

        The loop need not be woken if it is about to flush anyway; other callers wake it.
        """
        self.woken.append(wait)
        if not self._called and not (self._flushing and threading.get_ident() == self._thread):
            self._called = True
            self.loop.call_soon_threadsafe(self._flush_called)

    def expect(self, gets: RemoteGets, deadline: float) -> None:
        """Have the gets of a conversation look at their waits at a time."""
        self.deadlines.add(gets, deadline)
        if self._timer is None:
            self._timer = self.loop.call_later(WAITS_SECONDS, self._end_waits)

    def _end_waits(self) -> None:
        self._timer = None
        now = self.clock()
        for gets in self.deadlines.over(now):
            gets.look(now)
        if self.deadlines:
            self._timer = self.loop.call_later(WAITS_SECONDS, self._end_waits)
        self.flush()

    def read_bodies(self, messages: list[Any], gets: RemoteGets, wait: Wait) -> None:
        """Read spilled bodies, or evaluate selectors, in a worker; then make the call again."""
        evaluates = any(isinstance(each, Evaluation) for each in messages)
        pool = self.evaluating.worker if evaluates else self.readers
        self.work_first(functools.partial(self.host.load, messages), gets, wait, pool)

    def work_first(
        self,
        work: Callable[[], Any],
        gets: RemoteGets,
        wait: Wait,
        pool: ThreadPoolExecutor | None = None,
    ) -> None:
        """Do something that takes long in a worker, then make the call that waits for it again."""

        def done() -> None:
            try:
                work()
            except MQError as failure:
                self.loop.call_soon_threadsafe(self._not_read, gets, wait, failure)
            except Exception as fault:  # a thread's edge: otherwise the client would get no answer
                logger.exception("a call could not be prepared")
                told = error(mq.MQRC_UNEXPECTED_ERROR, f"{type(fault).__name__}: {fault}")
                self.loop.call_soon_threadsafe(self._not_read, gets, wait, told)
            else:
                self.loop.call_soon_threadsafe(self.try_again, gets, wait)

        (pool or self.readers).submit(done)

    def ask_first(self, question: Any, gets: RemoteGets, wait: Wait) -> None:
        """Make a call again when full repositories have answered, or that was given up."""
        again = functools.partial(self.loop.call_soon_threadsafe, self.try_again, gets, wait)
        with self.gate:
            if not question.done:
                question.wakers.append(again)
                return
        again()

    def try_again(self, gets: RemoteGets, wait: Wait) -> None:
        """Repeat a call that could not be made, unless its client has disconnected or given up."""
        if not wait.over:
            if wait.again is not None:
                gets.waits.pop(wait.request, None)
                wait.again()
            else:
                gets.retry(wait)
        self.flush()

    def _not_read(self, gets: RemoteGets, wait: Wait, failure: MQError) -> None:
        if not wait.over:
            wait.over = True
            gets.waits.pop(wait.request, None)
            gets.replies.fail(wait.request, failure)
        self.flush()

    # -- writing ---------------------------------------------------------------------------

    def flush_soon(self) -> None:
        """Have the loop flush when it has read from every socket that is ready.

        What came together goes together.
        """
        if not self._called:
            self._called = True
            self.loop.call_soon(self._flush_called)

    def _flush_called(self) -> None:
        self._called = False
        self.flush()

    def flush(self) -> None:
        """Send answers, then have channels with new messages send: no caller waits for that."""
        self._answer()
        if self.rung or self.rung_early:
            rung, self.rung = self.rung, []
            _pump(rung)
            self._pump_early()
            self._answer()

    def _pump_early(self) -> None:
        """Have channels take what is about to be synced: their records go to disk with it."""
        while self.rung_early:
            rung, self.rung_early = self.rung_early, []
            _pump(rung)

    def _answer(self) -> None:
        """Answer woken gets, request syncs from the journal, and write."""
        self._flushing = True
        try:
            while True:
                self._answer_woken()
                if self._wanted <= self._asked or self._more_may_come() or self._gets_may_wait():
                    break
                if self.rung_early:
                    self._pump_early()
                    self._answer_woken()
                self._asked = self._wanted
                self._pressing = False
                self.journal.request(self._asked)
                if self.journal.durable < self._asked:
                    break
                self.synced()
        finally:
            self._flushing = False
        if self.engine.wishes.spilling:
            self.relieve()
        if self.dirty:
            write_all(self.dirty)

    def _more_may_come(self) -> bool:
        """Return whether to look at the sockets once more, so that one sync carries all who are there.

        The journal is asked when a look has brought nothing, or after a few; a lone client has nobody to
        wait for.
        """
        if self._wanted == self._seen or self._looks == LOOKS_MAX or len(self.links) <= LINKS_ALONE:
            self._looks = 0
            return False
        self._looks += 1
        self._seen = self._wanted
        self.flush_soon()
        return True

    def _gets_may_wait(self) -> bool:
        """Return whether what waits for the disk can go with the puts that are about to come.

        The last sync has answered several producers: each sends its next message now. A sync for the gets
        that took their last ones would make them wait for it. Without them it is made a moment later.
        """
        if self._pressing or self._puts_together < PRODUCERS_MIN:
            return False
        if self._late is None:
            self._late = self.loop.call_later(LATE_SECONDS, self._wait_no_longer)
        return True

    def _wait_no_longer(self) -> None:
        self._late = None
        self._pressing = True
        self.flush()

    def _answer_woken(self) -> None:
        """Answer the gets that the engine has served; very many take some turns of the loop."""
        if not self.woken:
            return
        until = monotonic() + self.turn_seconds
        self._answer_one()
        while self.woken:
            if monotonic() >= until:
                self.turns_ended += 1
                self.flush_soon()
                return
            self._answer_one()

    def _answer_one(self) -> None:
        wait = self.woken.popleft()
        try:
            wait.gets.woken(wait)
        except Exception as failure:  # an edge, as `_write`
            logger.exception("wait_failed peer=%s", wait.gets.replies.link.peer)
            wait.gets.replies.link.abort(f"a get could not be answered: {failure}")

    # -- time and the end ------------------------------------------------------------------

    def _sweep(self) -> None:
        now = self.clock()
        for link in list(self.links):
            link.look(now)
        if self.host.closed and not self.stopping:
            self.stop("immediate")
        self._sweeper = self.loop.call_later(SWEEP_SECONDS, self._sweep)
        self.flush()

    def stop(self, mode: str) -> None:
        """Stop: `quiesce` waits for clients, `immediate` lets calls end, `preemptive` does not.

        A stop under way can only become harder. The local socket stays for administrators.
        """
        order = ("", "quiesce", "immediate", "preemptive")
        if order.index(mode) <= order.index(self.stopping):
            return
        self.stopping = mode
        self.host.enter_state(QUIESCING if mode == "quiesce" else ENDING)
        self.listeners.close_network()
        self.services.stop_all()
        if mode == "immediate":
            self._finish_calls()
            self.loop.call_later(IMMEDIATE_SECONDS, self.stop, "preemptive")
        self.message_channels.stop(mode)
        for link in list(self.links):
            link.stop(mode)
        self.flush()
        self._end_if_alone()

    def _end_if_alone(self) -> None:
        """End when no client is left; administrators who connected to stop it do not count."""
        if all(link.late for link in self.links) and self.message_channels.alone:
            self.stopped.set()

    def _finish_calls(self) -> None:
        """Let the answers out that wait for the disk: one sync, as the clients would have waited for."""
        try:
            self.journal.wait(max(self._wanted, self._asked))
            self.synced()
        except MQError as failure:
            logger.warning("calls_unfinished cause=%s", failure)

    def gone(self, link: Link) -> None:
        """Forget a link that is closed."""
        self.links.discard(link)
        self.connections.leave(link.connection)
        self.channels.left(link)
        if self.stopping:
            self._end_if_alone()

    def link_left(self) -> None:
        """Handle the close of a message channel's link."""
        if self.stopping:
            self._end_if_alone()

    def close(self) -> None:
        """Release the loop; every link is closed."""
        self.message_channels.close()
        self._sweeper.cancel()
        for timer in (self._timer, self._releaser, self._late, self._later):
            if timer is not None:
                timer.cancel()
        self.loop.remove_reader(self.journal.eventfd)
        self.workers.shutdown(wait=True)
        self.readers.shutdown(wait=True)
        self.evaluating.close()
        self.access.close()


def _pump(links: list[ChannelLink]) -> None:
    for link in links:
        link.pump()  # raises nothing: the others must have their turn


def _empty_bell(fd: int) -> None:
    """Take the note of new syncs off the journal's descriptor."""
    try:
        os.read(fd, 4096)
    except BlockingIOError:
        pass
