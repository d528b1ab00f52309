"""Batches of an outside engine over a socket, for both clients: the names of `host.batches`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.client.core.steps import LONG_CALL_SECONDS, Call, Rows
from penstock.face.message_arguments import body_and_fields
from penstock.model.message import Message
from penstock.model.status import ReservationFigures
from penstock.protocol import numbers as protocol
from penstock.protocol.messages import pack_message, unpack_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from penstock.client.core.steps import Connection, Steps
    from penstock.host.batches import Output
    from penstock.qmgr.batches.batch_state import Attempt
    from penstock.qmgr.batches.batch_takes import Take

PART_BYTES = 4 << 20  # outputs in one call
HEAD_BYTES = 256  # about what goes with a body


class RemoteBatches:
    """The batches of an outside engine: reserve, read, prepare, commit."""

    def __init__(self, qm: Connection[Any, Any]) -> None:
        self.qm = qm


def _do(verb: str, *arguments: Any, **named: Any) -> Call:
    given = {"verb": verb, "arguments": list(arguments), "named": named}
    return Call("flow", given, timeout=LONG_CALL_SECONDS)


def new_epoch(self: RemoteBatches, flow: str) -> Steps[int]:
    """Start a flow, or take it over: callers that go on with an older epoch get 8031."""
    return int((yield _do("new_epoch", flow)))


def recorded(self: RemoteBatches, flow: str) -> Steps[int]:
    """Return the number of the flow's last committed batch; 0 when there is none."""
    return int((yield _do("recorded", flow)))


def begin(self: RemoteBatches, flow: str, n: int) -> Steps[dict[str, Any]]:
    """Open batch n without inputs, for outputs alone; return n, epoch and whether it is recorded."""
    found: dict[str, Any] = yield _do("begin", flow, n)
    return found


def reserve(
    self: RemoteBatches,
    flow: str,
    queue: str,
    *,
    after: int,
    epoch: int,
    max_rows: int = 0,
    max_bytes: int = 0,
    ends_previous: bool = False,
) -> Steps[dict[str, Any]]:
    """Hold the next messages of a queue as batch `after` + 1; return n, rows, bytes and queue."""
    limits = {"max_rows": max_rows, "max_bytes": max_bytes, "ends_previous": ends_previous}
    found: dict[str, Any] = yield _do("reserve", flow, queue, after=after, epoch=epoch, **limits)
    return found


def read_slice(
    self: RemoteBatches,
    flow: str,
    n: int,
    slice: int,
    slices: int,
    *,
    epoch: int,
    start: int = 0,
    count: int | None = None,
) -> Steps[list[Message]]:
    """Return slice `slice` of `slices` of batch n, the same at every call; empty when n is committed."""
    named = {"epoch": epoch, "start": start, "count": count}
    arguments = {"arguments": [flow, n, slice, slices], "named": named}
    found: list[Message] = yield Rows("flow_read_slice", arguments, unpack_message)
    return found


def look(
    self: RemoteBatches,
    flow: str,
    n: int,
    queue: str,
    *,
    epoch: int,
    msg_id: bytes | None = None,
    correl_id: bytes | None = None,
) -> Steps[list[tuple[int, Message]]]:
    """Return messages of another queue by an id, each with the number that `takes` names it by."""
    named = {"epoch": epoch, "msg_id": msg_id, "correl_id": correl_id}
    arguments = {"arguments": [flow, n, queue], "named": named}
    found: list[tuple[int, Message]] = yield Rows("flow_look", arguments, _numbered)
    return found


def _numbered(row: list[Any]) -> tuple[int, Message]:
    number, *packed = row
    return number, unpack_message(packed)


def extent(self: RemoteBatches, queue: str) -> Steps[dict[str, Any]]:
    """Return where the messages of a queue are now, for readers that share the work (`read_extent`)."""
    found: dict[str, Any] = yield _do("extent", queue)
    return found


def read_extent(
    self: RemoteBatches,
    queue: str,
    *,
    started: float,
    first: int,
    last: int,
    after: tuple[int, int],
    held: bool = False,
) -> Steps[list[tuple[Any, ...]]]:
    """Look at a piece of the messages between two places: priority, place, message. Nothing is taken.

    With `held` also those that cannot be got now, and a fourth value: what holds the message, or "".
    """
    named = {"started": started, "first": first, "last": last, "after": after, "held": held}
    arguments = {"queue": queue, "named": named}
    found: list[tuple[Any, ...]] = yield Rows("flow_read_extent", arguments, unpack_place)
    return found


