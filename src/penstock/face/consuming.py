"""Messages as they come: what `qm.messages` yields and `qm.consume` calls back with (MQCB and MQCTL).

One module for embedded queue managers, clients and subscriptions: each hands in how a message is got. A
consumer is a thread that gets and calls back, one message at a time, so that order is kept. Unless units are
switched off, a message is committed when its callback returns and backed out when it raises; an iteration
commits it when the next one is asked for. On a connection that comes back by itself both outlive the break,
unless a message could be lost by that. Compiled through
`consuming.pxd`: no signal comes between the get of a message and its yield.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from penstock.face.awaiting import AsyncioQueueManager
    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # between looks whether a waiting consumer is to stop
PASSING = (
    mq.MQRC_BACKED_OUT,
    mq.MQRC_Q_MGR_QUIESCING,
    mq.MQRC_CALL_INTERRUPTED,
)  # the unit was backed out, perhaps: its message comes again if so
QUIESCING_SECONDS = 2.5  # a stopping queue manager disconnects clients that are idle for a second or two
CLOSED = (
    mq.MQRC_HCONN_ERROR,
    mq.MQRC_HOBJ_ERROR,
)  # the connection or handle was closed: the end, and no failure


def passes(failure: BaseException) -> bool:
    """Return whether a reconnecting connection will recover from a failure by itself; no message is lost."""
    return isinstance(failure, MQError) and failure.reason in PASSING


def rest_after(failure: BaseException) -> float:
    """Return how many seconds a consumer pauses before it continues."""
    return (
        QUIESCING_SECONDS
        if isinstance(failure, MQError) and failure.reason == mq.MQRC_Q_MGR_QUIESCING
        else 0.0
    )


def own_unit(qm: BlockingQueueManager | AsyncioQueueManager, wanted: bool) -> Any:
    """Return a unit for one message of an iteration, None when the caller is in one or wants none."""
    return qm.unit_aside() if wanted and not qm.in_unit() else None


def ends(qm: object, failure: MQError, unit: Any) -> bool:
    """Return whether a failure ends an iteration (True) or not (False); raise it if it does neither."""
    if failure.reason in CLOSED:
        return True
    if unit is None or not getattr(qm, "comes_back", False) or not passes(failure):
        raise failure
    logger.info("messages_go_on cause=%s", failure)
    return False


def reported(failure: Exception) -> Exception | None:
    """Log what ended a consumer, and return what its `stop` raises: nothing when its handle was closed."""
    if not isinstance(failure, MQError):
        logger.error("callback_failed", exc_info=failure)
        return failure
    if failure.reason in CLOSED:
        return None
    logger.warning("consumer_ended cause=%s", failure)
    return failure


def messages(
    qm: BlockingQueueManager, get: Callable[..., Message | None], wait: float | None, unit_of_work: bool
) -> Iterator[Message]:
    """Yield messages until none has arrived for `wait` seconds; None continues until the handle is closed.

    Each message has a unit of its own, which the calls of the loop's body are not in: it is committed when
    the next message is asked for, and backed out when the loop is left.
    """
    while True:
        unit = own_unit(qm, unit_of_work)
        try:
            if unit is None:
                message = get(wait=wait)
                if message is not None:
                    yield message
            else:
                with unit:
                    message = get(wait=wait)
                    unit.set_aside()
                    if message is not None:
                        yield message
        except MQError as failure:
            if ends(qm, failure, unit):
                return
            time.sleep(rest_after(failure))
            continue
        if message is None and wait is not None:
            return


class Calls:
    """What a consumer calls: it gets a message, in a unit of its own, and calls back with it."""

    def __init__(
        self,
        qm: BlockingQueueManager | AsyncioQueueManager,
        get: Callable[..., Any],
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
    ) -> None:
        self.unit: Callable[[], Any] = qm.unit_of_work if unit_of_work else nullcontext
        self.get = get
        self.callback = callback
        self.on_error = on_error
        self._in_unit = unit_of_work
        self._comes_back = getattr(qm, "comes_back", False)

    def outlive(self, failure: BaseException, message: Message | None) -> bool:
        """Return whether a consumer continues after a failure, because the connection will come back."""
        return self._comes_back and (self._in_unit or message is None) and passes(failure)


class Consumer:
    """A thread that calls back with each message; start, suspend, resume, stop."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._changed = threading.Condition()
        self._ending = False
        self._suspended = False
        self._resting = False
        self._thread: threading.Thread | None = None
        self.failure: BaseException | None = None  # what ended the consumer, when not `stop`
        self.consumed = 0

    def start(self) -> Self:
        """Begin to call back (MQOP_START)."""
        if self._thread is not None:
            raise error(mq.MQRC_HCONN_ASYNC_ACTIVE, "the consumer was started already")
        self._thread = threading.Thread(target=self._run, name="penstock-consumer", daemon=True)
        self._thread.start()
        return self

    def suspend(self) -> None:
        """Call back no more until `resume`; no callback runs when this returns (MQOP_SUSPEND).

        From inside a callback it only requests that.
        """
        with self._changed:
            self._suspended = True
            if self._thread is not threading.current_thread():
                while self._suspended and self.running and not self._resting:
                    self._changed.wait(LOOK_SECONDS)

    def resume(self) -> None:
        """Go on (MQOP_RESUME)."""
        with self._changed:
            self._suspended = False
            self._changed.notify_all()

    @property
    def running(self) -> bool:
        """Whether messages are taken."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self, timeout: float | None = None) -> None:
        """End (MQOP_STOP): no callback runs when this returns; raises what had ended the consumer before.

        From inside a callback it only requests the end.
        """
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)
            failure, self.failure = self.failure, None
            if failure is not None:
                raise failure

    def _run(self) -> None:
        try:
            while self._may_go_on():
                self._one()
        except Exception as failure:  # noqa: BLE001  an edge: `stop` raises it in the caller's thread
            self.failure = reported(failure)

    def _may_go_on(self) -> bool:
        """Rest while suspended; False at the end."""
        with self._changed:
            while self._suspended and not self._ending:
                self._resting = True
                self._changed.notify_all()
                self._changed.wait()
            self._resting = False
            return not self._ending

    def _one(self) -> None:
        message: Message | None = None
        try:
            with self._calls.unit():
                message = self._calls.get(wait=LOOK_SECONDS)
                if message is not None:
                    self._calls.callback(message)
            self.consumed += message is not None
        except Exception as failure:
            if self._calls.on_error is not None and message is not None:
                self._calls.on_error(failure, message)
            elif not self._calls.outlive(failure, message):
                raise
            else:
                logger.info("consumer_goes_on cause=%s", failure)
                with self._changed:
                    if not self._ending:
                        self._changed.wait(rest_after(failure))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
