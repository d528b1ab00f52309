# cython: nonecheck=True
"""The puts of a conversation: a plain one takes the short way, any other the long one.

A receipt that tells of something durable leaves when the disk has it; a put that wants no answer gets none,
and its failure is noted. Compiled through `remote_puts.pxd`.
"""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any

from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.units import Scope
from penstock.host.message_batch import is_plain
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, plain_message
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.serve import call_payload, verbs
from penstock.serve.answers import Reply
from penstock.serve.remote_units import RemoteUnits

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.protocol._frames import Frame
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.serve.link import Link
    from penstock.serve.remote_connection import RemoteConnection

DESCRIBED_MAX = 256
PERSISTENCE = (False, True, None)
_ASYNC_PUTS = protocol.ASYNC_PUTS
_NO_REPLY = protocol.NO_REPLY


class RemotePuts(RemoteUnits):
    """What a client puts."""

    def __init__(self, link: Link, number: int, qm: RemoteConnection) -> None:
        super().__init__(link, number, qm)
        self.names: dict[int, str] = {}
        self.described: dict[bytes, Any] = {}  # descriptors that were checked, by their packed fields

    def put(self, frame: Frame) -> None:
        body = frame.read_put()
        qm = self.qm
        name = self.names[frame.target]
        unit = self.unit(frame.unit) if frame.unit else None
        persistence = frame.persistence
        if persistence < 0 or persistence > 2:
            raise ValueError(f"persistence {persistence} is unknown")
        persistent = PERSISTENCE[persistence]
        self.link.messages += 1
        msg_id = None if frame.msg_id == NO_ID else frame.msg_id
        context = qm.context if frame.fields is None else self.described.get(frame.fields)
        message = None
        if context is not None:
            message = qm.put_quick(
                name, None, body, persistent, frame.correl_id, msg_id, context, unit, clock()
            )
        if message is None:
            self._put_in_full(frame, name, body, persistent)
        elif frame.flags & _NO_REPLY:
            self.async_done += 1
            self.server.reach(qm.reached)
            qm.reached = 0
        elif message.onward is not None:
            verbs.answer(self, frame.request, verbs.receipt_facts(qm.receipt(message, name)))
        else:
            flags = _ASYNC_PUTS if qm.routes[name].asynchronous else 0
            if qm.reached:
                self._receipt_when_durable(frame.request, message, flags)
            else:
                self.out.receipt(self.number, frame.request, message, flags)
                self.link.mark()

    def _receipt_when_durable(self, request: int, message: Message, flags: int) -> None:
        position = self.qm.reached
        self.qm.reached = 0
        self.server.when_durable(position, Reply(self, protocol.RECEIPT, flags, request, message))

    def _put_in_full(self, frame: Frame, name: str, body: bytes, persistent: bool | None) -> None:
        request, quiet, unit = frame.request, frame.flags & _NO_REPLY, frame.unit
        ids: dict[str, Any] = {"correl_id": frame.correl_id, "msg_id": frame.msg_id}
        packed = frame.fields
        fields = {} if packed is None else call_payload.read_fields(packed)
        try:
            receipt = self.run(unit, lambda: self.qm.put(name, body, persistent=persistent, **ids, **fields))
        except failures.WRONG_ARGUMENTS as cause:
            raise error(mq.MQRC_MD_ERROR, f"the descriptor fields of a put are wrong: {cause}") from cause
        if packed is not None and is_plain(receipt.descriptor):
            if len(self.described) >= DESCRIBED_MAX:
                self.described.clear()
            self.described[packed] = receipt.descriptor
        if quiet:
            self.async_done += 1
            self.server.reach(self.qm.reached)
            self.qm.reached = 0
        else:
            verbs.answer(self, request, verbs.receipt_facts(receipt))

    def put_many(self, frame: Frame, bodies: list[bytes]) -> None:
        """Put several messages in the unit that is named, or in one of their own."""
        qm = self.qm
        name = self.names[frame.target]
        if not 0 <= frame.persistence <= 2:
            raise ValueError(f"persistence {frame.persistence} is unknown")
        persistent = PERSISTENCE[frame.persistence]
        self.link.messages += len(bodies)
        put = None if frame.unit else qm.put_many_quick(name, bodies, persistent, clock())
        if put is None:
            put = self._put_many_in_unit(frame.unit, name, bodies, persistent)
        position = qm.reached
        qm.reached = 0
        if frame.flags & _NO_REPLY:
            self.async_done += len(put)
            self.server.reach(position)
        else:
            self.server.when_durable(position, Reply(self, protocol.RECEIPTS, 0, frame.request, put))

    def _put_many_in_unit(
        self, number: int, name: str, bodies: list[bytes], persistent: bool | None
    ) -> list[Message]:
        """Put messages one after the other in a unit, one of their own for 0."""
        qm = self.qm
        unit = self.unit(number) if number else self._new_unit()
        put: list[Message] = []
        now = clock()
        try:
            for body in bodies:
                message = qm.put_quick(name, None, body, persistent, None, None, qm.context, unit, now)
                put.append(self._put_in_unit(unit, name, body, persistent) if message is None else message)
        except MQError:
            if not number:
                self._finish_unit(unit, False)
                qm.reached = 0
            raise
        if not number:
            self._finish_unit(unit, True)
        return put

    def _put_in_unit(self, unit: UnitOfWork, name: str, body: bytes, persistent: bool | None) -> Message:
        """Put a message of many that needs the long way."""
        qm = self.qm
        scope = Scope(qm, unit)
        context = contextvars.Context()
        context.run(units.enter, scope)
        qm.open_scopes += 1
        try:
            receipt = context.run(lambda: qm.put(name, body, persistent=persistent))
        finally:
            scope.ended = True
            qm.open_scopes -= 1
        return plain_message(b"", receipt.msg_id, NO_ID, False, 0, receipt.put_time, receipt.descriptor)
