"""Batches of a backlog at a queue manager in another process: one runs while others are got and committed.

A listener that got a full batch, and processed it quickly, continues here until a get finds nothing. A commit
is sent when the previous one was answered, so order is kept. A batch that cannot be put is backed out
together with everything got after it, and is left to the listener, which runs it message by message. No unit
is left open, whatever ends it.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from penstock.flow.ports import plain_puts, put_all
from penstock.flow.running.retrying import are_fresh
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    import threading

    from penstock.client.pipelining import Overlap
    from penstock.flow.running.queue_listener import QueueListener
    from penstock.model.message import Message

# Slower batches gain little from getting ahead, and other instances could process those messages meanwhile.
QUICK_SECONDS = 0.1


def is_quick(begun: float) -> bool:
    """Return whether a batch that began then was fast enough to get ahead."""
    return monotonic() - begun < QUICK_SECONDS


def run_overlapping(listener: QueueListener, stop: threading.Event) -> bool:
    """Run batches until none waits, or on a stop request all that were got; False if overlapping is
    impossible.
    """
    if not hasattr(listener.qm, "link"):  # embedded: there is no other process
        return False
    from penstock.client.pipelining import overlap_on

    batches = overlap_on(listener.qm, listener.node.queue, listener.batch)
    if batches is None:
        return False
    try:
        Overlapping(listener, batches).run(stop)
    except BaseException as raised:
        counted = not isinstance(raised, MQError) or raised.reason != mq.PSRC_FLOW_PAUSED
        batches.drop(counted)
        listener.undo()
        raise
    return True


class Overlapping:
    """One run of a listener through a backlog."""

    def __init__(self, listener: QueueListener, batches: Overlap) -> None:
        self.listener = listener
        self.batches = batches
        self.committing: list[Message] = []
        self.outputs = 0  # of the batch that is being committed

    def run(self, stop: threading.Event) -> None:
        """Run batch after batch."""
        self.batches.ask()
        messages = self.batches.take()
        if messages:
            self.batches.ask()
        while messages:
            begun = monotonic()
            ran = self._ran(messages)
            quick = is_quick(begun)
            if not self._settled():
                self._back_out(self.committing, messages)
                return
            following = self.batches.take()
            if not ran or not self._sent(messages):
                self._back_out(messages, following)
                return
            if following and quick and not stop.is_set():
                self.batches.ask()
            messages = following
        if not self._settled():
            self._back_out(self.committing, [])

    def _ran(self, messages: list[Message]) -> bool:
        """Run a batch; False if it has to run again, message by message."""
        self.listener.collecting.outputs.clear()
        fresh = are_fresh(messages)
        if not fresh and self.listener.deliveries.excuse_elsewhere(messages):
            return False
        try:
            self.listener.collect(messages, fresh)
        except MQError as raised:
            return self.listener.is_repeatable(raised)
        return True

    def _settled(self) -> bool:
        """Wait for the pending commit; False if it was refused."""
        try:
            self.batches.settle()
        except MQError as raised:
            return self.listener.is_repeatable(raised)
        if self.committing:
            self.listener.count_batch(self.committing, self.outputs)
            self.committing = []
        return True

    def _sent(self, messages: list[Message]) -> bool:
        """Put the outputs of a batch and commit it; False if they cannot be put."""
        outputs = self.listener.collecting.outputs
        plain = plain_puts(outputs)
        try:
            if len(plain) < len(outputs):  # publications, and puts with queue defaults, need answers
                self.batches.within(lambda: put_all(self.listener.qm, outputs))
                plain = []
            self.batches.commit(plain)
        except MQError as raised:
            return self.listener.is_repeatable(raised)
        self.committing, self.outputs = messages, len(outputs)
        return True

    def _back_out(self, messages: list[Message], others: list[Message]) -> None:
        """Back out a batch that has to run message by message, and those got after it."""
        for message in (*messages, *others, *self.batches.drop()):
            self.listener.deliveries.excuse(message)
        self.listener.undo()
        self.listener.careful = len(messages)
