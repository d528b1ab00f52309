"""`penstock flow run --watch`: the same run in a process of its own, started anew when a file changes.

The old run ends as after Ctrl-C: it finishes its unit of work, so that nothing is lost or doubled. A project
that does not load ends the run; the next change starts it again.
"""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.tools.own_command import own_command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOOK_SECONDS = 0.5
ENDING_SECONDS_MAX = 60.0
WATCHED = {".py", ".esql", ".msgflow", ".subflow", ".map", ".yaml", ".yml", ".xsd", ".mxsd", ".cbl", ".cpy"}
FILES_MAX = 20_000


def watch(words: Sequence[str], project: str, tell: Callable[[str], None]) -> int:
    """Run `penstock` with these words, again and again, until an interrupt; return its exit code."""
    command = own_command(*(word for word in words if word != "--watch"))
    seen = state_of(Path(project))
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # the run must end too
    while True:
        child = subprocess.Popen(command)
        try:
            seen = _until_changed(child, Path(project), seen, tell)
        except KeyboardInterrupt:
            return _ended(child)
        _ended(child)
        tell("The project has changed: the flow starts anew.")


def _until_changed(
    child: subprocess.Popen[bytes], project: Path, seen: dict[str, int], tell: Callable[[str], None]
) -> dict[str, int]:
    told = False
    while True:
        time.sleep(LOOK_SECONDS)
        now = state_of(project)
        if now != seen:
            return now
        if child.poll() is not None and not told:
            told = True
            tell("The run has ended; waiting for a change of the project. Ctrl-C ends this.")


def _ended(child: subprocess.Popen[bytes]) -> int:
    """End a run after its unit of work; return its exit code."""
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
    try:
        return child.wait(ENDING_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def state_of(project: Path) -> dict[str, int]:
    """Return when each file of a project changed."""
    found: dict[str, int] = {}
    for path in project.rglob("*"):
        if path.suffix.lower() in WATCHED and "__pycache__" not in path.parts and len(found) < FILES_MAX:
            try:
                found[str(path)] = path.stat().st_mtime_ns
            except FileNotFoundError:
                continue  # deleted meanwhile
    return found
