"""Administration of a running queue manager: MQSC, status, checkpoint, backup.

The host's side only: it holds the gate and waits for the disk, while room `admin` knows the commands
and `backup` copies files. Called by `QueueManager`. Invariant: what a reply confirms is on disk.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from penstock.admin import export as exporting
from penstock.admin import mqsc
from penstock.admin.explanation import explain
from penstock.face._clock import now as clock
from penstock.face.arguments import text_of
from penstock.host import checkpointing
from penstock.host.backups import backup as backups
from penstock.host.waiting import repeated
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.status import Histogram, LogFigures, RecoveryFigures
from penstock.qmgr.monitoring.status import add_totals, qmgr_figures, queue_figures
from penstock.qmgr.searching import peeking
from penstock.store._writer import SYNC_BOUNDS_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from penstock.admin.explanation import Question
    from penstock.admin.replies import Reply
    from penstock.host.host import Host
    from penstock.host.queue_manager import QueueManager
    from penstock.model.peeked import Peeked
    from penstock.model.status import QueueFigures, Status


QUEUES_AT_ONCE = 100  # that are looked at with the gate held
PATTERN_LENGTH_MAX = 256  # a longer one fits no name


def run(qm: QueueManager, text: str) -> list[Reply]:
    """Run MQSC commands and return their replies; durable on return."""
    return [piece for piece in pieces(qm, mqsc.script_lines(text)) if isinstance(piece, mqsc.Reply)]


def script(
    qm: QueueManager, lines: Iterable[str], verify: bool = False
) -> Iterator[mqsc.Echo | mqsc.Reply | mqsc.Summary]:
    """Yield the replies of a script. The gate is held for one step at a time, so other work continues."""
    return (piece for piece in pieces(qm, lines, verify) if not isinstance(piece, mqsc.Pause))


def pieces(
    qm: QueueManager, lines: Iterable[str], verify: bool = False
) -> Iterator[mqsc.Echo | mqsc.Reply | mqsc.Summary | mqsc.Pause]:
    """Yield the same, and a Pause from time to time while there is nothing to answer."""
    guard = _Guard(qm)
    script = mqsc.run_script(
        qm.engine, lines, time.time(), verify=verify, connection=qm.connection, guard=guard
    )
    while True:
        qm.check_open()  # before each piece: the caller may have closed or forked since the last
        try:
            piece = next(script, None)
        except _Closed as closed:
            raise closed.refusal from closed
        if piece is None:
            return
        if isinstance(piece, mqsc.Compile):
            with suppress(MQError):  # the command's reply reports it
                qm.session.caller.compile_first(piece.selector)
        elif isinstance(piece, mqsc.Await):
            piece.wait()
        elif isinstance(piece, mqsc.Read):
            qm.host.load(piece.messages)
        elif guard.changed and isinstance(piece, mqsc.Reply | mqsc.Summary):
            guard.changed = False
            qm.session.finish(qm.host.journal.end)
        yield piece


class _Closed(Exception):
    """The engine is closed: this ends the script and is not the failure of a command."""

    def __init__(self, refusal: MQError) -> None:
        self.refusal = refusal


class _Guard:
    """The gate, around each step of a script."""

    def __init__(self, qm: QueueManager) -> None:
        self._qm = qm
        self.changed = False  # since a reply was last given

    def __enter__(self) -> None:
        self._qm.host.pacer.own_steps += 1
        try:
            self._qm.check_open()
            self._qm.gate.__enter__()
        except MQError as refusal:
            raise _Closed(refusal) from refusal
        self._qm.engine.step.begin()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.changed = self.changed or self._qm.engine.step.end() > 0
        self._qm.gate.__exit__(kind, value, trace)


def export(qm: QueueManager, everything: bool) -> str:
    """Return the script that makes all objects again."""
    return "".join(piece for piece in export_pieces(qm, everything) if piece is not None)


def export_pieces(qm: QueueManager, everything: bool) -> Iterator[str | None]:
    """Yield the script command by command, and None where nothing is to be written; other work continues."""
    commands = exporting.export_commands(qm.engine, everything=everything)
    return mqsc.step_by_step(commands, qm.gate)


def explain_access(qm: QueueManager, question: Question) -> dict[str, Any]:
    """Explain why a user may or may not connect and do something."""
    for field in fields(question):
        text_of(getattr(question, field.name), field.name)
    with qm.gate:
        return explain(qm.engine, qm.host.access, question)


def peek(
    qm: QueueManager, queue: str, start: tuple[int, int], count: int, body_bytes: int, backwards: bool
) -> list[Peeked]:
    """Look at messages behind a place; what is not in memory is read first, without the gate."""
    count, body_bytes = max(0, min(count, peeking.COUNT_MAX)), max(0, body_bytes)

    def look() -> list[Peeked]:
        return peeking.peek(qm.engine, qm.connection, queue, start, count, body_bytes, backwards, clock())

    with qm.session.step():
        found = peeking.queue_of(qm.engine, qm.connection, queue, clock())
        if found.shared is not None:
            found.shared.check_connected()
    if found.shared is not None:
        rows: list[Peeked] = qm.host.sharing.peek(found, start, count, body_bytes, backwards)
        return rows
    return repeated(qm.session, look)


def queues(qm: QueueManager, pattern: str) -> Iterator[QueueFigures]:
    """Return the figures of the local queues that a user may display; other work continues meanwhile."""
    if len(pattern) > PATTERN_LENGTH_MAX:
        raise error(
            mq.MQRC_OPTIONS_ERROR, f"a pattern of queue names has at most {PATTERN_LENGTH_MAX} characters"
        )
    return _queues(qm, pattern)


def _queues(qm: QueueManager, pattern: str) -> Iterator[QueueFigures]:
    permissions = qm.connection.permissions
    names = sorted(name for name in list(qm.engine.queues) if fnmatchcase(name, pattern))
    for start in range(0, len(names), QUEUES_AT_ONCE):
        qm.check_open()
        with qm.gate:
            some = names[start : start + QUEUES_AT_ONCE]
            if permissions is not None:
                some = [name for name in some if not permissions.refusal("QUEUE", name, ("DSP",))]
            found = [queue_figures(qm.engine, name) for name in some]
        yield from (each for each in found if each is not None)


def status(host: Host) -> Status:
    """Return figures for `penstock qmgr status`."""
    with host.gate:
        found = qmgr_figures(host.engine, time.time())
    for _ in mqsc.step_by_step(add_totals(host.engine, found), host.gate):
        pass
    found.folder = str(host.folder.path)
    found.log = _log(host)
    found.disk_low = host.disk_low
    report = host.report
    found.recovery = RecoveryFigures(
        loaded=report.loaded, replayed=report.replayed, backed_out=report.backed_out, torn=report.torn
    )
    return found


def _log(host: Host) -> LogFigures:
    journal = host.journal
    counted = journal.statistics()
    return LogFigures(
        type=host.settings.log.log_type.name,
        used_bytes=journal.used,
        capacity_bytes=journal.capacity,
        end=journal.end,
        durable=journal.durable,
        syncs=counted.syncs,
        records=counted.records,
        bytes_written=counted.bytes_written,
        batch_records_mean=counted.batch_records_mean,
        batch_records_max=counted.batch_records_max,
        sync_seconds_last=counted.sync_seconds_last,
        sync_seconds_mean=counted.sync_seconds_mean,
        sync_seconds_max=counted.sync_seconds_max,
        sync_times=Histogram(
            bounds=list(SYNC_BOUNDS_SECONDS),
            counts=counted.sync_counts,
            total=counted.sync_seconds_mean * counted.syncs,
        ),
        checkpoints=host.checkpoints.count,
        checkpoint_seconds=host.checkpoints.seconds,
        checkpoint_last=host.checkpoints.last,
    )


def checkpoint(qm: QueueManager) -> None:
    """Take a checkpoint now."""
    checkpointing.checkpoint(qm.host)


def record_image(qm: QueueManager, names: Sequence[str], object_type: str) -> dict[str, Any]:
    """Record a media image, and return the log files that are needed and those that are not."""
    from penstock.host.backups import media_image

    return media_image.record(qm.host, names, object_type)


def backup(qm: QueueManager, target: Path) -> Path:
    """Copy the queue manager to a folder that can be started from."""
    return backups.backup(qm.host, target)
