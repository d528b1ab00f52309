"""Client channels from MQ's environment variables: MQSERVER, MQCCDTURL, MQCHLLIB, MQCHLTAB and MQSSLKEYR.

MQSERVER comes before a table, as in MQ. Files are read again when they change. Only files of this machine are
read: a table at http:// is refused. Called by `connect` for names that no queue manager of this machine has.
"""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from penstock.client.address import PORT_DEFAULT
from penstock.client.channel_table import Choices, Definition, Table, bad, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER, URL, FOLDER, FILE, KEYS = "MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB", "MQSSLKEYR"
FILE_DEFAULT = "AMQCLCHL.TAB"
TABLES_MAX = 100
CONNECTION = re.compile(r"([^(),\s]+)(?:\((\d{1,5})\))?")
_tables: dict[str, tuple[tuple[int, int], Table]] = {}


def choices_for(name: str, table: str | os.PathLike[str] | None, where: Mapping[str, str]) -> Choices | None:
    """Return the channels for a name: from the given table or the environment; None without either."""
    if table is not None:
        return _with_keys(_table(os.fspath(table)), where).choices(name)
    if where.get(SERVER):
        return server_choices(where[SERVER], name)
    source = _source(where)
    return None if source is None else _with_keys(_table(source), where).choices(name)


def server_choices(text: str, name: str) -> Choices:
    """Return the channel that MQSERVER describes: CHANNEL/TCP/host(port),host(port)."""
    channel, transport, connections = ([*text.split("/", 2), "", ""])[:3]
    found = [CONNECTION.fullmatch(each.strip()) for each in connections.split(",")]
    hosts = tuple((each[1], int(each[2] or PORT_DEFAULT)) for each in found if each)
    if not channel or transport.upper() != "TCP" or len(hosts) != len(found):
        raise bad(f"{SERVER}={text}", "it should look like APP.SVRCONN/TCP/host(1414),other(1415)")
    if not all(0 < port < 65536 for _, port in hosts):
        raise bad(f"{SERVER}={text}", "a port is from 1 to 65535")
    return Choices((Definition(channel, name.removeprefix("*"), hosts),), name.startswith("*") or not name)


def _source(where: Mapping[str, str]) -> str | None:
    if where.get(URL):
        return where[URL]
    if where.get(FOLDER) or where.get(FILE):
        folder = where.get(FOLDER, "")
        file = where.get(FILE) or FILE_DEFAULT
        return f"{folder.rstrip('/')}/{file}" if folder else file
    return None


def _table(source: str) -> Table:
    path = _path(source)
    try:
        state = path.stat()
    except OSError as failure:
        raise bad(source, failure.strerror or str(failure)) from failure
    stamp = (state.st_mtime_ns, state.st_size)
    known = _tables.get(str(path))
    if known is None or known[0] != stamp:
        if len(_tables) >= TABLES_MAX:
            _tables.clear()
        known = _tables[str(path)] = stamp, read_table(path)
    return known[1]


def _path(source: str) -> Path:
    parts = urlsplit(source)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if "://" in source:
        raise bad(source, "only files are read: copy the table here and name the file")
    return Path(source).expanduser()


def _with_keys(table: Table, where: Mapping[str, str]) -> Table:
    """Return a table whose encrypted channels use the PEM file of MQSSLKEYR: its CAs, certificate and key."""
    keys = where.get(KEYS, "")
    if not keys or not any("cipher" in dict(each.options) for each in table.definitions):
        return table
    path = next((each for each in (Path(keys), Path(f"{keys}.pem")) if each.is_file()), None)
    if path is None:
        raise bad(f"{KEYS}={keys}", "it names no PEM file")
    stamp = path.stat().st_mtime_ns, path.stat().st_size
    known = _tables.get(f"{table.source}\0{path}")
    if known is None or known[0] != stamp or known[1].origin is not table:
        known = _tables[f"{table.source}\0{path}"] = stamp, _encrypted(table, path)
    return known[1]


def _encrypted(table: Table, path: Path) -> Table:
    options: tuple[tuple[str, str], ...] = (("ca", str(path)),)
    if b"PRIVATE KEY" in path.read_bytes():
        options = (*options, ("certificate", str(path)))
    changed = [
        dataclasses.replace(each, options=each.options + options) if "cipher" in dict(each.options) else each
        for each in table.definitions
    ]
    return Table(table.source, tuple(changed), origin=table)
