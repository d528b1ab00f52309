"""The loop waits for no disk: while message files are busy, those who do not fill log or memory go on."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host import host as hosting
from penstock.host.folders.folder import folder_of
from penstock.host.users.system_groups import SystemGroups
from penstock.serve.serving import serve
from tests.patience import until
from tests.served import SCRIPT, Served

pytestmark = pytest.mark.installed

BODY = bytes(10_000)
PUTS = 300


def served_while(home: Path, drive: Callable[[Any, str], None]) -> None:
    """Run a queue manager in this thread, and in another one what is to be tried with it."""
    Served(home, script=SCRIPT)
    problems: list[BaseException] = []

    def ready(server: Any) -> None:
        port = server.listeners.status()[0].port
        address = f"mq://127.0.0.1:{port}/QM1?channel=APP.SVRCONN"

        def run() -> None:
            try:
                drive(server, address)
            except BaseException as problem:  # noqa: BLE001 - told by the test
                problems.append(problem)
            finally:
                server.loop.call_soon_threadsafe(server.stop, "immediate")

        threading.Thread(target=run).start()

    serve(folder_of("QM1", home), 0, "127.0.0.1", ready)
    for problem in problems:
        raise problem


@contextlib.contextmanager
def busy_files(server: Any) -> Iterator[None]:
    """Keep the message files busy, as a checkpoint on a slow disk does."""
    with server.host.files_lock:
        yield


def round_trips(address: str) -> None:
    """Put and get many times; whoever waits for the message files does not come to an end."""

    def run() -> None:
        with penstock.connect(address, share=False) as qm:
            for _ in range(PUTS):
                qm.put("APP.REPLIES", b"ping", persistent=False)
                assert qm.get("APP.REPLIES") is not None

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def put_all(address: str, persistent: bool) -> None:
    with penstock.connect(address, share=False) as qm:
        for _ in range(PUTS):
            qm.put("APP.Q", BODY, persistent=persistent)


def started(address: str, persistent: bool) -> threading.Thread:
    thread = threading.Thread(target=put_all, args=(address, persistent))
    thread.start()
    return thread


async def look_much_later(server: Any) -> None:
    """Look at those who are held as if it were much later: they are not silent, nobody listens."""
    for link in server.held:
        link.identity.idle_seconds = 1  # DISCINT
        link.look(server.loop.time() + 1000.0)


def depth(address: str) -> int:
    with penstock.connect(address, share=False) as qm:
        return sum(1 for _ in qm.messages("APP.Q", wait=0.0))


def test_a_queue_that_outgrows_memory_waits_for_no_disk(tmp_path: Path) -> None:
    def drive(server: Any, address: str) -> None:
        server.engine.buffer_bytes = 100_000
        with busy_files(server):
            putter = started(address, persistent=False)

            round_trips(address)
            putter.join(60)
            assert not putter.is_alive()  # what is to be spilled waits in memory
        assert depth(address) == PUTS

    served_while(tmp_path, drive)


def test_handles_and_batches_find_what_was_moved_out_of_memory(tmp_path: Path) -> None:
    bodies = [b"%d" % number + BODY for number in range(60)]

    def drive(server: Any, address: str) -> None:
        server.engine.buffer_bytes = 100_000
        with penstock.connect(address, share=False) as qm:
            qm.put_many("APP.Q", bodies, persistent=False)
            until(lambda: server.engine.queues["APP.Q"].spilled >= 40)
            with qm.open("APP.Q", penstock.Open.INPUT_SHARED) as handle:
                found = [handle.get(wait=60.0).body for _ in range(30)]
            while len(found) < 60:
                found += [message.body for message in qm.get_many("APP.Q", 10, wait=60.0)]
        assert found == bodies

    served_while(tmp_path, drive)


@pytest.mark.parametrize("way", ["plain", "by handle"])
def test_a_get_is_given_up_while_its_body_is_read(tmp_path: Path, way: str) -> None:
    """The accident without that: the CANCEL is forgotten, and the get takes a message that nobody wants."""

    async def give_up(address: str, server: Any) -> tuple[bool, int]:
        async with await penstock.aio.connect(address) as qm:
            handle = await qm.open("APP.Q", penstock.Open.INPUT_SHARED)
            with busy_files(server):
                get = handle.get(wait=60.0) if way == "by handle" else qm.get("APP.Q", wait=60.0)
                getting = asyncio.create_task(get)
                await asyncio.to_thread(until, lambda: server.readers._work_queue.qsize() or qm.link.pending)
                await asyncio.sleep(0.2)
                getting.cancel()
                await asyncio.wait([getting])
                return getting.cancelled(), len(qm.link.given_up)

    def drive(server: Any, address: str) -> None:
        server.engine.buffer_bytes = 100_000
        with penstock.connect(address, share=False) as qm:
            qm.put_many("APP.Q", [BODY] * 60, persistent=False)
            until(lambda: server.engine.queues["APP.Q"].spilled >= 40)
            for _ in range(60 - server.engine.queues["APP.Q"].spilled):
                qm.get("APP.Q")
        assert asyncio.run(give_up(address, server)) == (True, 0)

    served_while(tmp_path, drive)


def test_who_fills_memory_too_far_is_held_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "SPILL_BYTES_BEHIND", 100_000)

    def drive(server: Any, address: str) -> None:
        server.engine.buffer_bytes = server.engine.persistent_buffer_bytes = 100_000
        with busy_files(server):
            putter = started(address, persistent=False)

            until(lambda: server.held)
            asyncio.run_coroutine_threadsafe(look_much_later(server), server.loop).result(60)
            round_trips(address)
            assert putter.is_alive()
        putter.join(60)
        assert not putter.is_alive()
        assert not server.held
        assert depth(address) == PUTS

    served_while(tmp_path, drive)


def test_who_waits_for_a_directory_service_keeps_no_reader(tmp_path: Path) -> None:
    answers = threading.Event()

    def slow(user: str) -> frozenset[str]:
        answers.wait(300)
        return frozenset()

    def drive(server: Any, address: str) -> None:
        server.host.people.system = SystemGroups(slow)
        with ThreadPoolExecutor(6) as clients:
            waiting = [clients.submit(penstock.connect, address, share=False) for _ in range(6)]
            try:
                until(lambda: server.access.askers._work_queue.qsize() == 2)
                assert server.readers.submit(lambda: "read").result(60) == "read"
            finally:
                answers.set()
            for each in waiting:
                each.result(60).close()

    served_while(tmp_path, drive)


def test_a_user_that_nobody_knows_yet_holds_nobody_up(tmp_path: Path) -> None:
    """The channel's rules name users whose groups a slow directory service has to tell first."""
    answers = threading.Event()

    def slow(user: str) -> frozenset[str]:
        answers.wait(300)
        return frozenset()

    def drive(server: Any, address: str) -> None:
        waits: list[tuple[int, float]] = []
        deciding: list[int] = []
        ask = server.access.access.channels.decide

        class Noting(SystemGroups):
            def _wait(self, user: str, seconds: float) -> None:
                waits.append((threading.get_ident(), seconds))
                super()._wait(user, seconds)

        def noted(*about: Any, **more: Any) -> Any:
            decision = ask(*about, **more)
            deciding.append(threading.get_ident())
            return decision

        server.host.people.system = Noting(slow)
        server.access.access.channels.decide = noted
        with ThreadPoolExecutor(1) as clients:
            waiting = clients.submit(penstock.connect, address, share=False)
            until(lambda: deciding)
            answers.set()
            waiting.result(60).close()
        assert len(deciding) == 2
        assert {seconds for thread, seconds in waits if thread in deciding} == {0.0}

    served_while(tmp_path, drive)


