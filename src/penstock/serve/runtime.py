"""What MQSC can start and stop beside the engine: listeners, channels and services, as `admin`'s Runtime.

Commands come from a worker under the engine's lock; the loop carries them out a moment later, as MQ
answers "request accepted" and works afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin.mqsc import NothingRuns
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.qmgr.attributes import Value
    from penstock.serve.server import Server


class ServerRuntime(NothingRuns):
    """The runtime of a queue manager that listens."""

    why = "it cannot be asked for that"

    def __init__(self, server: Server) -> None:
        self.server = server

    def command(self, verb: str, kind: str, name: str, options: Mapping[str, str]) -> None:
        """Carry out START and STOP of listeners, channels and services."""
        server = self.server
        if kind == "SERVICE":
            server.services.ask(verb, name, options)
            return
        actions: dict[tuple[str, str], Callable[[], Any]] = {
            ("START", "LISTENER"): lambda: server.listeners.start(name, options),
            ("STOP", "LISTENER"): lambda: server.listeners.stop(name),
            ("START", "CHANNEL"): lambda: server.channels.start(name),
            ("STOP", "CHANNEL"): lambda: server.channels.stop(name, options),
            ("STOP", "CONN"): lambda: server.channels.stop_connection(name),
        }
        if kind == "LISTENER":
            server.listeners.ask(verb, name, options)
        if kind == "CONN":
            server.channels.check_connection(name)
        action = actions.get((verb, kind))
        if action is None or (kind == "CHANNEL" and not server.channels.runs(name)):
            super().command(verb, kind, name, options)
        else:
            server.loop.call_soon_threadsafe(self._do, action, verb, kind, name)

    def _do(self, action: Callable[[], Any], verb: str, kind: str, name: str) -> None:
        try:
            action()
        except MQError as failure:
            self.server.error_log.write("AMQ9999E", f"{verb} {kind}({name}) failed: {failure}.")

    def status(self, kind: str) -> Iterable[Mapping[str, Value]] | None:  # type: ignore[override]
        """Return the status of channels, listeners and services."""
        if kind == "CHANNEL":
            return self.server.channels.status()
        if kind == "LISTENER":
            return self.server.listeners.status()
        if kind == "SERVICE":
            return self.server.services.status()
        return None
