"""A command in the background: started as another process; the parent waits until it reports that it runs.

The child gets a pipe by PENSTOCK_BACKGROUND and writes a byte there when it runs; then it detaches from the
terminal. Its output until then is shown. Without the byte it has failed, whatever it has printed.
"""

from __future__ import annotations

import os
import subprocess
import sys

import typer

PIPE = "PENSTOCK_BACKGROUND"
TEMPORARY = "PENSTOCK_TEMPORARY"  # says to a queue manager that it ends with the command that started it


def start_in_background(words: list[str]) -> None:
    """Run a penstock command in a process that outlives the terminal; return when it runs."""
    says, tells = os.pipe()
    try:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "penstock.cli.main", *words],
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
    print(child.stdout.read().rstrip())  # ends when the child lets go of it, running or not
    with os.fdopen(says, "rb") as pipe:
        runs = pipe.read(1)
    if not runs:
        raise typer.Exit(child.wait() or 1)


def let_go() -> None:
    """In the child: report that the command runs, and detach from the terminal. Does nothing in the
    foreground.
    """
    sys.stdout.flush()
    pipe = os.environ.pop(PIPE, "")
    if not pipe:
        return
    os.write(int(pipe), b"1")
    os.close(int(pipe))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
