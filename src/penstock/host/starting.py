"""Creating a queue manager, and starting one from its folder: lock, settings, recovery.

Everything here happens once per start. A start that cannot continue (damaged journal, newer
format, folder in use) raises before anything was changed, and gives the lock back.
"""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.host import checkpointing
from penstock.host.automatic_configuration import absolute, check_configuration
from penstock.host.backups import manifest
from penstock.host.folders.folder import Folder, create_folder, not_writable
from penstock.host.folders.folder_lock import STARTING, lock_folder
from penstock.host.folders.incarnation import incarnation_of
from penstock.host.folders.ini import (
    KEYS,
    AutoConfigSettings,
    Settings,
    effective,
    log_settings,
    read_settings,
    write_settings,
)
from penstock.host.host import Host
from penstock.host.selectors.content_filters import ContentFilters
from penstock.host.selectors.model_folder import ModelFolder
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.deep.shelves import Shelves
from penstock.qmgr.engine import Engine
from penstock.qmgr.restart.recovery import Recovery, Report
from penstock.store.checkpoint import read_checkpoint
from penstock.store.journal import create_journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.message_files import MessageFiles
from penstock.store.message_format import decode_head, load_messages

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from penstock.host.folders.folder_lock import FolderLock
    from penstock.model.message import Message
    from penstock.store.checkpoint import Checkpoint
    from penstock.store.faults import Faults
    from penstock.store.journal_reader import JournalReading

    Recover = Callable[[Engine, Folder, Checkpoint, MessageFiles, float], tuple[Report, int]]

TUNING = ("default_q_buffer_size", "default_pq_buffer_size", "pub_sub_cache_size")
AUTOMATIC = ("mqsc_config", "ini_config", "variables")
CREATE_OPTIONS = frozenset((*(setting.attribute for setting in KEYS["log"].values()), *TUNING, *AUTOMATIC))


class NoJournal:
    """Stands in for the journal while records are replayed: nothing is written then."""

    end = 0

    def __init__(self) -> None:
        self.kept: list[tuple[int, bytes, bytes]] = []

    def append(self, kind: int, head: bytes, body: bytes = b"") -> int:
        """Keep a record until there is a journal to write it to."""
        self.kept.append((kind, head, body))
        return 0


def create(name: str, home: str | os.PathLike[str] | None = None, **options: Any) -> Folder:
    """Make a new queue manager's folder with its journal, SYSTEM objects and first checkpoint.

    Options are those of the log (`log_type`, `primary_files`, `file_pages` ...) and of tuning
    (`default_q_buffer_size` ...), and `mqsc_config`, `ini_config` and `variables` of automatic configuration,
    which is applied at each start. `qm.ini` is written last: a folder without it is unfinished.
    """
    written = _settings(options)
    check_configuration(written)
    settings = effective(written)
    folder = create_folder(name, home)
    with _locked(folder) as lock:
        create_journal(folder.log, settings.log)
        engine = Engine(name, NoJournal(), time.time())
        journal = open_journal(folder.log, settings.log, _end_of_journal(folder))
        files = MessageFiles(folder.queues)
        host = Host(folder, lock, settings, engine, journal, files, Report())
        host.has_checkpoint = False
        engine.journal = journal
        engine.make_system_objects(time.time())
        host.settle(journal.end)
        host.close()
        write_settings(folder.ini, written)
    return folder


def _end_of_journal(folder: Folder) -> int:
    reading = read_journal(folder.log)
    for _ in reading:
        pass
    return reading.end


def _settings(options: dict[str, Any]) -> Settings:
    tuning = {key: options.pop(key) for key in TUNING if key in options}
    automatic = {key: options.pop(key, "") for key in ("mqsc_config", "ini_config")}
    variables = tuple(dict(options.pop("variables", {})).items())
    settings = Settings(log=log_settings(**options), variables=variables)
    settings = replace(settings, auto_config=AutoConfigSettings(**absolute(automatic)))
    return replace(settings, tuning=replace(settings.tuning, **tuning))


def start(folder: Folder, faults: Faults | None = None, recover: Recover | None = None) -> Host:
    """Start the queue manager in a folder: recover the state of the last run, then continue.

    `recover` is another way to recover it, for damaged objects. Its state is Starting until the caller enters
    another one: `host.enter_state`.
    """
    lock = _locked(folder)
    try:
        return _start(folder, lock, faults, recover or _recover)
    except BaseException:
        lock.tell(lock.before)
        lock.release()
        raise


def _locked(folder: Folder) -> FolderLock:
    try:
        return lock_folder(folder.lock, state=STARTING)
    except OSError as failure:
        raise not_writable(folder.path, failure) from failure


