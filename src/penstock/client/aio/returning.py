"""Messages whose get was cancelled, of an asyncio client: kept for the next get, or put back on their queues.

One part of `AsyncQueueManager`. Outside units they are put back in a task of its own, in a unit they are kept
and the unit can only be backed out (`returned_messages`).
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.client.aio.driver import put_back
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from penstock.client.aio.link import Asked
    from penstock.client.aio.queue_manager import AsyncQueueManager
    from penstock.client.returned_messages import Entry

logger = logging.getLogger(__name__)


class Returning:
    """Sees that no message of a cancelled get is lost."""

    def __init__(self, qm: AsyncQueueManager) -> None:
        self._qm = qm
        self._task: asyncio.Task[None] | None = None  # puts messages back
        self._loops_end: AsyncGenerator[None, None] | None = None

    async def answer_to_get(
        self, asked: Asked, wait: float, unit: int, queue: str | None, way: Any = None
    ) -> Any:
        """Return the answer to a get, for which to wait so many seconds; a queue of None: a browse."""
        keep = _forget if queue is None else self._keeper(queue, unit, way)
        qm = self._qm
        return await qm.link.answer_or_keep(asked, wait, qm.conversation, unit, keep, self._watch_loops_end)

    async def put_back(self, entries: list[Entry]) -> None:
        """Put kept messages back on their queues, after those that are already being put back."""
        if self._task is not None:
            await asyncio.wait([self._task])
        await put_back(self._qm, entries)

    async def put_all_back(self) -> None:
        """Put back what came, and what is still to come, of abandoned gets outside units."""
        await self._qm.link.settle()
        await self.put_back([])
        await put_back(self._qm, self._qm.kept.outside_units())

    def _keeper(self, queue: str, unit: int, way: Any) -> Callable[[Any], asyncio.Task[None] | None]:
        """Return what keeps messages whose get was given up; those outside units go back in a task."""
        qm = self._qm

        def keep(found: Any) -> asyncio.Task[None] | None:
            if unit and all(scope.unit != unit for scope in qm.open_units):
                return None  # it was backed out: the queue manager has the message
            for message in found if isinstance(found, list) else [found] if found is not None else []:
                qm.kept.add(queue, unit, way, message)
            if qm.kept and not unit and self._task is None:
                self._task = qm.link.loop.create_task(self._return(), name="penstock-put-back")
            return None if unit else self._task

        return keep

    async def _return(self) -> None:
        """Put back messages of abandoned gets; those that cannot be put stay for the next get."""
        try:
            await put_back(self._qm, self._qm.kept.outside_units())
        except MQError as failure:
            logger.info("message_kept cause=%s", failure)
        finally:
            self._task = None

    async def _watch_loops_end(self) -> None:
        """Have messages of abandoned gets put back even if every task is cancelled because the loop ends.

        asyncio closes its asynchronous generators after that; it offers no other place for last work.
        """
        if self._loops_end is None:
            self._loops_end = self._put_back_at_the_end()
            await anext(self._loops_end)  # it does not wait

    async def _put_back_at_the_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            if self._qm.link.failure is None:
                with suppress(MQError):
                    await self.put_all_back()


def _forget(found: Any) -> None:
    """Keep nothing: a browsed message is still on its queue."""
