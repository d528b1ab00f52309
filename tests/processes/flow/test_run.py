"""`penstock flow run`: a flow in the foreground, by one process or several."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from tests.flow_station import COPY, Station
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.installed  # real processes over sockets

SHARED = """
DECLARE seen SHARED INTEGER 0;
CREATE COMPUTE MODULE Counting
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    BEGIN ATOMIC
      SET seen = seen + 1;
      SET OutputRoot.XMLNSC.n = seen;
    END;
    RETURN TRUE;
  END;
END MODULE;
"""
COUNTING = """
from penstock.flow import Flow, nodes

flow = Flow("counting")
start, count = flow.add(nodes.MQInput("IN")), flow.add(nodes.Compute(module="Counting"))
out = flow.add(nodes.MQOutput("OUT"))
start.out >> count.in_
count.out >> out.in_
"""


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    """A home whose queue manager runs."""
    made = Station(tmp_path)
    made.start()
    yield made
    made.stop()


def test_it_runs_until_the_queue_is_empty_and_says_what_it_did(station: Station) -> None:
    with station.connect() as qm:
        qm.put_many("IN", [b"%d" % n for n in range(250)], persistent=True)
        project = str(station.project)
        facts = station.json(
            "flow", "run", "copy", "--engine", "inline", "-p", project, "--until-empty", "--counters"
        )
        assert [each.body for each in qm.get_many("OUT", 1000)] == [b"%d" % n for n in range(250)]
    assert (facts["messages"], facts["outputs"], facts["failed"]) == (250, 250, 0)
    assert facts["engine"] == "inline"
    assert sum(facts["nodes"][0].pop("histogram")) == 250
    assert facts["nodes"] == [
        {"node": "out", "type": "MQOutput", "messages": 250, "failed": 0, "seconds": pytest.approx(0, abs=5)}
    ]
    assert facts["nodes"][0]["seconds"] > 0


def test_watch_starts_the_flow_anew_when_its_project_changes(station: Station) -> None:
    words = ("flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "-m", "QM1", "--watch")
    watching = subprocess.Popen(station.command(*words), env=station.env, stderr=subprocess.DEVNULL)
    try:
        with station.connect() as qm:
            qm.put("IN", b"1", persistent=True)
            assert until(lambda: qm.get("OUT")).body == b"1"
            station.write("flows/copy.py", "this is no flow")
            until(lambda: qm.queues("IN")[0].readers == 0)
            qm.put("IN", b"2", persistent=True)
            station.write("flows/copy.py", COPY.format(queue="OUT2"))
            assert until(lambda: qm.get("OUT2")).body == b"2"
            watching.terminate()
            watching.wait(60)
            until(lambda: qm.queues("IN")[0].readers == 0)  # the run has ended too
    finally:
        watching.kill()
        watching.wait(60)


def test_it_starts_the_queue_manager_when_none_runs_and_ends_it(station: Station) -> None:
    with station.connect() as qm:
        qm.put("IN", b"waiting", persistent=True)
    station.stop()
    facts = station.json(
        "flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty"
    )
    assert facts["messages"] == 1
    assert station.json("qmgr", "list")[0]["status"] == "Ended"
    station.start()
    with station.connect() as qm:
        assert qm.get("OUT").body == b"waiting"  # type: ignore[union-attr]


def test_a_signal_ends_it_in_order(station: Station) -> None:
    process = station.begin("flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--json")
    with station.connect() as qm:
        qm.put("IN", b"one", persistent=True)
        until(lambda: qm.get("OUT"))
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert '"messages": 1' in said


def test_a_program_that_calls_it_has_its_signal_handlers_back(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without this, Ctrl-C does nothing any more in a program, or test, that ran a flow by the command."""
    monkeypatch.setenv("PENSTOCK_HOME", str(station.home))
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    words = ["flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty"]
    done = CliRunner().invoke(application(), words)
    assert done.exit_code == 0, done.output
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_properties_are_set_from_the_command_line(station: Station) -> None:
    with station.connect() as qm:
        qm.put("IN", b"one")
        station.run(
            "flow",
            "run",
            "copy",
            "--engine",
            "inline",
            "-p",
            str(station.project),
            "--until-empty",
            "--set",
            "out.queue=OUT2",
        )
        assert qm.get("OUT2") is not None


def test_an_unknown_queue_is_refused_before_spark_starts(station: Station) -> None:
    words = ("flow", "run", "copy", "--engine", "spark", "-p", str(station.project))
    told = station.run(*words, "--set", "start.queue=NOBODY", fails=True)
    assert ("2085" in told, "Spark starts" in told) == (True, False)


def test_instances_are_processes(station: Station) -> None:
    with station.connect() as qm:
        qm.put_many("IN", [b"%d" % n for n in range(3000)])
        facts = station.json(
            "flow",
            "run",
            "copy",
            "--engine",
            "inline",
            "-p",
            str(station.project),
            "--until-empty",
            "-n",
            "2",
        )
        assert len(qm.get_many("OUT", 5000)) == 3000
    assert (facts["messages"], facts["instances"]) == (3000, 2)


def test_instances_that_share_variables_are_threads_and_it_says_so(station: Station) -> None:
    station.write("esql/counting.esql", SHARED)
    station.write("flows/counting.py", COUNTING)
    with station.connect() as qm:
        qm.put_many("IN", [b"x"] * 100)
        project = str(station.project)
        process = station.begin(
            "flow", "run", "counting", "--engine", "inline", "-p", project, "--until-empty", "-n", "2"
        )
        _, told = process.communicate(timeout=60)
        assert "threads of one process: they share seen" in told
        numbers = {each.body for each in qm.get_many("OUT", 1000)}
    assert numbers == {b"<n>%d</n>" % n for n in range(1, 101)}


