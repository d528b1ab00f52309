"""The broker: what is deployed runs, is replaced, resized, taken away, and survives restarts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow.broker import deployments, logs, watches, worker_process
from penstock.flow.broker import flow_group as together
from penstock.flow.broker import worker_slot as slot
from penstock.flow.broker.home import BrokerHome, all_brokers, broker_home
from penstock.flow.broker.job import Job
from penstock.flow.broker.supervisor import Supervisor
from penstock.flow.running.counters import Counters
from penstock.store import text_logs
from tests.flow_station import COPY, Station, lives
from tests.patience import until
from tests.ports import free_port
from tests.uncompiled import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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
            thread.join(60)

    yield start
    end()


def deployed(
    station: Station, instances: int | None = 1, group: str = "main", **properties: str
) -> deployments.Deployment:
    home = broker_home("default", create=True)
    made, _ = deployments.deploy(home, station.project, group, instances, properties)
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
    with station.connect() as qm:
        assert qm.queues("IN")[0].readers == 3
        assert qm.mqsc("DELETE QLOCAL(IN)")[0].failed
    assert first in [each["process"] for each in supervisor.home.read_status()["workers"]]
    assert deployed(station, instances=None).instances == 3
    deployed(station, instances=1)
    until(lambda: states(supervisor.home) == ["running"])
    assert supervisor.home.read_status()["workers"][0]["process"] == first
    deployments.undeploy(supervisor.home, station.project.name, "main")
    until(lambda: supervisor.home.read_status()["workers"] == [])
    with station.connect() as qm:
        until(lambda: qm.queues("IN")[0].readers == 0)


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
    until(lambda: states(supervisor.home) == ["crash-looping"])
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
    port = str(free_port())
    told = station.run("broker", "start", "--background", "--qmgr", "QM1", "--metrics-port", port)
    assert f"http://127.0.0.1:{port}/metrics" in told
    try:
        refused = subprocess.run(
            station.command("broker", "start", "--background"),
            env=station.env,
            check=False,
            timeout=60,
            capture_output=True,
            text=True,
        )
        assert refused.returncode == 1
        assert "8351 PSRC_BROKER: broker default runs already, in process" in refused.stdout
        again = station.json("deploy", project, "--group", "g", "-n", "2", "--set", "out.queue=OUT2")
        assert again["outcome"] == "running"
        assert [each["state"] for each in again["workers"]] == ["running"] * 2
        (broker,) = station.json("broker", "list")
        assert len(broker["workers"]) == 2
        check_metrics(station, f"http://127.0.0.1:{port}")
        check_stop_and_follow(station)
        assert station.json("undeploy", "project", "--group", "g")["outcome"] == "undeployed"
    finally:
        assert station.json("broker", "stop")["outcome"] == "ended"
    assert "does not run" in station.run("broker", "stop", fails=True)


def test_what_an_earlier_release_has_deployed_is_read(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "data" / "formats" / "deployed-1.json", tmp_path / "deployed.json")
    home = BrokerHome("old", tmp_path)
    (made,) = deployments.deployments_of(home.read_deployed()).values()
    assert (made.key, made.version, made.stopped) == ("sales/shop", 2, [])
    assert (made.instances_of("orders"), made.instances_of("totals")) == (4, 3)
    deployments.set_stopped(home, "shop", "sales", "orders", True)
    (made,) = deployments.deployments_of(home.read_deployed()).values()
    assert (made.instances_of("orders"), made.instances_of("totals")) == (0, 3)


def check_stop_and_follow(station: Station) -> None:
    """A flow that is stopped leaves its messages; started again, it can be followed."""
    assert station.json("flow", "stop", "copy", "--group", "g")["outcome"] == "stopped"
    with station.connect() as qm:
        qm.put("IN", b"waits", msg_id=b"7".ljust(24))
        assert qm.queues("IN")[0].depth == 1
        watch = watches.begin(station_home(station), "g", "copy", 60.0, msg_id=b"7".hex())
        assert station.json("flow", "start", "copy", "--group", "g")["outcome"] == "started"

        def followed() -> bool:
            qm.put("IN", b"other")
            qm.put("IN", b"mine", msg_id=b"7".ljust(24))
            return bool(watches.followed(station_home(station), watch.id))

        until(followed)
        watches.end(station_home(station), "g", "copy")
        qm.mqsc("CLEAR QLOCAL(OUT2)")
    (record, *_) = watches.followed(station_home(station), watch.id)
    assert record.msg_id == b"7".ljust(24).hex()
    assert [each["wire"] for each in record.wires] == ["start.out -> out"]
    assert record.wires[0]["changes"]
    assert "8351" in station.run("flow", "stop", "nothing", "--group", "g", fails=True)


def station_home(station: Station) -> BrokerHome:
    return BrokerHome("default", station.home / "brokers" / "default")


def check_metrics(station: Station, address: str) -> None:
    """The pages of a broker count what its flows and their nodes did."""
    with station.connect() as qm:
        qm.put_many("IN", [b"x"] * 3)
        until(lambda: qm.queues("OUT2")[0].depth == 3)

    def samples() -> dict[str, float]:
        lines = read(f"{address}/metrics")[1].splitlines()
        values = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
        found: dict[str, float] = {}
        for name, value in values:
            assert 'broker="default"' in name
            key = name.partition("{")[0] + (",inf" if 'le="+Inf"' in name else "")
            found[key] = found.get(key, 0.0) + float(value)
        return found

    until(lambda: samples().get("penstock_node_messages_total") == 3)
    until(lambda: samples().get("penstock_flow_messages_total") == 3)
    page = samples()
    assert page["penstock_flow_running"] == 2
    assert page["penstock_node_seconds_count"] == page["penstock_node_seconds_bucket,inf"] == 3
    assert read(f"{address}/live") == (200, "live\n")
    assert until(lambda: read(f"{address}/ready") == (200, "ready\n"))
    assert read(f"{address}/other")[0] == 404


def read(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


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
    assert worker.wait(60)
    assert worker.told == {"state": "starting", "messages": 0}


def test_a_worker_that_never_starts_is_tried_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "COMMAND", [str(tmp_path / "no-such-program")])
    place = slot.Slot(Job("project/1", "copy", "QM1"), 0, tmp_path / "main.log")
    for _ in range(1100):  # the pause would double beyond every float
        place._next_start = 0.0
        place.step()
    assert place.empty
    assert "no-such-program" in place.last_error
    assert place.facts()[0]["state"] == "crash-looping"
    assert place._next_start > 0


def test_logs_stay_small_under_those_who_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_logs, "LOG_BYTES_MAX", 10)
    log = tmp_path / "main.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"more than ten bytes")
        logs.trim_logs(tmp_path)
        writer.write(b"new")
        logs.trim_logs(tmp_path)
    assert log.read_bytes() == b"new"
    assert (tmp_path / "main.log.1").read_bytes() == b"more than ten bytes"
    assert (tmp_path / "main.log.1").stat().st_mode & 0o777 == 0o600


# -- HTTP: flows of a group share a port ---------------------------------------------------

ECHO = """
from penstock.flow import Flow, nodes

