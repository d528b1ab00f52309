"""SEMANTICS 3: an unlimited wait (None) ends with a message."""

from __future__ import annotations

import time

from penstock import Get


def test_none_waits_until_a_message_comes(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=None)
    waiting(qm)
    time.sleep(0.05)
    still = not future.done()

    qm.put(queue, b"at last")

    assert still
    assert future.result(60).body == b"at last"


def test_a_handle_waits_without_limit_too(qm, queue, spawn, waiting) -> None:
    with qm.open(queue) as handle:
        future = spawn(handle.get, options=Get.WAIT, wait=None)
        waiting(qm)
        qm.put(queue, b"at last")
        assert future.result(60).body == b"at last"