def _start(folder: Folder, lock: Any, faults: Faults | None, recover: Recover) -> Host:
    settings = read_settings(folder.ini)
    checkpoint = read_checkpoint(folder.path)
    if checkpoint is None:
        raise error(mq.PSRC_FOLDER_INCOMPLETE, f"{folder.path} has no checkpoint", path=str(folder.path))
    now = time.time()
    replaying = NoJournal()
    engine = empty_engine(folder, replaying, now)
    engine.buffer_bytes = settings.tuning.default_q_buffer_size
    engine.persistent_buffer_bytes = settings.tuning.default_pq_buffer_size
    files = MessageFiles(folder.queues, faults)
    collecting = gc.isenabled()
    gc.disable()  # millions of messages and thousands of rules are made and none of them is garbage
    try:
        report, end = recover(engine, folder, checkpoint, files, now)
        own, is_new = incarnation_of(folder.path, faults)
        engine.incarnation = own.id
        (folder.path / manifest.NAME).unlink(missing_ok=True)  # a started backup is not a backup any more
        journal = open_journal(folder.log, settings.log, end, faults, tail=checkpoint.journal_start)
        engine.journal = journal
        for kind, head, body in replaying.kept:
            journal.append(kind, head, body)
        host = Host(folder, lock, settings, engine, journal, files, report, faults)
    except BaseException:
        files.close()
        raise
    finally:
        if collecting:
            gc.enable()
    if is_new and own.copy_of:
        host.error_log.write(
            "AMQ6174I",
            f"This folder is a copy of incarnation {own.copy_of}; it is incarnation {own.id} now.",
            "Its messages are copies: the original may deliver them, too.",
        )
    _begin(host, now)
    return host


def _recover(
    engine: Engine, folder: Folder, checkpoint: Checkpoint, files: MessageFiles, now: float
) -> tuple[Report, int]:
    """Bring an empty engine to where the last run left off; return the report and the journal's end."""
    recovery, reading = replayed(engine, folder, checkpoint, files, now, packs=True)
    report = recovery.finish(now)
    report.torn = reading.torn
    return report, reading.end


def _read_message(files: MessageFiles, location: int) -> Message:
    head, body = files.read([location])[0]
    return decode_head(head, body, len(body))


def empty_engine(folder: Folder, journal: NoJournal, now: float) -> Engine:
    """Return an engine to bring a checkpoint and the journal back to."""
    engine = Engine(folder.name, journal, now)
    engine.content_filters = ContentFilters(ModelFolder(folder.models))
    return engine


def replayed(
    engine: Engine,
    folder: Folder,
    checkpoint: Checkpoint,
    files: MessageFiles,
    now: float,
    packs: bool = False,
) -> tuple[Recovery, JournalReading]:
    """Return a recovery with a checkpoint, its messages and the journal since then, to be finished.

    With `packs` most messages are no objects in it: that is for whom they are only messages of a queue.
    """
    recovery = Recovery(engine)
    if packs:
        recovery.shelves = Shelves(lambda location: _read_message(files, location))
    recovery.restore(checkpoint.state, checkpoint.journal_start, now)
    recovery.load(load_messages(files, checkpoint.manifest))
    reading = read_journal(folder.log, checkpoint.journal_start)
    for _, kind, payload in reading:
        recovery.apply(kind, payload)
    return recovery, reading


def _begin(host: Host, now: float) -> None:
    """Begin housekeeping, after a first checkpoint.

    The checkpoint says that the queue manager runs: what a clean stop kept is not kept again. After
    a crash it is left to housekeeping: until then a crash is recovered from once more, the same way.
    """
    _tell(host)
    host.look_at_disk()
    host.checkpoint_end = host.journal.tail
    try:
        host.engine.effects.started(now)
        host.settle(host.engine.wishes.pending_end())  # commands that the last run left are carried out
        if host.report.clean or host.journal.used > host.high_water_bytes:
            checkpointing.checkpoint_if_room(host)
        if host.engine.wishes.spilling:
            checkpointing.spill(host)
        if host.settings.group is not None:
            from penstock.host.queue_sharing import sharing  # psycopg is imported only by members of a group

            sharing.begin(host)
    except BaseException:
        host.abandon()
        raise
    host.start()


def _tell(host: Host) -> None:
    for warning in host.settings.warnings:
        host.error_log.write("AMQ6174W", warning)
    if host.report.torn:
        host.error_log.write(
            "AMQ7472W",
            f"The journal ended in an incomplete record: {host.report.torn}",
            "A crash or power cut stopped the last write. Nothing that was confirmed is lost.",
        )
