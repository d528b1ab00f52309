"""MQDISC: a connection that is closed is no connection any more (2018)."""

from __future__ import annotations

from penstock.tools import trigger_monitor


def test_every_verb_on_a_closed_connection_is_2018(qm, embed, queue, fails):
    other = embed()
    handle = other.open(queue)
    script = other.mqsc_script(["DISPLAY QMGR"])
    other.close()
    for verb in (
        lambda: other.put(queue, b"a"),
        lambda: other.put(queue, b"a", priority=1),
        lambda: other.get(queue),
        lambda: other.open(queue),
        lambda: other.begin(),
        lambda: other.commit(),
        lambda: other.mqsc("DISPLAY QMGR"),
        lambda: next(script),
        lambda: other.prepare("outside id"),
        lambda: other.prepared(),
        lambda: other.batches.output(queue, b"a"),
        lambda: trigger_monitor.awaited(other, queue),
        lambda: handle.put(b"a"),
        lambda: handle.get(),
        lambda: handle.close(),
    ):
        with fails(2018):
            verb()


def test_closing_twice_closes_once(qm, embed, queue, fails):
    other = embed()
    qm.close()
    qm.close()
    with fails(2018):
        qm.put(queue, b"x")
    other.put(queue, b"the other connection is not closed with it")


def test_closing_from_two_threads_is_one_close(qm, embed, queue, spawn, until):
    other = embed()
    with qm.gate:
        first, second = spawn(other.close), spawn(other.close)
        until(lambda: first.done() or second.done())
    assert first.result(60) is second.result(60) is None
    qm.put(queue, b"a", persistent=True)
    assert qm.host.users == 1


def test_others_go_on(qm, embed, queue):
    embed().close()
    qm.put(queue, b"a")
    assert qm.get(queue).body == b"a"


def test_a_with_block_disconnects(embed, fails):
    with embed("QM5") as qm:
        pass
    with fails(2018):
        qm.get("SYSTEM.DEFAULT.LOCAL.QUEUE")
