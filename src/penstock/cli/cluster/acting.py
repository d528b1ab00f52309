"""What `cluster create`, `join` and `leave` share: arguments, running commands, waiting for the cluster.

A command that fails ends the script: nothing after it is run. Waits look again and again until the time
is over; nothing here decides what is right, `tools.cluster_scripts` does.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.admin.replies import Reply
    from penstock.face.blocking import BlockingQueueManager

FAILED = 1
WAIT_SECONDS = 30.0
STOPPING_SECONDS = 10.0
NOT_ACTIVE, IN_USE = mq.MQRCCF_CHANNEL_NOT_ACTIVE, mq.MQRCCF_CHANNEL_IN_USE
PAUSE_SECONDS = 0.05
ClusterArgument = Annotated[str, typer.Argument(metavar="CLUSTER", help="the cluster")]
MemberArgument = Annotated[
    str,
    typer.Argument(
        metavar="QM", help="queue manager or mq:// address", autocompletion=completion.queue_managers
    ),
]
AddressOption = Annotated[
    str, typer.Option("--address", help="where others reach QM, as host(port); from its listeners")
]
ChannelOption = Annotated[
    str, typer.Option("--channel", help="name of QM's CLUSRCVR, at most 20 characters; CLUSTER.QM")
]
WaitOption = Annotated[
    float, typer.Option("--wait", min=0.0, help="seconds to wait until the full repositories know")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="print the commands and run none")]


def refuse(objection: str) -> None:
    """Raise a usage error if something speaks against the command."""
    if objection:
        raise typer.BadParameter(objection)


def entrance(
    qm: BlockingQueueManager, cluster: str, channel: str, address: str, full: bool
) -> tuple[str, str]:
    """Return the CLUSRCVR and the address of a member to be; refuse what cannot be one."""
    from penstock.cli.channel.link import listening_at
    from penstock.tools import cluster_scripts as scripts

    name, objection = scripts.channel_name(cluster, qm.name, channel)
    refuse(objection or scripts.objection(qm, cluster, name, full))
    return name, address or listening_at(qm)


def run(qm: BlockingQueueManager, commands: list[str]) -> None:
    """Run commands one by one; the first that fails is printed and ends the program with exit code 1.

    A channel that need not be stopped is no failure, and one that still stops is deleted a little later.
    """
    for number, command in enumerate(commands):
        failed: list[Reply] = []

        def succeeds(command: str = command, failed: list[Reply] = failed) -> bool:
            failed[:] = [each for each in qm.mqsc(command) if each.failed and each.reason != NOT_ACTIVE]
            return not any(each.reason == IN_USE for each in failed)

        wait_until(succeeds, STOPPING_SECONDS)
        if failed:
            left = len(commands) - number - 1
            rest = f"; {left} commands after it were not run" if left else ""
            print(f"penstock: {qm.name}: {command}: {failed[0].id}: {failed[0].text}{rest}", file=sys.stderr)
            raise typer.Exit(FAILED)


def show(scripts: dict[str, list[str]]) -> None:
    """Print commands for people, as a script for each queue manager."""
    for owner, commands in scripts.items():
        print("\n".join([f"* at {owner}", *commands]))


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Return whether a condition has come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(PAUSE_SECONDS)
    return True
