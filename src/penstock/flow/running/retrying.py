"""Runs a flow on messages in turn and collects the outputs; failures are retried in memory.

A message that fails is retried like a redelivery, with its backout count increased; the outputs of the failed
attempt are dropped. At BOTHRESH the rules of its queue apply. Used where many messages share a unit of work
or a Spark batch: none of them affects the others. Compiled through `retrying.pxd`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import cython

from penstock.flow.failing import CANNOT_BE_HANDLED
from penstock.flow.running.reporting import report, report_failed
from penstock.model.errors import MessageFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.nodes.mq_input_run import QueueInput
    from penstock.flow.ports import BackoutRules, CollectingPorts
    from penstock.model.message import Message

FIGURES = ("backed_out", "failed", "given_up", "lost", "messages", "outputs")
NOTED_MAX = 1000  # messages whose last failure is known, so that it is logged once


class Tally:
    """Counts of a listener's work."""

    __slots__ = (*FIGURES, "_noted", "flow")

    def __init__(self, flow: str = "") -> None:
        self.flow = flow
        self._noted: dict[bytes, str] = {}
        self.messages = 0  # finished, with any result
        self.outputs = 0
        self.failed = 0  # failed attempts
        self.given_up = 0  # sent to a failure terminal, backout or dead-letter queue
        self.backed_out = 0  # units
        self.lost = 0  # failed outside a unit of work

    def note_failed(self, queue: str, message: Message, raised: MessageFailed) -> None:
        """Count and log a failed attempt; a repeated failure is logged for debugging only."""
        self.failed += 1
        text = str(raised)
        is_known = self._noted.get(message.msg_id) == text
        self._noted[message.msg_id] = text
        if len(self._noted) > NOTED_MAX:
            del self._noted[next(iter(self._noted))]
        report_failed(
            logging.DEBUG if is_known else logging.WARNING,
            raised,
            queue=queue,
            message=message.msg_id.hex(),
            attempt=message.backout_count + 1,
        )

    def note_given_up(self, queue: str, message: Message, place: str) -> None:
        """Count and log a message that was sent away."""
        self.given_up += 1
        self._report(logging.WARNING, "flow_message_given_up", queue, message, to=place)

    def note_lost(self, queue: str, message: Message) -> None:
        """Count and log a message that failed outside a unit of work."""
        self.lost += 1
        self._report(logging.ERROR, "flow_message_lost", queue, message, why="got outside a unit of work")

    def _report(self, level: int, event: str, queue: str, message: Message, **facts: str) -> None:
        self._noted.pop(message.msg_id, None)
        report(level, event, flow=self.flow, queue=queue, message=message.msg_id.hex(), **facts)


@cython.cclass
class Trying:
    """Runs a flow on messages. `rules` is called only after a failure."""

    def __init__(
        self, started: QueueInput, ports: CollectingPorts, rules: Callable[[], BackoutRules], tally: Tally
    ) -> None:
        self.started = started
        self.queue = started.node.queue
        self.ports = ports
        self.rules = rules
        self.tally = tally

    def run_all(self, messages: list[Message]) -> None:
        """Run the flow on one message after the other."""
        for message in messages:
            self.run(message)

    def run(self, message: Message) -> None:
        """Run the flow on a message until it succeeds or is sent away; 8303 if no queue accepts it."""
        mark = self.ports.mark()
        problem: MessageFailed | None = None
        while True:
            try:
                if message.backout_count and message.backout_count >= self.rules().threshold:
                    place = self.started.give_up(message, self.rules(), problem)
                    if place:
                        self.tally.note_given_up(self.queue, message, place)
                else:
                    self.started.attempt(message)
                return
            except MessageFailed as raised:
                if raised.reason in CANNOT_BE_HANDLED:
                    raise
                self.ports.revert(mark)
                problem = raised
                self.tally.note_failed(self.queue, message, raised)
                if not self.started.in_unit(message):
                    self.tally.note_lost(self.queue, message)
                    return
                message.backout_count += 1


def are_fresh(messages: list[Message]) -> bool:
    """Return whether none of the messages has been backed out, which is usual."""
    for message in messages:  # noqa: SIM110  (no generator in C)
        if message.backout_count:
            return False
    return True
