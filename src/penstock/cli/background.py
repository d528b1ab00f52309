"""A command in the background: started as another process; the parent waits until it reports that it runs.

The child is given a pipe by PENSTOCK_BACKGROUND and writes a byte there when it runs; then it releases the
terminal for a log file. What it prints until then is shown. Without the byte it has failed, whatever it has
printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import typer

from penstock.tools.own_command import own_command

if TYPE_CHECKING:
    from pathlib import Path

PIPE = "PENSTOCK_BACKGROUND"
TEMPORARY = "PENSTOCK_TEMPORARY"  # makes a queue manager end with the command that started it


def start_in_background(words: list[str]) -> None:
    """Run a penstock command in a process that outlives the terminal; return when it runs."""
    says, tells = os.pipe()
    try:
        child = subprocess.Popen(
            own_command(*words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, PIPE: str(tells)},
            pass_fds=(tells,),
            start_new_session=True,
            text=True,
        )
    finally:
        os.close(tells)
    assert child.stdout is not None
    with child.stdout:
        print(child.stdout.read().rstrip())  # ends when the child releases it, running or not
    with os.fdopen(says, "rb") as pipe:
        runs = pipe.read(1)
    if not runs:
        raise typer.Exit(child.wait() or 1)


def let_go(log: Path) -> None:
    """In the child: report that the command runs, and leave the terminal. In the foreground nothing happens.

    What the process writes from now on goes to a log, which is kept short.
    """
    from penstock.store.text_logs import keep_short, open_log

    sys.stdout.flush()
    pipe = os.environ.pop(PIPE, "")
    if not pipe:
        return
    os.write(int(pipe), b"1")
    os.close(int(pipe))
    written = open_log(log)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(written, 1)
    os.dup2(written, 2)
    keep_short(log)
