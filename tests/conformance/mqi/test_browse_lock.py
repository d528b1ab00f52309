"""SEMANTICS 6: a browse with LOCK keeps others off the message."""

from __future__ import annotations

from penstock import Get, Open


def test_others_pass_the_message_by(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)

        with qm.open(queue, Open.BROWSE) as other:
            assert other.get(options=Get.BROWSE_FIRST).body == b"b"
        assert qm.get(queue).body == b"b"
        assert qm.get(queue) is None


def test_a_keyed_get_of_another_does_not_find_it(qm, queue) -> None:
    receipt = qm.put(queue, b"a", correl_id=b"c")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        assert qm.get(queue, msg_id=receipt.msg_id) is None
        assert qm.get(queue, correl_id=b"c") is None


def test_the_holder_can_browse_and_get_it(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR | Get.LOCK).body == b"a"
        assert handle.get(options=Get.UNDER_CURSOR).body == b"a"
    assert qm.get(queue) is None


def test_a_locked_message_counts_in_the_depth(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 1


def test_lock_needs_a_browse_option(qm, queue, fails) -> None:
    with qm.open(queue) as handle, fails(2046):
        handle.get(options=Get.LOCK)


def test_decision_a_plain_get_of_the_holder_passes_the_locked_message_by(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        assert handle.get().body == b"b"
