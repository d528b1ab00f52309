"""Reservations for users: `qm.batches`, the exactly-once batches that an outside engine works through.

Each method takes the gate, calls the engine, reads bodies from disk where the engine asks for it, and
returns when what it answers is on disk. Made for Spark; anything that can run a batch again may use it.
What the steps mean is in `qmgr.batches.reservations`.
"""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.face.message_arguments import body_and_fields
from penstock.host import checkpointing
from penstock.host.waiting import repeated
from penstock.model.message import Message
from penstock.qmgr import authorization
from penstock.qmgr.batches import batch_publishing, extents
from penstock.qmgr.messages.new_message import build
from penstock.qmgr.names.name_resolution import Route
from penstock.qmgr.putting import PutRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from penstock.host.queue_manager import QueueManager
    from penstock.model.status import ReservationFigures
    from penstock.qmgr.batches.batch_state import Attempt
    from penstock.qmgr.batches.batch_takes import Take

    # queue, and a message or a body; or queue, body and what `qm.put` takes
    Output = tuple[str, Message | bytes | str] | tuple[str, bytes | str, dict[str, Any]]

Answer = TypeVar("Answer")
PART_BYTES = 4 << 20  # outputs that go to the journal in one piece
PART_MESSAGES = 10_000
PARTS_OF_LOG = 8  # a part is at most this fraction of the log


