"""Clause 6: DISPLAY of objects, by exact and generic names, with attributes chosen."""

from __future__ import annotations

import pytest


def names(replies) -> list[str]:
    return [str(next(iter(reply.attributes.values()))) for reply in replies if reply.attributes]


def test_an_exact_name_shows_all_attributes(mqsc):
    (reply,) = mqsc("DISPLAY QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE)")
    assert reply.id == "AMQ8409I"
    assert list(reply.attributes)[:3] == ["QUEUE", "TYPE", "ACCTQ"]
    assert reply.attributes["CURDEPTH"] == 0


def test_a_generic_name_shows_names_and_types(mqsc):
    replies = mqsc("DISPLAY QUEUE(SYSTEM.DEFAULT.*)")
    assert {tuple(reply.attributes) for reply in replies} == {("QUEUE", "TYPE")}
    assert names(replies) == sorted(names(replies))


def test_all_shows_everything_of_generic_names(mqsc):
    assert all(
        "PUT" in reply.attributes
        for reply in mqsc("DISPLAY QUEUE(SYSTEM.DEFAULT.*) ALL")
        if reply.attributes["TYPE"] != "QMODEL"
    )


def test_chosen_attributes_come_in_the_usual_order(mqsc):
    (reply,) = mqsc("DIS QL(SYSTEM.DEFAULT.LOCAL.QUEUE) PUT MAXDEPTH GET")
    assert list(reply.attributes) == ["QUEUE", "TYPE", "GET", "MAXDEPTH", "PUT"]


def test_attributes_of_some_kinds_are_left_out_for_others(mqsc):
    mqsc("DEFINE QALIAS(X1)\nDEFINE QLOCAL(X2)")
    assert [list(r.attributes) for r in mqsc("DISPLAY QUEUE(X*) CURDEPTH")] == [
        ["QUEUE", "TYPE"],
        ["QUEUE", "TYPE", "CURDEPTH"],
    ]


@pytest.mark.parametrize("command", ["DIS QUEUE(X*) TYPE(QALIAS)", "DIS QALIAS(X*)", "DIS QA(X*)"])
def test_one_kind_of_queue_can_be_asked_for(mqsc, command):
    mqsc("DEFINE QALIAS(X1)\nDEFINE QLOCAL(X2)")
    assert names(mqsc(command)) == ["X1"]


@pytest.mark.parametrize("name", ["NONE", "NONE*"])
def test_nothing_of_the_name_is_not_found(mqsc, name):
    (reply,) = mqsc(f"DISPLAY QUEUE({name})")
    assert (reply.id, reply.text) == ("AMQ8147E", f"Penstock object {name} not found.")


def test_channels_by_type(mqsc):
    assert names(mqsc("DISPLAY CHANNEL(*) CHLTYPE(SVRCONN)")) == ["SYSTEM.AUTO.SVRCONN", "SYSTEM.DEF.SVRCONN"]
    assert names(mqsc("DISPLAY CHANNEL(*)"))[-1] == "SYSTEM.DEF.CLNTCONN"


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("DISPLAY QMGR", "AMQ8408I"),
        ("DISPLAY PROCESS(*)", "AMQ8407I"),
        ("DISPLAY NAMELIST(*)", "AMQ8550I"),
        ("DISPLAY CHANNEL(*)", "AMQ8414I"),
        ("DISPLAY LISTENER(*)", "AMQ8630I"),
        ("DISPLAY TOPIC(*)", "AMQ8633I"),
        ("DISPLAY SUB(*)", "AMQ8096I"),
        ("DISPLAY AUTHINFO(*)", "AMQ8566I"),
        ("DISPLAY SERVICE(*)", "AMQ8629I"),
        ("DISPLAY COMMINFO(*)", "AMQ8861I"),
        ("DISPLAY CHLAUTH(*)", "AMQ8878I"),
        ("DISPLAY QMSTATUS", "AMQ8705I"),
        ("DISPLAY QSTATUS(SYSTEM.DEAD.LETTER.QUEUE)", "AMQ8450I"),
    ],
)
def test_each_kind_answers_with_its_id(mqsc, command, number):
    assert {reply.id for reply in mqsc(command)} == {number}


def test_groups_of_queue_manager_attributes(mqsc):
    (reply,) = mqsc("DISPLAY QMGR EVENT DEADQ")
    assert "STRSTPEV" in reply.attributes
    assert "DEADQ" in reply.attributes
    assert "MAXMSGL" not in reply.attributes


def test_dates_and_passwords(mqsc):
    mqsc("DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(X) XMITQ(X) PASSWORD('secret')")
    (reply,) = mqsc("DISPLAY CHANNEL(C)")
    assert reply.attributes["PASSWORD"] == "********"
    assert len(reply.attributes["ALTDATE"]) == 10
    assert reply.attributes["ALTTIME"].count(".") == 2
    (sub,) = mqsc("DISPLAY SUB(SYSTEM.DEFAULT.SUB)")
    assert sub.attributes["CRTIME"].count(":") == 2


def test_the_names_of_a_namelist_are_counted(mqsc):
    mqsc("DEFINE NAMELIST(N) NAMES(A,B)")
    (reply,) = mqsc("DISPLAY NAMELIST(N)")
    assert (reply.attributes["NAMCOUNT"], reply.attributes["NAMES"]) == (2, ("A", "B"))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("DISPLAY QLOCAL(A) MAXDEPHT", "did you mean MAXDEPTH?"),
        ("DISPLAY QLOCAL(A) MAXDEPTH(5)", "WHERE(MAXDEPTH EQ"),
        ("DISPLAY QUEUE(A) TYPE(QFOO)", "QLOCAL"),
    ],
)
def test_what_cannot_be_displayed_is_a_syntax_error(mqsc, command, words):
    first = mqsc(command)[0]
    assert first.id == "AMQ8405I"
    assert words in first.text
