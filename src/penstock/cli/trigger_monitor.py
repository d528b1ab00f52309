"""`penstock trigger-monitor`: waits on an initiation queue and starts the programs it is asked to start.

The monitor lets go of the queue manager while programs run, because a folder belongs to one process
at a time; so programs run one after the other, and their exit codes are reported, not interpreted.
How a program is started is `host.trigger_monitor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.choosing import QmgrOption

if TYPE_CHECKING:
    from penstock.host.trigger_monitor import Job
    from penstock.model.message import Message

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"


def trigger_monitor(
    qmgr: QmgrOption = "",
    queue: Annotated[
        str, typer.Option("--initq", "--queue", "-q", help="the initiation queue")
    ] = DEFAULT_QUEUE,
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="end after so many; 0 for never")] = 0,
    wait: Annotated[
        float, typer.Option("--wait", "-w", help="end when nothing came for so many seconds; -1: never")
    ] = -1.0,
    once: Annotated[bool, typer.Option("--once", help="start what is asked for now, then end")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="print the commands that are asked for now, start nothing")
    ] = False,
) -> None:
    """Start programs when queues ask for them."""
    import penstock
    from penstock.cli.choosing import chosen
    from penstock.host import trigger_monitor as monitor

    name = chosen(qmgr)
    done = 0
    while count == 0 or done < count:
        with penstock.embed(name) as qm:
            if dry_run:
                show(monitor.awaited(qm, queue), name)
                return
            patience = 0.0 if once else None if wait < 0 else wait
            messages = monitor.take(qm, queue, patience, count - done if count else monitor.ROOM)
        failed = [job for job in (start(message, name) for message in messages) if job.problem]
        if failed:
            with penstock.embed(name) as qm:
                for job in failed:
                    monitor.bury(qm, queue, job)
        done += len(messages)
        if once or not messages:
            break


def start(message: Message, qmgr: str) -> Job:
    """Start the program of one trigger message, wait for it, and say how it went."""
    from penstock.host import trigger_monitor as monitor

    job = monitor.read(message, qmgr)
    if job.command:
        print(f"queue {job.queue}: {job.command[0]}", flush=True)
    job, code = monitor.start(job)
    if job.problem:
        print(f"queue {job.queue or '?'}: {job.text}", flush=True)
    else:
        print(f"queue {job.queue}: {job.command[0]} ended with {code}", flush=True)
    return job


def show(messages: list[Message], qmgr: str) -> None:
    """Print the commands that messages ask for."""
    import shlex

    from penstock.host import trigger_monitor as monitor

    for message in messages:
        job = monitor.read(message, qmgr)
        print(f"queue {job.queue or '?'}: {shlex.join(job.command) if job.command else job.text}")
