"""Commands for operators: acts on queues, top, contexts, cheat sheets, new projects, bundles, statistics."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import shlex
import subprocess
import sys
import tarfile
import termios
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application
from penstock.cli.top.screen import Screen
from penstock.cli.top.views import COLUMNS, Looker, Sample, arranged
from tests.patience import attempts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.host.queue_manager import QueueManager


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def qm(penstock_home: Path) -> Iterator[QueueManager]:
    with penstock.embed("QM1", create=True) as found:
        found.mqsc("DEFINE QLOCAL(A) DEFPSIST(YES)\nDEFINE QLOCAL(B) MAXDEPTH(3)", check=True)
        yield found


def run(*words: str, code: int = 0, text: str = "") -> str:
    done = CliRunner().invoke(application(words), list(words), input=text)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return str(done.output)


def found_in(*words: str, code: int = 0) -> Any:
    return json.loads(run(*words, "--json", code=code))


# -- queue purge, copy, move, show -------------------------------------------------------------


def test_move_keeps_ids_and_properties_and_each_message_is_on_one_queue(qm: QueueManager) -> None:
    receipt = qm.put("A", b"1", properties={"colour": "red"})
    qm.put("A", b"2")
    assert found_in("queue", "move", "A", "B", "--yes") == {"found": 2, "done": 2, "gone": 0, "failed": []}
    moved = qm.get("B")
    assert moved is not None
    assert (moved.msg_id, moved.properties, moved.persistent) == (receipt.msg_id, {"colour": "red"}, True)
    assert qm.get("A") is None


def test_a_dry_run_counts_and_changes_nothing(qm: QueueManager) -> None:
    qm.put("A", b"12")
    plan = found_in("queue", "purge", "A", "--dry-run")
    assert (plan["messages"], plan["bytes"], plan["done"]) == (1, 2, 0)
    assert qm.queues("A")[0].depth == 1


def test_an_act_asks_first(qm: QueueManager) -> None:
    qm.put("A", b"1")
    run("queue", "purge", "A", text="n\n")
    assert qm.queues("A")[0].depth == 1
    run("queue", "purge", "A", text="y\n")
    assert qm.queues("A")[0].depth == 0


def test_copy_leaves_the_originals_and_takes_only_what_is_chosen(qm: QueueManager) -> None:
    for body in (b"apple", b"pear", b"apple pie"):
        qm.put("A", body)
    assert found_in("queue", "copy", "A", "B", "--yes", "--text", "apple")["done"] == 2
    assert [bytes(each.body or b"") for each in qm.browse("B")] == [b"apple", b"apple pie"]
    assert qm.queues("A")[0].depth == 3


def test_a_target_that_is_full_stops_the_act_and_nothing_is_lost(qm: QueueManager) -> None:
    qm.put_many("A", [b"1", b"2", b"3", b"4"])
    outcome = found_in("queue", "move", "A", "B", "--yes", code=1)
    assert (outcome["done"], outcome["failed"][0]["reason"]) == (0, 2053)
    assert (qm.queues("A")[0].depth, qm.queues("B")[0].depth) == (4, 0)


def test_messages_in_units_of_work_are_counted_and_stay(qm: QueueManager) -> None:
    qm.put("A", b"1")
    with qm.unit_of_work():
        qm.get("A")
        assert found_in("queue", "purge", "A", "--dry-run")["held"] == 1
    with pytest.raises(penstock.MQError, match="name another queue"):
        run("queue", "copy", "A", "A")


def test_show_has_counts_programs_and_settings(qm: QueueManager) -> None:
    qm.put("A", b"123")
    with qm.open("A", 2):
        facts = found_in("queue", "show", "A")
    assert (facts["puts"], facts["put_bytes"], facts["settings"]["DEFPSIST"]) == (1, 3, "YES")
    assert [each["opened_for"] for each in facts["programs"]] == ["input"]
    assert "put_bytes" in run("queue", "show", "A")
    with pytest.raises(penstock.MQError, match="2085"):
        run("queue", "show", "NONE")


def test_topic_list_shows_what_is_in_use(qm: QueueManager) -> None:
    qm.publish("price/apple", b"1", retain=True)
    with qm.subscribe("price/#"):
        found = {each["topic"]: each for each in found_in("topic", "list")}
    assert found["price/apple"]["retained"] is True
    assert "price/apple" in run("topic", "list", "price/#")


# -- top --------------------------------------------------------------------------------------


def test_top_shows_figures_of_the_log_as_numbers_and_texts(qm: QueueManager) -> None:
    rows = {row["figure"]: row["value"] for row in Looker(qm).look().rows["log"]}
    assert rows["syncs"] == qm.status().log.syncs > 0
    assert all(isinstance(value, int | float | str) for value in rows.values())


def test_top_has_rates_since_the_last_look(qm: QueueManager) -> None:
    looker = Looker(qm)
    first = {row["queue"]: row for row in looker.look().rows["queues"]}
    qm.put_many("A", [b"x"] * 10)
    sample = looker.look()
    row = next(row for row in sample.rows["queues"] if row["queue"] == "A")
    assert first["A"]["put_rate"] is None
    assert row["put_rate"] > 0
    assert row["get_rate"] == 0
    assert sample.totals["put_rate"] > 0


def test_top_prints_once_without_a_terminal(qm: QueueManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.cli.top.top.ONCE_SECONDS", 0.0)
    assert run("top").split()[:2] == ["QUEUE", "DEPTH"]
    facts = found_in("top", "QM1")
    assert {"queues", "channels", "flows", "log", "totals"} <= facts.keys()


def test_keys_choose_view_column_filter_and_pace() -> None:
    screen = Screen()
    for key in "2o/ab\x7f\r +":
        screen.press(key)
    assert (screen.view, screen.sorted_by, screen.pattern, screen.typing) == ("channels", "state", "a", False)
    assert (screen.paused, screen.seconds) == (True, 5.0)
    screen.press("\x1b[A")
    screen.press("q")
    assert screen.ended


def test_rows_are_sorted_and_empty_values_come_last() -> None:
    rows = [{"queue": name, "depth": depth} for name, depth in (("A", 1), ("B", None), ("C", 3), ("D", 3))]
    found = arranged(rows, COLUMNS["queues"], "depth", True, "")
    assert [row["queue"] for row in found] == ["C", "D", "A", "B"]
    assert [row["queue"] for row in arranged(rows, COLUMNS["queues"], "depth", False, "c")] == ["C"]


def test_the_screen_says_what_does_not_fit() -> None:
    from rich.console import Console

    sample = Sample("QM1", 0.0, dict.fromkeys(("messages", "put_rate", "get_rate"), 0), {})
    sample.totals |= {"sync_rate": 0, "log_percent": 0, "connections": 0}
    sample.rows["queues"] = [{"queue": f"Q{number:03}", "depth": number} for number in range(100)]
    out = io.StringIO()
    Console(file=out, width=120).print(Screen().draw(sample, 20))
    text = out.getvalue()
    assert "Q099" in text
    assert "87 more" in text


# -- contexts ---------------------------------------------------------------------------------


def test_a_context_in_use_names_the_queue_manager(qm: QueueManager, penstock_home: Path) -> None:
    with penstock.embed("QM2", create=True) as other:
        other.mqsc("DEFINE QLOCAL(ONLY.HERE)", check=True)
        run("context", "add", "second", "QM2", "--use")
        assert "ONLY.HERE" in run("queue", "list")
        assert "ONLY.HERE" not in run("queue", "list", "-m", "QM1")
        run("context", "use")
        run("queue", "list", code=2)
        assert "ONLY.HERE" in run("queue", "list", "--context", "second")
    assert (penstock_home / "contexts.yaml").stat().st_mode & 0o777 == 0o600
    assert found_in("context", "list")[0]["address"] == "QM2"
    run("context", "remove", "second")
    assert found_in("context", "list") == []


def test_a_context_takes_no_password(penstock_home: Path) -> None:
    with pytest.raises(penstock.MQError, match="2538"):
        run("context", "add", "bad", "mq://bob:secret@host/QM1")
    run("context", "use", "unknown", code=2)
    assert not (penstock_home / "contexts.yaml").exists()


# -- cheat, init, bundle, stats ------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["contexts", "flows", "queues", "topics", "watching"])
def test_every_line_of_a_cheat_sheet_runs(
    subject: str, penstock_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("penstock.cli.top.top.ONCE_SECONDS", 0.0)
    lines = [line.strip() for line in run("cheat", subject).splitlines() if line.strip().startswith("$ ")]
    assert lines
    for line in lines:
        run(*shlex.split(line)[2:])


def test_cheat_lists_its_subjects() -> None:
    assert "queues" in run("cheat")
    run("cheat", "unknown", code=2)


def test_a_new_project_passes_its_tests_and_nothing_is_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "greeting"
    run("flow", "init", str(place))
    assert "2 tests" in run("flow", "test", str(place)) or "2 passed" in run("flow", "test", str(place))
    (place / "flows" / "greeting.py").write_text("# mine")
    run("flow", "init", str(place), code=2)
    assert (place / "flows" / "greeting.py").read_text() == "# mine"


def test_a_bundle_has_no_secrets(qm: QueueManager, penstock_home: Path, tmp_path: Path) -> None:
    from penstock.tools import support_bundle

    folder = penstock_home / "QM1"
    with (folder / "qm.ini").open("a") as ini:
        ini.write("\nSSL:\n   Password=planted1\n")
    (folder / "errors").mkdir(exist_ok=True)
    (folder / "errors" / "AMQERR01.LOG").write_text(
        "dialled mq://bob:planted2@host and LDAPPWD('planted3')\n"
    )
    (penstock_home / "users.json").write_text("planted4")
    (penstock_home / "contexts.yaml").write_text("planted5")
    qm.put("A", b"planted6")
    target = tmp_path / "bundle.tar.gz"
    names = support_bundle.write(target)
    assert "QM1/qm.ini" in names
    with tarfile.open(target) as archive:
        texts = [archive.extractfile(each) for each in archive.getmembers()]
        whole = b"".join(each.read() for each in texts if each is not None)
    assert b"dialled" in whole
    assert b"planted" not in whole


def test_stats_reads_and_leaves_the_messages_unless_told(qm: QueueManager) -> None:
    qm.mqsc("ALTER QLOCAL(A) STATQ(ON)", check=True)
    qm.put("A", b"123", persistent=True)
    qm.mqsc("RESET QMGR TYPE(STATISTICS)", check=True)
    for words in ((), ("--take",)):
        rows = found_in("stats", "--kind", "queue", "--object", "A", *words)
        found = {(row["field"], row["persistence"]): row["value"] for row in rows}
        assert (found["puts", "yes"], found["put_bytes", "yes"]) == (1, 3)
    assert found_in("stats") == []


# -- apply ------------------------------------------------------------------------------------------


HOME = """
queue_managers:
  QM7:
    scripts: [objects.mqsc]
    mqsc: DEFINE QLOCAL(TWO) MAXDEPTH(7) REPLACE
