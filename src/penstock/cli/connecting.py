"""Chooses and connects to the queue manager of a command; all commands connect here.

The name is positional where a command has it so, else `--qmgr`, else PENSTOCK_QMGR, else the only queue
manager of this home or, if it has none, of other users that let this user in. An `mq://` address is a
network connection, and so is a name with `--ccdt`. Any other name is reached by its local socket if it
runs, and opened in this process if not, unless `--running` forbids that. `--user` is the user at an address
or, where CONNAUTH checks local programs, at the local socket; a notice says where it has no effect. The
password comes from a file or a prompt: others could see it on a command line.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.host.queue_manager import QueueManager

QMGR = "PENSTOCK_QMGR"
USER = "PENSTOCK_USER"
PASSWORD_FILE = "PENSTOCK_PASSWORD_FILE"
CCDT = "PENSTOCK_CCDT"
RUNNING = "PENSTOCK_RUNNING"
CONTEXT = "PENSTOCK_CONTEXT"

QmgrOption = Annotated[
    str,
    typer.Option(
        "--qmgr",
        "-m",
        envvar=QMGR,
        help="queue manager or mq:// address; may be left out when there is only one",
        autocompletion=completion.queue_managers,
    ),
]
NameOption = Annotated[  # commands for which a guess, or a variable set for other commands, would be wrong
    str,
    typer.Option("--qmgr", "-m", help="the queue manager", autocompletion=completion.queue_managers),
]
QmgrArgument = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        help="the queue manager; or name it with --qmgr",
        autocompletion=completion.queue_managers,
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="answer in JSON")]
QueueArgument = Annotated[str, typer.Argument(help="the queue", autocompletion=completion.queues)]
TopicArgument = Annotated[str, typer.Argument(help="the topic string", autocompletion=completion.topics)]


def connected(qmgr: str, commands_only: bool = False) -> BlockingQueueManager:
    """Return a connection to the chosen queue manager.

    A client's connection has the same interface as an embedded one, so commands need not distinguish them.
    With `commands_only` it is for MQSC, status, looks and backup, and is admitted while the queue manager
    stops.
    """
    import penstock
    from penstock.client.address import is_address

    table = os.environ.get(CCDT) or None
    name = qmgr if table else chosen(qmgr)
    user = os.environ.get(USER, "")
    password = password_of(user)
    on_network = is_address(name) or table or name.startswith("*")
    try:
        qm = penstock.connect(
            name, user=user or None, password=password, commands_only=commands_only, ccdt=table
        )
    except penstock.MQError as failure:
        if on_network or failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE or only_running():
            raise
        tell_unused(user, f"this command opens {name} itself, as the user that runs it")
        return opened(name)
    if not on_network and qm.link.terms.text("user") != user:
        tell_unused(user, f"the local socket of {name} knows this program as {qm.link.terms.text('user')}")
    return qm


def tell_unused(user: str, why: str) -> None:
    """Print a notice that --user has no effect, if it was given."""
    if user:
        print(f"--user {user} has no effect: {why}.", file=sys.stderr, flush=True)


def opened(name: str) -> QueueManager:
    """Open a stopped queue manager in this process; print a notice if it is expected to run."""
    import penstock

    state = missed(name)
    if state:
        what = f"Queue manager {name} does not run ({state}): this command opens it itself"
        print(f"{what}; --running refuses that.", file=sys.stderr, flush=True)
    return penstock.embed(name)


def missed(name: str) -> str:
    """Return the state of a queue manager that a server ran and that has stopped; empty for others."""
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import state_of, was_served

    lock = existing_folder(name).lock
    state, holder = state_of(lock)
    return state if holder is None and was_served(lock) else ""


def only_running() -> bool:
    """Return whether the command must refuse a queue manager that does not run (--running)."""
    return os.environ.get(RUNNING, "") not in ("", "0")


def password_of(user: str) -> str | None:
    """Return the user's password: from the named file, else typed; None without a user."""
    file = os.environ.get(PASSWORD_FILE, "")
    if file:
        return Path(file).read_text().rstrip("\n")
    if not user:
        return None
    password: str = typer.prompt(f"Password of {user}", hide_input=True, err=True)
    return password


def named(name: str, qmgr: str) -> str:
    """Return the queue manager named by position or by --qmgr; a usage error if both differ."""
    if name and qmgr not in ("", name, os.environ.get(QMGR, "")):
        raise typer.BadParameter(f"{name} and --qmgr {qmgr} name two queue managers")
    return name or chosen(qmgr)


def named_here(name: str, qmgr: str) -> str:
    """Return the queue manager named on the command line; a usage error if there is none."""
    if not name and not qmgr:
        raise typer.BadParameter("name the queue manager: this command takes no other's word for it")
    return named(name, qmgr)


def of_context() -> str:
    """Return the address of the context in use, and take over its user and password file; empty for none."""
    from penstock.cli.context.contexts import in_use

    found = in_use()
    if found is None:
        return ""
    for variable, value in ((USER, found.user), (PASSWORD_FILE, found.password_file)):
        if value and not os.environ.get(variable):
            os.environ[variable] = value
    return found.address


def chosen(qmgr: str) -> str:
    """Return the queue manager to use; a usage error if it is ambiguous."""
    from penstock.host.folders.folder import list_folders
    from penstock.host.local_socket import folders_of_others
    from penstock.store.home import penstock_home

    if qmgr:
        return qmgr
    address = of_context()
    if address:
        return address
    names = [folder.name for folder in list_folders()] or [*folders_of_others()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise typer.BadParameter(
            f"there is no queue manager in {penstock_home()}; make one with `penstock qmgr create NAME`"
        )
    raise typer.BadParameter(f"say which queue manager with --qmgr; there are {', '.join(names)}")
