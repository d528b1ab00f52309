"""Clause 4: ALTER changes what is given and nothing else."""

from __future__ import annotations

import pytest


def test_other_attributes_stay(mqsc, engine):
    mqsc("DEFINE QLOCAL(A) MAXDEPTH(5) DESCR('x')")
    (reply,) = mqsc("ALTER QLOCAL(A) DESCR('y')")
    values = engine.objects.find("QUEUE", "A").attributes
    assert (reply.id, values["MAXDEPTH"], values["DESCR"]) == ("AMQ8008I", 5, "y")


def test_the_queue_manager_is_altered_without_a_name(mqsc, engine):
    (reply,) = mqsc("ALTER QMGR DEADQ(DLQ) MAXHANDS(10) FORCE")
    values = engine.objects.find("QMGR", "QM1").attributes
    assert (reply.id, values["DEADQ"], values["MAXHANDS"]) == ("AMQ8005I", "DLQ", 10)


def test_blank_takes_a_value_away(mqsc, engine):
    mqsc("ALTER QMGR CONNAUTH('')")
    assert engine.objects.find("QMGR", "QM1").attributes["CONNAUTH"] == ""


@pytest.mark.parametrize("command", ["ALTER QLOCAL(NONE) GET(DISABLED)", "ALTER QALIAS(A) PUT(DISABLED)"])
def test_an_object_that_is_not_there_is_not_found(mqsc, command):
    (reply,) = mqsc(f"DEFINE QLOCAL(A)\n{command}")[1:]
    assert (reply.id, reply.reason) == ("AMQ8147E", 2085)


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("PROCESS(A)", "AMQ8012I"),
        ("NAMELIST(A)", "AMQ8551I"),
        ("LISTENER(A)", "AMQ8623I"),
        ("TOPIC(A)", "AMQ8691I"),
        ("SERVICE(A)", "AMQ8622I"),
        ("QREMOTE(A)", "AMQ8008I"),
    ],
)
def test_each_kind_answers_with_its_id(mqsc, kind, number):
    needed = "TOPICSTR('a')" if kind.startswith("TOPIC") else ""
    assert mqsc(f"DEFINE {kind} {needed}\nALTER {kind} DESCR('new')")[-1].id == number


def test_a_channel_is_found_with_or_without_its_type(mqsc):
    replies = mqsc(
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME(X)\nALTER CHANNEL(C) DESCR('a')\n"
        "ALTER CHANNEL(C) CHLTYPE(CLNTCONN) DESCR('b')\nALTER CHANNEL(C) CHLTYPE(SDR) DESCR('c')"
    )
    assert [reply.id for reply in replies] == ["AMQ8014I", "AMQ8016I", "AMQ8016I", "AMQ8147E"]


def test_attributes_of_another_channel_type_are_refused(mqsc):
    first = mqsc("DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(X) XMITQ(X)\nALTER CHANNEL(C) SHARECNV(1)")[1]
    assert first.id == "AMQ8405I"
    assert "SHARECNV" in first.text


def test_the_topic_string_of_a_topic_is_fixed(mqsc):
    replies = mqsc(
        "DEFINE TOPIC(T) TOPICSTR('a')\nALTER TOPIC(T) TOPICSTR('b')\nALTER TOPIC(T) TOPICSTR('a')"
    )
    assert [reply.id for reply in replies] == ["AMQ8690I", "AMQ8425E", "AMQ8691I"]


def test_repository_and_its_namelist_exclude_each_other(mqsc):
    replies = mqsc("ALTER QMGR REPOS(C)\nALTER QMGR REPOSNL(N)\nALTER QMGR REPOS(' ') REPOSNL(N)")
    assert [reply.id for reply in replies] == ["AMQ8005I", "AMQ8432E", "AMQ8005I"]