class Batches:
    """The batches of an outside engine: reserve, read, prepare, commit."""

    def __init__(self, qm: QueueManager) -> None:
        self._qm = qm
        self._engine = qm.engine

    def new_epoch(self, flow: str) -> int:
        """Start a flow, or take it over: callers that go on with an older epoch get 8031."""
        return self._do(lambda: self._engine.reservations.new_epoch(flow, time()))

    def recorded(self, flow: str) -> int:
        """Return the number of the flow's last committed batch; 0 when there is none."""
        return self._do(lambda: self._engine.reservations.recorded(flow))

    def begin(self, flow: str, n: int) -> dict[str, Any]:
        """Open batch n without inputs, for outputs alone; return n, epoch and whether it is recorded.

        For an engine whose inputs are not ours and who numbers its batches itself: n may leave a gap.
        """
        return self._do(lambda: self._engine.reservations.begin(flow, n, time()))

    def reserve(
        self,
        flow: str,
        queue: str,
        *,
        after: int,
        epoch: int,
        max_rows: int = 0,
        max_bytes: int = 0,
        ends_previous: bool = False,
    ) -> dict[str, Any]:
        """Hold the next messages of a queue as batch `after` + 1; return n, rows, bytes and queue.

        The same `after` gives the same batch again. n is `after` when the queue has nothing. 0 means no
        limit but the product's. `ends_previous` commits batch `after` first, without outputs: for sinks
        that are not ours.
        """
        return self._do(
            lambda: self._engine.reservations.reserve(
                flow, queue, after, max_rows, max_bytes, epoch, time(), ends_previous
            )
        )

    def read_slice(
        self,
        flow: str,
        n: int,
        slice: int,
        slices: int,
        *,
        epoch: int,
        start: int = 0,
        count: int | None = None,
    ) -> list[Message]:
        """Return slice `slice` of `slices` of batch n, the same at every call; empty when n is committed."""
        return self._do(
            lambda: self._engine.reservations.read_slice(flow, n, slice, slices, epoch, start, count)
        )

    def look(
        self,
        flow: str,
        n: int,
        queue: str,
        *,
        epoch: int,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
    ) -> list[tuple[int, Message]]:
        """Return messages of another queue by an id, each with the number that `takes` names it by.

        For work that keeps records on queues, such as aggregation: nothing is held by looking.
        """
        return self._do(
            lambda: self._engine.reservations.look(flow, n, queue, epoch, time(), msg_id, correl_id)
        )

    def extent(self, queue: str) -> dict[str, Any]:
        """Return where the messages of a queue are now, for readers that share the work (`read_extent`)."""
        return self._do(lambda: extents.extent(self._engine, queue))

    def read_extent(
        self, queue: str, *, started: float, first: int, last: int, after: tuple[int, int], held: bool = False
    ) -> list[tuple[Any, ...]]:
        """Look at a piece of the messages between two places: priority, place, message. Nothing is taken.

        With `held` also messages that are locked or reserved, and a fourth value: the holder, or "".
        """
        return self._do(
            lambda: extents.read(
                self._engine, queue, started, first, last, (after[0], after[1]), time(), held
            )
        )

    def output(self, queue: str, body: bytes | str, **details: Any) -> tuple[str, Message]:
        """Make an output from what `qm.put` takes: persistent, correl_id, priority, properties ...

        A queue that is named `topic:price/fruit` is a topic: subscribers get a copy each;
        `retain:price/fruit` keeps it for later subscribers as well.
        """
        self._qm.check_open()
        names = ("options", "msg_id", "correl_id", "persistent", "priority", "expiry")
        given = {name: details.pop(name) for name in names if name in details}
        properties = details.pop("properties", None)
        data, fields, qmgr, source = body_and_fields(self._qm.put, body, details)
        request = PutRequest(data, fields=fields, properties=properties, context_from=source, **given)
        with self._qm.gate:
            if batch_publishing.is_topic(queue):
                route = self._topic_route(queue, request)
            else:
                route = self._engine.resolve(queue, qmgr)
            message, _ = build(self._engine, self._qm.connection, route, request, time())
        return queue, message

    def _topic_route(self, name: str, request: PutRequest) -> Route:
        """Return the way to a topic, whose defaults the request gets."""
        settings = batch_publishing.topic_of(self._engine, name, time()).settings
        if request.persistent is None:
            request.persistent = settings.persistent
        if request.priority is None:
            request.priority = settings.priority
        return Route(None, name, self._engine.name, None)

    def prepare_outputs(
        self,
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
    ) -> None:
        """Store the outputs of an attempt at a slice; durable, and invisible until it wins.

        A repeated call replaces what the same attempt prepared. It must be called for every slice that a
        commit names, also without outputs. Many outputs may be sent in several calls: with `more` others
        follow, `start` is the number sent before. `takes` are messages found by `look` that the commit
        removes: queue, correlation id, number; 8321 if one of them was removed meanwhile.
        """
        size = min(PART_BYTES, self._qm.host.high_water_bytes // PARTS_OF_LOG)
        parts = _parts([self._finished(output) for output in outputs], size)
        for place, part in enumerate(parts):
            follows = more or place < len(parts) - 1
            taken = () if follows else list(takes)
            self._prepare_part(flow, n, slice, attempt, part, epoch, start, follows, taken)
            start += len(part)
            self._relieve_log()

    def _relieve_log(self) -> None:
        """Bring prepared outputs to message files before the log is full of them.

        The log frees their space at the second checkpoint; later, units of others would be backed out.
        """
        host = self._qm.host
        if host.journal.used > host.high_water_bytes // 2:
            checkpointing.checkpoint(host)

    def _finished(self, output: Output) -> tuple[str, Message]:
        queue, content = output[0], output[1]
        if isinstance(content, Message):
            return queue, content
        return self.output(queue, content, **(output[2] if len(output) > 2 else {}))

    def _prepare_part(
        self,
        flow: str,
        n: int,
        slice: int,
        attempt: Attempt,
        part: list[tuple[str, Message]],
        epoch: int,
        start: int,
        more: bool,
        takes: Sequence[Take],
    ) -> None:
        self._qm.host.check_room(max((message.length for _, message in part), default=0))
        self._do(
            lambda: self._engine.reservations.prepare_outputs(
                flow, n, slice, attempt, part, epoch, time(), start, more, takes
            )
        )

    def commit(self, flow: str, n: int, winners: Mapping[int, Attempt], *, epoch: int) -> None:
        """End batch n: when this returns, its inputs are removed and the winners' outputs are visible.

        Repeating it does nothing. 2053 when an output queue is full: nothing has changed, try again when
        its getters have made room.
        """
        self._do(lambda: self._engine.reservations.commit(flow, n, winners, epoch, time()))

    def release(self, flow: str, n: int | None = None, epoch: int | None = None) -> int:
        """Give a batch's messages back to their places and shut its workers out; return how many.

        With the epoch of a run it is released for that run only: 8031 when another has taken over.
        """
        return self._do(lambda: self._engine.reservations.release(flow, n, time(), epoch))

    def forget(self, flow: str) -> None:
        """Forget a flow that holds nothing, and the number it has recorded."""
        self._do(lambda: self._engine.reservations.forget(flow, time()))

    def listing(self) -> list[ReservationFigures]:
        """Return every flow: epoch, recorded, n, queue, rows, bytes, since, prepared."""
        return self._do(self._engine.reservations.listing)

    def _do(self, step: Callable[[], Answer]) -> Answer:
        """Run a step of the engine, again after each requested read, and wait for the disk."""
        qm = self._qm
        qm.check_open()
        authorization.check_qmgr(self._engine, qm.connection, "SYSTEM")
        return repeated(qm.session, step)


def _parts(outputs: list[tuple[str, Message]], bytes_max: int) -> list[list[tuple[str, Message]]]:
    """Cut outputs into pieces that the log can take one by one; at least one, possibly empty."""
    parts: list[list[tuple[str, Message]]] = [[]]
    size = 0
    for output in outputs:
        if parts[-1] and (size >= bytes_max or len(parts[-1]) >= PART_MESSAGES):
            parts.append([])
            size = 0
        parts[-1].append(output)
        size += output[1].length
    return parts
