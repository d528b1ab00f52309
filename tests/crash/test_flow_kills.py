"""Flows under load while workers, the broker and the queue manager are killed and projects are deployed anew.

Every message is persistent and numbered: whatever is killed, each number comes out once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow.broker import deployments
from penstock.flow.broker import worker_slot as slot
from penstock.flow.broker.home import broker_home
from penstock.flow.broker.supervisor import Supervisor
from tests.flow_station import COPY, PENSTOCK, Station, lives
from tests.patience import SECONDS, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MESSAGES = 3000
PART = 50


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Station]:
    """A home whose queue manager runs, with short pauses between restarts."""
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(slot, "FIRST_PAUSE_SECONDS", 0.02)
    monkeypatch.setattr(slot, "LONGEST_PAUSE_SECONDS", 0.2)
    made = Station(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def supervisor(station: Station) -> Iterator[Supervisor]:
    """A broker in this process with real workers: two instances of the flow."""
    home = broker_home("default", create=True)
    deployments.deploy(home, station.project, "main", 2, {})
    made, stop = Supervisor(home, "QM1"), threading.Event()
    thread = threading.Thread(target=made.run, args=(stop,))
    thread.start()
    yield made
    stop.set()
    thread.join(SECONDS)


def workers_of(supervisor: Supervisor) -> list[dict[str, Any]]:
    """Return the workers that get messages."""
    found = supervisor.home.read_status()["workers"]
    return [each for each in found if each["process"] and each["state"] == "running"]


class Load:
    """Puts numbered messages, part by part, and collects what comes out."""

    def __init__(self, station: Station) -> None:
        self.station = station
        self.seen: Counter[bytes] = Counter()
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._produce)

    def start(self) -> Load:
        self._thread.start()
        return self

    def _produce(self) -> None:
        with self.station.connect() as qm:
            for first in range(0, MESSAGES, PART):
                qm.put_many("IN", [b"%d" % n for n in range(first, first + PART)], persistent=True)
                time.sleep(0.01)

    def collect(self) -> None:
        """Take what has come out, until everything has, and a little longer: nothing may come twice."""
        self._thread.join(SECONDS)
        with self.station.connect() as qm:
            until(lambda: self._taken(qm) >= MESSAGES)
            time.sleep(0.3)
            self._taken(qm)
            assert qm.get("IN") is None

    def _taken(self, qm: Any) -> int:
        for queue in ("OUT", "OUT2"):
            self.seen.update(each.body for each in qm.get_many(queue, 10_000))
        return sum(self.seen.values())

    def check(self) -> None:
        """Every number once."""
        assert self.seen == {b"%d" % n: 1 for n in range(MESSAGES)}


def test_killed_workers_lose_and_double_nothing(station: Station, supervisor: Supervisor) -> None:
    until(lambda: len(workers_of(supervisor)) == 2)
    load = Load(station).start()
    killed = 0
    while killed < 4:
        for worker in until(lambda: workers_of(supervisor)):
            with suppress(ProcessLookupError):  # the status is that of the worker before
                os.kill(worker["process"], signal.SIGKILL)
                killed += 1
        time.sleep(0.2)
    load.collect()
    load.check()
    until(lambda: sum(each["restarts"] for each in supervisor.home.read_status()["workers"]) >= 2)


def test_projects_deployed_anew_lose_and_double_nothing(station: Station, supervisor: Supervisor) -> None:
    until(lambda: len(workers_of(supervisor)) == 2)
    load = Load(station).start()
    for number in range(3):
        station.write("flows/copy.py", COPY.format(queue=("OUT2", "OUT")[number % 2]))
        made, _ = deployments.deploy(supervisor.home, station.project, "main", 1 + number % 3, {})
        until(lambda: {each["version"] for each in workers_of(supervisor)} == {made.version})  # noqa: B023
    load.collect()
    load.check()


def test_a_killed_broker_takes_its_workers_along_and_goes_on(station: Station) -> None:
    home = broker_home("default", create=True)
    deployments.deploy(home, station.project, "main", 2, {})
    command = [*PENSTOCK, "broker", "start", "--qmgr", "QM1"]
    load = Load(station)
    for kill in (True, False):
        broker = subprocess.Popen(command, env=station.env, stdout=subprocess.PIPE)
        found = until(lambda: [each for each in home.read_status()["workers"] if each["state"] == "running"])
        if kill:
            load.start()
            time.sleep(0.2)
            broker.kill()
            broker.wait()
            until(lambda: not any(lives(each["process"]) for each in found))  # noqa: B023
            home.status.unlink()
        else:
            load.collect()
            broker.terminate()
            broker.wait(SECONDS)
        assert broker.stdout is not None
        broker.stdout.close()
    load.check()


def test_a_killed_queue_manager_loses_and_doubles_nothing(station: Station, supervisor: Supervisor) -> None:
    until(lambda: len(workers_of(supervisor)) == 2)
    with station.connect() as qm:
        qm.put_many("IN", [b"%d" % n for n in range(MESSAGES)], persistent=True)
    station.stop(kill=True)
    station.start()
    load = Load(station)
    load._thread = threading.Thread(target=lambda: None)
    load.start().collect()
    load.check()
