"""SEMANTICS 3: a truncated browse moves the cursor only when truncation is accepted."""

from __future__ import annotations

from penstock import Get, Open


def test_refused_truncation_leaves_the_cursor(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"long enough", b"c"])

    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        seen = handle.get(options=Get.BROWSE_NEXT, max_length=4)
        again = handle.get(options=Get.BROWSE_NEXT)

    assert (seen.warning, seen.body, again.body) == (2080, b"long", b"long enough")


def test_accepted_truncation_moves_it(qm, queue) -> None:
    qm.put_many(queue, [b"long enough", b"c"])

    with qm.open(queue, Open.BROWSE) as handle:
        seen = handle.get(options=Get.BROWSE_FIRST | Get.ACCEPT_TRUNCATED, max_length=4)
        following = handle.get(options=Get.BROWSE_NEXT)

    assert (seen.warning, seen.body, following.body) == (2079, b"long", b"c")


def test_refused_truncation_locks_nothing(qm, queue) -> None:
    qm.put(queue, b"long enough")

    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK, max_length=4)
        assert qm.get(queue).body == b"long enough"
