"""A handle that is closed while a get waits on it: 2019 for the getter, nothing for others."""

from __future__ import annotations

import penstock


def test_the_getter_gets_2019(qm, queue, spawn, waiting, fails) -> None:
    handle = qm.open(queue)
    future = spawn(handle.get, wait=120.0)
    waiting(qm)

    handle.close()

    with fails(2019):
        future.result(60)


def test_a_later_put_is_not_disturbed(qm, queue, spawn, waiting) -> None:
    handle = qm.open(queue)
    future = spawn(handle.get, wait=120.0)
    waiting(qm)
    handle.close()

    qm.put(queue, b"safe")

    assert isinstance(future.exception(2), penstock.MQError)
    assert qm.get(queue).body == b"safe"


def test_closing_the_connection_ends_the_wait(embed, spawn, waiting) -> None:
    qm, other = embed(), embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    future = spawn(other.get, "Q", wait=120.0)
    waiting(qm)

    other.close()

    assert future.exception(2).reason in (2009, 2018)
    qm.put("Q", b"safe")
    assert qm.get("Q").body == b"safe"


def test_the_last_connection_can_close_while_a_get_waits(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=None)
    waiting(qm)

    qm.close()

    assert future.exception(2).reason in (2009, 2018)