for name in ("red", "blue"):
    flow = Flow(name)
    start = flow.add(nodes.HTTPInput(f"/{{name}}", port={port}))
    start.out >> flow.add(nodes.PythonCompute("colour:" + name)).in_
    flow.node(name).out >> flow.add(nodes.HTTPReply()).in_
    globals()[name] = flow
broken = Flow("broken")
take = broken.add(nodes.MQInput("{queue}"))
take.out >> broken.add(nodes.HTTPReply()).in_
"""
COLOUR = """
import os
def say(call, name):
    call.message.set(Path("BLOB", "BLOB"), f"{name} {os.getpid()}".encode())
def red(call): say(call, "red")
def blue(call): say(call, "blue")
from penstock.tree import Path
"""


def asked(port: int, path: str) -> list[str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", data=b"?", timeout=60) as answer:
            return answer.read().decode().split()
    except OSError:
        return []


def test_flows_and_instances_of_a_group_share_an_http_port(station: Station, running: Any) -> None:
    port = free_port()
    (station.project / "flows" / "copy.py").unlink()
    station.write("flows/echo.py", ECHO.format(port=port, queue="NOWHERE"))
    station.write("python/colour.py", COLOUR)
    assert sorted(deployed(station, instances=2).serving) == ["blue", "broken", "red"]
    supervisor = running()

    answers = until(lambda: asked(port, "/red")), until(lambda: asked(port, "/blue"))

    assert [colour for colour, _ in answers] == ["red", "blue"]
    assert len({process for _, process in answers}) == 1
    found = until(lambda: loop_of(supervisor.home))
    assert found == {"red": "running", "blue": "running", "broken": "crash-looping"}
    assert "2085" in next(w["error"] for w in workers(supervisor.home) if w["flow"] == "broken")
    deployed(station, instances=1)
    until(lambda: {each["threads"] for each in workers(supervisor.home)} == {1})
    assert until(lambda: asked(port, "/red"))


def workers(home: BrokerHome) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = home.read_status()["workers"]
    return found


def loop_of(home: BrokerHome) -> dict[str, str]:
    found = {each["flow"]: each["state"] for each in workers(home)}
    return found if "crash-looping" in found.values() else {}


class Ending:
    """A job whose flow ends with an error as soon as it is asked how it is."""

    counting = Counters

    flow = "ending"
    ready = True
    counters = False

    def inline_run(self, **_: Any) -> Ending:
        return self

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def join_for(self, seconds: float) -> bool:
        raise ValueError("the project's own")


def failed_after(part: together.Part, seconds: float, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Start a part and let it fail when it has run for a time; return its facts."""
    began = part._next_start
    monkeypatch.setattr(together.time, "monotonic", lambda: began)
    part.step()
    monkeypatch.setattr(together.time, "monotonic", lambda: began + seconds)
    part.step()
    return part.facts()


