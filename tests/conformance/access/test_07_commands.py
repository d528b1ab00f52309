"""Clause 7: what authority each command needs."""

from __future__ import annotations

import pytest

import penstock
from penstock.admin.syntax import COMMANDS, nouns_of
from tests.conformance.access.authority_steps import add_users, grant, let_in

DEFINITIONS = """
DEFINE QLOCAL(A)
DEFINE QLOCAL(B)
DEFINE CHANNEL(C) CHLTYPE(SVRCONN)
DEFINE CHANNEL(CC) CHLTYPE(CLNTCONN) CONNAME('h')
DEFINE LISTENER(L) TRPTYPE(TCP)
DEFINE TOPIC(T) TOPICSTR('t')
"""


@pytest.fixture
def qm(penstock_home):
    with penstock.embed("QM1", create=True) as qm:
        assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))
        add_users(penstock_home, bob="")
        let_in(qm, "PRINCIPAL('bob')")
        yield qm


@pytest.fixture
def bob(qm):
    with penstock.embed("QM1", user="bob") as bob:
        yield bob


@pytest.mark.parametrize(
    ("command", "profile", "kind", "word"),
    [
        ("DEFINE QLOCAL(NEW)", "@class", "QUEUE", "CRT"),
        ("DEFINE QLOCAL(A) REPLACE", "A", "QUEUE", "CHG"),
        ("DEFINE CHANNEL(NEW) CHLTYPE(SVRCONN)", "@class", "CHANNEL", "CRT"),
        ("DEFINE CHANNEL(NEW) CHLTYPE(CLNTCONN) CONNAME('h')", "@class", "CLNTCONN", "CRT"),
        ("ALTER QLOCAL(A) DESCR('x')", "A", "QUEUE", "CHG"),
        ("ALTER CHANNEL(C) CHLTYPE(SVRCONN) DESCR('x')", "C", "CHANNEL", "CHG"),
        ("ALTER CHANNEL(CC) CHLTYPE(CLNTCONN) DESCR('x')", "CC", "CLNTCONN", "CHG"),
        ("ALTER QMGR DESCR('x')", "self", "QMGR", "CHG"),
        ("DELETE QLOCAL(A)", "A", "QUEUE", "DLT"),
        ("CLEAR QLOCAL(A)", "A", "QUEUE", "CLR"),
        ("DISPLAY QLOCAL(A)", "A", "QUEUE", "DSP"),
        ("DISPLAY QSTATUS(A)", "A", "QUEUE", "DSP"),
        ("DISPLAY TOPIC(T)", "T", "TOPIC", "DSP"),
        ("DISPLAY QMGR", "self", "QMGR", "DSP"),
        ("DISPLAY CHLAUTH(*)", "self", "QMGR", "DSP"),
        ("DISPLAY AUTHREC", "self", "QMGR", "DSP"),
        ("DISPLAY CONN(*)", "self", "QMGR", "DSP"),
        ("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('x')", "self", "QMGR", "CHG"),
        ("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('x') AUTHADD(PUT)", "self", "QMGR", "CHG"),
        ("REFRESH SECURITY", "self", "QMGR", "CHG"),
    ],
)
def test_each_command_needs_its_authority(qm, bob, command, profile, kind, word):
    first = bob.mqsc(command)[0]
    assert (first.id, first.reason) == ("AMQ8135E", 2035)
    assert f"lacks {word} for {kind}" in first.text
    grant(qm, f"PROFILE('{profile}') OBJTYPE({kind}) PRINCIPAL('bob') AUTHADD({word})")
    assert not bob.mqsc(command)[0].failed


@pytest.mark.parametrize(
    ("command", "word"),
    [("START LISTENER(L)", "CTRL"), ("RESET CHANNEL(C)", "CTRLX"), ("PING CHANNEL(C)", "CTRL")],
)
def test_control_commands_need_control(qm, bob, command, word):
    assert f"lacks {word}" in bob.mqsc(command)[0].text
    kind = "LISTENER" if "LISTENER" in command else "CHANNEL"
    grant(qm, f"PROFILE('**') OBJTYPE({kind}) PRINCIPAL('bob') AUTHADD({word})")
    assert bob.mqsc(command)[0].id != "AMQ8135E"


def test_a_display_of_many_shows_what_may_be_seen(qm, bob):
    assert bob.mqsc("DISPLAY QLOCAL(*)")[0].failed
    grant(qm, "PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(DSP)")
    assert [reply.attributes["QUEUE"] for reply in bob.mqsc("DISPLAY QLOCAL(*)")] == ["A"]
    assert [reply.attributes["QUEUE"] for reply in bob.mqsc("DISPLAY QSTATUS(*)")] == ["A"]


@pytest.mark.parametrize("command", ["DISPLAY SUB({})", "DISPLAY SBSTATUS({})"])
@pytest.mark.parametrize("name", ["*", "S"])
def test_subscriptions_are_seen_with_sight_of_the_queue_manager(qm, bob, command, name):
    qm.mqsc("DEFINE SUB(S) TOPICSTR('t') DEST(A)")
    (refused,) = bob.mqsc(command.format(name))
    assert refused.reason == 2035
    grant(qm, "OBJTYPE(QMGR) PRINCIPAL('bob') AUTHADD(DSP)")
    assert "S" in [reply.attributes.get("SUB") for reply in bob.mqsc(command.format(name))]


def test_a_refused_command_leaves_the_rest_of_the_script(qm, bob):
    grant(qm, "PROFILE(B) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(CHG)")
    replies = bob.mqsc("ALTER QLOCAL(A) DESCR('x')\nALTER QLOCAL(B) DESCR('x')")
    assert [reply.failed for reply in replies] == [True, False]
    assert qm.mqsc("DISPLAY QLOCAL(A) DESCR")[0].attributes["DESCR"] == ""


def test_like_needs_sight_of_what_is_copied(qm, bob):
    grant(qm, "PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(CRT)")
    assert "lacks DSP" in bob.mqsc("DEFINE QLOCAL(NEW) LIKE(A)")[0].text


def test_every_command_has_an_answer_whoever_sends_it(qm, bob):
    for verb in COMMANDS:
        for noun in nouns_of(verb):
            for text in (f"{verb} {noun}(X.Y)", f"{verb} {noun}", f"{verb} {noun}(X.*) ALL"):
                assert bob.mqsc(text), text
