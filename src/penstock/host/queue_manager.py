# cython: nonecheck=True
"""The queue manager as a Python program sees it: `penstock.embed` and its result.

Here are connecting, administration and the end; messages are `Messaging`'s, units of work `Committing`'s,
topics `Publishing`'s, and `ShortWay` is what most puts and gets take. Safe to share between threads.
Compiled through `queue_manager.pxd`.
"""

from __future__ import annotations

import getpass
import os
import sys
import threading
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.admin.explanation import Question, explain
from penstock.admin.mqsc import check_replies
from penstock.face._clock import now as clock
from penstock.face.arguments import check_names, folder_at, lines_of, options_of, place_of, text_of, whole_of
from penstock.host import administration, registry
from penstock.host.batches import Batches
from penstock.host.folder import existing_folder, folder_of
from penstock.host.messaging import Messaging
from penstock.host.starting import CREATE_OPTIONS
from penstock.host.starting import create as create_qmgr
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError, error
from penstock.model.peeked import FIRST, LAST
from penstock.qmgr import authorization, peeking, route_explanation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Never, Self

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.host.host import Host
    from penstock.model.peeked import Peeked
    from penstock.model.status import QueueFigures, Status
    from penstock.store.faults import Faults


def embed(
    name: str,
    create: bool = False,
    *,
    home: str | os.PathLike[str] | None = None,
    application: str | None = None,
    user: str | None = None,
    faults: Faults | None = None,
    **options: Any,
) -> QueueManager:
    """Open a queue manager in this process and connect to it.

    Whoever embeds a queue manager may do everything; with `user` only what that user may do.

    `create=True` creates it if it does not exist; options are those of its log and buffers
    (`primary_files=3, file_pages=4096, log_type="LINEAR"` ...). Raises 2058 when there is none,
    8001 when another process holds the folder.
    """
    if create and not folder_of(name, home).exists():
        create_qmgr(name, home, **options)
    elif options and not create:
        check_names(embed, options, CREATE_OPTIONS)
        raise error(mq.MQRC_OPTIONS_ERROR, f"options {', '.join(options)} are for creating a queue manager")
    return _connect(registry.enter(existing_folder(name, home), faults), application, user)


def _connect(host: Host, application: str | None, user: str | None) -> QueueManager:
    try:
        return QueueManager(host, application, user)
    except MQError:
        registry.leave(host)
        raise


