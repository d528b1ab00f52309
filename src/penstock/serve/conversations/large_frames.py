"""Frames of megabytes, or with thousands of messages: a slice at a time, other clients' work in between.

To make the arguments of a call of 100 MB takes a fifth of a second, most of it copying. So the link takes no
other frame meanwhile, and the loop does one slice of one such frame in each of its turns. The body of a plain
put needs none of this: it is received where it stays (`protocol._frames`). Begun by `Conversation.handle`.
"""

from __future__ import annotations

import functools
from collections import deque
from typing import TYPE_CHECKING, Protocol

from penstock.qmgr.selectors.evaluations import MustEvaluate

if TYPE_CHECKING:
    from penstock.protocol._frames import Frame
    from penstock.qmgr.selectors.evaluations import Evaluation
    from penstock.serve.conversations.conversation import Conversation
    from penstock.serve.server import Server

SLICE_BYTES = 256 << 10


class Reading(Protocol):
    """What makes values of a frame, step by step."""

    def step(self, budget: int) -> bool:
        """Read about this many bytes; return whether that was the rest."""


class LargeFrames:
    """The frames of one server that are being read."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._waiting: deque[tuple[Conversation, Frame, Reading]] = deque()
        self._evaluations: dict[Reading, Evaluation] = {}  # whose results the next step needs
        self._called = False
        self.slices = 0  # that were read so far

    def add(self, conversation: Conversation, frame: Frame, reading: Reading) -> None:
        """Have a frame read; its conversation gets it back when that is done."""
        conversation.link.begin_reading()
        self._waiting.append((conversation, frame, reading))
        self._call()

    def _call(self) -> None:
        if not self._called:
            self._called = True
            self._server.loop.call_soon(self._step)

    def _step(self) -> None:
        self._called = False
        conversation, frame, reading = self._waiting.popleft()
        evaluation = self._evaluations.pop(reading, None)
        link = conversation.link
        if not link.closed:
            self.slices += 1
            try:
                done = reading.step(SLICE_BYTES)
            except (TypeError, ValueError) as failure:
                link.abort(f"a frame makes no sense: {failure}")
            except MustEvaluate as needed:
                self._evaluations[reading] = needed.evaluation
                again = functools.partial(self._put_back, conversation, frame, reading)
                self._server.evaluating.start(needed.evaluation, again)
            else:
                following = conversation.steps_after(frame, reading) if done else reading
                if following is None:
                    link.end_reading(conversation, frame, reading)
                else:
                    self._waiting.append((conversation, frame, following))
        del evaluation
        if self._waiting:
            self._call()

    def _put_back(self, conversation: Conversation, frame: Frame, reading: Reading) -> None:
        self._waiting.append((conversation, frame, reading))
        self._call()
