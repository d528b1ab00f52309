"""Export: a script that makes everything again and harms nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.admin.export import export
from penstock.admin.mqsc import run
from tests.unit.admin.engine_double import NOW, EngineDouble

SCRIPT = """
ALTER QMGR DEADQ(DLQ) DESCR('it''s ours') MAXHANDS(512) CHLAUTH(DISABLED)
ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(77)
ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) DESCR('')
DEFINE QLOCAL(DLQ) MAXDEPTH(5000) NOSHARE NOHARDENBO TRIGGER CUSTOM('CAPEXPRY(100) BACKOUT(MOVE)')
DEFINE QLOCAL(lower) DESCR('x')
DEFINE QLOCAL('lower') DESCR('quoted names keep their case')
DEFINE QALIAS(AL) TARGET(DLQ)
DEFINE QREMOTE(R) RNAME(X) RQMNAME(Y) XMITQ(DLQ)
DEFINE QMODEL(M) DEFTYPE(PERMDYN)
DEFINE PROCESS(P) APPLTYPE(65537) APPLICID('/bin/run me +now')
DEFINE NAMELIST(NL) NAMES(A,B,C)
DEFINE CHANNEL(S) CHLTYPE(SDR) XMITQ(DLQ) CONNAME('host(1414),other(1415)') COMPMSG(ZLIBFAST,NONE)
DEFINE CHANNEL(S) CHLTYPE(CLNTCONN) CONNAME('host(1414)')
DEFINE CHANNEL(A) CHLTYPE(AMQP) PORT(5673)
DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)
DEFINE TOPIC(T) TOPICSTR('a/b') DEFPRTY(3)
DEFINE SUB('a sub') TOPICSTR('a/b') DEST(DLQ) SELECTOR('colour = ''red''')
DEFINE AUTHINFO(AI) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)
DEFINE SERVICE(SV) STARTCMD('/bin/x') STARTARG('-m +QMNAME+ -d "+PATH+/."')
DEFINE COMMINFO(CI) PORT(1500)
SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('nobody','*MQADMIN') ACTION(REPLACE)
SET CHLAUTH(S) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL)
SET CHLAUTH('SYSTEM.*') TYPE(ADDRESSMAP) ACTION(REMOVEALL)
SET CHLAUTH('SYSTEM.*') TYPE(ADDRESSMAP) ADDRESS('10.1.*') USERSRC(CHANNEL)
SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(GET,PUT)
SET AUTHREC OBJTYPE(QMGR) GROUP('ops') AUTHADD(NONE)
"""


@pytest.fixture
def engine() -> EngineDouble:
    engine = EngineDouble()
    replies = run(engine, SCRIPT, NOW)
    assert [reply.text for reply in replies if reply.failed] == []
    return engine


def definitions(engine: EngineDouble) -> dict:
    return {(each.kind, each.subtype, each.name): each.attributes for each in engine.objects}


def test_a_new_queue_manager_exports_nothing():
    assert export(EngineDouble()) == "* Objects of queue manager QM1\n"


@pytest.mark.parametrize("everything", [False, True])
def test_the_script_makes_the_same_objects_elsewhere(engine, everything):
    other = EngineDouble()
    replies = run(other, export(engine, all=everything), NOW)
    assert [reply.text for reply in replies if reply.failed] == []
    assert definitions(other) == definitions(engine)
    assert export(other) == export(engine)


@pytest.mark.parametrize("everything", [False, True])
def test_running_it_twice_changes_nothing(engine, everything):
    before = definitions(engine)
    script = export(engine, all=everything)
    for _ in range(2):
        assert not [reply for reply in run(engine, script, NOW) if reply.failed]
        assert definitions(engine) == before


def test_system_objects_come_only_when_they_differ(engine):
    script = export(engine)
    assert "DEFINE QLOCAL('SYSTEM.DEFAULT.LOCAL.QUEUE')" in script
    assert "SYSTEM.ADMIN.COMMAND.QUEUE" not in script
    assert "SYSTEM.ADMIN.COMMAND.QUEUE" in export(engine, all=True)


def test_a_default_object_stands_before_those_filled_in_from_it(engine):
    script = export(engine)
    assert script.index("SYSTEM.DEFAULT.LOCAL.QUEUE") < script.index("QLOCAL('DLQ')")


def test_a_rule_that_was_removed_is_removed_again(engine):
    other = EngineDouble()
    run(other, export(engine), NOW)
    rules = [each.attributes for each in other.objects.all("CHLAUTH")]
    assert [rule["ADDRESS"] for rule in rules if rule["CHLAUTH"] == "SYSTEM.*"] == ["10.1.*"]


def test_passwords_are_neither_written_nor_lost():
    engine = EngineDouble()
    run(engine, "DEFINE CHANNEL(S) CHLTYPE(SDR) CONNAME(X) XMITQ(X) USERID('me') PASSWORD('secret')", NOW)
    script = export(engine)
    assert "secret" not in script
    assert "*  PASSWORD(********) +" in script
    run(engine, script, NOW)
    assert engine.objects.find("CHANNEL", "S").attributes["PASSWORD"] == "secret"
    assert "PASSWORD('secret')" in export(engine, secrets=True)


def test_lines_are_short_and_continued():
    engine = EngineDouble()
    run(engine, f"DEFINE SERVICE(S) STARTARG('{'word + * - ' * 99}')", NOW)
    script = export(engine)
    assert max(map(len, script.splitlines())) <= 79
    other = EngineDouble()
    run(other, script, NOW)
    assert definitions(other) == definitions(engine)


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=1000))
def test_any_text_survives(text):
    engine, other = EngineDouble(), EngineDouble()
    engine.define(
        "SERVICE",
        "S",
        {**engine.objects.find("SERVICE", "SYSTEM.DEFAULT.SERVICE").attributes, "STARTARG": text.rstrip(" ")},
        NOW,
    )
    replies = run(other, export(engine), NOW)
    assert [reply.id for reply in replies] == ["AMQ8625I"]
    assert other.objects.find("SERVICE", "S").attributes["STARTARG"] == text.rstrip(" ")
