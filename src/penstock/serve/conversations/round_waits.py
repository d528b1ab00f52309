"""Answers that wait for rounds of the group's facility.

`Server` makes one for a call that has changed shared queues; the facility's threads count it down, and the
loop answers. A round that failed makes the answer a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.serve.answers import Answer
    from penstock.serve.server import Server


class RoundWait:
    """One answer, until the rounds that it waits for are done."""

    def __init__(self, server: Server, numbers: list[int], position: int, answer: Answer | None) -> None:
        self._server = server
        self._position = position
        self._answer = answer
        self._membership = server.host.sharing
        self._tickets = [self._membership.take_ticket(number) for number in numbers]
        self._tickets += [ticket.before for ticket in self._tickets if ticket.before is not None]

    def begin(self) -> None:
        """Wait for the first ticket; the journal has to get where the rounds begin."""
        self._server.reach(max(ticket.position for ticket in self._tickets))
        self._go_on()

    def _go_on(self) -> None:
        while self._tickets:
            if not self._tickets[0].done:
                self._membership.when_done(self._tickets[0], self._called)
                return
            failure = self._tickets.pop(0).failure
            if failure is not None:
                if self._answer is not None:
                    self._answer.refused(failure)
                return
        if self._answer is not None:
            self._server.when_durable(self._position, self._answer)

    def _called(self) -> None:
        """Note that a ticket is done; in any thread."""
        self._server.loop.call_soon_threadsafe(self._woken)

    def _woken(self) -> None:
        self._go_on()
        self._server.flush()
