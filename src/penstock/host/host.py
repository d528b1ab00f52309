"""Runs one engine: folder lock, engine lock, journal, clock, checkpoints, housekeeping.

Embedded use and the server share it. The gate is held around engine calls only; waiting for the
disk happens outside. One housekeeping thread does what only time brings about. A journal that
fails stops the queue manager: every later call raises.

Lock order: _room_lock, checkpoint_lock, files_lock, gate. Whoever works on `files` holds files_lock,
so that no lock inside it is ever waited for with the gate held. Compiled through `host.pxd`: no signal
comes in the middle of what a put or get does here.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from penstock.admin.access import Access
from penstock.host import checkpointing
from penstock.host._gate import Gate
from penstock.host.folders import installation
from penstock.host.folders.folder_lock import ENDED
from penstock.host.housekeeping import CHECKPOINT_BYTES_MAX, Housekeeping
from penstock.host.monitoring.error_log import ErrorLog
from penstock.host.monitoring.trace import Trace
from penstock.host.pacing import Pacer
from penstock.host.users.user_directory import People, owner_of
from penstock.host.users.users_file import NAME as USERS_NAME
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError, error
from penstock.qmgr.deep.window import Window
from penstock.qmgr.selectors.evaluations import Evaluation

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.folders.folder import Folder
    from penstock.host.folders.folder_lock import FolderLock
    from penstock.host.folders.ini import Settings
    from penstock.model.message import Message
    from penstock.model.status import QmgrStatus
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.restart.recovery import Report
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.store.faults import Faults
    from penstock.store.journal import Journal
    from penstock.store.message_files import MessageFiles

logger = logging.getLogger(__name__)

SPILL_BATCH = 64  # messages that make a spill worth a write
SPILL_BYTES_BEHIND = 32 << 20  # of a queue, beyond its buffer, that may wait for housekeeping to spill it
ROOM_SHARE = 100  # of the log: as much is written before room is looked for again where there was none
SPILL_PAUSE_SECONDS = 1.0  # before the next try when message files take nothing
CHECKPOINT_SHARE = 4  # a checkpoint is due when a quarter of the log is used
HIGH_WATER_PERCENT = 85  # of the log: the longest unit is backed out
DISK_RESERVE_BYTES = 64 << 20
LOG_BEHIND, SPILL_BEHIND = 1, 2  # what housekeeping may be behind with


class Host:
    """One running queue manager in this process."""

    def __init__(
        self,
        folder: Folder,
        lock: FolderLock,
        settings: Settings,
        engine: Engine,
        journal: Journal,
        files: MessageFiles,
        report: Report,
        faults: Faults | None = None,
    ) -> None:
        self.folder = folder
        self.lock = lock
        self.settings = settings
        self.engine = engine
        self.journal = journal
        self.files = files
        self.report = report
        self.faults = faults
        self.gate = Gate(not_open)
        self.pacer = Pacer(self.gate)
        self.files_lock = threading.Lock()
        self.checkpoint_lock = threading.Lock()
        self.error_log = ErrorLog(folder.errors, engine.name)
        self.trace = Trace()
        self.people = People(folder.path.parent / USERS_NAME, owner_of(folder.path))
        self.access = engine.access = Access(engine.objects, self.people)
        engine.host_facts = _facts_of(weakref.ref(self))
        engine.media_logs = _media_logs_of(weakref.ref(self))
        self.house = Housekeeping(self)
        self.users = 0
        self.configured = False  # automatic configuration has been applied since the start
        self.sharing: Any = None  # GroupMembership, when qm.ini names a group
        self.failure: MQError | None = None  # what stopped the queue manager
        self.orphans: deque[UnitOfWork] = deque()  # units whose context has ended
        self.disk_low = False
        self.disk_reserve_bytes = DISK_RESERVE_BYTES
        self.has_checkpoint = True  # one that a restart can begin with
        self.checkpoint_end = journal.end
        self.checkpoints = checkpointing.CheckpointCounts()
        self.file_bytes = 0  # written to message files since the last checkpoint
        self.log_stuck = False  # the log is full and no checkpoint could free it
        self._room_lock = threading.Lock()
        self.gone = False
        self._spill_again = 0.0
        self._no_room_because = ""  # of the last failure to make room in the log
        self._room_again = 0  # position from which it is worth while to look for room in the log
        capacity = journal.capacity
        self.high_water_bytes = capacity * HIGH_WATER_PERCENT // 100
        self.checkpoint_bytes = min(capacity // CHECKPOINT_SHARE, CHECKPOINT_BYTES_MAX)
        _running.add(self)

    @property
    def closed(self) -> bool:
        """Whether the engine may not be called any more."""
        return self.gate.closed

    def enter_state(self, state: str, served: bool = False) -> None:
        """Show a state (Running, Quiescing, Ending) to DISPLAY QMSTATUS and to readers of the lock file."""
        self.lock.tell(state, served)
        self.engine.state = state.upper()

    def start(self) -> None:
        """Begin housekeeping."""
        self.house.start()

    def settle(self, position: int) -> None:
        """Wait until a position is on disk and finish what waited for it."""
        if position < 0:
            self.sharing.settle(-position)
            return
        while position:
            try:
                self.journal.wait(position)
            except MQError as failure:
                self.stop(failure)
                raise
            position = self._finish_durable(position)
            self.after_logging()

    def _finish_durable(self, position: int) -> int:
        """Finish what is on disk up to a position; return the position of resulting records, 0 for none.

        A round of the group that follows is not waited for here: somebody else does.
        """
        step, reached, further = self.engine.step, 0, 0
        while reached < position:  # others get in between
            with self.gate.anyway:
                step.begin()
                reached = self.engine.durable(self.journal.durable)
                further = max(further, step.end())
        return further

    def stop(self, failure: MQError) -> None:
        """Stop: the disk has failed, so nothing can be promised. Later calls raise 8004."""
        with self.gate.anyway:
            if self.failure is not None or self.gate.closed:
                return
            self.failure = failure
            text = str(failure)
            self.gate.refusal = lambda: stopped_by(text)
            self.gate.closed = True
            self._send_waiters_away(mq.PSRC_JOURNAL_STOPPED)
        self.error_log.write(
            "AMQ7472S",
            f"The queue manager has stopped: {failure}",
            "Nothing that was confirmed is lost.",
            "Repair the disk or free space, close the queue manager and start it again.",
        )

    def check_going_on(self, clean: bool = False) -> None:
        """Refuse file operations that waited until the queue manager was closing or closed."""
        if self.gone or (self.closed and not clean):
            raise self.gate.refusal()

    def failure_again(self) -> MQError:
        """Return what every call raises after the queue manager has stopped."""
        return stopped_by(str(self.failure))

    def _send_waiters_away(self, reason: int) -> None:
        for queue in self.engine.queues.values():
            if queue.waiting is not None:
                for waiter in queue.waiting.everyone():
                    self.engine.fail_waiter(queue, waiter, reason)

    def orphan(self, unit: UnitOfWork) -> None:
        """Back out a unit whose context is gone, now or at the next round of housekeeping.

        Finalisers call it, anywhere in any thread: it waits for no lock, not even that of `wake`,
        which the thread it interrupts may hold.
        """
        self.orphans.append(unit)
        if not self.gate.closed and self.gate.try_acquire():
            try:
                self.back_out_orphans()
            finally:
                self.gate.release()

    def back_out_orphans(self) -> None:
        while self.orphans:
            self.engine.backout(self.orphans.popleft(), time.time())

    def after_logging(self) -> None:
        """Free log space if needed after records were appended; cheap unless it runs short.

        The call itself has succeeded by then, so a failure here goes to the error log only.
        """
        if self.log_is_due():
            if not self.checkpoint_lock.locked():
                self.house.wake.set()
            if self._log_is_behind():
                try:
                    self.make_room()
                except MQError as failure:
                    self.house.complain(self, failure)

    def log_is_due(self) -> bool:
        """Return whether so much was logged since the last checkpoint that another one is due."""
        return bool(self.journal.end - self.checkpoint_end > self.checkpoint_bytes)

    def hurry(self) -> int:
        """Have housekeeping free log and memory now; return which of them is so full that callers must wait.

        For a loop, which must not wait itself: `after_logging` and `spill` work in the caller's thread.
        """
        spilling = self.engine.wishes.spilling
        log = self.log_is_due()
        memory = self.spill_is_due()
        if ((log and not self.checkpoint_lock.locked()) or memory) and not self.house.wake.is_set():
            self.house.wake.set()
        behind = LOG_BEHIND if log and self._log_is_behind() else 0
        return behind | (SPILL_BEHIND if memory and self._spill_is_behind(spilling) else 0)

    def _log_is_behind(self) -> bool:
        journal = self.journal
        return journal.used > self.high_water_bytes and not self.log_stuck and journal.end >= self._room_again

    def _spill_is_behind(self, spilling: list[Message]) -> bool:
        queue = spilling[-1].queue
        buffer = max(self.engine.buffer_bytes, self.engine.persistent_buffer_bytes)
        return queue is not None and queue.memory_used() > buffer + SPILL_BYTES_BEHIND

    def make_room(self) -> None:
        """Free log space: checkpoint, then back out the longest units while that is not enough."""
        with self._room_lock:  # the others find room when it is their turn
            try:
                self._make_room()
            except MQError as failure:
                self.log_stuck = self.journal.used > self.journal.capacity
                self._no_room_because = str(failure)
                raise
            finally:
                self._room_again = self.journal.end + self.journal.capacity // ROOM_SHARE
            self.log_stuck = False

    def _make_room(self) -> None:
        if self.journal.used > self.high_water_bytes:
            self.settle_quietly()
            checkpointing.checkpoint(self)
        while self.journal.used > self.high_water_bytes:
            with self.gate.anyway:
                unit = self.engine.fail_oldest_unit(self.journal.tail, time.time())
            if unit is None:
                return
            self.error_log.write(
                "AMQ7469W",
                f"Unit of work {unit.number} was backed out to release log space.",
                "The log was nearly full and this unit held the oldest records.",
                "Commit more often, or give the queue manager more or larger log files.",
            )
            checkpointing.checkpoint(self)

    def settle_quietly(self) -> None:
        """Finish what waits for the disk, without looking after the log."""
        position = self.journal.end
        self.journal.wait(position)
        self._finish_durable(position)

    def load(self, wanted: list[Any]) -> None:
        """Do what a step of the engine needs: read bodies, fetch for shared queues, evaluate selectors."""
        messages = []
        for each in wanted:
            if isinstance(each, Evaluation):
                each.evaluate()
            elif isinstance(each, Window):
                with uninterrupted:  # a lane is changed in several steps
                    checkpointing.bring_in(self, each)
            else:
                messages.append(each)
        if messages:
            checkpointing.load(self, messages)

    def spill(self) -> None:
        """Move what queues have no memory for to disk, when it is enough for a write."""
        if self.spill_is_due():
            self.spill_now()

    def spill_now(self) -> None:
        """Move what queues have no memory for to disk; a failure goes to the error log only."""
        try:
            checkpointing.spill(self)
        except MQError as failure:
            self.house.complain(self, failure)  # the messages stay in memory
            self._spill_again = time.monotonic() + SPILL_PAUSE_SECONDS

    def spill_is_due(self) -> bool:
        """Return whether so much is to go to disk that it is worth a write, and the disk takes it."""
        return (
            len(self.engine.wishes.spilling) >= SPILL_BATCH
            and not self.disk_low
            and time.monotonic() >= self._spill_again
        )

    def check_room(self, length: int) -> None:
        """Refuse persistent work that the disk or the log could not keep."""
        if self.disk_low:
            raise error(
                mq.MQRC_Q_SPACE_NOT_AVAILABLE,
                f"less than {self.disk_reserve_bytes >> 20} MB are free under {self.folder.path}",
            )
        if self.log_stuck:
            full = f"the log is full, {self.journal.used} bytes are in use"
            raise error(mq.MQRC_RESOURCE_PROBLEM, f"{full}, and makes no room: {self._no_room_because}")
        if length > self.high_water_bytes:
            raise error(
                mq.MQRC_RESOURCE_PROBLEM,
                f"{length} bytes do not fit into a log of {self.journal.capacity} bytes",
            )

    def housekeeping(self, now: float) -> None:
        """One round of what time brings about."""
        self.house.round(self, now)

    def renew_tracer(self) -> None:
        """Let the engine record what is watched now. The gate is held."""
        self.engine.tracer = self.trace.tracer_for(self.engine.connected.values())

    def look_at_disk(self) -> None:
        """Refuse persistent messages while the disk is nearly full."""
        room = os.statvfs(self.folder.path)
        low = room.f_bavail * room.f_frsize < self.disk_reserve_bytes
        if low and not self.disk_low:
            self.error_log.write(
                "AMQ6119S",
                f"The disk under {self.folder.path} is nearly full; persistent puts are refused (2056).",
                action="Free some space; puts are accepted again by themselves.",
            )
        self.disk_low = low

    def close(self) -> None:
        """Stop cleanly: checkpoint, close the journal, unlock the folder."""
        if self.gone or (self.closed and self.failure is None):
            return
        if self.sharing is not None and self.failure is None:
            self.sharing.stop()
        self.gate.closed = True
        self.house.stop()
        try:
            if self.failure is None and not self.journal.stopped and self.journal.drain():
                with self.gate.anyway:
                    self.back_out_orphans()
                    self._send_waiters_away(mq.MQRC_CONNECTION_BROKEN)
                    self.engine.effects.stopping(time.time())
                self.settle_quietly()
                checkpointing.checkpoint_if_room(self, clean=True)
                self.lock.tell(ENDED)
        finally:
            if self.sharing is not None:
                self.sharing.abandon()
            with self.checkpoint_lock, self.files_lock:  # running work ends, waiting work is refused
                self._let_go()

    def abandon(self) -> None:
        """Let go of everything without a word to the disk, as a crash would."""
        self.gate.closed = True
        if self.sharing is not None:
            self.sharing.abandon()
        self.house.stop()
        self._let_go()

    def _let_go(self) -> None:
        self.gone = True
        _running.discard(self)
        try:
            self.journal.close()
            self.files.close()
        except MQError as failure:
            logger.warning("close_incomplete qmgr=%s cause=%s", self.engine.name, failure)
        finally:
            with self.gate.anyway:  # a call that began before the end may be in the engine still
                self.engine.pubsub.dispose()
                self.engine.dispose()
            self.lock.release()


def _facts_of(reference: weakref.ref[Host]) -> Callable[[QmgrStatus], None]:
    """Return a function that describes a host without keeping it alive."""

    def add_facts(status: QmgrStatus) -> None:
        host = reference()
        if host is not None:
            installation.add_facts(host, status)

    return add_facts


def _media_logs_of(reference: weakref.ref[Host]) -> Callable[[], Callable[[Definition], str]]:
    """Return a function that finds the log files of images without keeping the host alive."""

    def media_logs() -> Callable[[Definition], str]:
        host = reference()
        return installation.media_logs(host) if host is not None else lambda _: ""

    return media_logs


def not_open() -> MQError:
    """Return the error of a call whose queue manager was closed meanwhile, or after a fork."""
    return error(mq.MQRC_CONNECTION_BROKEN, "the queue manager is not open in this process any more")


def stopped_by(cause: str) -> MQError:
    """Return the error of a call after a failure has stopped the queue manager."""
    return error(mq.PSRC_JOURNAL_STOPPED, f"the queue manager has stopped: {cause}")


_running: weakref.WeakSet[Host] = weakref.WeakSet()


def _forget_after_fork() -> None:
    for host in list(_running):
        host.gate.closed = True


os.register_at_fork(after_in_child=_forget_after_fork)
