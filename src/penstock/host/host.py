"""Runs one engine: folder lock, engine lock, journal, clock, checkpoints, housekeeping.

Embedded use and the server share it. The gate is held around engine calls only; waiting for the
disk happens outside. One housekeeping thread does what only time brings about. A journal that
fails stops the queue manager: every later call raises.

Lock order: checkpoint_lock, files_lock, gate.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING

from penstock.host import checkpointing
from penstock.host._gate import Gate
from penstock.host.error_log import ErrorLog
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.host.folder import Folder
    from penstock.host.folder_lock import FolderLock
    from penstock.host.ini import Settings
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.recovery import Report
    from penstock.store.faults import Faults
    from penstock.store.journal import Journal
    from penstock.store.message_files import MessageFiles

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.5
SPILL_BATCH = 64  # messages that make a spill worth a write
CHECKPOINT_SHARE = 4  # a checkpoint is due when a quarter of the log is used
HIGH_WATER_PERCENT = 85  # of the log: the longest unit is backed out
CHECKPOINT_BYTES_MAX = 256 << 20
DISK_RESERVE_BYTES = 64 << 20


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
        self.gate = Gate()
        self.files_lock = threading.Lock()
        self.checkpoint_lock = threading.Lock()
        self.error_log = ErrorLog(folder.errors, engine.name)
        self.users = 0
        self.disk_low = False
        self.disk_reserve_bytes = DISK_RESERVE_BYTES
        self.checkpoint_end = journal.end
        capacity = journal.capacity
        self.high_water_bytes = capacity * HIGH_WATER_PERCENT // 100
        self.checkpoint_bytes = min(capacity // CHECKPOINT_SHARE, CHECKPOINT_BYTES_MAX)
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._housekeeper = threading.Thread(
            target=_keep_house, args=(weakref.ref(self), self._wake), name="penstock-house", daemon=True
        )
        _running.add(self)

    @property
    def closed(self) -> bool:
        """Whether nobody should ask the engine any more."""
        return self.gate.closed

    def start(self) -> None:
        """Begin housekeeping."""
        self._housekeeper.start()

    def settle(self, position: int) -> None:
        """Wait until a position is on disk and finish what waited for it."""
        if position:
            self.journal.wait(position)
            with self.gate:
                self.engine.durable(self.journal.durable)
            self.after_logging()

    def after_logging(self) -> None:
        """See to the log's space after records were appended; cheap unless it runs short."""
        if self.journal.end - self.checkpoint_end > self.checkpoint_bytes:
            self._wake.set()
            if self.journal.used > self.high_water_bytes:
                self.make_room()

    def make_room(self) -> None:
        """Free log space: checkpoint, then back out the longest units while that is not enough."""
        checkpointing.checkpoint(self)
        while self.journal.used > self.high_water_bytes:
            with self.gate:
                unit = self.engine.fail_oldest_unit(time.time())
            if unit is None:
                return
            self.error_log.write(
                "AMQ7469W",
                f"Unit of work {unit.number} was backed out to release log space.",
                "The log was nearly full and this unit held the oldest records.",
                "Commit more often, or give the queue manager more or larger log files.",
            )
            checkpointing.checkpoint(self)

    def load(self, messages: list[Message]) -> None:
        checkpointing.load(self, messages)

    def spill(self) -> None:
        """Move what queues have no memory for to disk, when it is enough for a write."""
        if len(self.engine.spilling) >= SPILL_BATCH:
            checkpointing.spill(self)

    def check_room(self, length: int) -> None:
        """Refuse persistent work that the disk or the log could not keep."""
        if self.disk_low:
            raise error(
                2056, f"less than {self.disk_reserve_bytes >> 20} MB are free under {self.folder.path}"
            )
        if length > self.high_water_bytes:
            raise error(2102, f"{length} bytes do not fit into a log of {self.journal.capacity} bytes")

    def housekeeping(self, now: float) -> None:
        """One round of what time brings about."""
        with self.gate:
            self.engine.tick(now)
            position = self.engine.pending[-1][0] if self.engine.pending else 0
        self.settle(position)
        if self.engine.spilling:
            checkpointing.spill(self)
        if self.journal.end - self.checkpoint_end > self.checkpoint_bytes:
            checkpointing.checkpoint(self)
        self.journal.prepare_ahead()
        self._look_at_disk()

    def _look_at_disk(self) -> None:
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
        if self.closed:
            return
        self.gate.closed = True
        self._stop_housekeeping()
        try:
            if self.journal.stopped is None or not self.journal.stopped:
                checkpointing.checkpoint(self, clean=True)
        finally:
            self._let_go()

    def abandon(self) -> None:
        """Let go of everything without a word to the disk, as a crash would."""
        self.gate.closed = True
        self._stop_housekeeping()
        self._let_go()

    def _stop_housekeeping(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._housekeeper.is_alive() and self._housekeeper is not threading.current_thread():
            self._housekeeper.join()

    def _let_go(self) -> None:
        _running.discard(self)
        try:
            self.journal.close()
            self.files.close()
        except MQError as failure:
            logger.warning("close_incomplete qmgr=%s cause=%s", self.engine.name, failure)
        finally:
            self.engine.dispose()
            self.lock.release()


_running: weakref.WeakSet[Host] = weakref.WeakSet()


def _keep_house(reference: weakref.ref[Host], wake: threading.Event) -> None:
    """Run housekeeping until the host stops or is gone; an edge, so it logs what goes wrong."""
    while True:
        wake.wait(TICK_SECONDS)
        wake.clear()
        host = reference()
        if host is None or host._stop.is_set():
            return
        try:
            host.housekeeping(time.time())
        except MQError as failure:
            host.error_log.write("AMQ6119S", f"Housekeeping failed: {failure}", action=failure.action)
            if host.journal.stopped:
                return
        except Exception:  # noqa: BLE001 an edge: the thread must not end silently
            logger.exception("housekeeping_failed qmgr=%s", host.engine.name)
        del host


def _forget_after_fork() -> None:
    for host in list(_running):
        host.gate.closed = True


os.register_at_fork(after_in_child=_forget_after_fork)
