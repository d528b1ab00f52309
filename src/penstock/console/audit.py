"""The audit log: what people did in the console, one JSON object per line, in `web/audit.log` of the home.

Who, from where, which act on which object, planned and done counts, the result; never a body. The file is
for its owner alone and is cut to its newer half when it is too long.
"""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.store.durable_files import sync_file

if TYPE_CHECKING:
    from pathlib import Path

BYTES_MAX = 4 << 20


class Audit:
    """The log of one home."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def note(self, user: str, address: str, act: str, **facts: Any) -> None:
        """Add a line; it is on disk when this returns."""
        line = json.dumps({"time": time.time(), "user": user, "from": address, "act": act, **facts})
        with self._lock:
            self._shorten()
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(line + "\n")
                sync_file(file)

    def last(self, count: int) -> list[dict[str, Any]]:
        """Return the last lines, the newest first."""
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in reversed(text.splitlines()[-count:]) if line.startswith("{")]

    def _shorten(self) -> None:
        if self.path.exists() and self.path.stat().st_size > BYTES_MAX:
            data = self.path.read_bytes()[-BYTES_MAX // 2 :]
            aside = self.path.with_suffix(".new")
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data[data.index(b"\n") + 1 :])
            aside.replace(self.path)
