"""A server under test: started on a port of its own, watched until it answers, and stopped.

Each runs in a session of its own, so that stopping reaches all that it forked and its processor time
can be separated from that of other programs. It ends with the process that started it, however that ends.
Only loopback.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LOOPBACK = "127.0.0.1"
START_SECONDS_MAX = 60.0
STOP_SECONDS_MAX = 15.0
LOG_LINES_SHOWN = 15
PR_SET_PDEATHSIG = 1


class ServerFailed(Exception):
    """A server ended, or did not listen in time; the text has the end of its log."""


class ServerProcess:
    """One server under test."""

    def __init__(
        self, command: Sequence[str], log: Path, port: int, environment: Mapping[str, str] | None = None
    ) -> None:
        self.port = port
        self._command = list(command)
        self._log = log
        self._environment = dict(os.environ) | dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def session(self) -> int:
        """The session that holds the server's processes."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and return when its port takes connections."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        end = time.monotonic() + START_SECONDS_MAX
        while not listens(self.port):
            if self._process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise ServerFailed(f"{self._command[0]} is not up:\n{tail(self._log)}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        _signal(process.pid, signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            pass
        _signal(process.pid, signal.SIGKILL)
        process.wait()


def end_with_parent() -> None:
    """Have the system kill this process when the thread that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def listens(port: int) -> bool:
    """Return whether a server accepts connections there."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((LOOPBACK, port)) == 0


def tail(path: Path) -> str:
    """Return the end of a log."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:])
    except OSError:
        return ""


def _signal(session: int, number: signal.Signals) -> None:
    try:
        os.killpg(session, number)
    except ProcessLookupError:
        pass
