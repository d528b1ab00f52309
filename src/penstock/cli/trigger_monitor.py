"""`penstock trigger-monitor`: waits on an initiation queue and starts the requested programs.

Connected to a running queue manager it keeps the initiation queue open. It closes one that it runs itself
while programs run, because a folder belongs to one process at a time. Programs run in turn, and their exit
codes are reported, not interpreted. `tools.trigger_monitor` starts the programs.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import QmgrOption

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message
    from penstock.tools.trigger_monitor import Job

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"


def trigger_monitor(
    qmgr: QmgrOption = "",
    queue: Annotated[
        str,
        typer.Option(
            "--initq", "--queue", "-q", help="the initiation queue", autocompletion=completion.queues
        ),
    ] = DEFAULT_QUEUE,
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="end after this many; 0 for never")] = 0,
    wait: Annotated[
        float, typer.Option("--wait", "-w", help="end if nothing arrives for this many seconds; -1: never")
    ] = -1.0,
    once: Annotated[bool, typer.Option("--once", help="start the requested programs, then end")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="print the commands of waiting trigger messages, start nothing")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON object per line for each program")
    ] = False,
) -> None:
    """Start the programs that trigger messages name."""
    from penstock.cli.connecting import chosen, connected
    from penstock.host.queue_manager import QueueManager

    name = chosen(qmgr)
    patience = 0.0 if once else None if wait < 0 else wait
    with connected(name) as qm:
        embedded = isinstance(qm, QueueManager)
        if dry_run:
            show(awaited(qm, queue), qm.name, as_json)
            return
        if not embedded:
            keep_watching(qm, queue, patience, count, as_json)
    if embedded:
        watch_in_turns(name, queue, patience, count, once, as_json)


def awaited(qm: BlockingQueueManager, queue: str) -> list[Message]:
    """Return the trigger messages that exist, or would exist if a monitor started."""
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.client.triggers import awaited_triggers
    from penstock.host.queue_manager import QueueManager
    from penstock.tools import trigger_monitor as monitor

    if isinstance(qm, ClientQueueManager):
        return awaited_triggers(qm, queue)
    assert isinstance(qm, QueueManager)
    return monitor.awaited(qm, queue)


def keep_watching(
    qm: BlockingQueueManager, queue: str, patience: float | None, count: int, as_json: bool
) -> None:
    """Start programs as messages arrive, at most `count` (0: no limit), until none arrives any more."""
    from penstock.model import constants as mq
    from penstock.tools import trigger_monitor as monitor

    done = 0
    with qm.open(queue, mq.MQOO_INPUT_AS_Q_DEF) as initiation:
        while count == 0 or done < count:
            message = initiation.get(wait=patience, quiet=True)
            if message is None:
                return
            job = start(message, qm.name, as_json)
            if job.problem:
                monitor.bury(qm, queue, job)
            done += 1


def watch_in_turns(
    name: str, queue: str, patience: float | None, count: int, once: bool, as_json: bool
) -> None:
    """Take messages, close the queue manager, start their programs; and again."""
    import penstock
    from penstock.tools import trigger_monitor as monitor

    done = 0
    while count == 0 or done < count:
        with penstock.embed(name) as qm:
            messages = monitor.take(qm, queue, patience, count - done if count else monitor.ROOM)
        failed = [job for job in (start(message, name, as_json) for message in messages) if job.problem]
        if failed:
            with penstock.embed(name) as qm:
                for job in failed:
                    monitor.bury(qm, queue, job)
        done += len(messages)
        if once or not messages:
            break


def start(message: Message, qmgr: str, as_json: bool) -> Job:
    """Start the program of one trigger message, wait for it, and report the result."""
    from penstock.cli.printing import show_json_line
    from penstock.tools import trigger_monitor as monitor

    job = monitor.read(message, qmgr)
    if job.command and not as_json:
        print(f"queue {job.queue}: {job.command[0]}", flush=True)
    job, code = monitor.start(job)
    if as_json:
        show_json_line({**facts_of(job), "code": None if job.problem else code})
    elif job.problem:
        print(f"queue {job.queue or '?'}: {job.text}")
    else:
        print(f"queue {job.queue}: {job.command[0]} ended with {code}")
    sys.stdout.flush()
    return job


def facts_of(job: Job) -> dict[str, Any]:
    """Return the facts of a trigger message."""
    return {"queue": job.queue, "command": list(job.command), "problem": job.text if job.problem else ""}


def show(messages: list[Message], qmgr: str, as_json: bool) -> None:
    """Print the commands that messages request."""
    import shlex

    from penstock.cli.printing import show_json_line
    from penstock.tools import trigger_monitor as monitor

    for message in messages:
        job = monitor.read(message, qmgr)
        if as_json:
            show_json_line(facts_of(job))
        else:
            print(f"queue {job.queue or '?'}: {shlex.join(job.command) if job.command else job.text}")
