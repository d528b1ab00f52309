"""SERVICE objects: programs that run beside a queue manager, started and stopped with it or by MQSC.

A server service (SERVTYPE(SERVER)) runs once at a time and is watched; its end is in the error log. A
command service is started and forgotten. Programs are run without a shell, in a session of their own,
as the user of the queue manager: only administrators define or start them. Runs in the loop; one thread
for each process waits for its end, so that none is left as a zombie.
Invariant: a server that was started here has ended when `close` returns, but for CONTROL(STARTONLY).
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.status import ServiceStatus
from penstock.serve.accepted import Accepted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.admin.mqsc import Request
    from penstock.qmgr.objects import Definition
    from penstock.serve.server import Server

logger = logging.getLogger(__name__)

STOP_SECONDS = 5.0  # that a server has after its STOPCMD, and again after SIGTERM
WITH_QMGR = ("QMGR", "STARTONLY")
DEFINED = ("CONTROL", "DESCR", "SERVTYPE", "STARTARG", "STARTCMD", "STDERR", "STDOUT", "STOPARG", "STOPCMD")
STARTING, RUNNING, STOPPING = "STARTING", "RUNNING", "STOPPING"
SERVICE_RUNS, SERVICE_STOPPED, NO_START_COMMAND, NO_STOP_COMMAND = 3251, 3253, 3262, 3263


@dataclass
class Service:
    """A server service that runs."""

    name: str
    process: subprocess.Popen[bytes]
    started: float
    control: str
    status: str = RUNNING
    terminated: bool = False  # SIGTERM was sent
    killed: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Services:
    """The services of one running queue manager."""

    verbs = frozenset({"START", "STOP"})

    def __init__(self, server: Server) -> None:
        self.server = server
        self.running: dict[str, Service] = {}
        self.accepted = Accepted()
        self._stopped = False

    def start_all(self) -> None:
        """Start what starts with the queue manager; what does not is a matter for the error log."""
        for definition in self.server.engine.objects.all("SERVICE"):
            if definition.attributes["CONTROL"] in WITH_QMGR and definition.attributes["STARTCMD"]:
                self.try_to(self.start, definition.name)

    def try_to(self, action: Any, name: str) -> None:
        """Start or stop a service; a failure goes to the error log."""
        try:
            action(name)
        except MQError as failure:
            text = f"{action.__name__.upper()} SERVICE({name}) failed: {failure}."
            self.server.error_log.write("AMQ5036E", text, action=failure.action)

    def command(self, request: Request) -> tuple[()]:
        """Accept a START or STOP, or raise why not; the loop carries it out."""
        verb, name, options = request.verb, request.name, request.options
        definition = self._definition(name)
        values = definition.attributes
        runs = values["SERVTYPE"] == "SERVER" and self.accepted.runs(name, self.running)
        if verb == "START" and runs:
            if options.get("IGNSTATE") == "YES":
                return ()
            raise error(SERVICE_RUNS, f"service {name} runs already", object=name)
        if verb == "STOP" and values["SERVTYPE"] == "SERVER" and not runs:
            if options.get("IGNSTATE") == "YES":
                return ()
            raise error(SERVICE_STOPPED, f"service {name} does not run", object=name)
        self._command(definition, verb)
        self.accepted.add(name, verb)
        action = self.start if verb == "START" else self.stop
        self.server.loop.call_soon_threadsafe(self.try_to, action, name)
        return ()

    def start(self, name: str) -> None:
        """Run a service's STARTCMD."""
        try:
            self._start(name)
        finally:
            self.accepted.done(name)  # not before it runs: a STOP in between would find nothing to stop

    def _start(self, name: str) -> None:
        if name in self.running or self._stopped:
            return
        definition = self._definition(name)
        process = self._run(definition, "START")
        if definition.attributes["SERVTYPE"] != "SERVER":
            self._write("AMQ5030I", f"The command '{name}' has started. ProcessId({process.pid}).")
            _watch(process, None)
            return
        service = Service(name, process, time.time(), str(definition.attributes["CONTROL"]))
        self.running[name] = service
        self._write("AMQ5028I", f"The server '{name}' has started. ProcessId({process.pid}).")
        loop = self.server.loop
        _watch(process, lambda: loop.call_soon_threadsafe(self._ended, service))

    def stop(self, name: str) -> None:
        """Run a service's STOPCMD; a server is stopping until its process has ended."""
        self.accepted.done(name)
        definition = self._definition(name)
        service = self.running.get(name)
        if definition.attributes["SERVTYPE"] == "SERVER" and service is None:
            return
        process = self._run(definition, "STOP", service.process.pid if service is not None else 0)
        if service is not None:
            service.status = STOPPING
        _watch(process, None)

    def _ended(self, service: Service) -> None:
        code = service.process.returncode
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        wanted = service.status == STOPPING or code == 0
        number = "AMQ5029I" if wanted else "AMQ5029W"
        self._write(number, f"The server '{service.name}' has ended {how}. ProcessId({service.process.pid}).")
        if self.running.get(service.name) is service:
            del self.running[service.name]
        service.ended.set()

    # -- programs --------------------------------------------------------------------------

    def _definition(self, name: str) -> Definition:
        found = self.server.engine.objects.find("SERVICE", name)
        if found is None:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"service {name} is not defined", object=name)
        return found

    def _command(self, definition: Definition, verb: str, server_pid: int = 0) -> list[str]:
        """Return program and arguments of a STARTCMD or STOPCMD; raise when there is none."""
        program = str(definition.attributes[f"{verb}CMD"])
        if not program:
            reason = NO_START_COMMAND if verb == "START" else NO_STOP_COMMAND
            raise error(reason, f"service {definition.name} has no {verb}CMD", object=definition.name)
        try:
            words = shlex.split(str(definition.attributes[f"{verb}ARG"]))
        except ValueError as failure:
            detail = f"{verb}ARG of service {definition.name} cannot be split: {failure}"
            raise error(mq.MQRCCF_ATTR_VALUE_ERROR, detail, object=definition.name) from failure
        inserts = self._inserts(definition.name, server_pid)
        return [_inserted(word, inserts) for word in (program, *words)]

    def _inserts(self, name: str, server_pid: int) -> dict[str, str]:
        folder = self.server.host.folder.path
        return {
            "+QMNAME+": self.server.engine.name,
            "+MQ_SERVICE_NAME+": name,
            "+MQ_SERVER_PID+": str(server_pid or ""),
            "+MQ_INSTALL_PATH+": sys.prefix,
            "+MQ_DATA_PATH+": str(folder.parent),
            "+MQ_Q_MGR_DATA_PATH+": str(folder),
            "+MQ_Q_MGR_DATA_NAME+": folder.name,
        }

    def _run(self, definition: Definition, verb: str, server_pid: int = 0) -> subprocess.Popen[bytes]:
        command = self._command(definition, verb, server_pid)
        inserts = self._inserts(definition.name, server_pid)
        paths = [_inserted(str(definition.attributes[key]), inserts) for key in ("STDOUT", "STDERR")]
        try:
            with ExitStack() as opened:
                out, problems = (opened.enter_context(Path(path or os.devnull).open("ab")) for path in paths)
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=problems,
                    cwd=self.server.host.folder.path,
                    start_new_session=True,
                )
        except (OSError, ValueError) as failure:
            detail = f"{verb}CMD of service {definition.name} cannot be run: {failure}"
            raise error(mq.MQRC_UNEXPECTED_ERROR, detail, object=definition.name) from failure

    def _write(self, number: str, text: str) -> None:
        self.server.error_log.write(number, text)

    # -- the end ---------------------------------------------------------------------------

    def stop_all(self) -> None:
        """Ask what runs to end, as the queue manager does: by STOPCMD where there is one, else by SIGTERM.

        Services with CONTROL(STARTONLY) continue without the queue manager.
        """
        if self._stopped:
            return
        self._stopped = True
        for definition in self.server.engine.objects.all("SERVICE"):
            values = definition.attributes
            idle_server = values["SERVTYPE"] == "SERVER" and definition.name not in self.running
            if values["CONTROL"] == "QMGR" and values["STOPCMD"] and not idle_server:
                self.try_to(self.stop, definition.name)
        for service in self._ours():
            if service.status == RUNNING:
                service.status = STOPPING
                self._hurry(service)

    async def close(self) -> None:
        """Wait until every server has ended: one that ignores STOPCMD gets SIGTERM, then SIGKILL."""
        self.stop_all()
        while late := await self._late():
            for service in late:
                self._hurry(service)

    async def _late(self) -> list[Service]:
        """Return the servers that have not ended in time."""
        waits = [asyncio.create_task(each.ended.wait()) for each in self._ours()]
        if waits:
            _, late = await asyncio.wait(waits, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()
        return [each for each in self._ours() if not each.killed]

    def _hurry(self, service: Service) -> None:
        service.killed = service.terminated
        _signal(service, signal.SIGKILL if service.terminated else signal.SIGTERM)
        service.terminated = True

    def _ours(self) -> list[Service]:
        return [each for each in self.running.values() if each.control != "STARTONLY"]

    def status(self) -> list[ServiceStatus]:
        """Return what DISPLAY SVSTATUS shows: the servers that run, and those that a command is to start."""
        starting = self.accepted.starting()  # before those that run: what starts meanwhile is in both
        rows = {name: ServiceStatus(service=name, status=STARTING) for name in starting}
        rows |= {name: _row(service) for name, service in list(self.running.items())}
        for row in rows.values():
            found = self.server.engine.objects.find("SERVICE", row.service)
            if found is not None:
                for attribute in DEFINED:
                    setattr(row, attribute.lower(), found.attributes.get(attribute, ""))
        return [row for _, row in sorted(rows.items()) if row.pid or row.servtype == "SERVER"]


def _row(service: Service) -> ServiceStatus:
    begun = time.localtime(service.started)
    return ServiceStatus(
        service=service.name,
        status=service.status,
        pid=service.process.pid,
        startda=time.strftime("%Y-%m-%d", begun),
        startti=time.strftime("%H.%M.%S", begun),
    )


def _inserted(text: str, inserts: Mapping[str, str]) -> str:
    """Return a text with its inserts, such as +QMNAME+, replaced."""
    for word, value in inserts.items():
        text = text.replace(word, value)
    return text


def _watch(process: subprocess.Popen[bytes], then: Any) -> None:
    """Wait for the end of a process in a thread of its own, then report it."""

    def wait() -> None:
        process.wait()
        if then is not None:
            try:
                then()
            except RuntimeError:  # the loop is closed: the queue manager has ended before its service
                logger.info("service_outlived_its_queue_manager pid=%s", process.pid)

    threading.Thread(target=wait, name="penstock-service", daemon=True).start()


def _signal(service: Service, number: int) -> None:
    """Send a signal to a server and whatever it has started."""
    if service.process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(service.process.pid, number)
