"""Clause 7: DISPLAY of status, and commands for what does not run here."""

from __future__ import annotations

import socket

import pytest

from penstock.admin import machinery
from penstock.admin.context import Context
from penstock.admin.mqsc import Reply, Request, Runtime, run
from penstock.admin.syntax import NAMELESS, ONE_ROW, nouns_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.status import (
    ConnectionStatus,
    HandleStatus,
    ListenerStatus,
    MessageChannelStatus,
    QueueStatus,
    ServerConnectionStatus,
    ServiceStatus,
)
from tests.unit.admin.engine_double import NOW


class Part:
    """Machinery that takes down what it is asked, and answers what it is told to."""

    verbs = frozenset({"START", "STOP", "PING", "RESET", "RESOLVE"})

    def __init__(self, rows=(), answers=()) -> None:
        self.asked: list[tuple] = []
        self._rows, self._answers = rows, answers

    def command(self, request):
        self.asked.append((request.verb, request.kind, request.name, dict(request.options)))
        if request.verb == "PING" and not self._answers:
            raise error(2538, "the other side does not answer", object=request.name)
        return self._answers

    def status(self):
        return self._rows


class Running(Runtime):
    """A runtime with one channel of clients and one listener."""

    def __init__(self) -> None:
        super().__init__()
        channels = Part([ServerConnectionStatus(channel="C", conname="1.2.3.4", msgs=3)])
        self.asked = channels.asked
        self.add("CHANNEL", channels, subtype="SVRCONN")
        self.add("LISTENER", Part([ListenerStatus(listener="L", port=1414)]))
        self.add("SERVICE", Part([ServiceStatus(service="S", status="RUNNING")]))


def test_queue_status_has_every_field(mqsc, engine):
    engine.depths["SYSTEM.DEAD.LETTER.QUEUE"] = 4
    (reply,) = mqsc("DISPLAY QSTATUS(SYSTEM.DEAD.LETTER.QUEUE)")
    assert " ".join(reply.attributes) == (
        "QUEUE TYPE CURDEPTH IPPROCS LGETDATE LGETTIME LPUTDATE LPUTTIME MEDIALOG MONQ MSGAGE OPPROCS QTIME"
        " RESERVED UNCOM"
    )
    assert reply.attributes["CURDEPTH"] == 4


def test_queue_status_by_condition(mqsc, engine):
    engine.depths["SYSTEM.DEAD.LETTER.QUEUE"] = 4
    (reply,) = mqsc("DIS QS(*) CURDEPTH WHERE(CURDEPTH NE 0)")
    assert reply.attributes == {"QUEUE": "SYSTEM.DEAD.LETTER.QUEUE", "TYPE": "QUEUE", "CURDEPTH": 4}


def test_handles_of_a_queue(mqsc, engine):
    engine.open_handles["SYSTEM.DEAD.LETTER.QUEUE"] = [HandleStatus(appltag="app", input="SHARED")]
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
    engine.connected = [ConnectionStatus(conn=f"AB{name}", appltag=name) for name in ("one", "two")]
    (reply,) = mqsc("DISPLAY CONN(*) APPLTAG WHERE(APPLTAG LK 't*')")
    assert (reply.id, reply.attributes["CONN"]) == ("AMQ8276I", "ABtwo")


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
        ("REFRESH CLUSTER(C)", "AMQ8147E"),
        ("SUSPEND QMGR CLUSTER(C)", "AMQ8147E"),
        ("STOP CONN(AB)", "AMQ8146E"),
    ],
)
def test_what_does_not_run_here_fails_and_says_so(mqsc, command, number):
    (reply,) = mqsc(command)
    assert (reply.id, reply.failed) == (number, True)


def test_a_channel_that_nothing_runs_says_how_many_messages_wait(qm):
    qm.mqsc("DEFINE QLOCAL(B) USAGE(XMITQ)\nDEFINE QREMOTE(R) RNAME(T) RQMNAME(B)", check=True)
    qm.mqsc("DEFINE CHANNEL(A.B) CHLTYPE(SDR) XMITQ(B) CONNAME('b')", check=True)
    for _ in range(2):
        qm.put("R", b"waits")
    (reply,) = qm.mqsc("START CHANNEL(A.B)")
    assert (reply.id, reply.reason) == ("AMQ8146E", 2298)
    assert "`penstock qmgr start`); messages stay on transmission queue B (now 2)" in reply.text


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
    replies = run(engine, script.format("SYSTEM.DEF.SVRCONN"), NOW, running)
    assert [reply.id for reply in replies] == ["AMQ8018I", "AMQ8019I", "AMQ8101S"]
    assert replies[-1].reason == 2538
    assert running.asked[1] == ("STOP", "CHANNEL", "SYSTEM.DEF.SVRCONN", {"MODE": "FORCE"})


