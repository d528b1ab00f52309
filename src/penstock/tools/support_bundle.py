"""Facts for those who help: what is installed, the state of queue managers and brokers, ends of logs.

An allow-list: only what is named here is taken. Never taken: users, keys, certificates, contexts, data
sources, message bodies. Passwords in texts are masked too.
"""

from __future__ import annotations

import io
import json
import tarfile
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import penstock
from penstock.host.folders.folder import list_folders
from penstock.model.errors import MQError
from penstock.model.status import values
from penstock.store.home import penstock_home
from penstock.tools.doctor import examine
from penstock.tools.masked_text import masked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOG_BYTES_MAX = 1 << 20  # the end of each log
FILE_NAMES = ("qm.ini",)


def write(target: Path) -> list[str]:
    """Write a compressed archive; return the names of what is in it."""
    names: list[str] = []
    with tarfile.open(target, "w:gz") as archive:
        for name, text in contents():
            data = masked(text).encode()
            about = tarfile.TarInfo(f"support-bundle/{name}")
            about.size, about.mtime, about.mode = len(data), int(time.time()), 0o600
            archive.addfile(about, io.BytesIO(data))
            names.append(name)
    return names


def contents() -> Iterator[tuple[str, str]]:
    """Yield names and texts."""
    home = penstock_home()
    yield "doctor.json", _json([asdict(each) for each in examine(home)])
    for folder in list_folders():
        yield from _queue_manager(folder.name)
        for path in sorted(folder.path.glob("errors/*")):
            yield f"{folder.name}/errors/{path.name}", end_of(path)
        for name in FILE_NAMES:
            if (folder.path / name).is_file():
                yield f"{folder.name}/{name}", end_of(folder.path / name)
    for broker in sorted((home / "brokers").glob("*/")):
        for name in ("deployed.json", "status.json"):
            if (broker / name).is_file():
                yield f"brokers/{broker.name}/{name}", end_of(broker / name)
        for path in sorted(broker.glob("*.log")):
            yield f"brokers/{broker.name}/{path.name}", end_of(path)


def _queue_manager(name: str) -> Iterator[tuple[str, str]]:
    """Yield the state of a queue manager that runs; of a stopped one only that it is."""
    try:
        with penstock.connect(name, commands_only=True) as qm:
            status = values(qm.status())
            queues = [values(each) for each in qm.queues()]
            connections = [each.attributes for each in qm.mqsc("DISPLAY CONN(*) ALL")]
            channels = [each.attributes for each in qm.mqsc("DISPLAY CHSTATUS(*) ALL")]
            definitions = qm.export()
    except MQError as failure:
        yield f"{name}/state.txt", f"{failure}\n"
        return
    yield f"{name}/status.json", _json(status)
    yield f"{name}/queues.json", _json(queues)
    yield f"{name}/connections.json", _json([each for each in connections if each])
    yield f"{name}/channels.json", _json([each for each in channels if each])
    yield f"{name}/definitions.mqsc", definitions


def end_of(path: Path) -> str:
    """Return the end of a file."""
    with path.open("rb") as file:
        file.seek(0, io.SEEK_END)
        file.seek(max(0, file.tell() - LOG_BYTES_MAX))
        return file.read().decode("utf-8", "replace")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, default=str) + "\n"
