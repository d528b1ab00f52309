"""Triggers that become possible later (section 5): monitor, process, attributes, GET, restart."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def waiting_queue(qm, run):
    run("DEFINE PROCESS(P)")
    run("DEFINE QLOCAL(INIT)")
    run("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P) DEFPSIST(YES)")


def count(monitor):
    found = 0
    while monitor.get(quiet=True) is not None:
        found += 1
    return found


def test_the_monitor_that_opens_the_initiation_queue_gets_it(qm, waiting_queue):
    qm.put("Q", b"a")
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        assert count(monitor) == 1


def test_an_empty_queue_has_nothing_to_tell_it(qm, waiting_queue):
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        assert count(monitor) == 0


def test_triggering_switched_on_fires_for_what_is_there(qm, waiting_queue, run):
    run("ALTER QLOCAL(Q) NOTRIGGER")
    qm.put("Q", b"a")
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        assert count(monitor) == 0
        run("ALTER QLOCAL(Q) TRIGGER")
        assert count(monitor) == 1


def test_an_alter_of_something_else_does_not_fire_again(qm, waiting_queue, run):
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        qm.put("Q", b"a")
        assert count(monitor) == 1
        run("ALTER QLOCAL(Q) DESCR('x')")
        run("ALTER QMGR DESCR('x')")
        assert count(monitor) == 0


def test_get_enabled_fires_for_what_is_there(qm, waiting_queue, run):
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        run("ALTER QLOCAL(Q) GET(DISABLED)")
        qm.put("Q", b"a")
        assert count(monitor) == 0
        run("ALTER QLOCAL(Q) GET(ENABLED)")
        assert count(monitor) == 1


def test_the_process_defined_late_fires(qm, waiting_queue, run):
    run("DELETE PROCESS(P)")
    with qm.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        qm.put("Q", b"a")
        assert count(monitor) == 0
        run("DEFINE PROCESS(P)")
        assert count(monitor) == 1
        run("DEFINE PROCESS(P) REPLACE")
        assert count(monitor) == 0


def test_after_a_restart_the_monitor_gets_it(qm, embed, waiting_queue):
    qm.put("Q", b"a")
    qm.close()
    with embed().open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        assert count(monitor) == 1


def test_after_a_restart_a_put_fires(qm, embed, waiting_queue):
    qm.close()
    again = embed()
    with again.open("INIT", mq.MQOO_INPUT_SHARED) as monitor:
        again.put("Q", b"a")
        assert count(monitor) == 1
