"""Destinations (section 8): managed queues, queues of the caller's, aliases, other queue managers."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


def test_managed_queues_have_mqs_names(qm):
    with qm.subscribe("a") as sub, qm.subscribe("a", durable="s") as kept:
        assert sub.queue.startswith("SYSTEM.MANAGED.NDURABLE.")
        assert kept.queue.startswith("SYSTEM.MANAGED.DURABLE.")
        assert len(sub.queue.rpartition(".")[2]) == 16


def test_a_subscription_that_is_not_durable_ends_with_its_close(qm):
    sub = qm.subscribe("a")
    queue = sub.queue
    qm.publish("a", b"m")
    sub.close()
    assert queue not in qm.engine.queues
    assert qm.publish("a", b"m", options=mq.MQPMO_WARN_IF_NO_SUBS_MATCHED).warning == 2550


def test_and_with_its_connection(embed):
    first, second = embed(), embed()
    sub = first.subscribe("a")
    queue = sub.queue
    first.close()
    assert queue not in second.engine.queues
    assert second.publish("a", b"m", options=mq.MQPMO_WARN_IF_NO_SUBS_MATCHED).warning == 2550


def test_a_durable_one_is_removed_when_asked(qm):
    sub = qm.subscribe("a", durable="s")
    queue = sub.queue
    sub.close(remove=True)
    assert queue not in qm.engine.queues
    assert "s" not in qm.engine.pubsub.subscriptions


def test_a_queue_of_the_callers(qm, queue, bodies):
    with qm.subscribe("a", queue=queue) as sub:
        qm.publish("a", b"m")
        assert sub.queue == queue
        assert qm.get(queue).body == b"m"
    assert queue in qm.engine.queues


def test_two_subscriptions_may_share_a_queue(qm, queue):
    with qm.subscribe("a", queue=queue), qm.subscribe("#", queue=queue):
        qm.publish("a", b"m")
        assert len(qm.get_many(queue, 5)) == 2


def test_an_unknown_queue_is_2085(qm, fails):
    with fails(2085):
        qm.subscribe("a", queue="NONE")


def test_managed_and_provided_exclude_each_other(qm, queue, fails):
    with fails(2522):
        qm.subscribe("a", queue=queue, options=mq.MQSO_CREATE | mq.MQSO_MANAGED)


def test_an_alias_leads_on(qm, queue, run):
    run("DEFINE QALIAS(A) TARGET(Q)")
    with qm.subscribe("a", queue="A", durable="s"):
        qm.publish("a", b"m")
    assert qm.get(queue).body == b"m"


def test_another_queue_manager_gets_a_transmission_header(qm, run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    with qm.subscribe("a", queue="THERE", qmgr="QM2", durable="s"):
        qm.publish("a", b"m")
    message = qm.get("QM2")
    assert message.format == mq.MQFMT_XMIT_Q_HEADER
    assert message.body.endswith(b"m")


def test_a_queue_that_comes_back_is_found_again(qm, run):
    run("DEFINE QLOCAL(Q)")
    run("DEFINE SUB(S) TOPICSTR('a') DEST(Q)")
    qm.publish("a", b"1")
    run("DELETE QLOCAL(Q) PURGE")
    qm.publish("a", b"lost")
    run("DEFINE QLOCAL(Q)")
    qm.publish("a", b"2")
    qm.publish("a", b"3")
    assert [m.body for m in qm.get_many("Q", 5)] == [b"2", b"3"]


@pytest.mark.parametrize("persistent", [False, True])
def test_decision_a_temporary_managed_queue_takes_copies_that_are_not_persistent(qm, persistent):
    with qm.subscribe("a") as sub, qm.subscribe("a", durable="s") as kept:
        qm.publish("a", b"m", persistent=persistent)
        assert (sub.get().persistent, kept.get().persistent) == (False, persistent)


def test_messages_are_got_in_units_of_work(qm):
    with qm.subscribe("a") as sub:
        qm.publish("a", b"m")
        qm.begin()
        assert sub.get().body == b"m"
        qm.backout()
        again = sub.get()
        assert (again.body, again.backout_count) == (b"m", 1)


def test_a_get_waits(qm, spawn, waiting):
    with qm.subscribe("a") as sub:
        future = spawn(sub.get, wait=120.0)
        waiting(qm, sub.queue)
        qm.publish("a", b"m")
        assert future.result(60).body == b"m"


def test_iteration_ends_with_the_subscription(qm, spawn, waiting):
    sub = qm.subscribe("a")
    seen = []
    future = spawn(lambda: seen.extend(message.body for message in sub))
    waiting(qm, sub.queue)
    qm.publish("a", b"1")
    waiting(qm, sub.queue)
    sub.close()
    future.result(60)
    assert seen == [b"1"]


def test_decision_a_durable_subscription_has_no_temporary_queue(qm, run, fails):
    run("DEFINE QMODEL(TEMPORARY) DEFTYPE(TEMPDYN)")
    run("DEFINE TOPIC(T) TOPICSTR('t') MDURMDL(TEMPORARY)")
    with fails(2436):
        qm.subscribe("t", durable="managed")
    with qm.open("SYSTEM.DEFAULT.MODEL.QUEUE") as handle, fails(2436):
        qm.subscribe("t", durable="provided", queue=handle.name)
    assert not qm.engine.pubsub.subscriptions


def test_a_group_gets_one_copy_of_what_several_of_it_match(qm, run):
    run("DEFINE QLOCAL(Q)")
    for correl_id in (b"1" * 24, b"2" * 24):
        for topic in ("a/b", "a/#", "+/b"):
            qm.subscribe(topic, queue="Q", correl_id=correl_id, options=mq.MQSO_CREATE | mq.MQSO_GROUP_SUB)
    qm.subscribe("#", queue="Q", correl_id=b"1" * 24)
    qm.publish("a/b", b"m")
    assert sorted(m.correl_id[:1] for m in qm.get_many("Q", 9)) == [b"1", b"1", b"2"]


def test_a_group_looks_at_each_selector(qm, run):
    run("DEFINE QLOCAL(Q)")
    group = {"queue": "Q", "correl_id": b"1" * 24, "options": mq.MQSO_CREATE | mq.MQSO_GROUP_SUB}
    qm.subscribe("a", selector="x = 1", **group)
    qm.subscribe("#", selector="x = 2", **group)
    for number in (1, 2, 3):
        qm.publish("a", b"%d" % number, properties={"x": number})
    assert [m.body for m in qm.get_many("Q", 9)] == [b"1", b"2"]


def test_what_a_group_needs(embed, fails):
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    options = mq.MQSO_CREATE | mq.MQSO_GROUP_SUB
    with fails(2046):
        qm.subscribe("a", queue="Q", options=options)
    with fails(2046):
        qm.subscribe("a", correl_id=b"1" * 24, options=options)
    both = {"queue": "Q", "correl_id": b"1" * 24}
    for topic in ("a", "#"):
        qm.subscribe(topic, durable=topic, options=options | mq.MQSO_RESUME, **both).close()
    with fails(2515):
        qm.subscribe("a", durable="a", queue="Q", options=mq.MQSO_CREATE | mq.MQSO_RESUME)
    qm.close()
    qm = embed()
    qm.publish("a", b"m")
    assert len(qm.get_many("Q", 9)) == 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"user_data": "\ud800"}, 2431),
        ({"appl_identity_data": "\ud800"}, 2046),
        ({"selector": "a = '\ud800'"}, 2459),
        ({"expiry": 10**400}, 2013),
        ({"accounting_token": b"x" * 33}, 2046),
        ({"appl_identity_data": "x" * 33}, 2046),
        ({"appl_identity_data": "\u00e9" * 17}, 2046),
    ],
)
def test_a_subscribe_that_fails_leaves_no_managed_queue(qm, fails, wrong, reason):
    with fails(reason):
        qm.subscribe("t", durable="d", **wrong)
    assert [name for name in qm.engine.queues if name.startswith("SYSTEM.MANAGED.")] == []


def test_a_durable_subscription_gets_no_temporary_queue_by_alter_or_command_either(qm, run, fails):
    run("DEFINE QLOCAL(D)")
    with qm.open("SYSTEM.DEFAULT.MODEL.QUEUE", mq.MQOO_INPUT_SHARED) as temporary:
        run(f"DEFINE QALIAS(A) TARGET('{temporary.name}')")
        with qm.subscribe("t", queue="D", durable="d") as sub:
            for name in (temporary.name, "A"):
                with fails(2436):
                    sub.alter(queue=name)
                for command in (
                    f"DEFINE SUB(E) TOPICSTR('t') DEST('{name}')",
                    f"ALTER SUB('d') DEST('{name}')",
                ):
                    (answer,) = qm.mqsc(command)
                    assert (answer.failed, answer.reason) == (True, 2436)
            assert sub.queue == "D"
        with qm.subscribe("t", queue="D") as passing:
            passing.alter(queue=temporary.name)
