"""A queue manager that serves its clients, with server applications inside its own process.

`python -m penstock.lab.load.trusted_server HOME NAME PORT` runs it until it is stopped. A message on
LAB.INSIDE starts applications: the arguments of the role `serve`, and how many. They are threads that embed
the queue manager, which is what the reports call trusted applications.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.host.folders.folder import existing_folder
from penstock.lab.load import roles
from penstock.model.errors import MQError
from penstock.serve.serving import serve

if TYPE_CHECKING:
    from penstock.serve.server import Server

INSIDE = "LAB.INSIDE"
WAIT_SECONDS = 3600.0


class _Uncounted:
    """The role of an application inside: the drivers count, so nothing is counted here."""

    def ready(self) -> None:
        """Begin at once."""

    def count(self, operations: int = 1, size: int = 0) -> None:
        """Count nothing."""


def _play(arguments: dict[str, Any]) -> None:
    with contextlib.suppress(MQError):  # the queue manager ends
        roles.serve(_Uncounted(), **arguments)  # type: ignore[arg-type]


def _start_as_asked(home: Path, name: str) -> None:
    with contextlib.suppress(MQError), penstock.embed(name, home=home) as qm:
        while True:
            message = qm.get(INSIDE, wait=WAIT_SECONDS)
            if message is not None:
                asked = json.loads(message.body or b"")
                for _ in range(asked["count"]):
                    threading.Thread(target=_play, args=(asked["arguments"],), daemon=True).start()


def main(home: Path, name: str, port: int) -> None:
    """Serve, and start the applications that are asked for."""

    def ready(_: Server) -> None:
        threading.Thread(target=_start_as_asked, args=(home, name), daemon=True).start()

    serve(existing_folder(name, home), port, "127.0.0.1", ready)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