def test_status_of_what_runs(engine):
    running = Running()
    (reply,) = run(engine, "DISPLAY CHSTATUS(*) MSGS", NOW, running)
    assert list(reply.attributes) == ["CHANNEL", "CHLTYPE", "CONNAME", "STATUS", "SUBSTATE", "MSGS"]
    assert (reply.attributes["CHANNEL"], reply.attributes["CONNAME"], reply.attributes["MSGS"]) == (
        "C",
        "1.2.3.4",
        3,
    )
    assert run(engine, "DISPLAY LSSTATUS(L)", NOW, running)[0].id == "AMQ8631I"
    assert run(engine, "DISPLAY CHSTATUS(D)", NOW, running)[0].id == "AMQ8420I"


def test_a_runtime_may_belong_to_the_engine(engine):
    engine.runtime = Running()
    assert run(engine, "START CHANNEL(SYSTEM.DEF.SVRCONN)", NOW)[0].id == "AMQ8018I"


def test_queue_statistics_come_from_an_engine_that_has_them(mqsc, engine):
    assert mqsc("RESET QSTATS(SYSTEM.DEAD.LETTER.QUEUE)")[0].failed
    engine.reset_queue_statistics = lambda name, now: {"MSGSIN": 1, "MSGSOUT": 2}
    (reply,) = mqsc("RESET QSTATS(SYSTEM.DEAD*)")
    assert reply.attributes["MSGSOUT"] == 2


def test_queue_times_are_shown_when_the_queue_is_monitored(mqsc, engine, monkeypatch):
    told = {"curdepth": 1, "lputdate": "2023-11-14", "lputtime": "22.13.20", "msgage": 5}
    monkeypatch.setattr(engine, "queue_status", lambda name, now: QueueStatus(queue=name, **told))
    mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MONQ(HIGH)")
    (off,) = mqsc("DISPLAY QSTATUS(A)")
    (on,) = mqsc("DISPLAY QSTATUS(B)")
    assert (off.attributes["MONQ"], off.attributes["MSGAGE"], off.attributes["LPUTDATE"]) == ("OFF", "", "")
    assert (on.attributes["MONQ"], on.attributes["MSGAGE"], on.attributes["LPUTDATE"]) == (
        "HIGH",
        5,
        "2023-11-14",
    )


def test_queue_manager_status(mqsc, engine):
    engine.connected = [ConnectionStatus(conn="AB01")]
    (reply,) = mqsc("DISPLAY QMSTATUS ALL")
    assert list(reply.attributes)[:4] == ["QMNAME", "TYPE", "STATUS", "ARCHLOG"]
    assert reply.attributes["CONNS"] == 1
    assert mqsc("DISPLAY QMSTATUS CONNZ")[0].id == "AMQ8405I"


def test_queue_manager_status_claims_nothing_that_does_not_run(mqsc):
    (reply,) = mqsc("DISPLAY QMSTATUS CHINIT CMDSERV LDAPCONN STANDBY")
    shown = [reply.attributes[name] for name in ("CHINIT", "CMDSERV", "LDAPCONN", "STANDBY")]
    assert shown == ["STOPPED", "STOPPED", "INACTIVE", "NOPERMIT"]


def test_queue_manager_status_tells_where_program_log_and_data_are(qm, penstock_home):
    (reply,) = qm.mqsc("DISPLAY QMSTATUS ALL")
    told = reply.attributes
    folder = penstock_home / "QM1"
    assert (told["DATPATH"], told["LOGPATH"]) == (str(folder), str(folder / "log"))
    assert (told["HOSTNAME"], told["INSTNAME"]) == (socket.gethostname(), "Penstock")
    assert (told["LOGTYPE"], told["LOGPRIM"], told["LOGSEC"], told["LOGEXTSZ"]) == ("CIRCULAR", 3, 10, 1024)
    assert 0 <= told["LOGINUSE"] <= 100
    assert 0 <= told["DATFSUSE"] <= 100
    assert told["DATFSSZ"] > 0
    assert told["STARTDA"]


