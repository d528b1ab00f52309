"""The lock of a queue manager's folder: one process runs it at a time.

The kernel's `flock` decides; the JSON in the lock file only shows others who holds it and in which state
the queue manager is, and what a dead holder left there does no harm. Taken by `host.starting` for as long as
a queue manager is open, read by `qmgr list`, `status` and `stop`. Invariant: a lock belongs to the process
that took it: a forked child drops its copy at birth, so that it neither frees the lock nor keeps it beyond
its parent's end.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import sys
import time
import weakref
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from types import TracebackType

PATIENCE_S = 0.25  # a holder that was just killed, or a process that only looks, has released it by then
PAUSE_S = 0.01
CONTENT_BYTES_MAX = 4096

STARTING, RUNNING, QUIESCING, ENDING, ENDED = "Starting", "Running", "Quiescing", "Ending", "Ended"
CRASHED = "Ended unexpectedly"  # the lock is free, and the last holder did not write ENDED


@dataclass(frozen=True)
class Holder:
    """Who holds a folder's lock, in its own words."""

    pid: int
    host: str
    program: str
    since: str
    state: str = RUNNING  # of the queue manager
    served: bool = False  # a server has run it, now or before: others expect one

    def __str__(self) -> str:
        state = "" if self.state == RUNNING else f" (state {self.state})"
        return f"process {self.pid} ({self.program}) on {self.host} since {self.since}{state}"


UNKNOWN = Holder(0, "an unknown host", "which has not said its name", "an unknown time", "")


class FolderLock:
    """A held lock; release it, or leave its `with` block: then the file has the state from before."""

    def __init__(self, path: Path, descriptor: int, holder: Holder, before: str) -> None:
        self.path = path
        self.holder = holder
        self.before = before  # the state that the last holder left
        self._descriptor = descriptor
        _held.add(self)

    def tell(self, state: str, served: bool = False) -> None:
        """Write the state of the queue manager for others to read, and whether a server runs it."""
        now = replace(self.holder, state=state, served=served or self.holder.served)
        if self.held and now != self.holder:
            self.holder = now
            _write_holder(self._descriptor, now)

    def release(self) -> None:
        """Let others in; nothing happens when it is done already."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    @property
    def held(self) -> bool:
        """Return whether this process still holds it."""
        return self._descriptor >= 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.tell(self.before)
        self.release()


def lock_folder(path: Path, patience_s: float = PATIENCE_S, state: str = RUNNING) -> FolderLock:
    """Take the lock file at `path`, or raise 8001 that names the holder.

    The file is opened, not created again, so two processes always use the same lock.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _try_lock(descriptor, fcntl.LOCK_EX, patience_s):
            holder = _read_holder(descriptor)
            raise error(
                mq.PSRC_FOLDER_LOCKED,
                f"{path.parent} is in use by {holder}",
                path=str(path),
                **asdict(holder),
            )
        before = _parsed(os.pread(descriptor, CONTENT_BYTES_MAX, 0))
        holder = replace(_this_process(state), served=before.served)
        _write_holder(descriptor, holder)
    except BaseException:
        os.close(descriptor)
        raise
    return FolderLock(path, descriptor, holder, before.state or ENDED)


def holder_of(path: Path) -> Holder | None:
    """Return the holder of the lock file at `path`, or None."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _try_lock(descriptor, fcntl.LOCK_SH, 0.0) else _read_holder(descriptor)
    finally:
        os.close(descriptor)


def end_holder(path: Path, holder: Holder) -> None:
    """Ask the process that holds the lock file to end; 8001 if it is none of this machine or container.

    There its number is another process's: every container has a process 1.
    """
    if not _has_open(holder.pid, path):
        where = "it runs in another container or on another machine: end it there"
        raise error(
            mq.PSRC_FOLDER_LOCKED,
            f"{path.parent} is in use by {holder}; {where}",
            path=str(path),
            **asdict(holder),
        )
    os.kill(holder.pid, signal.SIGTERM)


def _has_open(pid: int, path: Path) -> bool:
    """Return whether a process has a file open; 2035 for one that we may not look into."""
    folder = Path(f"/proc/{pid}/fd")
    try:
        return any(each.exists() and each.samefile(path) for each in folder.iterdir())
    except PermissionError as failure:
        raise error(
            mq.MQRC_NOT_AUTHORIZED, f"process {pid} belongs to another user, or runs elsewhere"
        ) from failure
    except FileNotFoundError:
        return False


def state_of(path: Path) -> tuple[str, Holder | None]:
    """Return the state of a queue manager, and the holder of its lock file or None."""
    holder = holder_of(path)
    if holder is not None:
        return holder.state, holder
    return (ENDED if _left(path).state in (ENDED, "") else CRASHED), None


def was_served(path: Path) -> bool:
    """Return whether a server has ever run the queue manager of a lock file, so it is expected to run."""
    return _left(path).served


def _left(path: Path) -> Holder:
    """Return the contents of a lock file, whether or not it is locked."""
    try:
        return _parsed(path.read_bytes()[:CONTENT_BYTES_MAX])
    except FileNotFoundError:
        return UNKNOWN


def _try_lock(descriptor: int, kind: int, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(PAUSE_S)
        else:
            return True


def _this_process(state: str) -> Holder:
    program = os.path.basename(sys.argv[0] if sys.argv and sys.argv[0] else sys.executable)  # noqa: PTH119
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return Holder(os.getpid(), socket.gethostname(), program, since, state)


def _write_holder(descriptor: int, holder: Holder) -> None:
    """Replace the text in one write, so that a reader never finds an empty or a half one."""
    text = json.dumps(asdict(holder)).encode() + b"\n"
    os.pwrite(descriptor, text.ljust(os.fstat(descriptor).st_size), 0)
    os.ftruncate(descriptor, len(text))


def _read_holder(descriptor: int) -> Holder:
    """Return who holds the lock now."""
    found = _parsed(os.pread(descriptor, CONTENT_BYTES_MAX, 0))
    return found if found.state else replace(found, state=RUNNING)


def _parsed(text: bytes) -> Holder:
    """Return the holder in a lock file; one that an older version wrote has an empty state."""
    try:
        fields = json.loads(text)
        known = (int(fields["pid"]), str(fields["host"]), str(fields["program"]), str(fields["since"]))
        return Holder(*known, str(fields.get("state", "")), fields.get("served") is True)
    except (ValueError, KeyError, TypeError, AttributeError):
        return UNKNOWN


# The only module state here: the locks that a child must release after a fork.
_held: weakref.WeakSet[FolderLock] = weakref.WeakSet()


def _let_go_after_fork() -> None:
    # Closing a copy of the descriptor does not free the parent's lock; unlocking would.
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_let_go_after_fork)
