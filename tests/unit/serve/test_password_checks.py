"""Whose password is checked next, while many wait: strangers who guess hold up nobody who knows."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Any

import pytest

from penstock.admin.connection_authentication import Verdict
from penstock.serve.entry import password_checks
from penstock.serve.entry.password_checks import SUSPECT_SECONDS, SUSPECTS_WAITING_MAX, PasswordChecks

DIGITS = "0123456789"


class Desk:
    """Checks that wait until they are let go, and the order in which they begin."""

    def __init__(self) -> None:
        self.now = 0.0
        self.checks = PasswordChecks(lambda: self.now)
        self.begun: list[str] = []
        self.tasks: dict[str, asyncio.Task[Verdict | None]] = {}
        self._ends: dict[str, threading.Event] = {}

    async def ask(self, *names: str, good: bool = False, likely: bool = False) -> None:
        """Have passwords of clients checked; the origin of one is its name without digits."""
        for name in names:
            ends = self._ends[name] = threading.Event()
            check = functools.partial(self._check, name, ends, good)
            self.tasks[name] = asyncio.create_task(self.checks.run(name.rstrip(DIGITS), likely, check))
            await asyncio.sleep(0)
            await self._threads_have_begun()

    def _check(self, name: str, ends: threading.Event, good: bool) -> Verdict:
        self.begun.append(name)
        ends.wait()
        return Verdict(name, True, good, "")

    async def let_go(self, *names: str) -> None:
        """Let checks end, one after the other."""
        for name in names:
            self._ends[name].set()
            await self.tasks[name]
            await self._threads_have_begun()

    async def _threads_have_begun(self) -> None:
        while len(self.begun) - sum(ends.is_set() for ends in self._ends.values()) < self.checks._running:
            await asyncio.sleep(0.001)

    def begun_are(self, *names: str) -> None:
        assert tuple(self.begun) == names

    async def end(self) -> None:
        for ends in self._ends.values():
            ends.set()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        self.checks.close()


def run(story: Any) -> None:
    async def tell() -> None:
        desk = Desk()
        try:
            await asyncio.wait_for(story(desk), 60)
        finally:
            await desk.end()

    asyncio.run(tell())


def test_origins_take_turns() -> None:
    async def story(desk: Desk) -> None:
        await desk.ask("a1", "a2", "a3", "a4", "a5", "a6", "b1", "c1", good=True)
        await desk.let_go("a1", "a2", "a3", "a4")
        desk.begun_are("a1", "a2", "a3", "a4", "a5", "b1", "c1", "a6")

    run(story)


def test_an_origin_that_was_wrong_has_one_thread_and_others_the_rest() -> None:
    async def story(desk: Desk) -> None:
        await desk.ask("a1")
        await desk.let_go("a1")
        await desk.ask("a2", "a3", "a4", "b1")
        desk.begun_are("a1", "a2", "b1")

    run(story)


def test_what_an_origin_has_waiting_moves_when_it_turns_out_to_be_wrong() -> None:
    """A crowd of strangers who all come before the first of them has failed."""

    async def story(desk: Desk) -> None:
        await desk.ask(*(f"a{number}" for number in range(1, 300)))
        await desk.let_go("a1", "a2", "a3", "a4")
        await desk.ask("b1")
        desk.begun_are("a1", "a2", "a3", "a4", "a5", "b1")

    run(story)


def test_who_was_right_before_comes_first_wherever_he_comes_from() -> None:
    async def story(desk: Desk) -> None:
        await desk.ask("a1")
        await desk.let_go("a1")
        await desk.ask("b1", "b2", "b3", "b4", "b5", "c1", "a2", "a3")
        await desk.ask("a4", likely=True)
        await desk.let_go("b1", "b2")
        desk.begun_are("a1", "b1", "b2", "b3", "b4", "a2", "a4")

    run(story)


def test_the_queue_of_an_origin_that_was_wrong_is_short() -> None:
    async def story(desk: Desk) -> None:
        await desk.ask("a1")
        await desk.let_go("a1")
        await desk.ask(*(f"a{number + 2}" for number in range(SUSPECTS_WAITING_MAX + 1)))
        await desk.ask("a1000")
        assert await desk.tasks["a1000"] is None
        await desk.ask("a2000", likely=True)
        assert not desk.tasks["a2000"].done()

    run(story)


def test_suspicion_ends() -> None:
    async def story(desk: Desk) -> None:
        await desk.ask("a1")
        await desk.let_go("a1")
        desk.now = SUSPECT_SECONDS + 1
        await desk.ask("a2", "a3")
        desk.begun_are("a1", "a2", "a3")

    run(story)


def test_a_client_that_has_gone_is_not_checked() -> None:
    async def story(desk: Desk) -> None:
        await desk.ask("a1", "a2", "a3", "a4", "a5", "a6", good=True)
        desk.tasks["a5"].cancel()
        await asyncio.sleep(0)
        await desk.let_go("a1")
        desk.begun_are("a1", "a2", "a3", "a4", "a6")

    run(story)


def test_a_check_that_fails_fails_its_client_alone() -> None:
    async def story(desk: Desk) -> None:
        def broken() -> Verdict:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError):
            await desk.checks.run("a", False, broken)
        await desk.ask("a1", good=True)
        await desk.let_go("a1")

    run(story)


def test_suspects_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password_checks, "SUSPECTS_MAX", 3)

    async def story(desk: Desk) -> None:
        for name in "abcde":
            await desk.ask(name)
            await desk.let_go(name)
        assert list(desk.checks._until) == ["c", "d", "e"]

    run(story)
