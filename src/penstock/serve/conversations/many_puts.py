"""The messages of one PUT_MANY frame, put some at a time, so that other clients need not wait for all.

A frame may carry 10,000 messages; as persistent ones they take more than ten milliseconds. `LargeFrames`
calls `step` in one turn of the loop after the other, while the link takes no other frame. Invariant: the
messages are in one unit, so they are all there or none, also if the client goes away in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.selectors.evaluations import MustEvaluate

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.protocol._frames import Frame
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.serve.conversations.remote_puts import RemotePuts

MESSAGES_AT_ONCE = 1000  # about a millisecond


class ManyPuts:
    """The puts of one frame: done step by step, then answered."""

    def __init__(self, puts: RemotePuts, frame: Frame, bodies: list[bytes]) -> None:
        self._puts = puts
        self._frame = frame
        self._bodies = bodies
        self._put: list[Message] = []
        self._at_once: list[Message] | None = None
        self._unit: UnitOfWork | None = None
        self._failure: Exception | None = None

    @property
    def value(self) -> Any:
        """What `Conversation.handle_read` gets."""
        return self

    def step(self, budget: int) -> bool:
        """Put some of the messages; return whether all are put, or one could not be."""
        try:
            return self._step()
        except MustEvaluate:  # this step is to be taken again
            raise
        except Exception as failure:  # noqa: BLE001 - `answer` raises it, where failures of frames are handled
            self._failure = failure
            return True

    def _step(self) -> bool:
        puts, frame, put = self._puts, self._frame, self._put
        if self._unit is None:
            self._at_once = puts.put_at_once(frame, self._bodies)
            if self._at_once is not None:
                return True
            self._unit = puts.unit_of_many(frame)
        puts.put_some(frame, self._unit, self._bodies[len(put) : len(put) + MESSAGES_AT_ONCE], put)
        return len(put) == len(self._bodies)

    def answer(self) -> None:
        """Commit the messages and answer; raise what has failed."""
        puts, frame, unit = self._puts, self._frame, self._unit
        if self._failure is not None:
            if unit is not None:
                puts.give_up_many(frame, unit)
            raise self._failure
        if unit is not None:
            puts.finish_many(frame, unit)
        puts.answer_many(frame, self._put if self._at_once is None else self._at_once)