def test_flows_that_failed_long_ago_do_not_make_a_crash_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    part = together.Part(Ending())  # type: ignore[arg-type]
    for _ in range(slot.LOOPING):
        facts = failed_after(part, together.SOUND_SECONDS + 1, monkeypatch)
    assert (facts["restarts"], facts["early"]) == (slot.LOOPING, 0)
    for _ in range(slot.LOOPING):
        facts = failed_after(part, 1.0, monkeypatch)
    assert (facts["restarts"], facts["early"]) == (2 * slot.LOOPING, slot.LOOPING)


class EndingLate(Ending):
    """A job whose flow ends with an error when it is told to stop."""

    stopped = False
    puts_to = ()

    def stop(self) -> None:
        self.stopped = True

    def join_for(self, seconds: float) -> bool:
        return self.stopped and super().join_for(seconds)

    def figures(self) -> dict[str, Any]:
        return {}

    def waits_for(self) -> str:
        return ""


class EndingSlowly(EndingLate):
    """A job whose flow is asked several times before it has ended."""

    left = 3

    def join_for(self, seconds: float) -> bool:
        self.left -= self.stopped
        return self.left == 0


def test_a_flow_that_ends_with_an_error_does_not_keep_others_from_being_waited_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stop, slow = threading.Event(), EndingSlowly()
    jobs: list[Any] = [EndingLate(), slow]
    together.run_together(jobs, stop, lambda facts: stop.set())
    assert slow.left == 0
    assert "flow_ended flow=ending" in caplog.text


# -- the commands --------------------------------------------------------------------------


