"""SEMANTICS 3: a waiting get is woken by a put from another thread."""

from __future__ import annotations

from penstock import Get, Open


def test_a_put_ends_the_wait(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    qm.put(queue, b"here")

    assert future.result(60).body == b"here"


def test_a_persistent_put_ends_the_wait(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    qm.put(queue, b"here", persistent=True)

    assert future.result(60).persistent
    assert qm.get(queue) is None


def test_a_handle_that_waits_is_woken(qm, queue, spawn, waiting) -> None:
    with qm.open(queue) as handle:
        future = spawn(handle.get, options=Get.WAIT, wait=120.0)
        waiting(qm)
        qm.put(queue, b"here")
        assert future.result(60).body == b"here"


def test_a_browse_that_waits_is_woken_and_leaves_the_message(qm, queue, spawn, waiting) -> None:
    with qm.open(queue, Open.BROWSE) as handle:
        future = spawn(handle.get, options=Get.WAIT | Get.BROWSE_NEXT, wait=120.0)
        waiting(qm)
        qm.put(queue, b"here")
        assert future.result(60).body == b"here"
    assert qm.get(queue).body == b"here"


def test_a_message_that_does_not_match_does_not_end_the_wait(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0, correl_id=b"mine")
    waiting(qm)

    qm.put(queue, b"other", correl_id=b"yours")
    qm.put(queue, b"right", correl_id=b"mine")

    assert future.result(60).body == b"right"
    assert qm.get(queue).body == b"other"


def test_a_message_that_is_there_needs_no_wait(qm, queue) -> None:
    qm.put(queue, b"there")

    assert qm.get(queue, wait=60.0).body == b"there"
