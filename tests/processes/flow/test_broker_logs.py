"""What a broker tells of failures: `flow failures`, `broker list`, and logs that quote no messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from penstock.flow.broker import worker_slot
from penstock.flow.broker.home import broker_home
from penstock.flow.broker.job import Job
from penstock.flow.broker.logs import FAILURES, last_failures
from tests.flow_station import COPY, Station
from tests.patience import until

pytestmark = pytest.mark.installed  # real processes over sockets

SECRET = "4711-secret"
FAILING = (
    COPY.format(queue="OUT").replace("start.out >> out.in_", "")
    + """
def refuse(call):
    body = call.assembly.invocation.source.body
    print("printed by the flow", flush=True)
    if body.startswith(b"bad"):
        raise ValueError(f"not this: {body.decode()}")

refusing = flow.add(nodes.PythonCompute(refuse), name="refusing")
start.out >> refusing.in_
refusing.out >> out.in_
"""
)


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Station]:
    """A home whose queue manager runs, with a flow that fails on some messages."""
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    made = Station(tmp_path)
    made.write("flows/copy.py", FAILING)
    made.start()
    with made.connect() as qm:
        qm.mqsc("DEFINE QLOCAL(BACKOUT)")
        qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(3) BOQNAME(BACKOUT)")
    yield made
    made.stop()


@contextmanager
def background(station: Station, *options: str) -> Iterator[Path]:
    """Run a broker in the background, with the project deployed; gives the folder of its logs."""
    station.run("broker", "start", "--qmgr", "QM1", "--background", *options)
    try:
        station.run("deploy", str(station.project))
        yield broker_home("default").logs
    finally:
        station.run("broker", "stop")


def fail_once(station: Station) -> str:
    """Let one message fail; return its id."""
    with station.connect() as qm:
        receipt = qm.put("IN", f"bad {SECRET}".encode(), persistent=True)
        qm.put("IN", b"good")
        until(lambda: qm.get("BACKOUT"))
        until(lambda: qm.get("OUT"))
    return str(receipt.msg_id.hex())


def test_failures_are_listed_and_the_log_quotes_no_message(station: Station) -> None:
    with background(station) as logs:
        assert "has not failed" in station.run("flow", "failures", "copy")
        message = fail_once(station)
        found = until(lambda: _both(station))
        assert [each["event"] for each in found] == ["flow_message_failed", "flow_message_given_up"]
        assert {each["message"] for each in found} == {message}
        assert (found[0]["node"], found[0]["reason"], found[0]["flow"]) == ("refusing", 8302, "copy")
        assert SECRET in found[0]["text"]
        assert found[1]["to"] == "BACKOUT"
        assert "refusing" in station.run("flow", "failures", "copy", "-n", "1000")
        assert len(station.json("flow", "failures", "copy", "-n", "1")) == 1
        assert "8351" in station.run("flow", "failures", "other", fails=True)

        row = until(lambda: _given_up(station))
        assert (row["failed"], row["given_up"], row["lost"], row["error"]) == (3, 1, 0, "")
        assert "GIVEN_UP" in station.run("broker", "list")

        log = (logs / "default.log").read_text()
        lines = [line for line in log.splitlines() if "flow_message_failed" in line]
        assert len(lines) == 1
        time, level, event, *facts = lines[0].split()
        assert datetime.fromisoformat(time).tzinfo is not None
        assert (level, event) == ("WARNING", "flow_message_failed")
        assert {"flow=copy", "node=refusing", f"message={message}", "reason=8302"} <= set(facts)
        assert SECRET not in log
        assert "printed by the flow" in log
        own = (logs / "broker.log").read_text()
        assert "worker_started group=default flow=copy" in own
    for file in (logs / "default.log", logs / "broker.log"):
        assert file.stat().st_mode & 0o077 == 0


def _both(station: Station) -> list[dict[str, Any]]:
    found = station.json("flow", "failures", "copy")
    return found if len(found) == 2 else []


def _given_up(station: Station) -> dict[str, Any] | None:
    worker = station.json("broker", "list")[0]["workers"][0]
    return dict(worker) if worker["given_up"] else None


def test_a_log_may_be_json_and_quote_what_exceptions_say(station: Station) -> None:
    with background(station, "--log-json", "--log-data") as logs:
        fail_once(station)
        until(lambda: "flow_message_given_up" in (logs / "default.log").read_text())
        lines = [line for line in (logs / "default.log").read_text().splitlines() if line.startswith("{")]
        failed = next(each for each in map(json.loads, lines) if each["event"] == "flow_message_failed")
        assert (failed["level"], failed["node"], failed["name"]) == ("WARNING", "refusing", "PSRC_FLOW_NODE")
        assert SECRET in failed["text"]
        own = [json.loads(line) for line in (logs / "broker.log").read_text().splitlines()]
        assert any(each["event"].startswith("worker_started") for each in own)


LOGGING = (
    COPY.format(queue="OUT").replace("start.out >> out.in_", "")
    + """