def output(self: RemoteBatches, queue: str, body: bytes | str, **details: Any) -> Steps[tuple[str, Message]]:
    """Make an output from what `qm.put` takes: persistent, correl_id, priority, properties ..."""
    name, packed = yield Call("flow_output", output_arguments(queue, body, details))
    return name, unpack_message(packed)


def prepare_outputs(
    self: RemoteBatches,
    flow: str,
    n: int,
    slice: int,
    attempt: Attempt,
    outputs: Iterable[Output],
    *,
    epoch: int,
    start: int = 0,
    more: bool = False,
    takes: Sequence[Take] = (),
) -> Steps[None]:
    """Store the outputs of an attempt at a slice; durable, and invisible until it wins."""
    for given in prepare_calls(flow, n, slice, attempt, outputs, epoch, start, more, takes):
        yield Call("flow_prepare_outputs", given, timeout=LONG_CALL_SECONDS)


def commit(
    self: RemoteBatches, flow: str, n: int, winners: Mapping[int, Attempt], *, epoch: int
) -> Steps[None]:
    """End batch n: when this returns, its inputs are removed and the winners' outputs are visible."""
    yield _do("commit", flow, n, dict(winners), epoch=epoch)


def release(self: RemoteBatches, flow: str, n: int | None = None, epoch: int | None = None) -> Steps[int]:
    """Give a batch's messages back to their places and shut its workers out; return how many.

    With the epoch of a run it is released for that run only: 8031 when another has taken over.
    """
    return int((yield _do("release", *release_arguments(flow, n, epoch))))


def forget(self: RemoteBatches, flow: str) -> Steps[None]:
    """Forget a flow that holds nothing, and the number it has recorded."""
    yield _do("forget", flow)


def listing(self: RemoteBatches) -> Steps[list[ReservationFigures]]:
    """Return every flow: epoch, recorded, n, queue, rows, bytes, since, prepared."""
    return msgspec.convert((yield _do("listing")), list[ReservationFigures])


def release_arguments(flow: str, n: int | None, epoch: int | None) -> tuple[Any, ...]:
    """Return the arguments of a release; an older server knows no epoch."""
    return (flow, n) if epoch is None else (flow, n, epoch)


def unpack_place(row: list[Any]) -> tuple[Any, ...]:
    """Return priority, place and message of a packed row, and who holds it if that was asked for."""
    lane, place, head, body, *holder = row
    return (lane, place, unpack_message([head, body]), *holder)


def prepare_calls(
    flow: str,
    n: int,
    slice: int,
    attempt: Any,
    outputs: Iterable[Any],
    epoch: int,
    start: int = 0,
    more: bool = False,
    takes: Sequence[Any] = (),
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of the calls that prepare the outputs of an attempt; `takes` may grow meanwhile."""
    parts = packed_parts(outputs)
    part: list[Any] | None = next(parts)
    while part is not None:
        following = next(parts, None)
        follows = more or following is not None
        yield {
            "flow": flow,
            "n": n,
            "slice": slice,
            "attempt": attempt,
            "outputs": part,
            "epoch": epoch,
            "start": start,
            "more": follows,
            **({"takes": list(takes)} if takes and not follows else {}),
        }
        start += len(part)
        part = following


def packed_parts(outputs: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield outputs as they travel, in pieces that a frame can carry; one, possibly empty, at least."""
    part: list[Any] = []
    size = 0
    for output in outputs:
        content = output[1]
        if isinstance(content, Message):
            packed = [output[0], pack_message(content)]
            size += content.length + HEAD_BYTES
        else:
            given = output_arguments(output[0], content, output[2] if len(output) > 2 else {})
            packed = [output[0], given["body"], given["details"]]
            size += len(given["body"]) + HEAD_BYTES
        part.append(packed)
        if size >= PART_BYTES or len(part) == protocol.FRAME_MESSAGES_MAX:
            yield part
            part, size = [], 0
    yield part


def output_arguments(queue: str, body: bytes | str, details: dict[str, Any]) -> dict[str, Any]:
    """Return what makes an output at the other end."""
    data, _, _, _ = body_and_fields(output_arguments, body, {})
    fields = {"format": "MQSTR", **details} if isinstance(body, str) else details
    return {"queue": queue, "body": data, "details": fields}
