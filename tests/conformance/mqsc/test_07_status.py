"""Clause 7: DISPLAY of status, and commands for what does not run here."""

from __future__ import annotations

import pytest

from penstock.admin.mqsc import run
from penstock.model.errors import error
from tests.unit.admin.engine_double import NOW


class Running:
    """A runtime with one channel and one listener."""

    def __init__(self) -> None:
        self.asked: list[tuple] = []

    def command(self, verb, kind, name, options):
        self.asked.append((verb, kind, name, dict(options)))
        if verb == "PING":
            raise error(2538, "the other side does not answer", object=name)

    def status(self, kind):
        rows = {
            "CHANNEL": [
                {"CHANNEL": "C", "CHLTYPE": "SVRCONN", "CONNAME": "1.2.3.4", "CURRENT": "YES", "MSGS": 3}
            ],
            "LISTENER": [{"LISTENER": "L", "STATUS": "RUNNING", "PORT": 1414}],
        }
        return rows.get(kind)


def test_queue_status_has_every_field(mqsc, engine):
    engine.depths["SYSTEM.DEAD.LETTER.QUEUE"] = 4
    (reply,) = mqsc("DISPLAY QSTATUS(SYSTEM.DEAD.LETTER.QUEUE)")
    assert " ".join(reply.attributes) == (
        "QUEUE TYPE CURDEPTH IPPROCS LGETDATE LGETTIME LPUTDATE LPUTTIME MEDIALOG MONQ MSGAGE OPPROCS QTIME"
        " UNCOM"
    )
    assert reply.attributes["CURDEPTH"] == 4


def test_queue_status_by_condition(mqsc, engine):
    engine.depths["SYSTEM.DEAD.LETTER.QUEUE"] = 4
    (reply,) = mqsc("DIS QS(*) CURDEPTH WHERE(CURDEPTH NE 0)")
    assert reply.attributes == {"QUEUE": "SYSTEM.DEAD.LETTER.QUEUE", "TYPE": "QUEUE", "CURDEPTH": 4}


def test_handles_of_a_queue(mqsc, engine):
    engine.open_handles["SYSTEM.DEAD.LETTER.QUEUE"] = [{"APPLTAG": "app", "INPUT": "SHARED"}]
    (reply,) = mqsc("DISPLAY QSTATUS(SYSTEM.DEAD.LETTER.QUEUE) TYPE(HANDLE) INPUT APPLTAG")
    assert reply.attributes == {
        "QUEUE": "SYSTEM.DEAD.LETTER.QUEUE",
        "TYPE": "HANDLE",
        "APPLTAG": "app",
        "INPUT": "SHARED",
    }
    assert mqsc("DISPLAY QSTATUS(SYSTEM.DEFAULT.LOCAL.QUEUE) TYPE(HANDLE)")[0].failed


def test_connections(mqsc, engine):
    assert mqsc("DISPLAY CONN(*)")[0].id == "AMQ8461I"
    engine.connected = [{"CONN": "AB01", "APPLTAG": "one"}, {"CONN": "AB02", "APPLTAG": "two"}]
    (reply,) = mqsc("DISPLAY CONN(*) APPLTAG WHERE(APPLTAG LK 't*')")
    assert (reply.id, reply.attributes["CONN"]) == ("AMQ8276I", "AB02")


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("DISPLAY CHSTATUS(*)", "AMQ8420I"),
        ("DISPLAY LSSTATUS(*)", "AMQ8147E"),
        ("DISPLAY SVSTATUS(*) ALL", "AMQ8147E"),
        ("START CHANNEL(SYSTEM.DEF.SENDER)", "AMQ8146E"),
        ("START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)", "AMQ8146E"),
        ("START LISTENER(NONE)", "AMQ8147E"),
        ("STOP SERVICE(SYSTEM.DEFAULT.SERVICE)", "AMQ8146E"),
        ("PING CHANNEL(SYSTEM.DEF.SENDER)", "AMQ8146E"),
        ("PING CHANNEL(NONE)", "AMQ8227E"),
        ("RESET CHANNEL(SYSTEM.DEF.SENDER) SEQNUM(1)", "AMQ8146E"),
        ("RESOLVE CHANNEL(SYSTEM.DEF.SENDER) ACTION(COMMIT)", "AMQ8146E"),
        ("REFRESH CLUSTER(C)", "AMQ8146E"),
        ("SUSPEND QMGR CLUSTER(C)", "AMQ8146E"),
        ("STOP CONN(AB)", "AMQ8146E"),
    ],
)
def test_what_does_not_run_here_fails_and_says_so(mqsc, command, number):
    (reply,) = mqsc(command)
    assert (reply.id, reply.failed) == (number, True)


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("STOP LISTENER(SYSTEM.DEFAULT.LISTENER.TCP) IGNSTATE(YES)", "AMQ8706I"),
        ("REFRESH SECURITY", "AMQ8560I"),
        ("REFRESH SECURITY(*) TYPE(CONNAUTH)", "AMQ8560I"),
        ("REFRESH QMGR TYPE(CONFIGEV)", "AMQ8730I"),
        ("PING QMGR", "AMQ8415I"),
    ],
)
def test_what_needs_nothing_to_run_works(mqsc, command, number):
    (reply,) = mqsc(command)
    assert (reply.id, reply.failed) == (number, False)