log = flow.add(nodes.Log("arrived", values={"n": "InputRoot.JSON.Data.n"}), name="Arrived")
trace = flow.add(nodes.Trace("seen ${Root.JSON.Data.n}"), name="Seen")
start.domain = "JSON"
start.out >> log.in_
log.out >> trace.in_
trace.out >> out.in_
"""
)


def test_the_log_has_the_lines_of_nodes_and_of_every_start(station: Station) -> None:
    station.write("flows/copy.py", LOGGING)
    with background(station) as logs:
        put_through(station, b'{"n": 1}')
        until(lambda: "flow_log" in (logs / "default.log").read_text())
        text = (logs / "default.log").read_text()
        assert text.count("flow_log") == 1, "a user trace quotes messages: only with --log-data"
        assert "INFO flow_log node=Arrived line=arrived n=" in text
        started = (logs / "broker.log").read_text().count("worker_started")
    station.run("broker", "start", "--qmgr", "QM1", "--background", "--log-data", "--log-json")
    try:
        until(lambda: (logs / "broker.log").read_text().count("worker_started") == started + 1)
        put_through(station, b'{"n": 2}')
        until(lambda: "Seen" in (logs / "default.log").read_text())
        facts = json.loads((logs / "default.log").read_text().splitlines()[-1])
        assert (facts["event"], facts["level"], facts["node"]) == ("flow_log", "DEBUG", "Seen")
        assert "2" in facts["line"]
    finally:
        station.run("broker", "stop")


def put_through(station: Station, body: bytes) -> None:
    """Let the flow process a message."""
    with station.connect() as qm:
        qm.put("IN", body)
        until(lambda: qm.get("OUT"))


def test_the_last_failures_of_a_flow_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import logging

    from penstock.flow.broker import logs

    monkeypatch.setattr(logs, "FAILURES_BYTES_MAX", 1000)
    keeping = logs.FailureFile(tmp_path, "main")
    for number in range(200):
        record = logging.makeLogRecord(
            {"event": FAILURES[0], "facts": {"flow": "f", "number": number}, "text": "t"}
        )
        keeping.emit(record)
    found = [each["number"] for each in last_failures(tmp_path, "main", "f", 0)]
    assert found == list(range(found[0], 200))
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) < 3000
    assert last_failures(tmp_path, "main", "f", 2)[-1]["number"] == 199


def test_an_old_error_is_forgotten_when_the_worker_is_sound(
    station: Station, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_slot, "SOUND_SECONDS", 0.5)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "1").symlink_to(station.project)
    place = worker_slot.Slot(Job(str(tmp_path / "p" / "1"), "copy", "QM1"), 0, tmp_path / "main.log")
    try:
        until(lambda: place.step() or place.ready)
        os.kill(place.facts()[0]["process"], signal.SIGKILL)
        until(lambda: place.step() or place.restarts)
        assert place.facts()[0]["error"] == "ended with -9"
        until(lambda: place.step() or place.facts()[0]["error"] == "")
        assert place.restarts == 1
    finally:
        place.leave()
        until(lambda: place.step() or place.empty)


def test_what_a_queue_manager_in_the_background_writes_goes_to_a_file(station: Station) -> None:
    station.stop()
    try:
        process = json.loads(station.run("qmgr", "start", "QM1", "--background", "--json"))["process"]
        console = station.home / "QM1" / "errors" / "console.log"
        assert os.path.realpath(f"/proc/{process}/fd/2") == os.path.realpath(console)
        assert os.path.realpath(f"/proc/{process}/fd/1") == os.path.realpath(console)
        assert console.stat().st_mode & 0o077 == 0
    finally:
        station.run("qmgr", "stop", "QM1")


def test_a_message_without_a_place_is_told_once_by_flow_run(station: Station) -> None:
    with station.connect() as qm:
        qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(' ')")
        qm.put("IN", b"bad one", persistent=True)
    command = station.command(
        "flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty", "--quiet"
    )
    done = subprocess.run(command, env=station.env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stderr.count("flow_message_failed") == 1
    assert done.stderr.count("flow_waits") == 1
    assert done.stderr.count("penstock: 8303") == 1
    assert len(done.stderr.strip().splitlines()) == 3, done.stderr
