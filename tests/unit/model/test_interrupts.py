"""Signal handlers are held back while a call must not be cut off, and run after it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest

from penstock.model._interrupts import (
    Interrupted,
    acquire,
    begin,
    end,
    held_back,
    raise_later,
    uninterrupted,
)
from tests.patience import time_left

NUMBER = signal.SIGUSR1


class Told(Exception):
    pass


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What the handler was called for; it raises when the list says so."""
    calls: list[str] = []

    def handler(number: int, frame: Any) -> None:
        calls.append("called")
        if "raise" in calls:
            calls.remove("raise")
            raise Told

    before = signal.signal(NUMBER, handler)
    yield calls
    signal.signal(NUMBER, before)


def send() -> None:
    os.kill(os.getpid(), NUMBER)
    pause()


def pause() -> None:
    """Run bytecodes enough for a handler to run between them."""
    for _ in range(3):
        pass


def test_a_handler_waits_for_the_end(heard: list[str]) -> None:
    with uninterrupted:
        assert held_back()
        send()
        assert heard == []
    assert heard == ["called"]
    assert not held_back()


def test_what_a_handler_raises_comes_after_the_call(heard: list[str]) -> None:
    """Code that a signal cuts off in the middle never sets `finished`."""
    heard.append("raise")
    finished: list[bool] = []

    def call() -> None:
        with uninterrupted:
            send()
            finished.append(True)
        pause()

    with pytest.raises(Told):
        call()
    assert finished == [True]


def test_inner_ends_end_nothing(heard: list[str]) -> None:
    with uninterrupted:
        with uninterrupted:
            send()
        assert heard == []
    assert heard == ["called"]


def test_handlers_are_what_they_were_before(heard: list[str]) -> None:
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    signal.siginterrupt(NUMBER, False)
    with uninterrupted:
        pass
    assert [signal.getsignal(number) for number in signal.valid_signals()] == handlers
    reader, writer = os.pipe()
    threading.Timer(0.1, os.kill, (os.getpid(), NUMBER)).start()
    threading.Timer(0.3, os.write, (writer, b"x")).start()
    assert os.read(reader, 1) == b"x"  # not cut off: the system call goes on after the signal
    os.close(reader)
    os.close(writer)


def test_a_handler_that_is_set_meanwhile_stays(heard: list[str]) -> None:
    def other(number: int, frame: Any) -> None:
        """Do nothing."""

    with uninterrupted:
        signal.signal(NUMBER, other)
    assert signal.getsignal(NUMBER) is other


def test_a_wait_is_interrupted_even_where_handlers_are_held_back(heard: list[str]) -> None:
    lock = threading.Lock()
    lock.acquire()
    heard.append("raise")
    threading.Timer(0.1, os.kill, (os.getpid(), NUMBER)).start()
    with uninterrupted, pytest.raises(Interrupted) as caught:
        acquire(lock, 60.0)
    assert isinstance(caught.value.cause, Told)


def test_a_signal_that_came_before_the_wait_ends_it(heard: list[str]) -> None:
    """Else Ctrl-C would be noticed when the wait is over, perhaps never."""
    lock = threading.Lock()
    lock.acquire()
    heard.append("raise")
    with uninterrupted:
        send()
        with pytest.raises(Interrupted):
            acquire(lock, -1.0)


def test_handlers_that_raise_nothing_do_not_end_a_wait(heard: list[str]) -> None:
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.1, os.kill, (os.getpid(), NUMBER)).start()
    threading.Timer(0.3, lock.release).start()
    assert acquire(lock, 60.0)
    assert heard == ["called"]
    assert not acquire(lock, 0.01)


def test_raise_later_lets_c_code_return_first() -> None:
    kept: deque[Any] = deque()

    def call() -> None:
        kept.extend(map(raise_later, repeat(Told(), 1)))
        pause()

    with pytest.raises(Told):
        call()
    assert list(kept) == [None]


def test_what_is_raised_later_does_not_cut_a_handler_off(heard: list[str]) -> None:
    """A handler is as good as not called when another one's exception is raised at its first bytecode."""

    def call() -> None:
        begin()
        raise_later(Told())
        send()
        end()
        pause()

    for _ in range(200):
        heard.clear()
        with pytest.raises(Told):
            call()
        assert heard == ["called"]


def test_other_threads_are_not_concerned(heard: list[str]) -> None:
    seen: list[bool] = []

    def work() -> None:
        with uninterrupted:
            seen.append(held_back())

    with uninterrupted:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [False]
    assert not held_back()


def test_the_child_of_a_fork_has_its_handlers(heard: list[str]) -> None:
    with uninterrupted:
        child = os.fork()
        if child == 0:
            send()
            os._exit(0 if heard == ["called"] and not held_back() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_no_signal_gets_lost() -> None:
    """The timer is set by the handler alone: one signal that is lost ends it."""
    count = 0

    def handler(number: int, frame: Any) -> None:
        nonlocal count
        count += 1
        signal.setitimer(signal.ITIMER_REAL, 0.00003)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0001)
    left = time_left()
    try:
        while count < 3000 and left() > 0:
            begin()
            sys.getrefcount(None)
            end()
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)  # a handler that still runs sets the timer once more
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert count >= 3000
