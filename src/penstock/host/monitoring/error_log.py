"""The error log of a queue manager: AMQERR01.LOG and its two predecessors.

For operators: an id, a time, a severity, what happened, why, and what to do. Not a trace and
not for every message: normal operation writes only starts, stops, recoveries and failures. Written by
`host`; a failure to write is swallowed, because the log must never stop what it reports on.
Invariant: AMQERR01 is the newest; no file grows past its limit by more than one entry.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILES = 3
FILE_BYTES_MAX = 2 * 1024 * 1024
SEVERITIES = {"I": "information", "W": "warning", "E": "error", "S": "severe", "T": "terminating"}
RULE = "-" * 79

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """One entry; `id` ends in its severity letter, as in AMQ8004I."""

    id: str
    time: float
    text: str
    explanation: str = ""
    action: str = ""

    @property
    def severity(self) -> str:
        """The word for the letter at the id's end."""
        return SEVERITIES.get(self.id[-1:], "information")


class ErrorLog:
    """Writes entries to `folder/AMQERR01.LOG`; from any thread.

    `json_lines=True` writes one JSON object a line, for collectors, instead of the layout for people.
    """

    def __init__(
        self,
        folder: Path,
        queue_manager: str,
        json_lines: bool = False,
        file_bytes_max: int = FILE_BYTES_MAX,
    ) -> None:
        self.folder = folder
        self.queue_manager = queue_manager
        self.json_lines = json_lines
        self.file_bytes_max = file_bytes_max
        self._lock = threading.Lock()

    def write(
        self,
        id: str,
        text: str,
        explanation: str = "",
        action: str = "",
        now: float | None = None,
    ) -> None:
        """Append one entry, rotating the files when the newest is full. Never raises."""
        entry = Entry(id, time.time() if now is None else now, text, explanation, action)
        shown = self._as_json(entry) if self.json_lines else self._as_text(entry)
        with self._lock:
            try:
                self._rotate_when_full()
                self._append(shown)
            except OSError as failure:
                logger.warning("error_log_not_written id=%s cause=%s", id, failure)

    def _append(self, shown: str) -> None:
        path = self.folder / "AMQERR01.LOG"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, shown.encode("utf-8", "backslashreplace"))
        finally:
            os.close(descriptor)

    def _rotate_when_full(self) -> None:
        newest = self.folder / "AMQERR01.LOG"
        if not newest.exists() or newest.stat().st_size < self.file_bytes_max:
            return
        for number in range(FILES - 1, 0, -1):
            older = self.folder / f"AMQERR{number:02}.LOG"
            if older.exists():
                older.replace(self.folder / f"AMQERR{number + 1:02}.LOG")

    def _as_json(self, entry: Entry) -> str:
        fields = {
            "id": entry.id,
            "time": _iso(entry.time),
            "severity": entry.severity,
            "qmgr": self.queue_manager,
            "pid": os.getpid(),
            "text": entry.text,
            "explanation": entry.explanation,
            "action": entry.action,
        }
        return json.dumps(fields) + "\n"

    def _as_text(self, entry: Entry) -> str:
        head = f"{_iso(entry.time)} - Process({os.getpid()}) QMgr({self.queue_manager}) {entry.severity}"
        parts = [head, "", f"{entry.id}: {entry.text}", ""]
        if entry.explanation:
            parts += ["EXPLANATION:", entry.explanation]
        if entry.action:
            parts += ["ACTION:", entry.action]
        return "\n".join(parts).rstrip("\n") + f"\n{RULE}\n"


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
