"""Clause 5: DELETE and CLEAR, and what keeps an object alive."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("what", "number"),
    [
        ("QLOCAL(A)", "AMQ8007I"),
        ("QALIAS(A)", "AMQ8007I"),
        ("PROCESS(A)", "AMQ8011I"),
        ("NAMELIST(A)", "AMQ8553I"),
        ("TOPIC(A)", "AMQ8692I"),
        ("LISTENER(A)", "AMQ8628I"),
        ("SERVICE(A)", "AMQ8627I"),
        ("SUB(A)", "AMQ8097I"),
    ],
)
def test_each_kind_is_deleted_once(mqsc, what, number):
    needed = " TOPICSTR('a')" if what.startswith("TOPIC") else ""
    replies = mqsc(f"DEFINE {what}{needed}\nDELETE {what}\nDELETE {what}")
    assert [reply.id for reply in replies[1:]] == [number, "AMQ8147E"]


def test_a_queue_with_messages_stays_unless_purged(mqsc, engine):
    mqsc("DEFINE QLOCAL(A)")
    engine.depths["A"] = 3
    (refused,) = mqsc("DELETE QLOCAL(A)")
    assert (refused.id, refused.reason) == ("AMQ8143E", 2055)
    assert mqsc("DELETE QLOCAL(A) PURGE")[0].id == "AMQ8007I"


def test_a_queue_in_use_stays(mqsc, engine):
    mqsc("DEFINE QLOCAL(A)")
    engine.in_use.add("A")
    assert [(r.id, r.reason) for r in mqsc("DELETE QLOCAL(A)\nCLEAR QLOCAL(A)")] == [("AMQ8148E", 2042)] * 2


def test_ignstate_forgives_what_is_not_there(mqsc):
    assert mqsc("DELETE QLOCAL(A) IGNSTATE(YES)")[0].id == "AMQ8007I"


def test_a_client_channel_is_chosen_by_its_table(mqsc, engine):
    mqsc(
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME(X)\n"
        "DELETE CHANNEL(C) CHLTABLE(CLNTTBL)"
    )
    assert engine.objects.find("CLNTCONN", "C") is None
    assert engine.objects.find("CHANNEL", "C") is not None


def test_authority_records_of_the_object_go_with_it(mqsc, engine):
    grant = "SET AUTHREC PROFILE({}) OBJTYPE(QUEUE) PRINCIPAL('u') AUTHADD(GET)\n"
    mqsc("DEFINE QLOCAL(A)\n" + grant.format("A") + grant.format("'A.**'") + "DELETE QLOCAL(A)")
    assert [each.attributes["PROFILE"] for each in engine.objects.all("AUTHREC")] == ["A.**"]


def test_clear_empties_a_local_queue(mqsc, engine):
    mqsc("DEFINE QLOCAL(A)")
    engine.depths["A"] = 3
    assert mqsc("CLEAR QLOCAL(A)")[0].id == "AMQ8022I"
    assert engine.depths == {}
    assert mqsc("CLEAR QLOCAL(B)")[0].id == "AMQ8147E"


def test_purge_is_for_local_queues(mqsc):
    assert mqsc("DELETE QALIAS(A) PURGE")[0].id == "AMQ8405I"