@pytest.fixture
def broker(station: Station) -> Iterator[subprocess.Popen[str]]:
    """A broker as a process of its own."""
    command = station.command("broker", "start", "--qmgr", "QM1")
    process = subprocess.Popen(command, env=station.env, stdout=subprocess.PIPE, text=True)
    with ended(process):
        until(lambda: broker_home("default", create=True).holder)
        yield process


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """End a process in the end, however that comes."""
    with process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def test_deploy_waits_for_the_inputs_and_says_what_is_wrong(
    station: Station, broker: subprocess.Popen[str]
) -> None:
    assert "is running in group default" in station.run("deploy", str(station.project))
    other = station.project.with_name("other")
    shutil.copytree(station.project, other)
    (other / "flows" / "copy.py").write_text(COPY.format(queue="OUT").replace('"IN"', '"NOWHERE"'))

    done = subprocess.run(
        station.command("deploy", str(other), "--json"),
        env=station.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    told = json.loads(done.stdout)
    assert (done.returncode, told["outcome"]) == (1, "failing")
    assert "2085" in told["workers"][0]["error"]
    assert "is running" in station.run("deploy", str(station.project), "-n", "2")  # the other is in no way


def test_a_bar_that_cannot_be_read_changes_nothing(station: Station, broker: subprocess.Popen[str]) -> None:
    station.run("deploy", str(station.project))
    bar = station.project.with_name("shop.bar")
    with zipfile.ZipFile(bar, "w") as archive:
        archive.writestr("Broken.appzip", b"PK no zip at all")

    told = station.run("deploy", str(bar), fails=True)

    assert "shop.bar" in told
    assert list(broker_home("default").read_deployed()["deployments"]) == ["default/project"]
    assert states(broker_home("default")) == ["running"]


def test_what_is_deployed_survives_a_broker_that_is_killed(
    station: Station, broker: subprocess.Popen[str]
) -> None:
    station.run("deploy", str(station.project), "-n", "2")
    home = broker_home("default")
    before = {each["process"] for each in workers(home)}
    broker.kill()
    broker.wait(60)
    for process in before:
        until(lambda: not lives(process))  # noqa: B023

    command = station.command("broker", "start", "--qmgr", "QM1")
    with ended(subprocess.Popen(command, env=station.env, stdout=subprocess.DEVNULL, text=True)):
        until(lambda: states(home) == ["running"] * 2 and not before & {w["process"] for w in workers(home)})
        with station.connect() as qm:
            qm.put("IN", b"x", persistent=True)
            assert until(lambda: qm.get("OUT"))


def test_what_is_left_out_is_missed_by_the_check_and_the_copy_is_private(station: Station) -> None:
    station.write("python/mine.py", "def change(call):\n    return True\n")
    station.write("tests/data.txt", "x")
    text = COPY.format(queue="OUT").replace("start.out >> out.in_", "")
    text += 'own = flow.add(nodes.PythonCompute("mine:change"))\nstart.out >> own.in_\nown.out >> out.in_\n'
    station.write("flows/copy.py", text)
    made = deployed(station)
    folder = made.folder(broker_home("default"))
    assert not (folder / "tests").exists()
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.rglob("*"))} == {0}
    station.write(".penstockignore", "/python/\n")
    with pytest.raises(penstock.MQError, match="cannot import mine:change"):
        deployed(station)
    assert deployments.versions_of(broker_home("default"), "project") == [1]


def test_a_way_back_while_messages_flow(station: Station, running: Any) -> None:
    """Every message is done once, by the old or the new version, however often these change."""
    deployed(station, instances=2, greeting="first")
    supervisor = running()
    until(lambda: states(supervisor.home) == ["running"] * 2)
    ending = threading.Event()
    sent: list[bytes] = []

    def produce() -> None:
        with station.connect() as qm:
            while not ending.is_set():
                batch = [b"%d" % number for number in range(len(sent), len(sent) + 20)]
                qm.put_many("IN", batch, persistent=True)
                sent.extend(batch)
                ending.wait(0.05)

    producer = threading.Thread(target=produce)
    producer.start()
    try:
        station.write("flows/copy.py", COPY.format(queue="OUT2"))
        assert deployed(station).version == 2
        until(lambda: [each["version"] for each in supervisor.home.read_status()["workers"]] == [2])
        made, _ = deployments.roll_back(supervisor.home, "project", "main")
        assert (made.version, made.instances, made.properties) == (1, 2, {"greeting": "first"})
        until(lambda: [each["version"] for each in supervisor.home.read_status()["workers"]] == [1, 1])
        assert deployments.roll_back(supervisor.home, "project", "main", 2)[0].version == 2
        until(lambda: [each["version"] for each in supervisor.home.read_status()["workers"]] == [2])
    finally:
        ending.set()
        producer.join(60)
    with station.connect() as qm:
        got: list[bytes] = []

        def all_there() -> bool:
            for queue in ("OUT", "OUT2"):
                got.extend(message.body for message in qm.get_many(queue, 10_000))
            return len(got) >= len(sent)

        until(all_there)
        assert sorted(got) == sorted(sent)
        assert qm.get("IN") is None


