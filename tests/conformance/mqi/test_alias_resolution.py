"""Alias queues, resolution (section 2): base queue, 2082 and 2001."""

from __future__ import annotations

from penstock.model import constants as mq


def test_an_alias_leads_to_its_base(qm, queue, run):
    run("DEFINE QALIAS(A) TARGET(Q)")
    receipt = qm.put("A", b"a", priority=3)
    assert receipt.resolved_queue == queue
    assert qm.get(queue).body == b"a"
    qm.put(queue, b"b")
    assert qm.get("A").body == b"b"


def test_an_alias_without_base_is_2082(qm, run, fails):
    run("DEFINE QALIAS(A) TARGET(NOWHERE)")
    for verb in (lambda: qm.put("A", b"a"), lambda: qm.get("A"), lambda: qm.open("A", mq.MQOO_OUTPUT)):
        with fails(2082):
            verb()


def test_an_alias_of_an_alias_is_2001(qm, queue, run, fails):
    run("DEFINE QALIAS(A) TARGET(Q)")
    run("DEFINE QALIAS(B) TARGET(A)")
    with fails(2001):
        qm.open("B", mq.MQOO_OUTPUT)


def test_an_alias_of_a_model_is_2001(qm, run, fails):
    run("DEFINE QALIAS(A) TARGET(SYSTEM.DEFAULT.MODEL.QUEUE)")
    with fails(2001):
        qm.put("A", b"a")


def test_an_altered_alias_leads_elsewhere_at_once(qm, queue, run):
    run("DEFINE QLOCAL(R)")
    run("DEFINE QALIAS(A) TARGET(Q)")
    qm.put("A", b"1")
    run("ALTER QALIAS(A) TARGET(R)")
    qm.put("A", b"2")
    assert (qm.get("Q").body, qm.get("R").body) == (b"1", b"2")


def test_an_open_handle_stays_with_its_base_or_is_of_no_use(qm, queue, run, fails):
    run("DEFINE QLOCAL(R)")
    run("DEFINE QALIAS(A) TARGET(Q)")
    with qm.open("A", mq.MQOO_OUTPUT) as handle:
        run("ALTER QALIAS(A) DESCR('changed')")
        handle.put(b"a")
        run("ALTER QALIAS(A) TARGET(R) FORCE")
        with fails(2041):
            handle.put(b"b")
    assert qm.get(queue).body == b"a"
    assert qm.get("R") is None
