"""A request that waits for its reply, and the exchanges of a process by their identifier.

The server's thread makes an exchange and waits. Any thread of the process may answer it, once, with the
identifier from LocalEnvironment. An unanswered exchange ends at its deadline.
"""

from __future__ import annotations

import secrets
import threading
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.http.request_reader import HttpRequest

IDENTIFIER_BYTES = 24


class HttpResponse(NamedTuple):
    """What a client gets."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Exchange:
    """One request; `deliver` passes the response to the holder of the client's connection."""

    def __init__(
        self,
        request: HttpRequest,
        deadline: float,
        deliver: Callable[[HttpResponse], None],
        later: Callable[[float, Callable[[], None]], None] | None = None,
    ) -> None:
        self.identifier = secrets.token_bytes(IDENTIFIER_BYTES)
        self.request = request
        self.deadline = deadline  # on the monotonic clock
        self._deliver = deliver
        self._later = later
        self._answered = threading.Lock()

    @property
    def is_answered(self) -> bool:
        """Return whether it has its response, or was abandoned."""
        return self._answered.locked()

    def answer(self, response: HttpResponse) -> bool:
        """Deliver the response; False if there is one already."""
        if not self._answered.acquire(blocking=False):
            return False
        self._deliver(response)
        return True

    def answer_later(self, seconds: float, response: Callable[[], HttpResponse]) -> None:
        """Deliver a response if there is none after some seconds."""

        def late() -> None:
            if not self.is_answered:
                self.answer(response())

        if self._later is not None:
            self._later(seconds, late)

    def give_up(self) -> bool:
        """Accept no response any more; False if there was one."""
        return self._answered.acquire(blocking=False)


class Exchanges:
    """The exchanges that wait, by identifier."""

    def __init__(self) -> None:
        self._open: dict[bytes, Exchange] = {}

    def add(self, exchange: Exchange) -> None:
        """Register an exchange."""
        self._open[exchange.identifier] = exchange

    def remove(self, exchange: Exchange) -> None:
        """Forget an exchange."""
        self._open.pop(exchange.identifier, None)

    def find(self, identifier: bytes) -> Exchange:
        """Return the exchange of an identifier; 8333 if it has ended or is unknown."""
        found = self._open.get(identifier)
        if found is None or found.is_answered:
            raise error(
                mq.PSRC_FLOW_HTTP_REPLY, f"no request {identifier.hex()[:16]}... waits for a reply here"
            )
        return found

    def __len__(self) -> int:
        return len(self._open)


@cache
def exchanges() -> Exchanges:
    """Return the exchanges of this process: the reply may come from another flow than the request's."""
    return Exchanges()
