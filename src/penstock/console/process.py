"""The web process of a home: at most one serves a team; its lock and its address are in the folder `web`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.console.serving import folder
from penstock.host.folders.folder_lock import end_holder, holder_of, lock_folder
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.host.folders.folder_lock import Holder


@contextmanager
def running(address: str) -> Iterator[None]:
    """Hold the lock while the web process runs; 8351 when another one does."""
    try:
        lock = lock_folder(folder() / "lock")
    except MQError as raised:
        found = holder()
        if raised.reason != mq.PSRC_FOLDER_LOCKED or found is None:
            raise
        raise error(mq.PSRC_BROKER, f"the web console runs already, in process {found.pid}") from raised
    with lock:
        (folder() / "address").write_text(address, "utf-8")
        yield


def holder() -> Holder | None:
    """Return the web process; None if there is none."""
    return holder_of(folder() / "lock")


def ask_to_end(found: Holder) -> None:
    """Ask the web process to end."""
    end_holder(folder() / "lock", found)


def address() -> str:
    """Return where it was last reached."""
    try:
        return (folder() / "address").read_text("utf-8")
    except FileNotFoundError:
        return ""
