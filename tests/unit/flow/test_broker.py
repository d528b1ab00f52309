"""The broker: what is deployed runs, is replaced, resized, taken away, and survives restarts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow.broker import deployments, logs, slot, worker_process
from penstock.flow.broker.home import all_brokers, broker_home
from penstock.flow.broker.job import Job
from penstock.flow.broker.supervisor import Supervisor
from tests.flow_station import COPY, Station, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.flow.broker.home import BrokerHome

pytestmark = pytest.mark.installed  # real processes over sockets

SHARED = """
DECLARE seen SHARED INTEGER 0;
CREATE COMPUTE MODULE Counting
  CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN SET seen = seen + 1; RETURN TRUE; END;
END MODULE;
"""
COUNTING = COPY.format(queue="OUT").replace("start.out >> out.in_", "") + (
    'count = flow.add(nodes.Compute(module="Counting"))\nstart.out >> count.in_\ncount.out >> out.in_\n'
)


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Station]:
    """A home whose queue manager runs."""
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    made = Station(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def running(station: Station) -> Iterator[Callable[[], Supervisor]]:
    """A broker in this process, with real workers; called again it is stopped and started anew."""
    stop, threads = threading.Event(), []

    def start() -> Supervisor:
        end()
        stop.clear()
        made = Supervisor(broker_home("default", create=True), "QM1")
        threads.append(threading.Thread(target=made.run, args=(stop,)))
        threads[-1].start()
        return made

    def end() -> None:
        stop.set()
        for thread in threads:
            thread.join(40)

    yield start
    end()


def deployed(station: Station, instances: int = 1, **properties: str) -> deployments.Deployment:
    home = broker_home("default", create=True)
    made, _ = deployments.deploy(home, station.project, "main", instances, properties)
    return made


def states(home: BrokerHome) -> list[str]:
    status = home.read_status()
    return [each["state"] for each in status["workers"]] if status.get("settled") else []


def test_what_is_deployed_runs_and_is_resized_and_taken_away(station: Station, running: Any) -> None:
    assert deployed(station).version == 1
    supervisor = running()
    until(lambda: states(supervisor.home) == ["running"])
    first = supervisor.home.read_status()["workers"][0]["process"]
    with station.connect() as qm:
        qm.put_many("IN", [b"x"] * 10, persistent=True)
        until(lambda: qm.get("OUT"))
    assert deployed(station, instances=3).version == 1
    until(lambda: states(supervisor.home) == ["running"] * 3)
    assert first in [each["process"] for each in supervisor.home.read_status()["workers"]]
    deployed(station, instances=1)
    until(lambda: states(supervisor.home) == ["running"])
    assert supervisor.home.read_status()["workers"][0]["process"] == first
    deployments.undeploy(supervisor.home, station.project.name, "main")
    until(lambda: supervisor.home.read_status()["workers"] == [])


def test_another_version_or_property_replaces_the_workers(station: Station, running: Any) -> None:
    deployed(station)
    supervisor = running()
    until(lambda: states(supervisor.home) == ["running"])
    station.write("flows/copy.py", COPY.format(queue="OUT2"))
    assert deployed(station).version == 2
    with station.connect() as qm:
        until(lambda: [each["version"] for each in supervisor.home.read_status()["workers"]] == [2])
        qm.put("IN", b"x")
        assert until(lambda: qm.get("OUT2"))
        deployed(station, **{"out.queue": "OUT"})
        until(lambda: states(supervisor.home) == ["running"])
        qm.put("IN", b"y")
        assert until(lambda: qm.get("OUT"))


def test_what_is_deployed_survives_a_restart_and_a_dead_worker_is_replaced(
    station: Station, running: Any
) -> None:
    deployed(station)
    supervisor = running()
    until(lambda: states(supervisor.home) == ["running"])
    supervisor = running()
    until(lambda: states(supervisor.home) == ["running"])
    (worker,) = supervisor.home.read_status()["workers"]
    os.kill(worker["process"], signal.SIGKILL)
    until(lambda: supervisor.home.read_status()["workers"][0]["restarts"] == 1)
    until(lambda: states(supervisor.home) == ["running"])


def test_a_crash_loop_is_seen_and_slows_down(
    station: Station, running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot, "FIRST_PAUSE_SECONDS", 0.05)
    deployed(station, **{"start.queue": "NOWHERE"})
    supervisor = running()
    until(lambda: states(supervisor.home) == ["crash-looping"], 40)
    (worker,) = supervisor.home.read_status()["workers"]
    assert "2085" in worker["error"]
    assert worker["restarts"] >= slot.LOOPING
    deployed(station)
    until(lambda: states(supervisor.home) == ["running"])


def test_flows_with_shared_variables_run_as_threads(station: Station, running: Any) -> None:
    station.write("esql/counting.esql", SHARED)
    station.write("flows/copy.py", COUNTING)
    assert deployed(station, instances=3).flows == {"copy": ["they share seen"]}
    supervisor = running()
    until(lambda: states(supervisor.home) == ["running"])
    (worker,) = supervisor.home.read_status()["workers"]
    assert worker["threads"] == 3


def test_a_project_that_is_wrong_is_not_deployed(station: Station) -> None:
    deployed(station)
    station.write("flows/copy.py", COPY.format(queue=""))
    with pytest.raises(penstock.FlowError) as raised:
        deployed(station)
    assert raised.value.reason == 8301
    home = broker_home("default")
    assert [each.version for each in deployments.deployments_of(home.read_deployed()).values()] == [1]


def test_old_versions_are_removed(station: Station) -> None:
    for number in range(6):
        station.write("note.txt", str(number))
        last = deployed(station)
    folder = broker_home("default").projects / station.project.name
    assert sorted(each.name for each in folder.iterdir()) == ["4", "5", "6"]
    assert last.version == 6


def test_names_that_are_no_names_and_brokers_that_are_not_there(station: Station) -> None:
    assert all_brokers() == []
    for name in ("../x", "", "a/b", "nobody"):
        with pytest.raises(penstock.FlowError) as raised:
            broker_home(name)
        assert raised.value.reason == 8351
    deployed(station)
    with pytest.raises(penstock.FlowError) as raised:
        deployments.undeploy(broker_home("default"), "other", "main")
    assert "main/project" in str(raised.value)


def test_the_commands(station: Station) -> None:
    project = str(station.project)
    first = station.json("deploy", project, "--group", "g")
    assert first["outcome"] == "deployed"
    station.run("broker", "start", "--background", "--qmgr", "QM1")
    try:
        refused = subprocess.run(
            station.command("broker", "start", "--background"), env=station.env, check=False, timeout=60
        )
        assert refused.returncode != 0  # it runs already, in another process
        again = station.json("deploy", project, "--group", "g", "-n", "2", "--set", "out.queue=OUT2")
        assert again["outcome"] == "running"
        assert [each["state"] for each in again["workers"]] == ["running"] * 2
        (broker,) = station.json("broker", "list")
        assert len(broker["workers"]) == 2
        assert station.json("undeploy", "project", "--group", "g")["outcome"] == "undeployed"
    finally:
        assert station.json("broker", "stop")["outcome"] == "ended"
    assert "does not run" in station.run("broker", "stop", fails=True)


PRINTING = """
import os
os.read(0, 65536)
for line in ("5", "[]", '{"state": 7}', '{"other": 1}', "words"):
    print(line, flush=True)
"""


def test_what_a_flow_prints_is_not_taken_for_what_its_worker_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "COMMAND", [sys.executable, "-c", PRINTING])
    worker = worker_process.WorkerProcess(Job("p/1", "copy", "QM1"))
    assert worker.wait(20)
    assert worker.told == {"state": "starting", "messages": 0}


def test_a_worker_that_never_starts_is_tried_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "COMMAND", [str(tmp_path / "no-such-program")])
    place = slot.Slot(Job("project/1/", "copy", "QM1"), 1, 0, tmp_path / "main.log")
    for _ in range(1100):  # the pause would double beyond every float
        place._next_start = 0.0
        place.step()
    assert place.empty
    assert "no-such-program" in place.last_error
    assert place.facts()["state"] == "crash-looping"
    assert place._next_start > 0


def test_logs_stay_small_under_those_who_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "LOG_BYTES_MAX", 10)
    log = tmp_path / "main.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"more than ten bytes")
        logs.trim_logs(tmp_path)
        writer.write(b"new")
        logs.trim_logs(tmp_path)
    assert log.read_bytes() == b"new"
    assert (tmp_path / "main.log.1").read_bytes() == b"more than ten bytes"
