"""Data source names and their URLs, stored outside projects: `dsn.json` in the home folder.

The file may hold passwords, so only its owner can read it. A missing file is an empty list. Commands of `cli`
change it; `Databases` reads URLs from it. Names are matched exactly first, then without regard to case.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.home import make_private, penstock_home

FILE = "dsn.json"
FILE_MODE = 0o600
NAME = re.compile(r"[A-Za-z0-9_.#$@-]{1,64}")
_PASSWORD = re.compile(r"^([^:/?#]+://[^:/?#@]*):[^/?#]*@")
_PASSWORD_OPTION = re.compile(r"([?&](?:password|passwd|pwd|sslpassword)=)[^&#]*", re.IGNORECASE)
_SHORT = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg", "sqlite": "sqlite+pysqlite"}


class DataSources:
    """The data sources of one home folder; every call reads or writes the file."""

    def __init__(self, home: Path | None = None) -> None:
        self.path = penstock_home(home) / FILE

    def all(self) -> dict[str, str]:
        """Return every name with its URL, in order of names."""
        try:
            found = json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        except (ValueError, UnicodeDecodeError) as problem:
            raise error(mq.PSRC_DSN_ERROR, f"{self.path} is not JSON: {problem}") from problem
        if not isinstance(found, dict) or not all(isinstance(url, str) for url in found.values()):
            raise error(mq.PSRC_DSN_ERROR, f"{self.path} does not hold names with URLs")
        return dict(sorted(found.items()))

    def url(self, name: str) -> str:
        """Return the URL of a name; raise 8230 for an unknown one."""
        known = self.all()
        if name in known:
            return known[name]
        near = [each for each in known if each.upper() == name.upper()]
        if len(near) == 1:
            return known[near[0]]
        raise error(mq.PSRC_DSN_UNKNOWN, f"data source {name} is not known here", dsn=name)

    def add(self, name: str, url: str) -> str:
        """Bind a name to a URL and return it; an existing name gets the new URL.

        The relative path of an SQLite file becomes absolute, so that every program opens the same file.
        """
        if not NAME.fullmatch(name):
            raise error(mq.PSRC_DSN_ERROR, f"'{name}' is no name of a data source", dsn=name)
        driver_url(url)
        url = absolute_url(url)
        self._write({**self.all(), name: url})
        return url

    def remove(self, name: str) -> None:
        """Remove a name; raise 8230 for an unknown one."""
        known = self.all()
        if name not in known:
            raise error(mq.PSRC_DSN_UNKNOWN, f"data source {name} is not known here", dsn=name)
        del known[name]
        self._write(known)

    def _write(self, known: dict[str, str]) -> None:
        """Replace the file atomically; others can never read it, not even for a moment."""
        make_private(self.path.parent)
        draft = self.path.with_name(f"{FILE}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE), "w") as out:
            json.dump(dict(sorted(known.items())), out, indent=2)
            out.write("\n")
        draft.replace(self.path)


def driver_url(url: str) -> str:
    """Return a URL with the driver that is used for its database; raise 8231 for an invalid URL.

    >>> driver_url("postgresql://me@host/shop")
    'postgresql+psycopg://me@host/shop'
    """
    scheme, found, rest = url.partition("://")
    if not found or not scheme.replace("+", "").isalnum():
        raise error(mq.PSRC_DSN_ERROR, f"'{shown_url(url)}' is no database URL, such as sqlite:///orders.db")
    return f"{_SHORT.get(scheme.lower(), scheme)}://{rest}"


def absolute_url(url: str, folder: Path = Path()) -> str:
    """Return a URL whose SQLite file has an absolute path, relative to a folder; any other URL as it is.

    >>> absolute_url("sqlite:////var/lib/shop.db"), absolute_url("sqlite://")
    ('sqlite:////var/lib/shop.db', 'sqlite://')
    """
    scheme, _, rest = url.partition("://")
    path, mark, options = rest[1:].partition("?")
    is_sqlite = scheme.lower().partition("+")[0] == "sqlite" and rest.startswith("/")
    if not is_sqlite or path in ("", ":memory:") or path.startswith(("/", "file:")):
        return url
    return f"{scheme}:///{(folder / path).resolve()}{mark}{options}"


def shown_url(url: str) -> str:
    """Return a URL without its password.

    >>> shown_url("postgresql://me:secret@host/shop")
    'postgresql://me:***@host/shop'
    """
    return _PASSWORD_OPTION.sub(r"\1***", _PASSWORD.sub(r"\1:***@", url))
