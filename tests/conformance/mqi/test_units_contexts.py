"""A unit belongs to the context that entered it; other threads and tasks are outside (DESIGN surface)."""

from __future__ import annotations

import asyncio
import contextvars
from typing import Any


def test_other_thread_is_outside_the_unit(qm: Any, queue: str, spawn: Any) -> None:
    qm.begin()
    qm.put(queue, b"mine")
    spawn(qm.put, queue, b"theirs").result(60)
    spawn(qm.commit).result(60)  # commits nothing of ours
    qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"theirs"]


def test_two_threads_have_units_of_their_own(qm: Any, queue: str, spawn: Any) -> None:
    def work() -> None:
        with qm.unit_of_work():
            qm.put(queue, b"theirs")

    qm.begin()
    qm.put(queue, b"mine")
    spawn(work).result(60)
    qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"theirs"]


def test_tasks_have_units_of_their_own(qm: Any, queue: str) -> None:
    async def work(body: bytes, commit: bool) -> None:
        qm.begin()
        qm.put(queue, body)
        await asyncio.sleep(0)  # the other task's turn
        if commit:
            qm.commit()
        else:
            qm.backout()

    async def both() -> None:
        await asyncio.gather(work(b"kept", True), work(b"dropped", False))

    asyncio.run(both())

    assert [m.body for m in qm.browse(queue)] == [b"kept"]


def test_task_outside_sees_nothing_of_a_unit(qm: Any, queue: str) -> None:
    seen: list[object] = []

    async def work(inside: asyncio.Event, looked: asyncio.Event) -> None:
        with qm.unit_of_work():
            qm.put(queue, b"mine")
            inside.set()
            await looked.wait()

    async def look(inside: asyncio.Event, looked: asyncio.Event) -> None:
        await inside.wait()
        seen.append(qm.get(queue))
        looked.set()

    async def both() -> None:
        inside, looked = asyncio.Event(), asyncio.Event()
        await asyncio.gather(work(inside, looked), look(inside, looked))

    asyncio.run(both())

    assert seen == [None]
    assert qm.get(queue).body == b"mine"


def test_work_sent_to_a_thread_from_inside_a_unit_is_inside(qm: Any, queue: str) -> None:
    async def work() -> None:
        qm.begin()
        await asyncio.to_thread(qm.put, queue, b"in the unit")
        qm.backout()

    asyncio.run(work())

    assert qm.get(queue) is None


def test_a_unit_whose_context_ends_while_the_engine_is_busy_is_backed_out(
    qm: Any, queue: str, until: Any
) -> None:
    context = contextvars.copy_context()
    context.run(qm.begin)
    context.run(qm.put, queue, b"never seen")
    assert qm.engine.queues[queue].uncommitted == 1
    with qm.gate:
        del context
        assert qm.engine.queues[queue].uncommitted == 1
    until(lambda: qm.engine.queues[queue].uncommitted == 0)