users:
  alice: {groups: [staff]}
data_sources:
  SHOP: "sqlite:///shop.db"
"""


def test_applying_a_file_twice_changes_nothing(penstock_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(HOME)
    (tmp_path / "objects.mqsc").write_text("DEFINE QLOCAL(ONE) REPLACE\n")
    plan = found_in("apply", str(file), "--diff")
    assert {(each["kind"], each["name"]) for each in plan["steps"]} == {
        ("user", "alice"),
        ("data source", "SHOP"),
        ("queue manager", "QM7"),
        ("objects", "QM7"),
    }
    assert not (penstock_home / "QM7").exists()
    assert found_in("apply", str(file), "--yes")["done"] is True
    assert "TWO" in run("queue", "list", "-m", "QM7")
    assert found_in("apply", str(file), "--yes") == {"steps": [], "done": False}


def test_a_relative_database_is_beside_the_file_wherever_it_is_applied(
    penstock_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "home.yaml"
    file.write_text("data_sources: {SHOP: 'sqlite:///shop.db'}\n")
    assert found_in("apply", str(file), "--yes")["done"] is True
    monkeypatch.chdir(penstock_home)
    assert found_in("apply", str(file), "--yes") == {"steps": [], "done": False}
    assert str(tmp_path / "shop.db") in run("dsn", "list", "--json")


@pytest.mark.parametrize(
    "text",
    [
        "data_sources: {SHOP: {url: 'sqlite:///shop.db'}}",
        "users: {alice: {password_file: short}}",
        "users: {alice: {password_file: none}}",
    ],
)
def test_a_plan_refuses_what_applying_it_would_refuse(penstock_home: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "short").write_text("123\n")
    file = tmp_path / "home.yaml"
    file.write_text(text)
    with pytest.raises((penstock.MQError, FileNotFoundError)):
        run("apply", str(file), "--diff")


def test_a_change_by_hand_is_in_the_plan_and_is_put_right(penstock_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text("queue_managers: {QM7: {mqsc: DEFINE QLOCAL(TWO) MAXDEPTH(7) REPLACE}}")
    run("apply", str(file), "--yes")
    with penstock.embed("QM7") as qm:
        qm.mqsc("ALTER QLOCAL(TWO) MAXDEPTH(8)\nDEFINE QLOCAL(MINE)", check=True)
        qm.put("TWO", b"stays", persistent=True)
    assert "MAXDEPTH(8)" in run("apply", str(file), "--diff")
    run("apply", str(file), "--yes")
    with penstock.embed("QM7") as qm:
        assert {each.queue: each.depth_max for each in qm.queues("TWO")} == {"TWO": 7}
        assert qm.queues("MINE")
        assert qm.get("TWO") is not None


def test_brokers_deployments_and_tls_files_are_applied_once(penstock_home: Path, tmp_path: Path) -> None:
    run("flow", "init", str(tmp_path / "shop"))
    (tmp_path / "qm7.pem").write_bytes(b"certificate and key")
    file = tmp_path / "home.yaml"
    deployment = "{project: shop, group: sales, instances: 2}"
    file.write_text(
        "queue_managers: {QM7: {mqsc: ALTER QMGR CERTLABL('qm7'), tls: {certificate: qm7.pem}}}\n"
        f"brokers: {{west: {{qmgr: QM7, deployments: [{deployment}]}}}}\n"
    )
    plan = found_in("apply", str(file), "--diff")
    steps = [(each["act"], each["kind"], each["name"]) for each in plan["steps"]]
    assert steps == [
        ("create", "queue manager", "QM7"),
        ("change", "objects", "QM7"),
        ("create", "TLS file", "QM7: qm7.pem"),
        ("create", "broker", "west"),
        ("change", "broker", "west"),
        ("create", "deployment", "west: sales/shop"),
    ]
    assert "certificate and key" not in json.dumps(plan)
    assert not (penstock_home / "brokers").exists()
    assert found_in("apply", str(file), "--yes")["done"] is True
    key = penstock_home / "QM7" / "ssl" / "qm7.pem"
    assert (key.read_bytes(), key.stat().st_mode & 0o777) == (b"certificate and key", 0o600)
    assert found_in("apply", str(file), "--yes") == {"steps": [], "done": False}
    (flow,) = (tmp_path / "shop" / "flows").glob("*.py")
    flow.write_text(flow.read_text() + "\n# another version\n")
    file.write_text(file.read_text().replace("instances: 2", "instances: 3"))
    (step,) = found_in("apply", str(file), "--yes")["steps"]
    assert (step["act"], step["kind"]) == ("change", "deployment")
    assert {"-instances 2", "+instances 3"} < set(step["changes"])
    assert found_in("apply", str(file), "--diff")["steps"] == []


def test_a_file_with_unknown_names_is_refused(penstock_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text("queue_manager: {}")
    assert "unknown queue_manager" in run("apply", str(file), code=2)
    file.write_text("brokers: {west: {deployments: [{group: sales}]}}")
    assert "a deployment has a project" in run("apply", str(file), code=2)


@pytest.mark.installed
def test_top_in_a_terminal_obeys_keys_and_leaves_the_terminal_as_it_was(penstock_home: Path) -> None:
    penstock.embed("QM1", create=True).close()
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    command = [sys.executable, "-m", "penstock.cli.main", "top", "QM1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "30"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as program:
        try:
            seen = read_until(ours, b"put_rate")
            os.write(ours, b"4")
            seen += read_until(ours, b"sync_seconds_mean")
            os.write(ours, b"q")
            seen += read_until(ours, b"\x1b[?1049l")
            assert program.wait(60) == 0
        finally:
            program.kill()
    assert b"\x1b[?1049h" in seen
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def read_until(terminal: int, text: bytes) -> bytes:
    seen = b""
    for _ in attempts():
        if text in seen:
            break
        ready, _, _ = select.select([terminal], [], [], 0.5)
        if ready:
            seen += os.read(terminal, 65536)
    return seen