def test_a_runtime_is_asked_when_there_is_one(engine):
    running = Running()
    script = "START CHANNEL({0})\nSTOP CHANNEL({0}) MODE(FORCE)\nPING CHANNEL({0})"
    replies = run(engine, script.format("SYSTEM.DEF.SENDER"), NOW, running)
    assert [reply.id for reply in replies] == ["AMQ8018I", "AMQ8019I", "AMQ8101S"]
    assert replies[-1].reason == 2538
    assert running.asked[1] == ("STOP", "CHANNEL", "SYSTEM.DEF.SENDER", {"MODE": "FORCE"})


def test_status_of_what_runs(engine):
    running = Running()
    (reply,) = run(engine, "DISPLAY CHSTATUS(*) MSGS", NOW, running)
    assert dict(reply.attributes) == {"CHANNEL": "C", "CHLTYPE": "SVRCONN", "CONNAME": "1.2.3.4", "MSGS": 3}
    assert run(engine, "DISPLAY LSSTATUS(L)", NOW, running)[0].id == "AMQ8631I"
    assert run(engine, "DISPLAY CHSTATUS(D)", NOW, running)[0].id == "AMQ8420I"


def test_a_runtime_may_belong_to_the_engine(engine):
    engine.runtime = Running()
    assert run(engine, "START CHANNEL(SYSTEM.DEF.SENDER)", NOW)[0].id == "AMQ8018I"


def test_queue_statistics_come_from_an_engine_that_has_them(mqsc, engine):
    assert mqsc("RESET QSTATS(SYSTEM.DEAD.LETTER.QUEUE)")[0].failed
    engine.reset_queue_statistics = lambda name, now: {"MSGSIN": 1, "MSGSOUT": 2}
    (reply,) = mqsc("RESET QSTATS(SYSTEM.DEAD*)")
    assert reply.attributes["MSGSOUT"] == 2


def test_queue_times_are_shown_when_the_queue_is_monitored(mqsc, engine, monkeypatch):
    told = {"CURDEPTH": 1, "LPUTDATE": "2023-11-14", "LPUTTIME": "22.13.20", "MSGAGE": 5, "SPILLED": 9}
    monkeypatch.setattr(engine, "queue_status", lambda name, now: dict(told))
    mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MONQ(HIGH)")
    (off,) = mqsc("DISPLAY QSTATUS(A)")
    (on,) = mqsc("DISPLAY QSTATUS(B)")
    assert (off.attributes["MONQ"], off.attributes["MSGAGE"], off.attributes["LPUTDATE"]) == ("OFF", "", "")
    assert (on.attributes["MONQ"], on.attributes["MSGAGE"], on.attributes["LPUTDATE"]) == (
        "HIGH",
        5,
        "2023-11-14",
    )
    assert "SPILLED" not in on.attributes


def test_queue_manager_status(mqsc, engine):
    engine.connected = [{"CONN": "AB01"}]
    (reply,) = mqsc("DISPLAY QMSTATUS ALL")
    assert list(reply.attributes)[:4] == ["QMNAME", "TYPE", "STATUS", "CHINIT"]
    assert reply.attributes["CONNS"] == 1
    assert mqsc("DISPLAY QMSTATUS CONNZ")[0].id == "AMQ8405I"
