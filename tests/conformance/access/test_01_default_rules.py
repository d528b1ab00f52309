"""Clause 1: what a new queue manager lets in."""

from __future__ import annotations


def test_a_user_comes_in_by_a_channel_without_rules(knock):
    decision = knock()
    assert (decision.allowed, decision.user, decision.rule) == (True, "bob", None)


def test_system_channels_are_closed(knock):
    decision = knock("SYSTEM.DEF.SVRCONN")
    assert not decision.allowed
    assert (decision.reason, decision.log_id) == (2035, "AMQ9777E")
    assert decision.blocked_by.profile == "SYSTEM.*"
    assert "CHLAUTH(SYSTEM.*) TYPE(ADDRESSMAP) ADDRESS(*) USERSRC(NOACCESS)" in decision.text


def test_the_administration_channel_is_open_to_users_only(knock, right):
    assert knock("SYSTEM.ADMIN.SVRCONN").allowed
    decision = knock("SYSTEM.ADMIN.SVRCONN", user="mqm", verdict=right("mqm"))
    assert not decision.allowed
    assert (decision.log_id, decision.blocked_by.kind) == ("AMQ9776E", "BLOCKUSER")


def test_disabled_rules_are_not_looked_at(knock, rules):
    rules("ALTER QMGR CHLAUTH(DISABLED)")
    assert knock("SYSTEM.DEF.SVRCONN").allowed


def test_decision_disabled_rules_leave_blocked_addresses_alone_too(knock, rules):
    rules("SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('10.*')\nALTER QMGR CHLAUTH(DISABLED)")
    assert knock().allowed


def test_decision_an_administrator_is_not_believed_on_his_word(knock, rules, right):
    rules("ALTER QMGR CHLAUTH(DISABLED)")
    decision = knock(user="mqm")
    assert not decision.allowed
    assert "prove" in decision.text
    assert knock(user="mqm", verdict=right("mqm")).allowed


def test_decision_nobody_is_not_let_in(knock):
    assert not knock(user="").allowed
