"""SEMANTICS 3, 4: a get outside a unit of work is final."""

from __future__ import annotations

from penstock import Open


def test_a_message_is_got_once(qm, queue) -> None:
    qm.put(queue, b"once")

    assert qm.get(queue).body == b"once"
    assert qm.get(queue) is None


def test_a_backout_does_not_bring_it_back(qm, queue) -> None:
    qm.put(queue, b"once")
    qm.get(queue)

    qm.backout()

    assert qm.get(queue) is None


def test_a_persistent_get_is_final_over_a_restart(embed) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q) DEFPSIST(YES)")
    qm.put_many("Q", [b"a", b"b"])
    qm.get("Q")
    qm.host.abandon()

    again = embed()

    assert [m.body for m in again.browse("Q")] == [b"b"]


def test_depth_falls_with_the_get(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    qm.get(queue)

    with qm.open(queue, Open.INQUIRE) as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 1}