@pytest.mark.parametrize(
    ("condition", "number"),
    [
        ("CHSTATUS(*) WHERE(STATUS EQ RUNNING)", "AMQ8420I"),
        ("CHSTATUS(*) WHERE(MSGS GT 5)", "AMQ8420I"),
        ("CHSTATUS(*) SAVED", "AMQ8420I"),
        ("LSSTATUS(*) WHERE(PORT EQ 1414)", "AMQ8147E"),
        ("SVSTATUS(*) WHERE(PID NE 0)", "AMQ8147E"),
        ("CLUSQMGR(*) WHERE(STATUS EQ RUNNING)", "AMQ8147E"),
        ("QSTATUS(*) WHERE(CURDEPTH GT 9999)", "AMQ8147E"),
        ("CONN(*) WHERE(PID EQ 1)", "AMQ8461I"),
    ],
)
def test_a_condition_that_nothing_meets_is_answered_as_nothing_there(mqsc, condition, number):
    (reply,) = mqsc(f"DISPLAY {condition}")
    assert (reply.id, reply.failed) == (number, True)


def test_a_condition_on_what_is_no_field_is_a_mistake_with_and_without_rows(mqsc, engine):
    assert mqsc("DISPLAY CHSTATUS(*) WHERE(NOSUCH EQ 1)")[0].id == "AMQ8405I"
    assert run(engine, "DISPLAY CHSTATUS(*) WHERE(NOSUCH EQ 1)", NOW, Running())[0].id == "AMQ8405I"
    (reply,) = run(engine, "DISPLAY CHSTATUS(*) WHERE(MSGS GT 2)", NOW, Running())
    assert reply.attributes["MSGS"] == 3


# The field that a condition is about.
SELECTED = dict.fromkeys(nouns_of("DISPLAY"), "DESCR") | {
    "APSTATUS": "CLUSTER",
    "AUTHREC": "ENTITY",
    "CHSTATUS": "CONNAME",
    "CONN": "APPLTAG",
    "LSSTATUS": "TRPTYPE",
    "QSTATUS": "MONQ",
    "SBSTATUS": "SUBUSER",
    "SUB": "TOPICSTR",
    "SVSTATUS": "STATUS",
    "TPSTATUS": "PUB",
    "CFSTATUS": "STATUS",
    "GROUP": "STATUS",
    "SMDS": "DSBUFS",
    "QCLUSTER": "CLUSQMGR",
    "TCLUSTER": "CLUSQMGR",
    "SMDSCONN": "STATUS",
    "USAGE": "BLOCKSIZE",
}
NEVER_A_ROW = ("CLUSQMGR", "QCLUSTER", "TCLUSTER", "APSTATUS", "CFSTRUCT")  # in no cluster, in no group


def test_every_display_obeys_a_condition_or_refuses_it(qm):
    qm.mqsc("DEFINE SUB(S) TOPICSTR(a/b) DEST(SYSTEM.DEFAULT.LOCAL.QUEUE)", check=True)
    qm.mqsc("SET AUTHREC OBJTYPE(QMGR) GROUP('someone') AUTHADD(DSP)", check=True)
    for noun, field in SELECTED.items():
        display = f"DISPLAY {noun}" if noun in NAMELESS else f"DISPLAY {noun}(*)"
        asked = [f"{display} WHERE({field} {comparison} 'zz*')" for comparison in ("LK", "NL")]
        none, every = (run(qm.engine, each, NOW, Running()) for each in asked)
        if noun in ONE_ROW:
            assert (none[0].id, every[0].id) == ("AMQ8405I", "AMQ8405I"), noun
            assert "WHERE" not in none[1].text
            continue
        assert [reply.failed for reply in none] == [True], noun
        if none[0].reason != 2298 and noun not in NEVER_A_ROW:  # 2298: not supported here, with and without
            assert len(every) == len(run(qm.engine, display, NOW, Running())), noun
            assert not any(reply.failed for reply in every), noun


def test_queue_status_by_the_way_in_which_queues_are_open(qm):
    qm.mqsc("DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)\nDEFINE QLOCAL(CLOSED)", check=True)
    with qm.open("IN", mq.MQOO_INPUT_SHARED), qm.open("OUT", mq.MQOO_OUTPUT):
        for kind in ("QUEUE", "HANDLE"):
            for way, name in (("INPUT", "IN"), ("OUTPUT", "OUT")):
                (reply,) = qm.mqsc(f"DISPLAY QSTATUS(*) TYPE({kind}) OPENTYPE({way})")
                assert reply.attributes["QUEUE"] == name
        assert len(qm.mqsc("DISPLAY QSTATUS(*) TYPE(HANDLE) OPENTYPE(ALL)")) == 2
    assert qm.mqsc("DISPLAY QSTATUS(*) OPENTYPE(INPUT)")[0].id == "AMQ8147E"


def test_saved_status_is_not_that_of_running_instances(engine):
    assert run(engine, "DISPLAY CHSTATUS(*) SAVED", NOW, Running())[0].id == "AMQ8420I"


