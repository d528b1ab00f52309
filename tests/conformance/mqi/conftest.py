"""What the MQI clauses share: a fresh queue manager, a queue, threads, and reason codes.

Every test has a queue manager of its own in its own folder, opened in this process. The log is
small, so that making one costs milliseconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

import penstock
from tests import patience
from tests.conformance.mqi.reservation_steps import crash

SMALL_LOG = {"file_pages": 64, "primary_files": 2}


@pytest.fixture
def embed() -> Iterator[Callable[..., penstock.QueueManager]]:
    """Open queue managers: `embed()`, `embed("QM2", default_q_buffer_size=4096)`; closed at the end."""
    opened: list[penstock.QueueManager] = []

    def make(name: str = "QM1", **options: Any) -> penstock.QueueManager:
        opened.append(penstock.embed(name, create=True, **{**SMALL_LOG, **options}))
        return opened[-1]

    yield make
    for qm in opened:
        qm.close()


@pytest.fixture
def qm(embed: Callable[..., penstock.QueueManager]) -> penstock.QueueManager:
    """A fresh queue manager, QM1."""
    return embed()


@pytest.fixture
def queue(qm: penstock.QueueManager) -> str:
    """The name of a fresh local queue of `qm` with the default attributes."""
    qm.mqsc("DEFINE QLOCAL(Q)")
    return "Q"


@pytest.fixture
def spilling(embed: Callable[..., penstock.QueueManager]) -> penstock.QueueManager:
    """A queue manager whose queues keep almost nothing in memory, with a queue Q."""
    qm = embed("SPILL", default_q_buffer_size=4096, default_pq_buffer_size=4096)
    qm.mqsc("DEFINE QLOCAL(Q)")
    return qm


@pytest.fixture
def run(qm: penstock.QueueManager) -> Callable[..., penstock.MQError | None]:
    """Run one MQSC command that must succeed."""

    def command(text: str) -> None:
        for reply in qm.mqsc(text):
            assert not reply.failed, f"{text}: {reply.id} {reply.text}"

    return command


@pytest.fixture
def fails() -> Callable[[int], AbstractContextManager[Any]]:
    """`with fails(2033): ...`: the block must raise MQError with this reason."""

    @contextmanager
    def expect(reason: int) -> Iterator[Any]:
        with pytest.raises(penstock.MQError) as caught:
            yield caught
        assert caught.value.reason == reason, str(caught.value)

    return expect


@pytest.fixture
def spawn() -> Iterator[Callable[..., Future[Any]]]:
    """Run a function in a thread of its own; the future holds what it returned or raised."""
    threads: list[threading.Thread] = []

    def start(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def body() -> None:
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as problem:  # noqa: BLE001 the future carries it to the test
                future.set_exception(problem)

        threads.append(threading.Thread(target=body, daemon=True))
        threads[-1].start()
        return future

    yield start
    for thread in threads:
        thread.join(patience.SECONDS)
        assert not thread.is_alive(), "a thread of the test is still waiting"


@pytest.fixture
def until() -> Callable[[Callable[[], Any]], Any]:
    """Wait until something is true, and return it."""
    return lambda condition: patience.until(condition, pause=0.001)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Stop the clock that object handles look at; `later(60.0)` puts it forward."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)

    def forward(seconds: float) -> None:
        nonlocal now
        now += seconds

    return forward


@pytest.fixture
def waiting(until: Callable[[Callable[[], Any]], None]) -> Callable[..., None]:
    """Wait until so many getters wait on a queue."""

    def wait_for(qm: penstock.QueueManager, name: str = "Q", count: int = 1) -> None:
        queue = qm.engine.queues[name]
        until(lambda: queue.waiting is not None and queue.waiting.count >= count)

    return wait_for


@pytest.fixture
def spilled(until: Callable[[Callable[[], Any]], None]) -> Callable[..., int]:
    """Move to disk what the queues' buffers do not hold; return how many bodies of the queue are there."""

    def count(qm: penstock.QueueManager, name: str = "Q") -> int:
        qm.host.housekeeping(time.time())
        return qm.engine.queues[name].spilled

    return count


@pytest.fixture
def after_crash(tmp_path: Path) -> Iterator[Callable[[penstock.QueueManager], penstock.QueueManager]]:
    """Start the image of a queue manager as it is on disk at this moment."""
    started: list[penstock.QueueManager] = []

    def start(qm: penstock.QueueManager) -> penstock.QueueManager:
        started.append(crash(qm, tmp_path / f"crash{len(started)}"))
        return started[-1]

    yield start
    for qm in started:
        qm.close()
