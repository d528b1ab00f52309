"""Trigger monitor: reads trigger messages and starts the programs that they name, as runmqtrm does.

A program gets MQTMC2 as its argument, after the words of APPLICID and before those of ENVRDATA. No shell
parses them unless APPLICID is one, so nothing in a definition or message can inject a command. If a program
cannot be started, its message goes to the dead-letter queue with MQ's feedback code. The queue manager may be
a client's. The caller decides when to wait, and what to print.
"""

from __future__ import annotations

import logging
import shlex
import subprocess
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from penstock.host.queue_manager import QueueManager
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.headers import TriggerMessage
from penstock.qmgr.messages import dead_letters
from penstock.qmgr.triggers import triggering
from penstock.tools.dead_letters import AS_IT_IS, dead_letter_queue, put_as_it_is

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message

    Starter = Callable[[list[str]], int]

logger = logging.getLogger(__name__)

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"
ROOM = 1000  # trigger messages that are taken at a time
STARTABLE = (mq.MQAT_UNKNOWN, mq.MQAT_NO_CONTEXT, mq.MQAT_UNIX, mq.MQAT_JAVA)


@dataclass(frozen=True, slots=True)
class Job:
    """The request of a trigger message: a command, or the feedback code that says why there is none."""

    message: Message
    queue: str
    command: tuple[str, ...] = ()
    problem: int = 0
    text: str = ""


def take(qm: BlockingQueueManager, queue: str, wait: float | None, room: int) -> list[Message]:
    """Return the available trigger messages, at most `room`; wait for the first (None: for ever)."""
    found: list[Message] = []
    with qm.open(queue, mq.MQOO_INPUT_AS_Q_DEF) as initiation:
        message = initiation.get(wait=wait, quiet=True)
        while message is not None:
            found.append(message)
            message = initiation.get(quiet=True) if len(found) < room else None
    return found


def awaited(qm: QueueManager, queue: str) -> list[Message]:
    """Return the trigger messages that `take` would return now; change nothing."""
    there = list(qm.browse(queue))  # without the right to browse the queue nothing is known
    with qm.gate:
        due = triggering.awaited(qm.engine, queue, time.time())
    return [*there, *due]


def read(message: Message, qmgr: str) -> Job:
    """Turn a trigger message into a job; an impossible one has the reason."""
    descriptor = message.descriptor
    try:
        trigger = TriggerMessage.unpack(message.body or b"", descriptor.encoding, descriptor.ccsid)
    except MQError as failure:
        return Job(message, "", (), mq.MQFB_TM_ERROR, f"not a trigger message: {failure}")
    if trigger.appl_type not in STARTABLE and trigger.appl_type < mq.MQAT_USER_FIRST:
        text = f"application type {trigger.appl_type} cannot be started here"
        return Job(message, trigger.queue, (), mq.MQFB_APPL_TYPE_ERROR, text)
    try:
        command = command_of(trigger, qmgr)
    except ValueError as failure:
        command, text = (), f"{trigger.appl_id!r} is not a command: {failure}"
    else:
        text = "" if command else "its process has no APPLICID"
    return Job(message, trigger.queue, command, 0 if command else mq.MQFB_APPL_CANNOT_BE_STARTED, text)


def command_of(trigger: TriggerMessage, qmgr: str) -> tuple[str, ...]:
    """Return the program and its arguments; ValueError for quotes that do not end.

    >>> command_of(TriggerMessage(queue="Q", appl_id="/bin/pay 'two words'"), "QM1")[:2]
    ('/bin/pay', 'two words')
    """
    words = shlex.split(trigger.appl_id)
    structure = trigger.for_program(qmgr).pack().decode("utf-8", "replace")
    rest = [word for word in shlex.split(trigger.env_data) if word != "&"]
    return (*words, structure, *rest) if words else ()


def start(job: Job, starter: Starter | None = None) -> tuple[Job, int]:
    """Start a job's program and wait for it; return the job, with its error, and the exit code."""
    if job.problem:
        return job, 0
    try:
        return job, (starter or _run)(list(job.command))
    except OSError as failure:
        text = f"cannot start {job.command[0]}: {failure.strerror or failure}"
        return replace(job, problem=mq.MQFB_APPL_CANNOT_BE_STARTED, text=text), 0


def _run(command: list[str]) -> int:
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode


def bury(qm: BlockingQueueManager, queue: str, job: Job) -> bool:
    """Send the trigger message of a failed job to the dead-letter queue; False if that is refused."""
    qm.check_open()
    logger.warning("trigger_failed qmgr=%s queue=%s cause=%s", qm.name, job.queue, job.text)
    if isinstance(qm, QueueManager):  # a client has no error log to write to
        text = f"The program for queue {job.queue} was not started: {job.text}"
        qm.host.error_log.write("AMQ8046E", text)
    letter = dead_letters.wrap(qm.name, job.message, job.problem, queue, qm.name, time.time())
    try:
        with qm.open(dead_letter_queue(qm), AS_IT_IS) as target:
            put_as_it_is(target, letter)
    except MQError as failure:
        logger.warning("trigger_not_buried qmgr=%s queue=%s cause=%s", qm.name, job.queue, failure)
        return False
    return True


def serve(qm: BlockingQueueManager, queue: str = DEFAULT_QUEUE, starter: Starter | None = None) -> list[Job]:
    """Start a program for each waiting trigger message, in turn; return the jobs.

    For a process that embeds the queue manager, whose programs do not open it.
    """
    done = []
    for message in take(qm, queue, 0.0, ROOM):
        job, code = start(read(message, qm.name), starter)
        if job.problem:
            bury(qm, queue, job)
        elif code:
            logger.warning("trigger_ended qmgr=%s queue=%s code=%d", qm.name, job.queue, code)
        done.append(job)
    return done
