"""Resolved names are kept while nothing changes that they were made of, and not a moment longer."""

from __future__ import annotations

from typing import Any

import pytest

import penstock
from penstock import MQError
from tests.conformance.access.authority_steps import add_users, grant, let_in


@pytest.fixture
def qm() -> Any:
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\nDEFINE QALIAS(ALIAS) TARGET(A)", check=True)
        yield qm


@pytest.fixture
def bob(qm: Any, penstock_home: Any) -> Any:
    """A connection whose authority is checked."""
    add_users(penstock_home, bob="sales")
    let_in(qm, "PRINCIPAL('bob')")
    grant(qm, "PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT,GET)")
    with penstock.embed("QM1", user="bob") as bob:
        yield bob


def depths(qm: Any, *names: str) -> list[int]:
    return [qm.engine.queues[name].depth for name in names]


def refused(call: Any, *arguments: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments)
    return caught.value.reason


@pytest.mark.parametrize("name", ["A", "ALIAS"])
@pytest.mark.parametrize(
    "other",
    [
        "DEFINE QLOCAL(OTHER)",
        "ALTER QLOCAL(B) MAXDEPTH(7)",
        "DELETE QLOCAL(B)",
        "DEFINE QALIAS(OTHER) TARGET(B)",
        "DEFINE TOPIC(T) TOPICSTR('t')",
        "DEFINE PROCESS(P)",
        "ALTER QMGR DESCR('other')",
        "SET AUTHREC PROFILE(B) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT)",
    ],
)
def test_a_definition_of_another_object_leaves_a_route_alone(qm: Any, name: str, other: str) -> None:
    qm.put(name, b"1")
    kept = qm.session.routes[name]
    qm.mqsc(other, check=True)
    qm.put(name, b"2")

    assert qm.session.routes[name] is kept


def test_an_altered_queue_counts_at_the_next_put(qm: Any) -> None:
    qm.put("A", b"first")
    qm.mqsc("ALTER QLOCAL(A) DEFPSIST(YES)", check=True)
    qm.put("A", b"last")

    assert [message.persistent for message in qm.get_many("A", 10)] == [False, True]


def test_an_alias_that_is_altered_leads_elsewhere(qm: Any) -> None:
    qm.put("ALIAS", b"")
    qm.mqsc("ALTER QALIAS(ALIAS) TARGET(B)", check=True)
    qm.put("ALIAS", b"")

    assert depths(qm, "A", "B") == [1, 1]


def test_what_an_alias_leads_to_counts_when_it_changes(qm: Any) -> None:
    qm.put("ALIAS", b"")
    qm.mqsc("ALTER QLOCAL(A) PUT(DISABLED)", check=True)
    assert refused(qm.put, "ALIAS", b"") == 2051

    qm.mqsc("ALTER QLOCAL(A) PUT(ENABLED) GET(DISABLED)", check=True)
    qm.put("ALIAS", b"")
    assert refused(qm.get, "ALIAS") == 2016


def test_a_queue_that_was_deleted_and_made_again_is_another_one(qm: Any) -> None:
    qm.put("ALIAS", b"")
    qm.mqsc("DELETE QLOCAL(A) PURGE", check=True)
    assert refused(qm.put, "ALIAS", b"") == 2082

    qm.mqsc("DEFINE QLOCAL(A)", check=True)
    qm.put("ALIAS", b"")
    qm.put("A", b"")
    assert depths(qm, "A") == [2]


def test_a_name_may_become_another_kind_of_queue(qm: Any) -> None:
    qm.put("ALIAS", b"")
    qm.mqsc("DELETE QALIAS(ALIAS)\nDEFINE QLOCAL(ALIAS)", check=True)
    qm.put("ALIAS", b"")

    assert depths(qm, "A", "ALIAS") == [1, 1]


def test_an_alias_of_a_topic_follows_the_topic_object(qm: Any) -> None:
    qm.mqsc("DEFINE TOPIC(T) TOPICSTR('one')\nDEFINE QALIAS(NEWS) TARGTYPE(TOPIC) TARGET(T)", check=True)
    with qm.subscribe("one") as one, qm.subscribe("two") as two:
        qm.put("NEWS", b"1")
        qm.mqsc("DELETE TOPIC(T)\nDEFINE TOPIC(T) TOPICSTR('two')", check=True)
        qm.put("NEWS", b"2")

        assert [one.get().body, two.get().body] == [b"1", b"2"]


