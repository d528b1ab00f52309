# cython: nonecheck=True
"""The frames of plain puts and gets: written to a link, ready to be sent, each with the slot for its answer.

One part of `ClientQueueManager`, which sends them and reads the answers. It saves bytes and packets: queue
names have numbers, and a reply leaves together with the next get (`reply_coalescing`). Every method returns
with the link held for sending; on a failure nothing of its frames is sent. Compiled
through `plain_frames.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.queue_numbers import QueueNumbers
from penstock.client.reply_coalescing import ReplyCoalescing
from penstock.face._clock import monotonic
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client._link import ClientLink, Slot

_CHAINED = protocol.CHAINED | protocol.NO_REPLY
_GET = protocol.GET


class PlainFrames:
    """Writes the frames of plain puts and gets of one connection, whichever link it has."""

    def __init__(self) -> None:
        self.numbers = QueueNumbers()
        self._coalescing = ReplyCoalescing()
        self._requests: dict[str, bytes] = {}  # packed fields of requests, by the queue for their replies

    def put(
        self,
        link: ClientLink,
        conversation: int,
        flags: int,
        unit: int,
        queue: str,
        persistence: int,
        msg_id: bytes | None,
        correl_id: bytes | None,
        body: bytes,
        fields: bytes | None,
    ) -> Slot:
        """Write a put."""
        slot = link.begin(conversation)
        out = link.out
        try:
            number = self.numbers.number(out, conversation, queue)
            out.put(
                flags,
                conversation,
                slot.request,
                unit,
                number,
                persistence,
                msg_id,
                correl_id,
                body,
                fields,
            )
        except BaseException:
            self._give_up(link)
            raise
        return slot

    def put_many(
        self,
        link: ClientLink,
        conversation: int,
        unit: int,
        queue: str,
        persistence: int,
        bodies: list[bytes],
    ) -> Slot:
        """Write a put of several messages."""
        slot = link.begin(conversation)
        out = link.out
        try:
            number = self.numbers.number(out, conversation, queue)
            out.put_many(0, conversation, slot.request, unit, number, persistence, bodies)
        except BaseException:
            self._give_up(link)
            raise
        return slot

    def get(
        self,
        link: ClientLink,
        conversation: int,
        kind: int,
        unit: int,
        queue: str,
        wait_ms: int,
        count: int,
        msg_id: bytes | None,
        correl_id: bytes | None,
        ahead: int = 0,
    ) -> Slot:
        """Write a get of a message, or of several."""
        self._coalescing.get(True, monotonic())
        slot = link.begin(conversation)
        out = link.out
        try:
            number = self.numbers.number(out, conversation, queue)
            out.get(kind, conversation, slot.request, unit, number, wait_ms, count, msg_id, correl_id, ahead)
        except BaseException:
            self._give_up(link)
            raise
        return slot

    def request(
        self,
        link: ClientLink,
        conversation: int,
        queue: str,
        persistence: int,
        msg_id: bytes,
        body: bytes,
        fields: bytes,
        reply_to: str,
        wait_ms: int,
    ) -> Slot:
        """Write the put of a request and the get of its reply, which share their answer."""
        slot = link.begin(conversation)
        out = link.out
        try:
            self.numbers.make_room(2)
            target = self.numbers.number(out, conversation, queue)
            replies = self.numbers.number(out, conversation, reply_to)
            request = slot.request
            out.put(_CHAINED, conversation, request, 0, target, persistence, msg_id, None, body, fields)
            out.get(_GET, conversation, request, 0, replies, wait_ms, 0, None, msg_id)
        except BaseException:
            self._give_up(link)
            raise
        return slot

    def request_fields(self, method: Callable[..., Any], reply_to: str) -> bytes:
        """Return the packed fields of a request that has none of its own."""
        fields = self._requests.get(reply_to)
        if fields is None:
            if len(self._requests) >= protocol.NAMES_MAX:
                self._requests.clear()
            _, fields = calls.request_fields(method, b"", reply_to, {})
            self._requests[reply_to] = fields
        return fields

    def may_wait(self) -> bool:
        """Return whether a put without an answer, just written, may wait for the get behind it."""
        return self._coalescing.put(monotonic())

    def got_ahead(self) -> None:
        """Note a get that needs no frame: its message was read ahead."""
        self._coalescing.get(False, monotonic())

    def _give_up(self, link: ClientLink) -> None:
        """Send nothing of a frame that could not be written."""
        self.numbers.forget()
        link.abandon()