def test_what_is_wrong_is_said_in_one_line(station: Station) -> None:
    told = station.run(
        "flow", "run", "cpoy", "--engine", "inline", "-p", str(station.project), "--until-empty", fails=True
    )
    assert "8304" in told
    assert "did you mean 'copy'" in told
    station.write("flows/copy.py", COPY.format(queue="OUT").replace("start.out", "start.uot"))
    told = station.run(
        "flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty", fails=True
    )
    assert "8301" in told
    assert "Traceback" not in told


def test_the_queue_manager_that_goes_away_is_waited_for(station: Station) -> None:
    process = station.begin("flow", "run", "copy", "--engine", "inline", "-p", str(station.project))
    with station.connect() as qm:
        qm.put("IN", b"one")
        until(lambda: qm.get("OUT"))
    station.stop(kill=True)
    station.start()
    with station.connect() as qm:
        qm.put("IN", b"two")
        until(lambda: qm.get("OUT"))
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "flow_paused" in told
    assert "2009" in told


HELD = (
    COPY.format(queue="OUT").replace("start.out >> out.in_", "")
    + """
def wait(call):
    import pathlib, time
    while not pathlib.Path({path!r}).exists():
        time.sleep(0.01)

held = flow.add(nodes.PythonCompute(wait))
start.out >> held.in_
held.out >> out.in_
"""
)


def test_until_empty_a_queue_manager_that_goes_away_ends_it_with_its_reason(
    station: Station, tmp_path: Path
) -> None:
    station.write("flows/copy.py", HELD.replace("{path!r}", repr(str(tmp_path / "go"))))
    with station.connect() as qm:
        qm.put("IN", b"one")
    words = ("flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty")
    process = station.begin(*words)
    with station.connect() as qm, qm.open("IN") as queue:
        until(lambda: queue.inquire("CURDEPTH")["CURDEPTH"] == 0)
    station.stop(kill=True)
    (tmp_path / "go").touch()
    _, told = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "2009" in told


SLOW = (
    COPY.format(queue="OUT").replace("start.out >> out.in_", "")
    + """
def wait(call):
    import time
    time.sleep(60)

slow = flow.add(nodes.PythonCompute(wait))
start.out >> slow.in_
slow.out >> out.in_
"""
)


@pytest.mark.parametrize("instances", ["1", "2"])
def test_a_second_signal_ends_at_once_and_the_unit_is_backed_out(station: Station, instances: str) -> None:
    station.write("flows/copy.py", SLOW)
    with station.connect() as qm:
        qm.put("IN", b"x", persistent=True)
        words = ("-p", str(station.project), "--engine", "inline", "-n", instances)
        running = station.begin("flow", "run", "copy", "--engine", "inline", *words)
        until(lambda: not list(qm.browse("IN")))
        running.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)  # another than the first: two of a kind may come as one
        running.communicate(timeout=60)
        assert until(lambda: qm.get("IN")).body == b"x"


@pytest.mark.parametrize(
    ("text", "said"), [("1 / 0", "line 1: ZeroDivisionError"), ("import nowhere", "line 1: ModuleNotFound")]
)
def test_a_flow_file_that_fails_is_named_with_its_line(station: Station, text: str, said: str) -> None:
    station.write("flows/copy.py", text)
    complaint = station.run(
        "flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty", fails=True
    )
    assert said in complaint
    assert "Traceback" not in complaint


def test_messages_that_a_run_on_spark_holds_are_told_of(station: Station) -> None:
    with station.connect() as qm:
        qm.put("IN", b"x", persistent=True)
        qm.batches.reserve("copy/start", "IN", after=0, epoch=qm.batches.new_epoch("copy/start"))

    done = subprocess.run(
        station.command(
            "flow", "run", "copy", "--engine", "inline", "-p", str(station.project), "--until-empty"
        ),
        env=station.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert "A run on Spark holds 1 message of IN" in done.stderr
    assert "penstock flow reservations release copy/start" in done.stderr
    assert done.stdout.startswith("0 messages in")


FAILING = """
from penstock.flow import Flow, nodes

flow = Flow("failing")
start, parse = flow.add(nodes.MQInput("IN", domain="XMLNSC")), flow.add(nodes.Compute(module="Copy"))
out = flow.add(nodes.MQOutput("OUT"))
start.out >> parse.in_
parse.out >> out.in_
"""
PARSING = """
CREATE COMPUTE MODULE Copy
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.XMLNSC.n = InputRoot.XMLNSC.a;
    RETURN TRUE;
  END;
END MODULE;
"""


@pytest.mark.parametrize(
    ("instances", "options", "code"), [(1, [], 3), (2, [], 3), (1, ["--allow-failures"], 0)]
)
def test_a_run_that_gave_messages_up_does_not_end_with_0(
    station: Station, instances: int, options: list[str], code: int
) -> None:
    """A script that goes on after the run would take two lost orders for done."""
    (station.project / "flows" / "failing.py").write_text(FAILING)
    (station.project / "esql").mkdir(exist_ok=True)
    (station.project / "esql" / "copy.esql").write_text(PARSING)
    words = ["flow", "run", "failing", "--engine", "inline", "-p", str(station.project), "--until-empty"]
    with station.connect() as qm:
        qm.mqsc("DEFINE QLOCAL(BACK)\nALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACK)")
        qm.put_many("IN", [b"<a>1</a>", b"no XML", b"<a>2</a>", b"<a>"], persistent=True)
        command = station.command(*words, "-n", str(instances), *options)
        done = subprocess.run(
            command, env=station.env, capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, "2 given up, 0 lost" in done.stdout) == (code, True), (
            done.stdout + done.stderr
        )
        assert len(qm.get_many("BACK", 10)) == 2

        station.run(*words)  # and with nothing to do it ends with 0
