"""Reservations of flows over a socket, for asyncio: the names of `ClientFlows`, as coroutines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls, flows
from penstock.protocol.messages import unpack_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.client.aio.named_calls import AsyncNamedCalls
    from penstock.host.flows import Output
    from penstock.model.message import Message
    from penstock.qmgr.batch_takes import Take
    from penstock.qmgr.flow_state import Attempt


class AsyncFlows:
    """The flows of a queue manager: reserve, read, prepare, commit."""

    def __init__(self, qm: AsyncNamedCalls) -> None:
        self._qm = qm

    async def _do(self, verb: str, *arguments: Any, **named: Any) -> Any:
        given = {"verb": verb, "arguments": list(arguments), "named": named}
        return await self._qm.call("flow", given, timeout=calls.LONG_CALL_SECONDS)

    async def new_epoch(self, flow: str) -> int:
        """Start a flow, or take it over: callers that go on with an older epoch get 8031."""
        return int(await self._do("new_epoch", flow))

    async def recorded(self, flow: str) -> int:
        """Return the number of the flow's last committed batch; 0 when there is none."""
        return int(await self._do("recorded", flow))

    async def begin(self, flow: str, n: int) -> dict[str, Any]:
        """Open batch n without inputs, for outputs alone; return n, epoch and whether it is recorded."""
        found: dict[str, Any] = await self._do("begin", flow, n)
        return found

    async def reserve(
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
        """Hold the next messages of a queue as batch `after` + 1; return n, rows, bytes and queue."""
        limits = {"max_rows": max_rows, "max_bytes": max_bytes, "ends_previous": ends_previous}
        found: dict[str, Any] = await self._do("reserve", flow, queue, after=after, epoch=epoch, **limits)
        return found

    async def read_slice(
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
        named = {"epoch": epoch, "start": start, "count": count}
        arguments = {"arguments": [flow, n, slice, slices], "named": named}
        rows = self._qm.stream("flow_read_slice", arguments)
        return [unpack_message(packed) async for packed in rows]

    async def look(
        self,
        flow: str,
        n: int,
        queue: str,
        *,
        epoch: int,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
    ) -> list[tuple[int, Message]]:
        """Return messages of another queue by an id, each with the number that `takes` names it by."""
        named = {"epoch": epoch, "msg_id": msg_id, "correl_id": correl_id}
        arguments = {"arguments": [flow, n, queue], "named": named}
        rows = self._qm.stream("flow_look", arguments)
        return [(number, unpack_message(packed)) async for number, *packed in rows]

    async def extent(self, queue: str) -> dict[str, Any]:
        """Return where the messages of a queue are now, for readers that share the work (`read_extent`)."""
        found: dict[str, Any] = await self._do("extent", queue)
        return found

    async def read_extent(
        self,
        queue: str,
        *,
        started: float,
        first: int,
        last: int,
        after: tuple[int, int],
        held: bool = False,
    ) -> list[tuple[Any, ...]]:
        """Look at a piece of the messages between two places: priority, place, message. Nothing is taken.

        With `held` also those that nobody can get now, and a fourth value: who holds the message, or "".
        """
        named = {"started": started, "first": first, "last": last, "after": after, "held": held}
        rows = self._qm.stream("flow_read_extent", {"queue": queue, "named": named})
        return [flows.unpack_place(row) async for row in rows]

    async def output(self, queue: str, body: bytes | str, **details: Any) -> tuple[str, Message]:
        """Make an output from what `qm.put` takes: persistent, correl_id, priority, properties ..."""
        name, packed = await self._qm.call("flow_output", flows.output_arguments(queue, body, details))
        return name, unpack_message(packed)

    async def prepare_outputs(
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
        """Keep what an attempt at a slice wants to put; durable, and invisible until it wins."""
        for given in flows.prepare_calls(flow, n, slice, attempt, outputs, epoch, start, more, takes):
            await self._qm.call("flow_prepare_outputs", given, timeout=calls.LONG_CALL_SECONDS)

    async def commit(self, flow: str, n: int, winners: Mapping[int, Attempt], *, epoch: int) -> None:
        """End batch n: its inputs are gone and the winners' outputs there when this returns."""
        await self._do("commit", flow, n, dict(winners), epoch=epoch)

    async def release(self, flow: str, n: int | None = None, epoch: int | None = None) -> int:
        """Give a batch's messages back to their places and shut its workers out; return how many.

        With the epoch of a run it is released for that run only: 8031 when another has taken over.
        """
        return int(await self._do("release", *flows.release_arguments(flow, n, epoch)))

    async def forget(self, flow: str) -> None:
        """Forget a flow that holds nothing, and the number it has recorded."""
        await self._do("forget", flow)

    async def listing(self) -> list[dict[str, Any]]:
        """Return every flow: epoch, recorded, n, queue, rows, bytes, since, prepared."""
        found: list[dict[str, Any]] = await self._do("listing")
        return found
