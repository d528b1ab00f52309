"""The state machine of aggregations: how an event changes their records. No I/O, no clock.

An aggregation is open while its control record exists. Whoever changes the aggregation holds that record, so
changes are serialised. Meanwhile there is one request record for each missing reply. Times are put times: a
reply that was put after the end of an aggregation is too late, however quickly it is processed. The inline
engine and Spark run the same machine over their own `Records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.aggregation.records import Record, State, request_key
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.flow.aggregation.records import Records
    from penstock.flow.aggregation.stored_reply import StoredReply


class Request(NamedTuple):
    """A request that was sent: the identifier that its reply will carry, and the folder for that reply."""

    reply_identifier: bytes
    folder: str


class Ended(NamedTuple):
    """An aggregation that has ended: its replies in the order of the requests."""

    replies: list[Record]
    persistent: bool  # was the aggregation, or one of its replies, persistent?


class Outcome(NamedTuple):
    """The result of a reply; it may end an aggregation."""

    complete: Ended | None = None
    partial: Ended | None = None  # it ended before this reply, which is too late
    unknown: bool = False


WAITING, UNKNOWN = Outcome(), Outcome(unknown=True)


def opened(
    name: str,
    aggregation: bytes,
    requests: Sequence[Request],
    started: float,
    timeout: float,
    persistent: bool,
) -> list[Record]:
    """Return the records of a new aggregation; with `timeout` 0 it waits for ever."""
    deadline = started + timeout if timeout else 0.0
    facts = {"name": name, "expected": len(requests), "received": 0, "deadline": deadline}
    records = [Record(State.CONTROL, aggregation, aggregation, persistent, facts)]
    if timeout:
        due = {"name": name, "due": deadline}
        records.append(Record(State.TIMEOUT, aggregation, aggregation, persistent, due))
    for index, request in enumerate(requests):
        key = request_key(name, request.reply_identifier)
        told = {"index": index, "folder": request.folder}
        records.append(Record(State.REQUEST, key, aggregation, persistent, told))
    return records


def replied(records: Records, name: str, reply: StoredReply) -> Outcome:
    """Process a reply: it is stored, completes its aggregation, is too late, or is unknown."""
    request = records.take(State.REQUEST, request_key(name, reply.reply_identifier))
    if request is None:
        return UNKNOWN
    control = records.take_control(request.group)
    deadline = control.facts["deadline"]
    if deadline and reply.put_time > deadline:
        records.keep(request)
        return Outcome(partial=_ended(records, control), unknown=True)
    if reply.message.persistent and not control.persistent:
        control = _made_to_last(records, control)
    received = control.facts["received"] + 1
    kept = reply.record(request, control.persistent)
    if received < control.facts["expected"]:
        records.keep(kept)
        records.keep(control.changed(received=received))
        return WAITING
    records.take(State.TIMEOUT, control.key)
    return Outcome(complete=_over(control, [*records.take_group(State.REPLY, control.key), kept]))


def expired(records: Records, aggregation: bytes, *, regardless: bool = False) -> Ended | None:
    """End an aggregation whose time is over. Return the replies that arrived; None if it has ended already.

    Raises 8321 while a unit of work holds one of its requests: try again later. `regardless` ends it anyway,
    when that has lasted too long.
    """
    control = records.take(State.CONTROL, aggregation)
    if control is None:
        return None
    return _ended(records, control, regardless)


def held(name: str, reply: StoredReply, key: bytes, due: float) -> Record:
    """Return the record of an unknown reply, which is checked again when it is due."""
    facts = {"name": name, "due": due, **reply.facts()}
    return Record(State.UNKNOWN, key, key, True, facts, reply.body)


def _ended(records: Records, control: Record, regardless: bool = False) -> Ended:
    requests = records.take_group(State.REQUEST, control.key)
    missing = control.facts["expected"] - control.facts["received"]
    if len(requests) != missing and not regardless:
        raise error(
            mq.PSRC_FLOW_AGGREGATION_BUSY,
            f"{missing - len(requests)} requests of an aggregation are held by another unit of work",
        )
    records.take(State.TIMEOUT, control.key)
    return _over(control, records.take_group(State.REPLY, control.key))


def _made_to_last(records: Records, control: Record) -> Record:
    """Make an aggregation persistent that has to store a persistent reply: both must survive a restart."""
    timer = records.take(State.TIMEOUT, control.key)
    if timer is not None:
        records.keep(timer._replace(persistent=True))
    return control._replace(persistent=True)


def _over(control: Record, replies: list[Record]) -> Ended:
    lasting = control.persistent or any(reply.persistent for reply in replies)
    return Ended(sorted(replies, key=lambda reply: int(reply.facts["index"])), lasting)