def test_a_remote_definition_follows_its_transmission_queue(qm: Any) -> None:
    qm.mqsc(
        "DEFINE QLOCAL(X1) USAGE(XMITQ)\nDEFINE QLOCAL(X2) USAGE(XMITQ)\n"
        "DEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QM2) XMITQ(X1)\nDEFINE QALIAS(NEAR) TARGET(FAR)",
        check=True,
    )
    qm.put("NEAR", b"")
    qm.mqsc("ALTER QREMOTE(FAR) XMITQ(X2)", check=True)
    qm.put("NEAR", b"")
    qm.mqsc("ALTER QLOCAL(X2) USAGE(NORMAL) FORCE", check=True)

    assert refused(qm.put, "NEAR", b"") == 2092
    assert depths(qm, "X1", "X2") == [1, 1]


def test_a_route_by_default_transmission_queue_follows_the_queue_manager(qm: Any) -> None:
    qm.mqsc(
        "DEFINE QLOCAL(X1) USAGE(XMITQ)\nDEFINE QLOCAL(X2) USAGE(XMITQ)\nALTER QMGR DEFXMITQ(X1)\n"
        "DEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QM2)",
        check=True,
    )
    qm.put("FAR", b"")
    qm.mqsc("ALTER QMGR DEFXMITQ(X2)", check=True)
    qm.put("FAR", b"")
    qm.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)", check=True)  # a name that was looked for and not found
    qm.put("FAR", b"")

    assert depths(qm, "X1", "X2", "QM2") == [1, 1, 1]


def test_an_open_handle_takes_over_what_may_change_under_it(qm: Any) -> None:
    with qm.open("ALIAS", penstock.Open.OUTPUT) as handle:
        handle.put(b"1")
        qm.mqsc("ALTER QALIAS(ALIAS) DEFPSIST(YES)", check=True)
        handle.put(b"2")
        qm.mqsc("ALTER QLOCAL(A) PUT(DISABLED)", check=True)
        assert refused(handle.put, b"3") == 2051

    assert [message.persistent for message in qm.get_many("A", 10)] == [False, True]


def test_a_stream_follows_its_queue(qm: Any) -> None:
    qm.mqsc("DEFINE QALIAS(STREAM) TARGET(A)\nALTER QLOCAL(B) STREAMQ(STREAM)", check=True)
    qm.put("B", b"1")
    qm.mqsc("DEFINE QLOCAL(C)\nALTER QALIAS(STREAM) TARGET(C)", check=True)
    qm.put("B", b"2")

    assert depths(qm, "A", "B", "C") == [1, 2, 1]


@pytest.mark.parametrize("name", ["A", "ALIAS"])
def test_authority_that_is_taken_away_is_missed_at_once(qm: Any, bob: Any, name: str) -> None:
    bob.put(name, b"")
    qm.mqsc("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHRMV(PUT)", check=True)

    assert refused(bob.put, name, b"") == 2035
    assert bob.get(name) is not None


def test_authority_that_is_given_counts_at_once(qm: Any, bob: Any) -> None:
    qm.mqsc("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHRMV(ALL)", check=True)
    assert refused(bob.put, "A", b"") == 2035

    qm.mqsc("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT)", check=True)
    bob.put("A", b"")
    assert depths(qm, "A") == [1]


def test_authority_to_publish_is_asked_about_when_topics_or_records_change(qm: Any, bob: Any) -> None:
    qm.mqsc(
        "DEFINE TOPIC(T) TOPICSTR('t')\nSET AUTHREC PROFILE(T) OBJTYPE(TOPIC) PRINCIPAL('bob') AUTHADD(PUB)",
        check=True,
    )
    bob.publish("t", b"")
    qm.mqsc("DELETE TOPIC(T)", check=True)
    assert refused(bob.publish, "t", b"") == 2035

    qm.mqsc("DEFINE TOPIC(T) TOPICSTR('t')", check=True)
    qm.mqsc("SET AUTHREC PROFILE(T) OBJTYPE(TOPIC) PRINCIPAL('bob') AUTHADD(PUB)", check=True)
    bob.publish("t", b"")
    qm.mqsc("SET AUTHREC PROFILE(T) OBJTYPE(TOPIC) PRINCIPAL('bob') AUTHRMV(PUB)", check=True)
    assert refused(bob.publish, "t", b"") == 2035
