"""Clause 9: SET, DELETE and DISPLAY AUTHREC, DISPLAY ENTAUTH."""

from __future__ import annotations

import pytest

GRANT = "SET AUTHREC PROFILE('DEV.**') PRINCIPAL('app') OBJTYPE(QUEUE) "


def listed(replies) -> tuple:
    return replies[0].attributes["AUTHLIST"]


def test_authorities_are_added_and_removed(mqsc):
    assert mqsc(GRANT + "AUTHADD(GET,PUT)")[0].id == "AMQ8862I"
    mqsc(GRANT + "AUTHADD(INQ) AUTHRMV(PUT)")
    assert listed(mqsc("DISPLAY AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE)")) == ("GET", "INQ")
    mqsc(GRANT + "AUTHRMV(ALL)")
    assert listed(mqsc("DISPLAY AUTHREC PRINCIPAL('app')")) == ("NONE",)


def test_words_for_many_authorities_are_spelt_out(mqsc):
    mqsc(GRANT + "AUTHADD(ALLMQI)")
    assert "SETALL" in listed(mqsc("DISPLAY AUTHREC PRINCIPAL('app')"))


def test_the_queue_manager_needs_no_profile(mqsc):
    mqsc("SET AUTHREC PRINCIPAL('app') OBJTYPE(QMGR) AUTHADD(CONNECT,INQ)")
    (reply,) = mqsc("DISPLAY AUTHREC OBJTYPE(QMGR)")
    assert (reply.id, reply.attributes["PROFILE"]) == ("AMQ8864I", "self")


def test_several_groups_at_once(mqsc, engine):
    mqsc("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g','h') AUTHADD(GET)")
    assert [each.attributes["ENTITY"] for each in engine.objects.all("AUTHREC")] == ["g", "h"]


def test_a_record_is_deleted_once(mqsc):
    mqsc(GRANT + "AUTHADD(GET)")
    command = GRANT.replace("SET", "DELETE", 1)
    assert [reply.id for reply in mqsc(f"{command}\n{command}")] == ["AMQ8863I", "AMQ8459E"]


def test_records_that_apply_to_a_name(mqsc):
    mqsc(GRANT + "AUTHADD(GET)\nSET AUTHREC PROFILE(OTHER) PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(PUT)")
    assert len(mqsc("DISPLAY AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE)")) == 1
    assert mqsc("DISPLAY AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) MATCH(EXACT)")[0].failed


def test_all_that_an_entity_may_do(mqsc):
    mqsc(GRANT + "AUTHADD(GET)\nSET AUTHREC PROFILE(DEV.Q) PRINCIPAL('app') OBJTYPE(QUEUE) AUTHADD(PUT)")
    assert listed(mqsc("DISPLAY ENTAUTH PRINCIPAL('app') OBJTYPE(QUEUE) OBJNAME(DEV.Q)")) == ("PUT",)
    assert listed(mqsc("DISPLAY ENTAUTH PRINCIPAL('app') OBJTYPE(QUEUE) OBJNAME(DEV.R)")) == ("GET",)
    assert "GET" in listed(mqsc("DISPLAY ENTAUTH PRINCIPAL('mqm') OBJTYPE(QUEUE) OBJNAME(DEV.R)"))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("SET AUTHREC PROFILE(A) PRINCIPAL('u') AUTHADD(GET)", "needs OBJTYPE"),
        ("SET AUTHREC OBJTYPE(QUEUE) PRINCIPAL('u') AUTHADD(GET)", "needs PROFILE"),
        ("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) AUTHADD(GET)", "needs PRINCIPAL"),
        ("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('u')", "needs AUTHADD"),
        ("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('u') AUTHADD(FLY)", "BROWSE"),
        ("SET AUTHREC PROFILE(A) OBJTYPE(QUEU) PRINCIPAL('u') AUTHADD(GET)", "did you mean QUEUE?"),
    ],
)
def test_wrong_records_are_refused(mqsc, command, words):
    first = mqsc(command)[0]
    assert first.id == "AMQ8405I"
    assert words in first.text