def test_no_way_back_is_refused_with_what_there_is(station: Station) -> None:
    home = broker_home("default", create=True)
    with pytest.raises(
        penstock.MQError, match="project is not deployed in group main; deployed are: nothing"
    ):
        deployments.roll_back(home, "project", "main")
    deployed(station)
    with pytest.raises(
        penstock.MQError, match="no other version is kept: project has version 1 in group main"
    ):
        deployments.roll_back(home, "project", "main")
    with pytest.raises(penstock.MQError, match="no version 7"):
        deployments.roll_back(home, "project", "main", 7)
    with pytest.raises(penstock.MQError, match="version 1 is deployed already"):
        deployments.roll_back(home, "project", "main", 1)


def test_the_version_that_is_deployed_is_kept_and_older_ones_go(station: Station) -> None:
    home = broker_home("default", create=True)
    for number in range(1, 4):
        station.write("notes.txt", str(number))
        assert deployed(station).version == number
    assert deployments.roll_back(home, "project", "main", 1)[0].version == 1
    for number in range(4, 6):
        station.write("notes.txt", str(number))
        assert deployed(station).version == number
        if number == 4:
            deployments.roll_back(home, "project", "main", 1)
    assert deployments.versions_of(home, "project") == [1, 3, 4, 5]
    listed = station.json("rollback", "project", "--group", "main", "--list")["versions"]
    assert [(each["version"], each["is_current"]) for each in listed] == [
        (5, True),
        (4, False),
        (3, False),
        (1, False),
    ]
    assert station.json("rollback", "project", "--group", "main")["version"] == 1  # what ran before version 5
    assert "no earlier version" in station.run("rollback", "project", "--group", "main", fails=True)
    assert station.json("rollback", "project", "4", "--group", "main")["version"] == 4
    assert "4" in station.run("rollback", "project", "--group", "main", "--list")


def test_the_way_back_of_a_group_is_what_ran_in_that_group(station: Station) -> None:
    home = broker_home("default", create=True)
    deployed(station, group="test")
    station.write("notes.txt", "2")
    deployed(station, group="main")
    with pytest.raises(
        penstock.MQError, match=r"no earlier version ran in group main: .* versions 1, 2"
    ) as no:
        deployments.roll_back(home, "project", "main")
    assert no.value.reason == 8351
    station.write("notes.txt", "3")
    deployed(station, group="test")
    station.write("notes.txt", "4")
    deployed(station, group="main")
    assert deployments.roll_back(home, "project", "main")[0].version == 2
    assert deployments.roll_back(home, "project", "main", 3)[0].version == 3  # who names it wants it


def test_a_state_of_an_earlier_release_can_go_back(station: Station) -> None:
    home = broker_home("default", create=True)
    deployed(station)
    station.write("notes.txt", "2")
    deployed(station)
    with home.changing() as state:
        del state["history"]
    with pytest.raises(penstock.MQError, match=r"no earlier version ran in group main: .* versions 1, 2"):
        deployments.roll_back(home, "project", "main")  # nobody knows what ran here
    made, _ = deployments.roll_back(home, "project", "main", 1)
    assert (made.version, list(made.flows)) == (1, ["copy"])
    assert made.digest != deployed(station).digest