@pytest.mark.parametrize(
    "words", ["QMGR", "QMSTATUS", "PUBSUB TYPE(ALL)", "ENTAUTH OBJTYPE(QMGR) PRINCIPAL(ann)"]
)
def test_displays_without_where_in_mq_refuse_it(mqsc, words):
    refused = mqsc(f"DISPLAY {words} WHERE(DESCR EQ x)")[0]
    assert (refused.id, refused.failed) == ("AMQ8405I", True)
    assert f"DISPLAY {words.split()[0]} takes no WHERE" in refused.text


@pytest.mark.parametrize(
    "command",
    [
        "DISPLAY AUTHSERV ALL",
        "DISPLAY POLICY(*)",
        "SET POLICY(Q1) SIGNALG(SHA256) ACTION(ADD)",
        "PURGE CHANNEL(MQTT) CLIENTID('x')",
        "START CHINIT",
        "START CHINIT INITQ(SYSTEM.CHANNEL.INITQ)",
        "RESET QMGR TYPE(ADVANCELOG)",
        "RESET QMGR TYPE(REDUCELOG) REDUCE(AUTO)",
        "RESET QMGR TYPE(ARCHLOG) ARCHIVED(S0000001.LOG)",
    ],
)
def test_commands_without_a_subject_here_are_not_supported(mqsc, command):
    (reply,) = mqsc(command)
    assert (reply.id, reply.failed, reply.reason) == ("AMQ8146E", True, 2298)
    assert reply.text.startswith(" ".join(command.partition("(")[0].split()[:2]))
    assert "not supported here" in reply.text
    assert "LISTENER" not in reply.text
    assert "cluster" not in reply.text


@pytest.mark.parametrize("verb", ["START", "STOP", "PING", "RESET"])
def test_commands_for_message_channels_say_where_these_run(engine, verb):
    run(engine, "DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('a(1414)') XMITQ(QM2)", NOW)
    running = Running()
    (reply,) = run(engine, f"{verb} CHANNEL(TO.QM2)", NOW, running)
    assert (reply.id, reply.failed, running.asked) == ("AMQ8146E", True, [])
    assert "message channels run only in a started queue manager" in reply.text
    assert "messages stay on transmission queue QM2" in reply.text


def test_machinery_that_registers_gets_the_commands_of_its_channel_type_and_answers_them(engine):
    """As message channels do: other types keep their own machinery, and a display shows the rows of all."""
    run(engine, "DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('a(1414)') XMITQ(QM2)", NOW)
    row = MessageChannelStatus(channel="TO.QM2", chltype="SDR", conname="a", status="RUNNING", msgs=7)
    senders = Part([row], [Reply("AMQ8020I", "Ping complete: 3 ms."), Reply("AMQ8450I", "row", {"MS": 3})])
    running = Running()
    running.add("CHANNEL", senders, subtype="SDR")
    replies = run(engine, "PING CHANNEL(TO.QM2)\nSTART CHANNEL(SYSTEM.DEF.SVRCONN)", NOW, running)
    assert [reply.text for reply in replies] == [
        "Ping complete: 3 ms.",
        "row",
        "Start Penstock channel accepted.",
    ]
    assert senders.asked == [("PING", "CHANNEL", "TO.QM2", {"DATALEN": "64"})]
    assert running.asked == [("START", "CHANNEL", "SYSTEM.DEF.SVRCONN", {})]
    shown = run(engine, "DISPLAY CHSTATUS(*) MSGS", NOW, running)
    assert [reply.attributes["MSGS"] for reply in shown] == [3, 7]


def test_a_channel_initiator_that_registers_is_started(engine):
    initiator = Part()
    running = Running()
    running.add("CHINIT", initiator)
    (reply,) = run(engine, "START CHINIT INITQ(SYSTEM.CHANNEL.INITQ)", NOW, running)
    assert (reply.id, reply.failed) == ("AMQ8024I", False)
    assert initiator.asked == [("START", "CHINIT", "", {"INITQ": "SYSTEM.CHANNEL.INITQ"})]


def test_a_command_needs_no_words(engine):
    """Another interface than MQSC makes the same request and gets the same answers."""
    running = Running()
    context = Context(engine, NOW, running)
    (reply,) = machinery.carry_out(
        context, Request("STOP", "CHANNEL", "SYSTEM.DEF.SVRCONN", {"MODE": "FORCE"})
    )
    assert (reply.id, running.asked) == (
        "AMQ8019I",
        [("STOP", "CHANNEL", "SYSTEM.DEF.SVRCONN", {"MODE": "FORCE"})],
    )
    (reply,) = machinery.carry_out(context, Request("START", "CHANNEL", "NO.SUCH"))
    assert (reply.id, reply.reason) == ("AMQ8147E", 2085)
