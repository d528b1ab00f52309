"""`penstock health`: verdicts, exit codes and lines as monitoring systems read them."""

import json

import pytest
import typer
from typer.testing import CliRunner

import penstock
from penstock.cli.health.answering import answering
from penstock.cli.main import application
from penstock.model.status import LogFigures, Status
from penstock.tools.health import Check, Figure, Verdict, channel_check, flow_check, qmgr_check, range_of
from tests.conformance.client.conftest import Running, make

QUIET = LogFigures(used_bytes=10, capacity_bytes=100, sync_seconds_mean=0.001)


@pytest.mark.parametrize(
    ("text", "fine", "alerting"),
    [
        ("10", [0, 10], [-1, 11]),
        ("10:", [10, 1e9], [9]),
        ("~:10", [-1e9, 10], [11]),
        ("10:20", [10, 20], [9, 21]),
        ("@10:20", [9, 21], [10, 20]),
    ],
)
def test_a_range_alerts_where_the_guidelines_say(text, fine, alerting):
    limit = range_of(text)
    assert not any(limit.alerts(value) for value in fine)
    assert all(limit.alerts(value) for value in alerting)


def test_large_and_small_figures_are_digits_as_the_guidelines_say():
    check = Check("QUEUE")
    check.measure("depth", Figure("depth", 1_234_567, critical=range_of("1000")))
    check.measure("sync", Figure("sync", 0.00002, "s"))
    assert check.line("") == "QUEUE CRITICAL - depth 1234567 | depth=1234567;;1000;0 sync=0.00002s;;;0"


@pytest.mark.parametrize("text", ["x", "20:10", "@", ":", "nan:1", "1:2:3"])
def test_a_text_that_is_no_range_is_refused(text):
    with pytest.raises(penstock.MQError) as caught:
        range_of(text)
    assert caught.value.reason == 2046


def test_the_worst_finding_decides_and_unknown_is_better_than_a_warning():
    check = Check("QUEUE")
    check.note(Verdict.WARNING, "much")
    check.note(Verdict.UNKNOWN, "what")
    assert check.verdict is Verdict.WARNING
    check.note(Verdict.CRITICAL, "too much")
    assert check.line("") == "QUEUE CRITICAL - too much"


def test_figures_have_their_limits():
    check = qmgr_check(Status(log=QUIET), range_of("80"), range_of("95"))
    assert check.line("QM1 runs") == "QMGR OK - QM1 runs | log=10%;80;95;0;100 sync=0.001s;;;0"
    assert qmgr_check(Status(log=QUIET, disk_low=True), None, None).verdict is Verdict.CRITICAL


@pytest.mark.parametrize(
    ("state", "verdict"), [("RUNNING", 0), ("INACTIVE", 0), ("RETRYING", 1), ("STOPPED", 2)]
)
def test_the_state_of_a_channel_counts(state, verdict):
    assert channel_check("C", [state], None).verdict == verdict
    assert channel_check("C", [state], Figure("waiting", 9, "", None, range_of("5"))).verdict == 2


@pytest.mark.parametrize(("state", "verdict"), [("running", 0), ("paused", 1), ("failed", 2)])
def test_a_worker_that_does_not_run_counts(state, verdict):
    worker = {"flow": "orders", "state": state, "given_up": 0}
    broker = {"name": "B", "process": 1, "deployments": [1], "workers": [worker]}
    assert flow_check([broker], "orders", None, None).verdict == verdict
    assert flow_check([broker], "other", None, None).verdict == 3
    assert flow_check([{**broker, "process": None, "workers": []}], "", None, None).verdict == 2


def health(*words):
    done = CliRunner().invoke(application(["health"]), ["health", *words])
    return done.exit_code, done.stdout


@pytest.mark.installed
def test_a_stopped_queue_manager_is_critical_and_is_not_opened(monkeypatch):
    monkeypatch.setenv("PENSTOCK_RUNNING", "")
    penstock.embed("QM1", create=True).close()
    assert health("qmgr") == (2, "QMGR CRITICAL - QM1 does not run\n")
    code, line = health("queue", "Q")
    assert code == 3
    assert line.startswith("QUEUE UNKNOWN - 2059")


@pytest.mark.installed
@pytest.mark.parametrize("words", [["qmgr", "--nonsense"], ["nonsense"], ["queue"], ["qmgr", "-w", "x"]])
def test_a_wrong_command_line_is_unknown(words, monkeypatch):
    monkeypatch.setenv("PENSTOCK_RUNNING", "")
    penstock.embed("QM1", create=True).close()
    assert health(*words)[0] == 3


@pytest.mark.installed
def test_a_running_queue_manager_answers_with_its_figures(penstock_home, monkeypatch):
    monkeypatch.setenv("PENSTOCK_RUNNING", "")
    make(penstock_home)
    server = Running(penstock_home)
    server.start()
    try:
        with penstock.connect("QM1") as qm:
            qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
            qm.put_many("Q", [b"1", b"2", b"3"])
        code, line = health("queue", "Q", "-w", "2", "-c", "5", "--json")
        assert (code, json.loads(line)["figures"]["depth"]) == (1, 3)
        assert health("queue", "Q", "--critical-age", "~:-1")[0] == 2
        assert health("qmgr")[0] == 0
        assert health("dlq") == (0, "DLQ OK - no dead letters | depth=0;0;;0 oldest=0s;;;0\n")
        assert health("channel", "TEST.SVRCONN")[0] == 0
        assert health("channel", "NONE")[0] == 3
    finally:
        server.stop()


def test_a_defect_in_a_check_is_unknown(monkeypatch, capsys):
    monkeypatch.setenv("PENSTOCK_RUNNING", "")
    with pytest.raises(typer.Exit) as caught, answering("QUEUE", 10, False):
        raise KeyError("depth")
    assert (caught.value.exit_code, capsys.readouterr().out) == (3, "QUEUE UNKNOWN - 'depth'\n")
