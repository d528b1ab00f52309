"""Runs the console: socket, TLS, sampler and the server's loop, until it is stopped.

Listening for other machines needs TLS, or a proxy in front that does it, and logins: 8012 otherwise.
"""

from __future__ import annotations

import contextlib
import getpass
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

import uvicorn

from penstock.console.app import Console, Settings
from penstock.console.audit import Audit
from penstock.console.history import History
from penstock.console.jobs import Jobs
from penstock.console.listening import Listening, connecting
from penstock.console.login import Login
from penstock.console.people import Connections
from penstock.console.projects import Projects
from penstock.console.sampler import Sampler
from penstock.console.sessions import Sessions
from penstock.console.stepping import Runs
from penstock.console.visit import World
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.home import make_private, penstock_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
FOLDER = "web"


@dataclass
class Wanted:
    """What a command asks for."""

    address: str = "127.0.0.1"
    port: int = 0
    with_login: bool = False
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    names: tuple[str, ...] = ()
    projects: tuple[Path, ...] = ()  # folders with flow projects that people may deploy

    @property
    def scheme(self) -> str:
        """How browsers reach it."""
        return "https" if self.certificate is not None or self.behind_proxy else "http"


def folder() -> Path:
    """Return the folder of the web process in this home."""
    found = penstock_home() / FOLDER
    make_private(found)
    return found


def listen(wanted: Wanted) -> socket.socket:
    """Return the listening socket; 8012 for an address that must not be without TLS."""
    try:
        is_local = ipaddress.ip_address(wanted.address).is_loopback
    except ValueError:
        is_local = wanted.address == "localhost"
    if not is_local and (wanted.scheme == "http" or not wanted.with_login):
        raise error(
            mq.PSRC_INI_ERROR,
            f"{wanted.address} can be reached from other machines: the console listens there only with TLS "
            "(--certificate and --key, or --behind-proxy) and logins (`penstock web start`)",
        )
    family = socket.AF_INET6 if ":" in wanted.address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((wanted.address, wanted.port))
    except OSError as failure:
        made.close()
        where = f"{wanted.address}:{wanted.port}"
        raise error(
            mq.PSRC_INI_ERROR, f"the console cannot listen at {where}: {failure.strerror}"
        ) from failure
    return made


class Served:
    """A console that is about to run, or runs."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.socket = listen(wanted)
        self.port = int(self.socket.getsockname()[1])
        self.user = getpass.getuser()
        self.sessions = Sessions(lambda user: Connections(user if wanted.with_login else ""))
        audit = Audit(folder() / "audit.log")
        self.world = World(
            Sampler(History(folder() / "history.db")),
            audit,
            Jobs(),
            Runs(),
            Projects(tuple(each.resolve() for each in wanted.projects)),
            Listening(connecting(wanted.with_login)),
        )
        login = Login(penstock_home(), self.sessions, audit) if wanted.with_login else None
        names = frozenset((*LOCAL_NAMES, wanted.address, *wanted.names))
        secure = wanted.scheme == "https"
        settings = Settings(names, secure, wanted.with_login, f"penstock_{self.port}")
        self.console = Console(settings, self.sessions, self.world, login)
        self._server: _Server | None = None

    @property
    def address(self) -> str:
        """Where the console is, for a browser."""
        host = f"[{self.wanted.address}]" if ":" in self.wanted.address else self.wanted.address
        return f"{self.wanted.scheme}://{host}:{self.port}/"

    def link(self) -> str:
        """Return an address that logs its first user in, once."""
        return f"{self.address}?key={self.sessions.new_key(self.user)}"

    def stop(self) -> None:
        """Have `run` return."""
        if self._server is not None:
            self._server.should_exit = True

    def run(self, started: Callable[[], None]) -> None:
        """Serve until `stop` is called; `started` is called when it listens."""
        config = uvicorn.Config(
            self.console.asgi,
            log_level="warning",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=self.wanted.behind_proxy,
            ssl_certfile=self.wanted.certificate,
            ssl_keyfile=self.wanted.key,
            timeout_graceful_shutdown=2,
            lifespan="off",
        )
        self._server = _Server(config, started)
        self.world.sampler.start()
        try:
            self._server.run(sockets=[self.socket])
        finally:
            self.world.jobs.stop()
            self.world.runs.stop()
            self.world.listening.stop()
            self.world.sampler.stop()
            self.sessions.close_all()


class _Server(uvicorn.Server):
    """A server that reports when it listens, and leaves signals to the command that runs it."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell()
