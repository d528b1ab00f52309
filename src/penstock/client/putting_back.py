"""Messages that no program has seen, put back on the queue they were got from.

Both clients do this with what `kept` holds outside units: ids, descriptor, properties, persistence, priority,
context and the rest of the lifetime stay; the place on the queue is lost. The steps are one generator of
calls, which a blocking and an asyncio driver run. Invariant: what the queue manager did not take is kept.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Generator

    from penstock.client.aio.named_calls import AsyncNamedCalls
    from penstock.client.connection import ClientConnection
    from penstock.client.returned_messages import Entry

    Step = tuple[str, dict[str, Any]]
    Steps = Generator[Step, Any, None]

NOT_AUTHORIZED = 2035
QUEUE_GONE = (2052, 2085)  # its messages went with it
EXPIRY_SECONDS_MIN = 0.1  # MQ's unit: the queue manager ends what has had its time
CONTEXTS = (  # who may not set the context puts the message as its own
    (mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT, mq.MQPMO_SET_ALL_CONTEXT),
    (mq.MQOO_OUTPUT, 0),
)


def put_back(qm: ClientConnection, entries: list[Entry]) -> None:
    """Put messages back; raise the last failure when one cannot go and stays kept."""
    problem: MQError | None = None
    for entry in entries:
        if qm.kept.remove(entry):
            try:
                _put_one(qm, _steps(entry))
            except MQError as failure:
                problem = failure
                qm.kept.restore(entry)
            except BaseException:
                qm.kept.restore(entry)
                raise
    if problem is not None:
        raise problem


def _put_one(qm: ClientConnection, steps: Steps) -> None:
    step = next(steps, None)
    while step is not None:
        try:
            answer = calls.call(qm, *step)
        except MQError as failure:
            step = _after_failure(steps, failure)
        else:
            step = _after(steps, answer)


async def put_back_async(qm: AsyncNamedCalls, entries: list[Entry]) -> None:
    """Put messages back, even when the caller is cancelled meanwhile; as `put_back`."""
    if entries:
        await asyncio.shield(_put_each(qm, entries))


async def _put_each(qm: AsyncNamedCalls, entries: list[Entry]) -> None:
    problem: MQError | None = None
    for entry in entries:
        if qm.kept.remove(entry):
            try:
                await _put_one_async(qm, _steps(entry))
            except MQError as failure:
                problem = failure
                qm.kept.restore(entry)
    if problem is not None:
        raise problem


async def _put_one_async(qm: AsyncNamedCalls, steps: Steps) -> None:
    step = next(steps, None)
    while step is not None:
        try:
            answer = await qm.call(*step)
        except MQError as failure:
            step = _after_failure(steps, failure)
        else:
            step = _after(steps, answer)


def _after(steps: Steps, answer: Any) -> Step | None:
    try:
        return steps.send(answer)
    except StopIteration:
        return None


def _after_failure(steps: Steps, failure: MQError) -> Step | None:
    try:
        return steps.throw(failure)
    except StopIteration:
        return None


def _steps(entry: Entry) -> Steps:
    """Yield the calls that put a message back; each is sent its answer or thrown its failure."""
    for opening, putting in CONTEXTS:
        try:
            facts = yield "open", {"name": entry.queue, "options": opening, "details": {}}
        except MQError as failure:
            if failure.reason in QUEUE_GONE:
                return
            if failure.reason != NOT_AUTHORIZED or not putting:
                raise
        else:
            yield "put", _arguments(entry, facts[0], putting)
            yield "close", {"handle": facts[0], "options": 0}
            return


def _arguments(entry: Entry, handle: int, putting: int) -> dict[str, Any]:
    message = entry.message
    left = message.expiry
    if left is not None:
        left = max(left - (time.monotonic() - entry.since), EXPIRY_SECONDS_MIN)
    given = {
        "options": putting | mq.MQPMO_NO_SYNCPOINT,
        "msg_id": message.msg_id,
        "correl_id": message.correl_id,
        "persistent": bool(message.persistent),
        "priority": message.priority,
        "expiry": left,
        "properties": message.properties,
        "put_time": message.put_time if putting else None,
    }
    fields = {"descriptor": message.descriptor}
    return calls.put_arguments(put_back, {"handle": handle}, bytes(message.body or b""), fields, given)
