"""A connection in a forked child is broken (2009), and the parent goes on."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

import penstock

VERBS: dict[str, Callable[[penstock.QueueManager], object]] = {
    "put": lambda qm: qm.put("Q", b"from the child"),
    "get": lambda qm: qm.get("Q"),
    "commit": lambda qm: qm.commit(),
    "prepare": lambda qm: qm.prepare("outside id"),
    "prepared": lambda qm: qm.prepared(),
    "output": lambda qm: qm.batches.output("Q", b"from the child"),
}


def reason_in_child(verb: Callable[[], object]) -> int:
    """Do something in a forked child; return the reason code it failed with, 0 for none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        reason = 0
        try:
            verb()
        except penstock.MQError as failure:
            reason = failure.reason
        finally:
            os.write(writing, b"%d" % reason)
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as answer:
        return int(answer.read())


@pytest.mark.parametrize("verb", VERBS)
def test_the_child_gets_2009_and_the_parent_is_not_touched(qm, queue, verb):
    qm.put(queue, b"a", persistent=True)
    assert reason_in_child(lambda: VERBS[verb](qm)) == 2009
    assert [m.body for m in qm.get_many(queue, 5)] == [b"a"]


def test_a_unit_that_is_open_at_the_fork_stays_the_parents(qm, queue, embed):
    unit = qm.unit_of_work()
    with unit:
        qm.put(queue, b"a", persistent=True)
        assert reason_in_child(lambda: unit.__exit__(None, None, None)) == 2009
        qm.put(queue, b"b", persistent=True)
    qm.close()
    assert [m.body for m in embed().get_many(queue, 5)] == [b"a", b"b"]


def test_a_script_that_is_under_way_at_the_fork_stays_the_parents(qm):
    script = qm.mqsc_script(["DEFINE QLOCAL(NEW)"])
    assert reason_in_child(lambda: list(script)) == 2009
