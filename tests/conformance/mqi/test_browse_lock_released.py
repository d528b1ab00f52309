"""SEMANTICS 6: a lock ends when the cursor moves, the handle closes, the connection ends."""

from __future__ import annotations

from penstock import Get, Open


def test_moving_the_cursor_releases_it(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        handle.get(options=Get.BROWSE_NEXT | Get.LOCK)
        assert qm.get(queue).body == b"a"
        assert qm.get(queue) is None


def test_browsing_the_same_message_without_lock_releases_it(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        handle.get(options=Get.BROWSE_UNDER_CURSOR)
        assert qm.get(queue).body == b"a"


def test_a_browse_that_finds_nothing_keeps_it(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        handle.get(options=Get.BROWSE_NEXT, quiet=True)
        assert qm.get(queue) is None


def test_close_releases_it(qm, queue) -> None:
    qm.put(queue, b"a")
    handle = qm.open(queue, Open.BROWSE)
    handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
    handle.close()

    assert qm.get(queue).body == b"a"


def test_disconnect_releases_it(embed) -> None:
    qm, other = embed(), embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put("Q", b"a")
    other.open("Q", Open.BROWSE).get(options=Get.BROWSE_FIRST | Get.LOCK)

    other.close()

    assert qm.get("Q").body == b"a"


def test_a_backout_does_not_release_it(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        qm.begin()
        qm.get(queue)
        qm.backout()
        assert qm.get(queue).body == b"b"
        assert qm.get(queue) is None