class QueueManager(Messaging):
    """A connection to a queue manager."""

    def __init__(
        self, host: Host, application: str | None = None, user: str | None = None, process: int = 0
    ) -> None:
        """Connect to a running queue manager, for a user with the rights in authority records.

        Without a user it is this process's, who embeds the queue manager and may do everything.
        """
        program = application or Path(sys.argv[0] or "python").name
        permissions = None if user is None else host.access.permissions(user)
        name = getpass.getuser() if user is None else user
        with host.gate:
            connection = host.engine.connect(name, program, process or os.getpid(), clock(), permissions)
        super().__init__(host, connection)
        self._closing = threading.Lock()  # taken once, and kept, by the thread that closes

    @property
    def batches(self) -> Batches:
        """Exactly-once batches for an outside engine: reserve, read, prepare, commit."""
        return Batches(self)

    # -- administration --------------------------------------------------------------------

    def mqsc(self, text: str, *, check: bool = False, **unknown: Never) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply.

        With `check` all commands run, and then the first failure is raised as a `CommandError` (3008).
        """
        self.check_open()
        if unknown:
            check_names(self.mqsc, unknown)
        replies = administration.run(self, text_of(text, "MQSC"))
        if check:
            check_replies(replies)
        return replies

    def mqsc_script(self, lines: Iterable[str], *, verify: bool = False) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC as its lines come: yield echoes, replies and, last, a summary.

        Others go on between commands. What a command did is on disk when its last reply was yielded;
        `verify` only looks whether the commands are right.
        """
        self.check_open()
        return administration.script(self, lines_of(lines), verify)

    def export(self, everything: bool = False) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.export(self, everything)

    def explain_access(
        self,
        user: str,
        *,
        channel: str = "",
        address: str = "",
        host: str = "",
        peer: str = "",
        issuer: str = "",
        object: str = "",
        object_type: str = "",
        verb: str = "",
        **unknown: Never,
    ) -> dict[str, Any]:
        """Explain why a user may or may not connect and do something: `allowed`, `user`, and the steps.

        Coming in: `channel`, `address`, `host`, `peer`, `issuer`. Doing: `object`, `object_type`, `verb`.
        """
        self.check_open()
        if unknown:
            check_names(self.explain_access, unknown)
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        question = Question(user, channel, address, host, peer, issuer, object, object_type, verb)
        for field in fields(question):
            text_of(getattr(question, field.name), field.name)
        with self.gate:
            return explain(self.engine, self.host.access, question)

    def explain_route(self, name: str, qmgr: str = "") -> dict[str, Any]:
        """Explain where messages put to a name go: the definitions looked up, and queue or reason."""
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        queue, owner = text_of(name, "the name of a queue"), text_of(qmgr, "the name of a queue manager")
        with self.gate:
            return route_explanation.explain(self.engine, queue, owner)

    def status(self) -> Status:
        """Return figures about the queue manager: log, syncs, units, waiters, queues."""
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        return administration.status(self.host)

    def queues(self, pattern: str = "*") -> list[QueueFigures]:
        """Return depth, oldest message, readers and writers of the local queues that you may display."""
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        return list(administration.queues(self, text_of(pattern, "pattern")))

    def peek(
        self,
        queue: str,
        *,
        after: tuple[int, int] | None = None,
        count: int = 50,
        body_bytes: int = 256,
        backwards: bool = False,
    ) -> list[Peeked]:
        """Look at messages behind a place (`lane`, `place`), also held ones; nothing changes or expires."""
        self.check_open()
        start = (LAST if backwards else FIRST) if after is None else place_of(after)
        name, wanted, size = (
            text_of(queue, "queue"),
            whole_of(count, "count"),
            whole_of(body_bytes, "body_bytes"),
        )
        while True:
            with self.step() as made:
                rows = peeking.peek(
                    self.engine, self.connection, name, start, wanted, size, bool(backwards), clock()
                )
            if made.to_load is None:
                return rows
            self.host.load(made.to_load)

    def trace(self, kind: str, name: str, after: int = 0) -> list[dict[str, Any]]:
        """Watch a CHANNEL for some seconds, and return its recorded events behind a number."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return self.host.trace.read(text_of(kind, "kind"), text_of(name, "name"), options_of(after))

    def checkpoint(self) -> None:
        """Take a checkpoint now."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        with uninterrupted:
            administration.checkpoint(self)

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """Copy the queue manager, as it is now, to a folder that can be restored from."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.backup(self, folder_at(target))

    def record_image(self) -> dict[str, Any]:
        """Record a media image of all objects, for linear logging; return which log files are needed."""
        self.check_open()
        authorization.check_administrator(self.engine, self.connection)
        return administration.record_image(self)

    # -- the end ---------------------------------------------------------------------------

    def close(self) -> None:
        """Disconnect: commit what is open, close handles; the last connection stops the queue manager."""
        with uninterrupted:
            self._close()

    def _close(self) -> None:
        if not self._closing.acquire(blocking=False):
            return  # it is closed, or another thread is at it
        if self.gate.closed:
            self.closed = True
            if self.host.failure is not None:
                registry.leave(self.host)
            return
        try:
            self._end_all()
        finally:
            try:
                self._disconnect()
            finally:
                self.closed = True
                registry.leave(self.host)

    def _end_all(self) -> None:
        """Commit what is open, as MQDISC does; a unit that was backed out raises when all are done."""
        failure = None
        with self.gate:
            scopes = list(self.scopes)
        for scope in scopes:
            try:
                self._end(scope, True)
            except MQError as problem:
                failure = problem
        if failure is not None:
            raise failure

    def _disconnect(self) -> None:
        with self.step():
            for waiter in list(self.waiters):
                if waiter.active:
                    self.engine.fail_waiter(waiter.queue, waiter, 2018)
            self.engine.disconnect(self.connection, clock())

    disconnect = close

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<QueueManager {self.name}{' closed' if self.closed else ''}>"
