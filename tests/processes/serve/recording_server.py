"""`penstock` with a server that writes down what it does before it refuses a client, and does not pause.

The file that STEPS names gets a line for each password that is checked and for each pause.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from penstock.cli.main import main
from penstock.host.users.user_directory import People
from penstock.serve.entry import refusals
from penstock.serve.entry.access import ServerAccess

STEPS = Path(os.environ["STEPS"])


def note(step: str) -> None:
    with STEPS.open("a") as file:
        file.write(step + "\n")


class Recording(ServerAccess):
    """Access that does not pause."""

    def __init__(self, host: Any) -> None:
        super().__init__(host)
        self.pause = self.no_pause

    async def no_pause(self, seconds: float) -> None:
        note(f"pause {seconds:g}")


def verify(self: People, user: str, password: str, slow: Any = People.verify) -> bool:
    note("check")
    return bool(slow(self, user, password))


if __name__ == "__main__":
    People.verify = verify  # type: ignore[method-assign]
    refusals.pause_before = lambda begun, now, delay: delay
    import penstock.serve.serving as serving

    serving.ServerAccess = Recording  # type: ignore[misc]
    main()
