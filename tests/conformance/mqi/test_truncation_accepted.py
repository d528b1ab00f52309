"""SEMANTICS 3: with ACCEPT_TRUNCATED_MSG the message goes, cut (2079)."""

from __future__ import annotations

from penstock import Get


def test_the_warning_is_2079_and_the_message_is_removed(qm, queue) -> None:
    qm.put(queue, b"0123456789")

    with qm.open(queue) as handle:
        message = handle.get(options=Get.ACCEPT_TRUNCATED, max_length=4)

    assert (message.warning, message.body, message.length) == (2079, b"0123", 10)
    assert qm.get(queue) is None


def test_a_message_that_fits_has_no_warning(qm, queue) -> None:
    qm.put(queue, b"0123")

    with qm.open(queue) as handle:
        assert handle.get(options=Get.ACCEPT_TRUNCATED, max_length=4).warning == 0


def test_a_backout_brings_the_whole_message_back(qm, queue) -> None:
    qm.put(queue, b"0123456789", persistent=True)

    with qm.open(queue) as handle:
        handle.get(options=Get.ACCEPT_TRUNCATED | Get.SYNCPOINT, max_length=4)
        qm.backout()
        again = handle.get()

    assert (again.body, again.length, again.warning) == (b"0123456789", 10, 0)
