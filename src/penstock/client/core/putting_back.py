"""Messages that no program has seen, put back on the queue they were got from.

Both clients do this with what `returned_messages` holds outside units: ids, descriptor, properties,
persistence, priority, context and the rest of the lifetime stay; the place on the queue is lost. Invariant:
what the queue manager did not take is kept; so is what it may have taken when the link broke before its
answer, which then comes twice rather than not at all.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.core.steps import Call
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.client.core.steps import Steps
    from penstock.client.returned_messages import Entry, ReturnedMessages

QUEUE_GONE = (mq.MQRC_Q_DELETED, mq.MQRC_UNKNOWN_OBJECT_NAME)  # its messages went with it
EXPIRY_SECONDS_MIN = 0.1  # MQ's unit: the queue manager ends what has had its time
CONTEXTS = (  # who may not set the context puts the message as its own
    (mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT, mq.MQPMO_SET_ALL_CONTEXT),
    (mq.MQOO_OUTPUT, 0),
)


def put_back(kept: ReturnedMessages, entries: list[Entry]) -> Steps[None]:
    """Put messages back; raise the last failure when one cannot go and stays kept."""
    problem: MQError | None = None
    for entry in entries:
        if kept.remove(entry):
            kept.leaving += 1
            try:
                handle = yield from _put_one(entry)
            except MQError as failure:
                problem = failure
                kept.restore(entry)
            except BaseException:
                kept.restore(entry)
                raise
            else:
                if handle is not None:
                    yield from _close(handle)  # the message is back, whatever comes of this
            finally:
                kept.leaving -= 1
    if problem is not None:
        raise problem


def _put_one(entry: Entry) -> Steps[int | None]:
    """Put a message back; return the handle that is open then, None when its queue is gone."""
    for opening, putting in CONTEXTS:
        try:
            facts = yield Call("open", {"name": entry.queue, "options": opening, "details": {}})
        except MQError as failure:
            if failure.reason in QUEUE_GONE:
                return None
            if failure.reason != mq.MQRC_NOT_AUTHORIZED or not putting:
                raise
        else:
            handle: int = facts[0]
            try:
                yield Call("put", _arguments(entry, handle, putting))
            except MQError:
                yield from _close(handle)
                raise
            return handle
    return None


def _close(handle: int) -> Steps[None]:
    with suppress(MQError):
        yield Call("close", {"handle": handle, "options": 0})


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
