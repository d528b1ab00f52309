"""Publications in units of work (section 8): seen at commit, gone after a backout, counted once."""

from __future__ import annotations

import pytest

import penstock


@pytest.mark.parametrize("persistent", [False, True])
def test_commit_shows_and_backout_removes(qm, bodies, persistent):
    with qm.subscribe("a", durable="s") as sub, qm.subscribe("#", durable="t") as other:
        with qm.unit_of_work():
            qm.publish("a", b"1", persistent=persistent)
            assert qm.engine.queues[sub.queue].uncommitted == 1
        qm.begin()
        qm.publish("a", b"2", persistent=persistent)
        qm.backout()
        assert (bodies(sub), bodies(other)) == ([b"1"], [b"1"])
        assert qm.engine.queues[sub.queue].uncommitted == 0


def test_others_see_nothing_before(qm, embed):
    other = embed()
    with other.subscribe("a") as sub:
        qm.begin()
        qm.publish("a", b"1")
        assert sub.get() is None
        qm.commit()
        assert sub.get().body == b"1"


def test_no_syncpoint_is_seen_at_once(qm):
    with qm.subscribe("a") as sub:
        qm.begin()
        qm.publish("a", b"1", options=penstock.Put.NO_SYNCPOINT)
        assert sub.get(options=penstock.Get.NO_SYNCPOINT).body == b"1"
        qm.backout()


def test_decision_a_publication_counts_once_against_maxumsgs(qm, run, fails):
    run("ALTER QMGR MAXUMSGS(3)")
    with qm.subscribe("a"), qm.subscribe("a"), qm.subscribe("a"), qm.subscribe("a"):
        qm.begin()
        for _ in range(3):
            qm.publish("a", b"m")
        with fails(2024):
            qm.publish("a", b"m")
        qm.backout()


@pytest.mark.parametrize("commit", [True, False])
def test_a_prepared_unit_keeps_its_publications_over_a_restart(embed, bodies, commit):
    qm = embed()
    qm.subscribe("a", durable="s").close()
    qm.subscribe("a", durable="t").close()
    qm.begin()
    qm.publish("a", b"m", persistent=True)
    qm.prepare("x1")
    qm.close()
    qm = embed()
    (qm.commit_prepared if commit else qm.backout_prepared)("x1")
    with qm.subscribe(durable="s") as sub, qm.subscribe(durable="t") as other:
        expected = [b"m"] if commit else []
        assert (bodies(sub), bodies(other)) == (expected, expected)


def test_a_body_stands_in_the_journal_once(qm):
    subs = [qm.subscribe("a", durable=f"s{number}") for number in range(20)]
    body = bytes(50_000)
    before = qm.host.journal.end
    qm.publish("a", body, persistent=True)
    assert qm.host.journal.end - before < 1.2 * len(body)
    messages = [sub.get() for sub in subs]
    assert all(message.body is messages[0].body for message in messages)