def test_who_fills_the_log_is_held_until_there_is_room(tmp_path: Path) -> None:
    def drive(server: Any, address: str) -> None:
        host = server.host
        with busy_files(server):
            host.checkpoint_bytes, host.high_water_bytes = 100_000, 200_000
            putter = started(address, persistent=True)

            until(lambda: server.held)
            round_trips(address)
            assert putter.is_alive()
        putter.join(60)
        assert not putter.is_alive()
        assert depth(address) == PUTS

    served_while(tmp_path, drive)


def test_who_fills_the_log_with_large_frames_is_held_too(tmp_path: Path) -> None:
    """A large frame is read in slices: what counts is what it fills once it is read."""
    batch, batches = [bytes(1024)] * 1024, 4  # one frame each

    def drive(server: Any, address: str) -> None:
        def put_batches() -> None:
            with penstock.connect(address, share=False) as qm:
                for _ in range(batches):
                    qm.put_many("APP.Q", batch, persistent=True)

        host = server.host
        putter = threading.Thread(target=put_batches)
        with busy_files(server):
            host.checkpoint_bytes, host.high_water_bytes = 100_000, 200_000
            putter.start()
            until(lambda: server.held or not putter.is_alive())
            assert server.held
            assert server.large_frames.slices > 0
        putter.join(60)
        assert not putter.is_alive()
        assert depth(address) == batches * len(batch)

    served_while(tmp_path, drive)
