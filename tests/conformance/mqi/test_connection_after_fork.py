"""A connection in a forked child is broken (2009), and the parent goes on."""

from __future__ import annotations

import os

import penstock


def test_the_child_gets_2009_and_the_parent_is_not_touched(qm, queue):
    qm.put(queue, b"a", persistent=True)
    child = os.fork()
    if child == 0:
        answer = 1
        try:
            qm.put(queue, b"from the child")
        except penstock.MQError as failure:
            answer = 0 if failure.reason == 2009 else 2
        finally:
            os._exit(answer)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert [m.body for m in qm.get_many(queue, 5)] == [b"a"]
