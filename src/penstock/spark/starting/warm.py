"""The warm session that `penstock flow run` starts: one per home, ended when it is not used.

`reach` makes sure that one runs for this environment and this build of Penstock, in a process of its own that
outlives the command; `resident` is what it does then. A session with another environment is replaced if it
has nothing to do, so that a flow never sees variables of an earlier shell. Never used with another master, in
tests, in CI or when PENSTOCK_SPARK_WARM is 0.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.starting import resident
from penstock.spark.starting.session import DEFAULT_MASTER, quick_start, spark_folder
from penstock.store.home import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SWITCH = "PENSTOCK_SPARK_WARM"
OFF = ("0", "no", "off", "false")
IDLE_SECONDS = 300.0
STOP_SECONDS = 20.0  # how long a session that is replaced may take to end
PROGRAM = "from penstock.spark.starting.warm import main; main()"
# Differ from shell to shell, and no flow depends on them
SHELL_NAMES = re.compile(
    "(PWD|OLDPWD|SHLVL|_|COLUMNS|LINES|TERM|TERM_.*|COLORTERM|LS_COLORS|PS[0-9]|HIST.*|WINDOWID|STY|TMUX.*"
    "|VTE_VERSION|GPG_TTY|DISPLAY|WAYLAND_DISPLAY|SSH_.*|XDG_.*|DBUS_.*|INVOCATION_ID|JOURNAL_STREAM"
    "|SYSTEMD_.*|KITTY_.*|ITERM_.*|GNOME_.*|PENSTOCK_SPARK_WARM|PENSTOCK_QMGR)$"
)


def is_allowed(master: str, options: Mapping[str, str]) -> bool:
    """Return whether a run may use, and start, the warm session."""
    if master or options or os.environ.get(SWITCH, "1").lower() in OFF:
        return False
    return "CI" not in os.environ and "PYTEST_CURRENT_TEST" not in os.environ


def reach(tell_step: Callable[[str], None]) -> bool:
    """Make sure that a warm session runs that fits; False if one is busy that does not."""
    facts = resident.status()
    if facts is not None:
        if not facts["idle_seconds"] or facts.get("mark") == mark():
            return True  # set by the user, or by us
        if facts["jobs"]:
            return False
        _replace(facts["pid"])
    return start(tell_step)


def start(tell_step: Callable[[str], None]) -> bool:
    """Start one and wait until it answers; False if another process was quicker with that."""
    folder = spark_folder()
    make_private(folder)
    with (folder / "resident.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,  # it outlives this command, and Ctrl-C
        )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            told: dict[str, Any] = json.loads(line)
            if "step" in told:
                tell_step(told["step"])
            elif "failure" in told:
                if told["reason"] == mq.PSRC_SPARK_JOB:
                    return False
                raise error(told["reason"], told["failure"])
            else:
                return True
    except BaseException:
        process.terminate()  # it was started for this run
        raise
    finally:
        process.stdout.close()
    raise error(mq.PSRC_SPARK_START, f"the warm session ended; {folder / 'resident.log'} says more")


def mark() -> str:
    """Return what a session and a run must share: Python, the build of Penstock, environment."""
    kept = sorted(item for item in os.environ.items() if not SHELL_NAMES.match(item[0]))
    built = Path(penstock.__file__).stat().st_mtime_ns
    return hashlib.sha256(json.dumps([sys.executable, built, kept]).encode()).hexdigest()[:16]


def main() -> None:
    """Be the warm session: report each step of the start on stdout, then serve."""

    def say(**told: Any) -> None:
        os.write(1, json.dumps(told).encode() + b"\n")

    def ready(facts: dict[str, Any]) -> None:
        say(ready=facts["pid"])
        os.dup2(2, 1)

    try:
        resident.serve(
            DEFAULT_MASTER,
            quick_start(DEFAULT_MASTER, {}),
            ready=ready,
            idle_seconds=IDLE_SECONDS,
            facts={"mark": mark()},
            step=lambda name: say(step=name),
        )
    except MQError as failure:
        say(failure=str(failure.detail or failure), reason=failure.reason)


def _replace(pid: int) -> None:
    """End a session that does not fit."""
    resident.stop()
    deadline = time.monotonic() + STOP_SECONDS
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
