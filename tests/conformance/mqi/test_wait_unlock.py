"""SEMANTICS 3, 6: a message that becomes unlocked ends a wait."""

from __future__ import annotations

from penstock import Get, Open


def test_unlock_ends_the_wait(qm, queue, spawn, waiting) -> None:
    qm.put(queue, b"locked")
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        future = spawn(qm.get, queue, wait=120.0)
        waiting(qm)
        handle.get(options=Get.UNLOCK)
        assert future.result(60).body == b"locked"


def test_closing_the_handle_ends_the_wait(qm, queue, spawn, waiting) -> None:
    qm.put(queue, b"locked")
    handle = qm.open(queue, Open.BROWSE)
    handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    handle.close()

    assert future.result(60).body == b"locked"


def test_browsing_on_ends_the_wait(qm, queue, spawn, waiting) -> None:
    qm.put(queue, b"locked", correl_id=b"1")
    qm.put(queue, b"next", correl_id=b"2")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        future = spawn(qm.get, queue, wait=120.0, correl_id=b"1")
        waiting(qm)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"next"
        assert future.result(60).body == b"locked"
