"""One process that serves one queue manager: engine, journal, listeners, services, until it is stopped.

`serve` is what `penstock qmgr start` runs. SIGTERM and SIGINT quiesce; the next ones make that immediate,
then preemptive. Every way out closes the host, which takes a checkpoint; signals do not interrupt that. The
local socket stays until no client is left, so that an administrator can look and hurry the end up.
"""

from __future__ import annotations

import asyncio
import gc
import signal
from typing import TYPE_CHECKING

import uvloop

from penstock.host import registry
from penstock.host.automatic_configuration import configure
from penstock.host.folders.folder_lock import RUNNING, STARTING
from penstock.model._interrupts import hold_back
from penstock.model.errors import MQError
from penstock.serve.entry.access import ServerAccess
from penstock.serve.monitoring.metrics import Metrics
from penstock.serve.runtime import runtime_of
from penstock.serve.server import Server
from penstock.telemetry.metrics import exporting

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.folders.folder import Folder
    from penstock.host.host import Host

DEFAULT_LISTENER = "SYSTEM.DEFAULT.LISTENER.TCP"
QUIESCE_SECONDS = 10.0  # what clients have after a signal
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve(
    folder: Folder,
    port: int | None,
    address: str,
    ready: Callable[[Server], None],
    metrics: tuple[str, int] | None = None,
    lasting: bool = True,
) -> None:
    """Run a queue manager until it is stopped; `port` None listens only where LISTENER objects say.

    `metrics` is the address and port for Prometheus; None for no such endpoint. One that is not `lasting`
    ends with the command that has started it.
    """
    host = registry.enter(folder, state=STARTING)
    try:
        configure(host)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(host, port, address, ready, metrics, lasting))
        if host.failure is not None:
            raise host.failure_again()
    finally:
        _ignore_signals()
        registry.leave(host)


async def _serve(
    host: Host,
    port: int | None,
    address: str,
    ready: Callable[[Server], None],
    metrics: tuple[str, int] | None,
    lasting: bool,
) -> None:
    loop = asyncio.get_running_loop()
    server = Server(host, loop)
    server.access = ServerAccess(host)
    host.engine.runtime = runtime_of(server)
    hold_back(False)  # a loop's handlers raise nothing
    for number in SIGNALS:
        loop.add_signal_handler(number, _on_signal, server)
    exporter = None
    for warning in server.channels.limits.warnings:
        host.error_log.write("AMQ6174W", warning)
    try:
        server.listeners.start_local(host.folder.path)
        if port is not None:
            server.listeners.listen(DEFAULT_LISTENER, address, port)
        for definition in host.engine.objects.all("LISTENER"):
            if definition.attributes["CONTROL"] in ("QMGR", "STARTONLY"):
                _start_listener(server, definition.name)
        if metrics is not None:
            server.metrics = Metrics(server)
            await server.metrics.start(*metrics)
        gc.freeze()  # objects of the start are not garbage: collections can skip them
        host.enter_state(RUNNING, served=lasting)
        server.services.start_all()
        server.message_channels.begin()
        exporter = exporting(Metrics(server).page)
        ready(server)
        await server.stopped.wait()
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # the loop gives its handlers back when it closes
        server.stop("preemptive")
        await server.services.close()
        server.listeners.close()
        host.engine.runtime = None
        if server.metrics is not None:
            server.metrics.close()
        if exporter is not None:
            exporter.close()
        server.close()
        hold_back(True)


def _start_listener(server: Server, name: str) -> None:
    """Start a listener; a failure is logged and does not stop the start."""
    if name in server.listeners.running:
        return
    try:
        server.listeners.start(name)
    except MQError as failure:
        server.error_log.write(
            "AMQ9218E", f"Listener {name} did not start: {failure}.", action=failure.action
        )


def _ignore_signals() -> None:
    """Let the last checkpoint be finished: nothing ends sooner in order, and SIGKILL always works."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _on_signal(server: Server) -> None:
    if server.stopping:
        server.stop("immediate" if server.stopping == "quiesce" else "preemptive")
        return
    server.stop("quiesce")
    server.loop.call_later(QUIESCE_SECONDS, server.stop, "immediate")
