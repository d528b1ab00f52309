"""SQLAlchemy's engines for data sources by name, made at first use and shared by all threads.

With each engine comes the cache of its tables. Connections and units of work are elsewhere: `databases`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from penstock.esql.database.data_sources import driver_url
from penstock.esql.database.database_errors import translated
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Engine

    from penstock.esql.database.tables import TableView

SQLITE_WAIT_SECONDS = 30


class Engines:
    """The engines of data sources; `urls` are given by name, or by a function that finds them."""

    def __init__(self, urls: Mapping[str, str] | Callable[[str], str]) -> None:
        self._urls = urls
        self._made: dict[str, tuple[Engine, dict[Any, TableView]]] = {}
        self._lock = threading.Lock()

    def of(self, name: str) -> tuple[Engine, dict[Any, TableView]]:
        """Return the engine of a data source, and the tables that are known of it."""
        with self._lock:
            if name not in self._made:
                self._made[name] = (make_engine(self.url(name)), {})
            return self._made[name]

    def url(self, name: str) -> str:
        """Return the URL of a data source; raise 8230 for an unknown one."""
        if callable(self._urls):
            return self._urls(name)
        if name not in self._urls:
            raise error(mq.PSRC_DSN_UNKNOWN, f"data source {name} is not known here", dsn=name)
        return self._urls[name]

    def close(self) -> None:
        """Dispose of all engines."""
        with self._lock:
            for engine, _ in self._made.values():
                engine.dispose()
            self._made.clear()


def make_engine(url: str) -> Engine:
    """Return the engine of a database URL; SQLite gets a case-sensitive LIKE."""
    with translated():
        from sqlalchemy import create_engine, event
        from sqlalchemy.engine import make_url

        parsed = make_url(driver_url(url))
        if parsed.get_backend_name() != "sqlite":
            return create_engine(parsed, pool_pre_ping=True)
        engine = create_engine(parsed, connect_args={"timeout": SQLITE_WAIT_SECONDS})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA case_sensitive_like = ON")
        connection.execute("PRAGMA foreign_keys = ON")

    return engine
