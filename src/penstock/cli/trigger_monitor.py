"""`penstock trigger-monitor`: waits on an initiation queue and starts the programs it is asked to start.

As runmqtrm: the program gets the MQTMC2 structure as its one argument. The monitor lets go of the queue
manager while programs run, because a folder belongs to one process at a time; so programs run one
after the other, and their exit codes are reported, not interpreted.
"""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.choosing import QmgrOption

if TYPE_CHECKING:
    from penstock.model.headers import TriggerMessage
    from penstock.model.message import Message

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"
TURN_MESSAGES_MAX = 1000


def trigger_monitor(
    qmgr: QmgrOption = "",
    queue: Annotated[str, typer.Option("--queue", "-q", help="the initiation queue")] = DEFAULT_QUEUE,
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="end after so many; 0 for never")] = 0,
    wait: Annotated[
        float, typer.Option("--wait", "-w", help="end when nothing came for so many seconds; -1: never")
    ] = -1.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print the commands, start nothing")] = False,
) -> None:
    """Start programs when queues ask for them."""
    from penstock.cli.choosing import chosen

    name = chosen(qmgr)
    done = 0
    while count == 0 or done < count:
        messages = trigger_messages(name, queue, wait, count - done if count else TURN_MESSAGES_MAX)
        if not messages:
            break
        for message in messages:
            start(message, name, dry_run)
        done += len(messages)


def trigger_messages(name: str, queue: str, wait: float, room: int) -> list[Message]:
    """Return the trigger messages there are, at most `room`; wait for the first.

    All of them are taken before any program runs: they are not persistent.
    """
    import penstock
    from penstock.model.constants import MQOO_INPUT_AS_Q_DEF

    found: list[Message] = []
    with penstock.embed(name) as qm, qm.open(queue, MQOO_INPUT_AS_Q_DEF) as initiation:
        message = initiation.get(wait=None if wait < 0 else wait, quiet=True)
        while message is not None:
            found.append(message)
            message = initiation.get(quiet=True) if len(found) < room else None
    return found


def start(message: Message, qmgr: str, dry_run: bool) -> None:
    """Start the program of one trigger message and wait for it."""
    from penstock.model.errors import MQError
    from penstock.model.headers import TriggerMessage

    descriptor = message.descriptor
    try:
        trigger = TriggerMessage.unpack(message.body or b"", descriptor.encoding, descriptor.ccsid)
    except MQError as failure:
        print(f"not a trigger message: {failure}")
        return
    command = command_of(trigger, qmgr)
    print(f"queue {trigger.queue}: {trigger.appl_id} {trigger.env_data}".rstrip(), flush=True)
    if dry_run or not command:
        return
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as failure:
        print(f"queue {trigger.queue}: cannot start {command[0]}: {failure.strerror}", flush=True)
    else:
        print(f"queue {trigger.queue}: {command[0]} ended with {code}", flush=True)


def command_of(trigger: TriggerMessage, qmgr: str) -> list[str]:
    """Return the program and its arguments: ApplId's words, MQTMC2, then EnvData's words.

    No shell reads them, so nothing in a message can become a command of its own.
    """
    words = shlex.split(trigger.appl_id)
    structure = trigger.for_program(qmgr).pack().decode("utf-8", "replace")
    rest = [word for word in shlex.split(trigger.env_data) if word != "&"]
    return [*words, structure, *rest] if words else []
