"""Clause 8: SET CHLAUTH and DISPLAY CHLAUTH."""

from __future__ import annotations

import pytest


def rules(replies) -> list[tuple]:
    return [(r.attributes["CHLAUTH"], r.attributes["TYPE"]) for r in replies if r.attributes]


def test_add_replace_remove(mqsc, engine):
    rule = "SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC({}) ACTION({})"
    assert mqsc(rule.format("CHANNEL", "ADD"))[0].id == "AMQ8877I"
    assert mqsc(rule.format("CHANNEL", "ADD"))[0].id == "AMQ8150E"
    assert mqsc(rule.format("NOACCESS", "REPLACE"))[0].id == "AMQ8877I"
    (shown,) = mqsc("DISPLAY CHLAUTH(C)")
    assert shown.attributes["USERSRC"] == "NOACCESS"
    assert mqsc(rule.format("CHANNEL", "REMOVE"))[0].id == "AMQ8877I"
    assert mqsc("DISPLAY CHLAUTH(C)")[0].id == "AMQ8879E"
    assert mqsc(rule.format("CHANNEL", "REMOVE"))[0].id == "AMQ8884E"


def test_lists_grow_and_shrink(mqsc, engine):
    rule = "SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST({}) ACTION({})"
    mqsc(rule.format("'a','b'", "ADD"))
    mqsc(rule.format("'b','c'", "ADD"))
    assert mqsc("DISPLAY CHLAUTH(C)")[0].attributes["USERLIST"] == ("a", "b", "c")
    mqsc(rule.format("'a'", "REMOVE"))
    assert mqsc("DISPLAY CHLAUTH(C)")[0].attributes["USERLIST"] == ("b", "c")
    mqsc(rule.format("'b','c'", "REMOVE"))
    assert mqsc("DISPLAY CHLAUTH(C)")[0].failed


def test_removeall_takes_one_type_of_one_profile(mqsc):
    for address in ("1.*", "2.*"):
        mqsc(f"SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('{address}') USERSRC(CHANNEL)")
    mqsc(
        "SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('x')\n"
        "SET CHLAUTH(CC) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)"
    )
    mqsc("SET CHLAUTH(C) TYPE(ADDRESSMAP) ACTION(REMOVEALL)")
    assert rules(mqsc("DISPLAY CHLAUTH('C*')")) == [("C", "BLOCKUSER"), ("CC", "ADDRESSMAP")]


def test_specific_profiles_come_first(mqsc):
    assert rules(mqsc("DISPLAY CHLAUTH(*)")) == [
        ("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP"),
        ("SYSTEM.*", "ADDRESSMAP"),
        ("*", "BLOCKUSER"),
    ]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("'SYSTEM.*') MATCH(EXACT", ["SYSTEM.*"]),
        ("'SYSTEM.*') MATCH(GENERIC", ["SYSTEM.ADMIN.SVRCONN", "SYSTEM.*"]),
        ("'SYSTEM.ADMIN.SVRCONN') MATCH(ALL", ["SYSTEM.ADMIN.SVRCONN", "SYSTEM.*", "*"]),
        ("'SYSTEM.ADMIN.SVRCONN'", ["SYSTEM.ADMIN.SVRCONN"]),
        ("'*') TYPE(BLOCKUSER", ["*"]),
    ],
)
def test_matching(mqsc, options, found):
    assert [name for name, _ in rules(mqsc(f"DISPLAY CHLAUTH({options})"))] == found


def test_fields_that_say_nothing_are_not_shown(mqsc):
    refusing, mapping = {}, {}
    for reply in mqsc("DISPLAY CHLAUTH('SYSTEM*') ALL"):
        (refusing if reply.attributes["USERSRC"] == "NOACCESS" else mapping).update(reply.attributes)
    assert "WARN" in refusing
    assert "CHCKCLNT" not in refusing
    assert "WARN" not in mapping
    assert mapping["CHCKCLNT"] == "ASQMGR"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("SET CHLAUTH(C)", "needs TYPE"),
        ("SET CHLAUTH(C) TYPE(BLOCKADDR) ADDRLIST('1')", "all channels"),
        ("SET CHLAUTH(C) TYPE(USERMAP) USERSRC(CHANNEL)", "needs CLNTUSER"),
        ("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('u')", "needs MCAUSER"),
        ("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('u') USERSRC(CHANNEL) MCAUSER('m')", "does not go with"),
        ("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('u') QMNAME(Q) MCAUSER('m')", "only of QMGRMAP"),
        ("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('1.2.3') USERSRC(CHANNEL)", "3 parts"),
        ("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('1.2.3.9-4') USERSRC(CHANNEL)", "'9-4'"),
        ("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('1:2:3:4:5:6:7:g') USERSRC(CHANNEL)", "neither"),
        ("SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('bad.example.com')", "no host name"),
        ("SET CHLAUTH(C) TYPE(SSLPEERMAP) SSLPEER('CN') USERSRC(CHANNEL)", "TYPE=value"),
        ("SET CHLAUTH(C) TYPE(SSLPEERMAP) SSLPEER('XX=1') USERSRC(CHANNEL)", "attribute type"),
        ("SET CHLAUTH(C) TYPE(USERMAPS)", "did you mean USERMAP?"),
        ("SET CHLAUTH(ABCDEFGHIJKLMNOPQRSTU) TYPE(BLOCKUSER) USERLIST('a')", "20 characters"),
    ],
)
def test_wrong_rules_are_refused(mqsc, command, words):
    first = mqsc(command)[0]
    assert first.id == "AMQ8405I"
    assert words in first.text


def test_runcheck_answers_for_one_client(mqsc):
    replies = mqsc("DISPLAY CHLAUTH(C) MATCH(RUNCHECK) ADDRESS('1.2.3.4') CLNTUSER('bob')")
    assert [reply.id for reply in replies] == ["AMQ9783I"]
