"""Roles are processes that begin together; a window counts what they did in it and nothing else."""

from __future__ import annotations

import os
import time

import pytest

from penstock.lab.load.crew import LATENESS, Crew, Observation, RoleFailed
from penstock.lab.measure.processor import Usage
from tests.patience import attempts, until

BEFORE = 1_000_000_000  # operations before the start: more than any window has


def steady(role):
    """Count many operations before the start, then one of a millisecond every 5 ms."""
    role.count(BEFORE)
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
        seen = all_at_work(crew)

    assert seen.rates.keys() == {"a", "b"}
    assert max(seen.rates.values()) * seen.usage.seconds < BEFORE
    assert 1.0 <= seen.percentile_ms("a", 99) <= 1.008


def all_at_work(crew: Crew) -> Observation:
    """Observe until every kind of role has done something in the window: a machine may be busy."""
    for _ in attempts():
        seen = crew.observe(0.05, 0.2)
        if all(seen.rates.values()):
            return seen
    raise AssertionError


def test_the_operations_of_a_kind_are_those_of_all_its_roles(tmp_path):
    crew = Crew([("a", steady), ("a", steady), ("b", steady)], tmp_path)
    before = list(crew._counters)
    crew._role(0).count(10)
    crew._role(1).count(30)
    crew._role(2).took(1_000_000)

    seen = crew._observation(before, list(crew._counters), Usage(2.0, 0.0, 0.0, 0.0, 0.0))

    assert seen.rates == {"a": 20.0, "b": 0.5}
    assert seen.mean_ms("b") == pytest.approx(1.0, rel=0.004)


def test_slices_of_a_window_add_up_to_it(tmp_path):
    with Crew([("a", steady)], tmp_path) as crew:
        all_at_work(crew)
        slices = crew.watch(0, 0.3, 3)

    assert len(slices) == 3
    assert all(sum(each.times["a"]) == each.counters["a"][0] for each in slices)


def test_other_times_errors_and_bytes_are_counted_apart(tmp_path):
    crew = Crew([("a", steady)], tmp_path, kinds=3)
    before = list(crew._counters)
    role = crew._role(0)
    role.took(2_000_000)
    role.timed(LATENESS, 1_000_000)
    role.count(1, size=2048)
    role.failed()
    role.overdue()

    seen = crew._observation(before, list(crew._counters), Usage(1.0, 0.0, 0.0, 0.0, 0.0))

    assert seen.counters["a"] == [2, 2048, 1, 1]
    assert sum(seen.more_times["lateness"]["a"]) == 1
    assert sum(seen.more_times["service"]["a"]) == 0


def test_processor_time_of_the_roles_is_theirs(tmp_path):
    with Crew([("busy", busy)], tmp_path) as crew:
        usage = until(lambda: used(crew.observe(0.05, 0.4).usage, "load"))

    assert usage.server == 0
    assert usage.microseconds(1_000) == pytest.approx(usage.load * 10)


def used(usage: Usage, by: str) -> Usage | None:
    """Return the usage if there was any: on a busy machine a process may wait for its turn."""
    return usage if getattr(usage, by) > 0 else None


def test_processes_of_the_servers_session_are_the_servers(tmp_path):
    def own_session(role):
        os.setsid()
        (tmp_path / "session").write_text(str(os.getpid()))
        if os.fork() == 0:
            parent = os.getppid()
            while os.getppid() == parent:
                pass
            os._exit(0)
        role.ready()
        time.sleep(60)

    with Crew([("server", own_session)], tmp_path) as crew:
        session = int((tmp_path / "session").read_text())
        until(lambda: used(crew.observe(0.05, 0.4, {session}).usage, "server"))
        assert crew.observe(0, 0.2).usage.server == 0


def test_all_begin_when_the_last_is_ready(tmp_path):
    arrived, found = tmp_path / "arrived", tmp_path / "found"

    def late(role):
        time.sleep(0.3)
        arrived.touch()
        role.ready()
        time.sleep(60)

    def early(role):
        role.ready()
        found.write_text("late has arrived" if arrived.exists() else "too early")
        time.sleep(60)

    with Crew([("early", early), ("late", late)], tmp_path):
        until(lambda: found.exists() and found.read_text())

    assert found.read_text() == "late has arrived"


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
        observe_for_long(crew)


def observe_for_long(crew: Crew) -> None:
    for _ in attempts():
        crew.observe(0, 0.05)


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
        all_at_work(crew)

    assert len({(tmp_path / f"pid-{place}").read_text() for place in range(3)}) == 1


def test_a_thread_that_fails_ends_its_process(tmp_path):
    def breaks(role):
        role.ready()
        raise ValueError("gone")

    with (
        pytest.raises(RoleFailed, match="gone"),
        Crew([("a", steady), ("b", breaks)], tmp_path, threads=True) as crew,
    ):
        observe_for_long(crew)
