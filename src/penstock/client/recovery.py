"""Rules of reconnection for both clients: when to try, how long, which events (MQ's reconnection options).

`reconnect=True` takes any host of the address, `"qmgr"` only a queue manager of the same name. Pauses grow up
to a limit and are uneven, so that a thousand clients do not come back at the same moment. No sockets here.
"""

from __future__ import annotations

import logging
import random
import time
from typing import TYPE_CHECKING, Any

from penstock.client.dialling import TRY_NEXT
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.protocol.hello import Greeting

logger = logging.getLogger(__name__)

PAUSE_SECONDS_FIRST = 0.1
PAUSE_SECONDS_MAX = 10.0
TIMEOUT_SECONDS = 1800.0  # MQReconnectTimeout's default
QUIESCING_SECONDS = 0.05  # between checks whether a quiescing queue manager has closed the connection


class Policy:
    """How a connection reconnects."""

    def __init__(self, mode: bool | str, timeout: float, on_event: Callable[[MQError], None] | None) -> None:
        if mode not in (True, "qmgr"):
            raise error(mq.MQRC_OPTIONS_ERROR, f'reconnect is True, "qmgr" or False, not {mode!r}')
        self.same_qmgr = mode == "qmgr"
        self.timeout = timeout
        self._on_event = on_event

    def tell(self, reason: int, detail: str) -> None:
        """Report an event of the connection to the program."""
        logger.info("reconnect reason=%d detail=%s", reason, detail)
        if self._on_event is not None:
            self._on_event(error(reason, detail))

    def pauses(self) -> Iterator[float]:
        """Yield how long to sleep before each further try, until time is up."""
        deadline = time.monotonic() + self.timeout
        pause = PAUSE_SECONDS_FIRST
        while time.monotonic() < deadline:
            yield min(pause * random.uniform(0.5, 1.0), max(0.0, deadline - time.monotonic()))
            pause = min(pause * 2, PAUSE_SECONDS_MAX)

    def check(self, failure: MQError) -> None:
        """Fail at once when trying again cannot help."""
        if failure.reason not in TRY_NEXT:
            raise self.failed(mq.MQRC_RECONNECT_FAILED, failure) from failure

    def failed(self, event: int, failure: MQError) -> MQError:
        """Report that reconnection failed, and return the error that calls raise from now on."""
        self.tell(event, str(failure))
        return error(
            mq.MQRC_RECONNECT_FAILED, f"the connection did not come back: {failure}", cause=failure.reason
        )


class Patience:
    """How long a call outside units is tried at a queue manager that quiesces."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._until = 0.0

    def lasts(self, failure: MQError, outside: bool) -> bool:
        """Return whether to try again when the link has ended: the call was refused, so nothing was done.

        Until then nothing is sent: a quiescing queue manager disconnects idle clients.
        """
        if failure.reason != mq.MQRC_Q_MGR_QUIESCING or not outside:
            return False
        now = time.monotonic()
        self._until = self._until or now + self._policy.timeout
        return now < self._until


def repeatable(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return a call's arguments so that it can be made again: what can be read once becomes a list."""

    def kept(value: Any) -> Any:
        return list(value) if hasattr(value, "__next__") else value

    return [kept(value) for value in given], {name: kept(value) for name, value in named.items()}


def interrupted(failure: MQError) -> MQError:
    """Return the error of a put or commit whose answer was lost: it may be done or not."""
    return error(
        mq.MQRC_CALL_INTERRUPTED,
        f"the connection broke before the answer came: it may be done or not ({failure.detail})",
    )


def backed_out() -> MQError:
    """Return the error of a unit that was open when the connection broke."""
    return error(mq.MQRC_BACKED_OUT, "the connection broke and came back; this unit of work was backed out")


def not_reopened(name: str, failure: MQError) -> MQError:
    """Return the error of a handle whose object was deleted: a dynamic queue (2052)."""
    reason = mq.MQRC_Q_DELETED if failure.reason == mq.MQRC_UNKNOWN_OBJECT_NAME else failure.reason
    return error(reason, f"{name} could not be opened again: {failure}")


def sent_to(link: Any) -> str:
    """Return the queue manager that a link's own one has sent this client to; empty if it has not."""
    verb, _, name = link.ending.partition(" ")
    return str(name) if verb == "move" else ""


def token_of(terms: Greeting) -> bytes:
    """Return the token of the link that the new one replaces."""
    token = terms.facts.get("token")
    return token if isinstance(token, bytes) else b""


def resuming(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that find a durable subscription again, whether they were to make it or not."""
    details = dict(arguments["details"])
    options = int(details.get("options") or 0)
    if options & mq.MQSO_CREATE and not options & mq.MQSO_ALTER:
        details["options"] = options | mq.MQSO_RESUME
    return {**arguments, "details": details}
