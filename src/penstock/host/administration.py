"""What an administrator asks of a running queue manager: MQSC, status, checkpoint, backup.

The host's side only: it holds the gate and waits for the disk, while room `admin` knows the commands
and `backup` copies files. Called by `QueueManager`. Invariant: what a reply tells is on disk.
"""

from __future__ import annotations

import time
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from penstock.admin import export as exporting
from penstock.admin import mqsc
from penstock.host import backup as backups
from penstock.host import checkpointing
from penstock.model.errors import MQError
from penstock.qmgr.status import queue_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from penstock.admin.replies import Reply
    from penstock.host.host import Host
    from penstock.host.queue_manager import QueueManager


QUEUES_AT_ONCE = 200  # that are looked at with the gate held


def run(qm: QueueManager, text: str) -> list[Reply]:
    """Run MQSC commands and return their replies; durable on return."""
    pieces = script(qm, mqsc.script_lines(text))
    return [piece for piece in pieces if isinstance(piece, mqsc.Reply)]


def script(
    qm: QueueManager, lines: Iterable[str], verify: bool = False
) -> Iterator[mqsc.Echo | mqsc.Reply | mqsc.Summary]:
    """Yield what a script answers. The gate is held piece by piece, so that others go on meanwhile."""
    pieces = mqsc.run_script(qm.engine, lines, time.time(), verify=verify, connection=qm.connection)
    changed = False
    while True:
        qm.check_open()  # before each piece: the caller may have closed or forked since the last
        with qm.gate:
            qm.engine.position = 0
            piece = next(pieces, None)
            changed = changed or qm.engine.position > 0
        if piece is None:
            return
        if isinstance(piece, mqsc.Compile):
            with suppress(MQError):  # the command says it
                qm.compile_first(piece.selector)
        if isinstance(piece, mqsc.Read):
            qm.host.load(piece.messages)
        if isinstance(piece, mqsc.Pause):
            continue
        if changed and not isinstance(piece, mqsc.Echo):
            changed = False
            qm.finish(qm.host.journal.end)
        yield piece


def export(qm: QueueManager, everything: bool) -> str:
    """Return the script that makes all objects again."""
    with qm.gate:
        return exporting.export(qm.engine, all=everything)


def queues(qm: QueueManager, pattern: str) -> Iterator[dict[str, Any]]:
    """Yield the figures of the local queues that a user may display; others go on in between."""
    permissions = qm.connection.permissions
    with qm.gate:
        names = sorted(name for name in qm.engine.queues if fnmatchcase(name, pattern))
    for start in range(0, len(names), QUEUES_AT_ONCE):
        qm.check_open()
        with qm.gate:
            some = names[start : start + QUEUES_AT_ONCE]
            if permissions is not None:
                some = [name for name in some if not permissions.refusal("QUEUE", name, ("DSP",))]
            found = [queue_figures(qm.engine, name) for name in some]
        yield from (each for each in found if each is not None)


def status(host: Host) -> dict[str, Any]:
    """Return figures for `penstock qmgr status`."""
    with host.gate:
        engine_figures = host.engine.qmgr_status(time.time())
    figures = host.journal.statistics()
    return {
        "name": host.engine.name,
        "folder": str(host.folder.path),
        "started": host.engine.started,
        **engine_figures,
        "log": {
            "type": host.settings.log.log_type.name,
            "used_bytes": host.journal.used,
            "capacity_bytes": host.journal.capacity,
            "end": host.journal.end,
            "durable": host.journal.durable,
            "syncs": figures.syncs,
            "records": figures.records,
            "bytes_written": figures.bytes_written,
            "batch_records_mean": figures.batch_records_mean,
            "batch_records_max": figures.batch_records_max,
            "sync_seconds_last": figures.sync_seconds_last,
            "sync_seconds_mean": figures.sync_seconds_mean,
            "sync_seconds_max": figures.sync_seconds_max,
        },
        "disk_low": host.disk_low,
        "recovery": {
            "loaded": host.report.loaded,
            "replayed": host.report.replayed,
            "backed_out": host.report.backed_out,
            "torn": host.report.torn,
        },
    }


def checkpoint(qm: QueueManager) -> None:
    """Take a checkpoint now."""
    checkpointing.checkpoint(qm.host)


def backup(qm: QueueManager, target: Path) -> Path:
    """Copy the queue manager to a folder that can be started from."""
    return backups.backup(qm.host, target)
