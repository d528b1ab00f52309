"""Long work rests: a little after each slice, and longer while others use the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from penstock.host._gate import Gate
from penstock.host.pacing import BUSY_SECONDS, BUSY_SHARE, REST_SECONDS, SLICE_SECONDS, Pace, Pacer

pytestmark = pytest.mark.installed
STEP = SLICE_SECONDS / 10


class Machine:
    """Time that passes when somebody works or sleeps, and somebody else who may use the engine meanwhile."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.worked = 0.0
        self.slept: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.gate = Gate(lambda: OSError())
        self.pacer = Pacer(self.gate, lambda: self.now, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)
        self.meanwhile()

    def pace(self) -> Pace:
        return Pace(self.pacer, lambda: self.worked)

    def work(self, pace: Pace, seconds: float) -> None:
        """Work in small steps, as a display of many rows does."""
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            self.worked += STEP
            pace.step()

    def others(self) -> None:
        """Have somebody else make a call."""
        with self.gate:
            pass


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_each_slice_is_followed_by_a_rest(machine: Machine) -> None:
    machine.work(machine.pace(), 100 * SLICE_SECONDS)
    assert machine.slept.count(REST_SECONDS) >= 90


def test_alone_it_rests_no_longer_than_it_takes_to_let_somebody_in(machine: Machine) -> None:
    machine.work(machine.pace(), 100 * SLICE_SECONDS)
    assert sum(machine.slept) <= 101 * REST_SECONDS


def test_while_others_use_the_engine_it_has_a_fifth_of_the_time(machine: Machine) -> None:
    machine.meanwhile = machine.others
    began = machine.now
    machine.work(machine.pace(), 100 * SLICE_SECONDS)
    share = 100 * SLICE_SECONDS / (machine.now - began)
    assert 0.15 < share <= 1 / (1 + BUSY_SHARE) + 0.02


def test_its_own_steps_are_not_those_of_others(machine: Machine) -> None:
    def own() -> None:
        machine.pacer.own_steps += 1
        machine.others()

    machine.meanwhile = own
    machine.work(machine.pace(), 100 * SLICE_SECONDS)
    assert sum(machine.slept) <= 101 * REST_SECONDS


def test_others_count_for_a_while_after_they_were_seen(machine: Machine) -> None:
    pace = machine.pace()
    machine.meanwhile = machine.others
    machine.work(pace, 2 * SLICE_SECONDS)
    machine.meanwhile = lambda: None
    slept = len(machine.slept)
    machine.work(pace, SLICE_SECONDS)
    assert sum(machine.slept[slept:]) >= BUSY_SHARE * SLICE_SECONDS
    machine.now += BUSY_SECONDS
    machine.work(pace, SLICE_SECONDS)
    slept = len(machine.slept)
    machine.work(pace, SLICE_SECONDS)
    assert sum(machine.slept[slept:]) <= REST_SECONDS


def test_many_at_once_have_no_more_of_the_time_than_one(machine: Machine) -> None:
    """Ten displays: each waits for its turn, so that the others' share stays what it is."""
    machine.meanwhile = machine.others
    paces = [machine.pace() for _ in range(10)]
    began = machine.now
    for _ in range(20):
        for pace in paces:
            machine.work(pace, SLICE_SECONDS)
    assert 200 * SLICE_SECONDS / (machine.now - began) <= 1 / (1 + BUSY_SHARE) + 0.02


def test_time_spent_waiting_is_not_work(machine: Machine) -> None:
    pace = machine.pace()
    for _ in range(100):
        machine.now += 1.0
        pace.step()
    assert machine.slept == []


def test_a_work_that_another_thread_goes_on_with_begins_a_slice(machine: Machine) -> None:
    pace = machine.pace()
    machine.work(pace, SLICE_SECONDS - STEP)
    machine.worked += 100.0  # the processor time of another thread
    thread = threading.Thread(target=machine.work, args=(pace, STEP))
    thread.start()
    thread.join()
    assert machine.slept == []
