"""What Spark starts as its Python on one machine: it lets the preloaded process fork instead.

Spark starts a Python process for each kind of worker, and each would load PySpark, pandas, Arrow and Penstock
again. This one only passes its streams, arguments and environment to `penstock.spark.starting.preloading`,
which forks out of a process that has them already; then it waits for the fork's end, and passes SIGTERM on.
Without that process it becomes an ordinary Python. It imports next to nothing, which is its purpose and the
reason why it is outside the package.
"""

import json
import os
import signal
import socket
import sys
from types import FrameType
from typing import NoReturn

PLACE = "PENSTOCK_PRELOADED"  # the socket's path, in the environment that Spark's JVM passes on


def main() -> None:
    """Run as a Python would that has these arguments."""
    words = sys.argv[1:]
    if words[:1] == ["-c"] and len(words) == 2:
        exec(words[1], {})  # noqa: S102  Spark asks for the version
    elif words[:1] != ["-m"] or not forked(words[1:]):
        os.execv(sys.executable, [sys.executable, *words])


def forked(arguments: list[str]) -> bool:
    """Let the preloaded process fork, and wait for the end of that fork; False if it cannot."""
    folder = os.getcwd()  # noqa: PTH109  pathlib would take longer to load than the rest
    told = {"path": [folder, *sys.path[1:]], "arguments": arguments, "environment": dict(os.environ)}
    held = {signal.SIGTERM}  # until the fork is known: it would live on alone
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.connect(os.environ.get(PLACE, ""))
            socket.send_fds(link, [b"0"], [0, 1, 2])
            link.sendall(json.dumps({**told, "folder": folder}).encode() + b"\n")
            number = link.recv(16)
            if not number.strip():
                return False
            pass_on(int(number))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
            for stream in (0, 1):  # they are the fork's now
                os.close(stream)
            link.recv(1)  # nothing comes: it ends with the fork
            return True
    except OSError:
        return False
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)


def pass_on(process: int) -> None:
    """Send a SIGTERM on to the fork."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        try:
            os.kill(process, number)
        finally:
            os._exit(128 + number)

    signal.signal(signal.SIGTERM, end)


if __name__ == "__main__":
    main()
