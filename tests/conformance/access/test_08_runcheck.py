"""Clause 8: DISPLAY CHLAUTH MATCH(RUNCHECK) shows what happens."""

from __future__ import annotations

import pytest

import penstock


@pytest.fixture
def qm():
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE CHANNEL(C) CHLTYPE(SVRCONN)")
        yield qm


def check(qm, options: str, channel: str = "C"):
    return qm.mqsc(f"DISPLAY CHLAUTH({channel}) MATCH(RUNCHECK) {options} ALL")


def test_without_a_rule_the_user_comes_in(qm):
    (reply,) = check(qm, "ADDRESS('10.1.2.3') CLNTUSER('bob')")
    assert reply.text == "Channel will run using MCAUSER('bob')."


def test_the_rule_that_is_used_is_shown(qm):
    qm.mqsc("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('app')")
    qm.mqsc("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    rule, result = check(qm, "ADDRESS('10.1.2.3') CLNTUSER('bob')")
    assert rule.attributes["ADDRESS"] == "10.*"
    assert "'app'" in result.text
    rule, result = check(qm, "ADDRESS('11.1.2.3') CLNTUSER('bob')")
    assert rule.attributes["USERSRC"] == "NOACCESS"
    assert (result.id, result.failed) == ("AMQ9777E", False)


def test_a_rule_that_warns_comes_before_the_one_that_is_used(qm):
    qm.mqsc("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') USERSRC(NOACCESS) WARN(YES)")
    qm.mqsc("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') MCAUSER('app')")
    warning, rule, result = check(qm, "ADDRESS('10.1.2.3') CLNTUSER('bob')")
    assert (warning.attributes["TYPE"], rule.attributes["TYPE"]) == ("USERMAP", "ADDRESSMAP")
    assert "'app'" in result.text


def test_an_administrator_is_shown_what_blocks_him(qm):
    rule, result = check(qm, "ADDRESS('10.1.2.3') CLNTUSER('mqm')")
    assert rule.attributes["USERLIST"] == ("*MQADMIN",)
    assert result.id == "AMQ9776E"


def test_certificates_and_host_names(qm):
    qm.mqsc("SET CHLAUTH(C) TYPE(SSLPEERMAP) SSLPEER('CN=app*') SSLCERTI('CN=CA') MCAUSER('app')")
    qm.mqsc("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*.example.com') MCAUSER('web')")
    asked = "ADDRESS('10.1.2.3') CLNTUSER('bob') SSLPEER('CN=app1,O=X') SSLCERTI('CN=CA')"
    assert "'app'" in check(qm, asked)[-1].text
    assert "'web'" in check(qm, "ADDRESS('a.example.com') CLNTUSER('bob')")[-1].text


def test_rules_are_followed_as_they_change(qm):
    for action, user in (("ADD", "'app'"), ("REPLACE", "'two'"), ("REMOVE", "'bob'")):
        qm.mqsc(f"SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER({user}) ACTION({action})")
        assert user in check(qm, "ADDRESS('10.1.2.3') CLNTUSER('bob')")[-1].text


def test_rules_survive_a_restart(qm):
    qm.mqsc("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('app')")
    qm.close()
    with penstock.embed("QM1") as again:
        assert "'app'" in check(again, "ADDRESS('10.1.2.3') CLNTUSER('bob')")[-1].text


def test_disabled_rules(qm):
    qm.mqsc("ALTER QMGR CHLAUTH(DISABLED)")
    (reply,) = check(qm, "ADDRESS('10.1.2.3') CLNTUSER('bob')")
    assert (reply.failed, reply.reason) == (True, 3357)


@pytest.mark.parametrize(
    ("channel", "options", "words"),
    [("'C*'", "ADDRESS('1.2.3.4')", "one channel"), ("C", "CLNTUSER('bob')", "needs ADDRESS")],
)
def test_incomplete_questions_are_refused(qm, channel, options, words):
    first = check(qm, options, channel)[0]
    assert first.id == "AMQ8405I"
    assert words in first.text
