"""SEMANTICS 13: a handle after close is 2019, a connection after disconnect 2018."""

from __future__ import annotations

from penstock import Get


def test_a_closed_handle_is_2019(qm, queue, fails) -> None:
    qm.put(queue, b"stays")
    handle = qm.open(queue)
    handle.close()

    with fails(2019):
        handle.get()
    with fails(2019):
        handle.get(options=Get.BROWSE_FIRST)
    with fails(2019):
        handle.get(options=Get.UNLOCK)
    assert qm.get(queue).body == b"stays"


def test_closing_twice_is_2019(qm, queue, fails) -> None:
    handle = qm.open(queue)
    handle.close()

    with fails(2019):
        handle.close()


def test_a_closed_connection_is_2018(embed, fails) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    handle = qm.open("Q")
    qm.close()

    with fails(2018):
        qm.get("Q")
    with fails(2018):
        handle.get()
    with fails(2018):
        next(qm.browse("Q"))
