"""Which queue manager a command means, and the way to it: the one function that all commands connect by.

`--qmgr`, else PENSTOCK_QMGR, else the only one there is. An `mq://` address is dialled; a name is reached by
its local socket when it runs, and opened in this process when it does not. Who the user is at an address
comes from `penstock --user`, the password from a file or a prompt: on a command line others would see it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from penstock.host.queue_manager import QueueManager

QmgrOption = Annotated[
    str,
    typer.Option(
        "--qmgr",
        "-m",
        envvar="PENSTOCK_QMGR",
        help="queue manager or mq:// address; may be left out when there is only one",
    ),
]
USER = "PENSTOCK_USER"
PASSWORD_FILE = "PENSTOCK_PASSWORD_FILE"
NOT_RUNNING = 2059


def connected(qmgr: str, commands_only: bool = False) -> QueueManager:
    """Return a connection to the queue manager that is meant.

    A client's connection has the names of an embedded one, so commands need not know which they have.
    With `commands_only` it is for MQSC, status and backup, and gets in while the queue manager stops.
    """
    import penstock
    from penstock.wire.client.address import is_address

    name = chosen(qmgr)
    if is_address(name):
        user = os.environ.get(USER, "")
        given = {"user": user or None, "password": password_of(user), "commands_only": commands_only}
        return penstock.connect(name, **given)  # type: ignore[return-value,arg-type]
    try:
        return penstock.connect(name, commands_only=commands_only)  # type: ignore[return-value]
    except penstock.MQError as failure:
        if failure.reason != NOT_RUNNING:
            raise
        return penstock.embed(name)


def password_of(user: str) -> str | None:
    """Return the user's password: from the file that is named, else typed; None without a user."""
    file = os.environ.get(PASSWORD_FILE, "")
    if file:
        return Path(file).read_text().rstrip("\n")
    if not user:
        return None
    password: str = typer.prompt(f"Password of {user}", hide_input=True, err=True)
    return password


def chosen(qmgr: str) -> str:
    """Return the queue manager to use; a usage error when it is not clear which."""
    from penstock.host.folder import list_folders, penstock_home

    if qmgr:
        return qmgr
    names = [folder.name for folder in list_folders()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise typer.BadParameter(
            f"there is no queue manager in {penstock_home()}; make one with `penstock qmgr create NAME`"
        )
    raise typer.BadParameter(f"say which queue manager with --qmgr; there are {', '.join(names)}")
