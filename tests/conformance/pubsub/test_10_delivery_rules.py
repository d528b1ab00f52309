"""PMSGDLV and NPMSGDLV (section 8): ALL, ALLDUR, ALLAVAIL; 2502, and what USEDLQ saves."""

from __future__ import annotations

import pytest


@pytest.fixture
def full(qm, run):
    """A durable and a non-durable subscription whose queues are full, and one that has room."""
    run("DEFINE QLOCAL(DUR) MAXDEPTH(0)")
    run("DEFINE QLOCAL(NDUR) MAXDEPTH(0)")
    run("DEFINE QLOCAL(ROOM)")
    subs = [qm.subscribe("a", queue="ROOM", durable="room")]

    def fill(*kinds: str) -> None:
        if "durable" in kinds:
            subs.append(qm.subscribe("a", queue="DUR", durable="s"))
        if "other" in kinds:
            subs.append(qm.subscribe("a", queue="NDUR"))

    yield fill
    for sub in subs:
        sub.close()


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    ("rule", "kind", "delivered"),
    [
        ("ALL", "durable", False),
        ("ALL", "other", False),
        ("ALLDUR", "durable", False),
        ("ALLDUR", "other", True),
        ("ALLAVAIL", "durable", True),
        ("ALLAVAIL", "other", True),
    ],
)
def test_rules(qm, run, full, fails, rule, kind, persistent, delivered):
    run(f"DEFINE TOPIC(T) TOPICSTR('a') {'P' if persistent else 'NP'}MSGDLV({rule})")
    full(kind)
    if delivered:
        qm.publish("a", b"m", persistent=persistent)
        assert qm.get("ROOM").body == b"m"
    else:
        with fails(2502):
            qm.publish("a", b"m", persistent=persistent)
        assert qm.get("ROOM") is None
    assert qm.engine.queues["ROOM"].depth == 0


def test_defaults_are_alldur_for_persistent_and_allavail_for_others(qm, full, fails):
    full("durable")
    qm.publish("a", b"m", persistent=False)
    with fails(2502) as caught:
        qm.publish("a", b"m", persistent=True)
    assert (caught.value.fields["subscription"], caught.value.fields["cause"]) == ("s", 2053)


def test_the_dead_letter_queue_saves_the_publish(qm, run, full):
    run("DEFINE TOPIC(T) TOPICSTR('a') PMSGDLV(ALL)")
    run("DEFINE QLOCAL(DEAD)")
    run("ALTER QMGR DEADQ(DEAD)")
    full("durable", "other")
    qm.publish("a", b"m", persistent=True)
    letters = qm.get_many("DEAD", 5)
    assert qm.get("ROOM").body == b"m"
    assert [letter.body.endswith(b"m") for letter in letters] == [True, True]
    assert {letter.body[8:12] for letter in letters} == {(2053).to_bytes(4, "little")}


def test_unless_the_topic_does_not_use_it(qm, run, full, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a') PMSGDLV(ALL) USEDLQ(NO)")
    run("DEFINE QLOCAL(DEAD)")
    run("ALTER QMGR DEADQ(DEAD)")
    full("durable")
    with fails(2502):
        qm.publish("a", b"m", persistent=True)
    assert qm.get("DEAD") is None


def test_a_queue_with_room_for_one_of_two_copies(qm, run, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a') NPMSGDLV(ALL)")
    run("DEFINE QLOCAL(SMALL) MAXDEPTH(1)")
    with qm.subscribe("a", queue="SMALL"), qm.subscribe("a", queue="SMALL"):
        with fails(2502):
            qm.publish("a", b"m")
        assert qm.get("SMALL") is None
        run("ALTER TOPIC(T) NPMSGDLV(ALLAVAIL)")
        qm.publish("a", b"m")
        assert len(qm.get_many("SMALL", 5)) == 1


def test_a_failed_publish_in_a_unit_leaves_the_unit_open(qm, run, full, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a') NPMSGDLV(ALL)")
    full("durable")
    with qm.unit_of_work():
        qm.put("ROOM", b"before")
        with fails(2502):
            qm.publish("a", b"m")
    assert [m.body for m in qm.get_many("ROOM", 5)] == [b"before"]


def test_a_body_that_is_too_long(qm, run, fails):
    run("DEFINE QLOCAL(SHORT) MAXMSGL(10)")
    run("DEFINE TOPIC(T) TOPICSTR('a') NPMSGDLV(ALL)")
    with qm.subscribe("a", queue="SHORT"), fails(2502) as caught:
        qm.publish("a", bytes(11))
    assert caught.value.fields["cause"] == 2030
    run("ALTER QMGR MAXMSGL(32768)")
    with qm.subscribe("b"), fails(2031):
        qm.publish("b", bytes(32769))


def test_copies_with_properties_of_their_own_share_the_body_in_the_journal(qm, bodies):
    subscriptions = [qm.subscribe("a", durable=f"s{n}", user_data=f"data {n}") for n in range(20)]
    body = bytes(200_000)
    before = qm.engine.journal.end
    qm.publish("a", body, persistent=True)
    assert len(body) < qm.engine.journal.end - before < 2 * len(body)
    for number, sub in enumerate(subscriptions):
        message = sub.get()
        assert (message.properties["MQSubUserData"], message.body) == (f"data {number}", body)
