"""Messages to many queues in one call: cut into frames and sent; a failure names the message it is about.

The bytes are `protocol.message_batch`. Used by `put_messages` of both clients and by pipelining.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.face.arguments import check_output, outputs_of
from penstock.model.errors import MQError
from penstock.protocol import numbers as protocol
from penstock.protocol.message_batch import pack, too_long

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


PART_BYTES = 1 << 20  # bodies in one frame


class Batch:
    """Messages in pieces that one frame should carry; it knows how far they are put."""

    def __init__(self, outputs: Iterable[Any], message_max: int) -> None:
        self._outputs = outputs
        self._message_max = message_max
        self._done = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the arguments of call after call."""
        for part in parts_of(self._outputs):
            with self.naming_place():
                arguments = self._packed(part)
            yield arguments
            self._done += len(part)

    def _packed(self, part: list[Any]) -> dict[str, Any]:
        try:
            self._check(part)
            return pack(part)
        except (TypeError, ValueError, AttributeError):
            for output in part:
                check_output(output)
            raise

    def _check(self, part: list[Any]) -> None:
        index = too_long(part, self._message_max)
        if index < 0:
            return
        try:
            calls.check_length(part[index][1].body, self._message_max)
        except MQError as failure:
            failure.fields["index"] = index
            raise

    @contextmanager
    def naming_place(self) -> Iterator[None]:
        """Have a failure in a piece name the message's place in the whole."""
        try:
            yield
        except MQError as failure:
            failure.fields["index"] = self._done + failure.fields.get("index", 0)
            raise


def parts_of(outputs: Iterable[Any]) -> Iterator[list[Any]]:
    """Cut a batch into pieces that one frame should carry."""
    part: list[Any] = []
    size = 0
    for output in outputs_of(outputs):
        try:
            length = len(output[1].body or b"")
        except (TypeError, IndexError, KeyError, AttributeError):
            check_output(output)
            raise
        if part and (size + length > PART_BYTES or len(part) == protocol.CALL_MESSAGES_MAX):
            yield part
            part, size = [], 0
        part.append(output)
        size += length
    if part:
        yield part
