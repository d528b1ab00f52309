"""Calls by name from an asyncio client: sent when the other end has read enough, answered whole or in parts.

What `call` and `stream` of `client/calls.py` are for blocking programs; payloads are made and read there.
"""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from penstock.client.aio.link import Asked
    from penstock.client.aio.queue_manager import AsyncQueueManager
    from penstock.client.core.steps import Call
    from penstock.protocol._frames import Frame


async def call(
    qm: AsyncQueueManager,
    verb: str,
    arguments: dict[str, Any],
    unit: int = 0,
    timeout: float | None = None,
    undo: Callable[[Any], Call] | None = None,
) -> Any:
    """Make a call and return its result; `undo` takes back what came of one that was cancelled."""
    asked = await _ask(qm, verb, arguments, unit)
    if undo is not None:
        asked.keep = functools.partial(_take_back, qm, undo)
    try:
        return await qm.link.answer(asked, qm.timeout if timeout is None else timeout)
    except asyncio.CancelledError:
        if undo is not None and asked.has_result():
            _take_back(qm, undo, asked.future.result())
        raise


async def call_surely(
    qm: AsyncQueueManager, verb: str, arguments: dict[str, Any]
) -> tuple[Any, asyncio.CancelledError | None]:
    """Make a call; return its result and, when the caller was cancelled meanwhile, that."""
    asked = await _ask(qm, verb, arguments)
    cancelled = await qm.link.answer_surely(asked, qm.timeout)
    return asked.future.result(), cancelled


async def bare(qm: AsyncQueueManager, kind: int, unit: int) -> asyncio.CancelledError | None:
    """Send a frame without payload and wait for the answer; return the cancellation that came meanwhile."""
    if qm.link.failure is not None:
        raise qm.link.failure_again()
    asked = qm.link.ask(calls.result)
    qm.link.out.frame(kind, 0, qm.conversation, asked.request, unit, b"")
    return await qm.link.answer_surely(asked, qm.timeout)


def orphan(qm: AsyncQueueManager, unit: int) -> None:
    """Back a unit out without waiting for the answer: no caller is left to report a failure to."""
    if qm.link.failure is None:
        asked = qm.link.ask(_ignore)
        qm.link.out.frame(protocol.BACKOUT, 0, qm.conversation, asked.request, unit, b"")


async def stream(qm: AsyncQueueManager, verb: str, arguments: dict[str, Any]) -> AsyncIterator[Any]:
    """Make a call whose result comes in parts; yield the rows as they come."""
    await qm.ensure_open()
    payload = calls.pack_call(verb, arguments)
    link = qm.link
    await link.ready()
    asked = link.ask_in_parts(calls.result)
    link.out.frame(protocol.CALL, 0, qm.conversation, asked.request, 0, payload)
    async for rows in link.parts_of(asked, qm.conversation):
        for row in rows:
            yield row


async def _ask(qm: AsyncQueueManager, verb: str, arguments: dict[str, Any], unit: int = 0) -> Asked:
    """Send a call, when the other end has read enough; return what will be answered."""
    if unit:
        qm.check_open()  # a unit is not restored
    else:
        await qm.ensure_open()
    payload = calls.pack_call(verb, arguments)
    await qm.link.ready()
    asked = qm.link.ask(calls.result)
    qm.link.out.frame(protocol.CALL, 0, qm.conversation, asked.request, unit, payload)
    return asked


def _take_back(qm: AsyncQueueManager, undo: Callable[[Any], Call], result: Any) -> None:
    """Undo an abandoned call, without waiting for the result."""
    if qm.link.failure is None:
        step = undo(result)
        asked = qm.link.ask(_ignore)
        payload = calls.pack_call(step.verb, step.arguments)
        qm.link.out.frame(protocol.CALL, 0, qm.conversation, asked.request, 0, payload)


def _ignore(frame: Frame) -> None:
    """Read the answer to an abandoned call."""
