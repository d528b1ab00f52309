"""Roles are processes that begin together; a window counts what they did in it and nothing else."""

from __future__ import annotations

import os
import time

import pytest

from tests.bench.crew import Crew, RoleFailed


def steady(role):
    """Do twenty operations of a millisecond before the start, then one every 5 ms."""
    role.count(1_000_000)
    role.ready()
    while True:
        time.sleep(0.005)
        role.took(1_000_000)


def busy(role):
    role.ready()
    while True:
        role.count(0)


def test_a_window_leaves_out_what_was_counted_before_it(tmp_path):
    with Crew([("a", steady), ("a", steady), ("b", steady)], tmp_path) as crew:
        seen = crew.observe(0.05, 0.5)

    assert seen.rates.keys() == {"a", "b"}
    assert 20 < seen.rates["b"] < 220  # at most one in 5 ms, and a machine may be busy
    assert seen.rates["b"] < seen.rates["a"] < 440
    assert 1.0 <= seen.percentile_ms("a", 99) <= 1.0625


def test_processor_time_of_the_roles_is_theirs(tmp_path):
    with Crew([("busy", busy)], tmp_path) as crew:
        usage = crew.observe(0.05, 0.4).usage

    assert usage.load > 15
    assert usage.server == 0
    assert usage.microseconds(1_000) == pytest.approx(usage.load * 10)
    assert usage.seconds >= 0.4


def test_processes_of_the_servers_session_are_the_servers(tmp_path):
    def own_session(role):
        os.setsid()
        (tmp_path / "session").write_text(str(os.getpid()))
        if os.fork() == 0:
            end = time.monotonic() + 2
            while time.monotonic() < end:
                pass
            os._exit(0)
        role.ready()
        time.sleep(60)

    with Crew([("server", own_session)], tmp_path) as crew:
        usage = crew.observe(0.05, 0.4, {int((tmp_path / "session").read_text())}).usage

    assert usage.server > 15
    assert usage.load < 15


def test_all_begin_when_the_last_is_ready(tmp_path):
    began = time.monotonic()

    def late(role):
        time.sleep(0.3)
        role.ready()
        time.sleep(60)

    def early(role):
        role.ready()
        role.took(int((time.monotonic() - began) * 1e9))
        role.ready()
        time.sleep(60)

    with Crew([("early", early), ("late", late)], tmp_path) as crew:
        seen = crew.observe(0, 0.2)

    assert seen.rates["late"] == 0
    assert seen.times["early"] == [0] * len(seen.times["early"]) or seen.percentile_ms("early", 50) >= 300


def test_a_role_that_fails_shows_why(tmp_path):
    def broken(role):
        raise ValueError("no such queue")

    with (
        pytest.raises(RoleFailed, match=r"(?s)reader 0 ended:.*no such queue"),
        Crew([("reader", broken)], tmp_path),
    ):
        pass


def test_a_role_that_fails_later_spoils_the_window(tmp_path):
    def breaks(role):
        role.ready()
        raise ValueError("connection lost")

    with pytest.raises(RoleFailed, match="connection lost"), Crew([("writer", breaks)], tmp_path) as crew:
        crew.observe(0.1, 0.1)


def test_nobody_is_left_afterwards(tmp_path):
    def tell(role):
        (tmp_path / "pid").write_text(str(os.getpid()))
        role.ready()
        time.sleep(60)

    with Crew([("one", tell)], tmp_path) as crew:
        crew.observe(0, 0.01)

    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_roles_can_be_threads_of_one_process(tmp_path):
    def tell(role):
        (tmp_path / f"pid-{role.place}").write_text(str(os.getpid()))
        steady(role)

    with Crew([("a", tell), ("a", tell), ("b", tell)], tmp_path, threads=True) as crew:
        seen = crew.observe(0.05, 0.5)

    assert len({(tmp_path / f"pid-{place}").read_text() for place in range(3)}) == 1
    assert 0 < seen.rates["b"] < seen.rates["a"]


def test_a_thread_that_fails_ends_its_process(tmp_path):
    def breaks(role):
        role.ready()
        raise ValueError("gone")

    with (
        pytest.raises(RoleFailed, match="gone"),
        Crew([("a", steady), ("b", breaks)], tmp_path, threads=True) as crew,
    ):
        crew.observe(0.1, 0.1)
