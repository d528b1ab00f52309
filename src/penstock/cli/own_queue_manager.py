"""A queue manager for a command that needs a running one: the one that runs, else one started for it.

The command stops the queue manager that it has started, in order. It is another process and does not die with
the command: it ends with the last user.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from penstock.cli.background import PIPE, TEMPORARY
from penstock.cli.connecting import chosen, missed, only_running
from penstock.model import constants as mq
from penstock.tools.own_command import own_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def running(qmgr: str, tell: Callable[[str], None], what: str = "this command") -> Iterator[str]:
    """Yield the name or address of a running queue manager; start the chosen one if necessary.

    2059 with --running if none runs. A notice is printed if it was expected to run.
    `what` names the program that it is started for.
    """
    from penstock.client.address import is_address

    name = chosen(qmgr)
    if is_address(name) or is_running(name):
        yield name
        return
    told = f"Queue manager {name} did not run; it is started for as long as {what} runs."
    if missed(name):
        print(told, file=sys.stderr, flush=True)
    else:
        tell(told)
    process = _start(name)
    try:
        yield name
    finally:
        process.terminate()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def is_running(name: str) -> bool:
    """Return whether a queue manager answers on its local socket; 2058 if it does not exist."""
    import penstock

    try:
        penstock.connect(name, share=False).close()
    except penstock.MQError as failure:
        if failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE or only_running():
            raise
        return False
    return True


def _start(name: str) -> subprocess.Popen[bytes]:
    """Start a queue manager and return when it answers; its error is raised."""
    from penstock.model.errors import error

    process = subprocess.Popen(
        own_command("qmgr", "start", name, "--json"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**{name: each for name, each in os.environ.items() if name != PIPE}, TEMPORARY: "1"},
        start_new_session=True,  # a Ctrl-C is for the command, which ends the queue manager last
    )
    assert process.stdout is not None
    assert process.stderr is not None
    if not process.stdout.readline():
        with process:
            said = process.stderr.read().decode(errors="replace").strip()
        raise error(mq.MQRC_Q_MGR_NOT_AVAILABLE, f"queue manager {name} could not be started: {said}")
    threading.Thread(target=_pass_on, args=(process.stderr,), daemon=True, name="qmgr-warnings").start()
    return process


def _pass_on(pipe: IO[bytes]) -> None:
    """Show the queue manager's error output; an unread pipe would block it when full."""
    with pipe:
        for line in pipe:
            print(line.decode(errors="replace"), end="", file=sys.stderr, flush=True)
