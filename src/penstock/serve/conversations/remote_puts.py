# cython: nonecheck=True
"""The puts of a conversation: a plain one takes the short way, any other the long one.

A receipt that confirms something durable is sent when it is on disk; a put that wants no answer gets none,
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
from penstock.model.errors import error
from penstock.model.message import NO_ID, plain_message
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.serve.conversations import call_payload, verbs

if TYPE_CHECKING:
    from penstock.host.queue_manager import QueueManager
    from penstock.model.message import Message
    from penstock.protocol._frames import Frame
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.serve.conversations.remote_units import RemoteUnits
    from penstock.serve.conversations.replies import Replies

DESCRIBED_MAX = 256
OF_MANY = -1  # stands for the unit of a frame's messages; clients' numbers are positive
PERSISTENCE = (False, True, None)
_ASYNC_PUTS = protocol.ASYNC_PUTS
_NO_REPLY = protocol.NO_REPLY
_RECEIPT = protocol.RECEIPT


class RemotePuts:
    """What a client puts."""

    def __init__(self, qm: QueueManager, replies: Replies, units: RemoteUnits, names: dict[int, str]) -> None:
        self.qm = qm
        self.session = qm.session
        self.replies = replies
        self.units = units
        self.names = names
        self.described: dict[bytes, Any] = {}  # descriptors that were checked, by their packed fields

    def put(self, frame: Frame) -> None:
        """Put a message."""
        body = frame.read_put()
        session, replies = self.session, self.replies
        name = self.names[frame.target]
        unit = self.units.unit(frame.unit) if frame.unit else None
        persistence = frame.persistence
        if persistence < 0 or persistence > 2:
            raise ValueError(f"persistence {persistence} is unknown")
        persistent = PERSISTENCE[persistence]
        msg_id = None if frame.msg_id == NO_ID else frame.msg_id
        context = session.context if frame.fields is None else self.described.get(frame.fields)
        message = None
        if context is not None:
            message = session.put_quick(
                name, None, body, persistent, frame.correl_id, msg_id, context, unit, clock()
            )
        if message is None:
            self._put_in_full(frame, name, body, persistent)
        elif frame.flags & _NO_REPLY:
            self.units.async_done += 1
            replies.unanswered()
        elif message.onward is not None:
            replies.result(frame.request, verbs.receipt_facts(session.receipt(message, name)))
        else:
            flags = _ASYNC_PUTS if session.routes[name].asynchronous else 0
            if replies.caller.reached:
                replies.reply(_RECEIPT, flags, frame.request, message)
            else:
                replies.out.receipt(replies.number, frame.request, message, flags)
                replies.link.mark()
        replies.link.messages += 1  # last: a frame whose selectors must be evaluated first is handled again

    def _put_in_full(self, frame: Frame, name: str, body: bytes, persistent: bool | None) -> None:
        request, quiet, unit = frame.request, frame.flags & _NO_REPLY, frame.unit
        ids: dict[str, Any] = {"correl_id": frame.correl_id, "msg_id": frame.msg_id}
        packed = frame.fields
        fields = {} if packed is None else call_payload.read_fields(packed)
        try:
            receipt = self.units.run(
                unit, lambda: self.qm.put(name, body, persistent=persistent, **ids, **fields)
            )
        except failures.WRONG_ARGUMENTS as cause:
            raise error(mq.MQRC_MD_ERROR, f"the descriptor fields of a put are wrong: {cause}") from cause
        if packed is not None and is_plain(receipt.descriptor):
            if len(self.described) >= DESCRIBED_MAX:
                self.described.clear()
            self.described[packed] = receipt.descriptor
        if quiet:
            self.units.async_done += 1
            self.replies.unanswered()
        else:
            self.replies.result(request, verbs.receipt_facts(receipt))

    def put_at_once(self, frame: Frame, bodies: list[bytes]) -> list[Message] | None:
        """Put several messages in one step of the engine; None when they need a unit of work."""
        name = self.names[frame.target]
        if not 0 <= frame.persistence <= 2:
            raise ValueError(f"persistence {frame.persistence} is unknown")
        self.replies.link.messages += len(bodies)
        if frame.unit:
            return None
        return self.session.put_many_quick(name, bodies, PERSISTENCE[frame.persistence], clock())

    def answer_many(self, frame: Frame, put: list[Message]) -> None:
        """Answer when the disk has the messages of a frame."""
        replies = self.replies
        if frame.flags & _NO_REPLY:
            self.units.async_done += len(put)
            replies.unanswered()
        else:
            replies.reply(protocol.RECEIPTS, 0, frame.request, put)

    def unit_of_many(self, frame: Frame) -> UnitOfWork:
        """Return the unit that the messages of a frame are put in: its own, or one for them alone."""
        if frame.unit:
            return self.units.unit(frame.unit)
        unit: UnitOfWork = self.units.new_unit()
        self.units.units[OF_MANY] = unit  # so that the conversation's end backs it out
        return unit

    def put_some(self, frame: Frame, unit: UnitOfWork, bodies: list[bytes], put: list[Message]) -> None:
        """Put messages one after the other in a unit, and append them to `put`."""
        session = self.session
        name = self.names[frame.target]
        persistent = PERSISTENCE[frame.persistence]
        now = clock()
        for body in bodies:
            message = session.put_quick(name, None, body, persistent, None, None, session.context, unit, now)
            put.append(self._put_in_unit(unit, name, body, persistent) if message is None else message)

    def finish_many(self, frame: Frame, unit: UnitOfWork) -> None:
        """Commit the unit of a frame's messages if it was made for them."""
        if not frame.unit:
            self.units.forget_unit(OF_MANY)
            self.units.finish_unit(unit, True)

    def give_up_many(self, frame: Frame, unit: UnitOfWork) -> None:
        """Back out the unit of a frame's messages if it was made for them."""
        if not frame.unit:
            self.units.forget_unit(OF_MANY)
            self.units.finish_unit(unit, False)
            self.replies.caller.reached = 0

    def _put_in_unit(self, unit: UnitOfWork, name: str, body: bytes, persistent: bool | None) -> Message:
        """Put a message of many that needs the long way."""
        qm, session = self.qm, self.session
        scope = Scope(session, unit)
        context = contextvars.Context()
        context.run(units.enter, scope)
        session.open_scopes += 1
        try:
            receipt = context.run(lambda: qm.put(name, body, persistent=persistent))
        finally:
            scope.ended = True
            session.open_scopes -= 1
        return plain_message(b"", receipt.msg_id, NO_ID, False, 0, receipt.put_time, receipt.descriptor)
