"""SEMANTICS 3: a message longer than the buffer stays (2080), and its length is told."""

from __future__ import annotations


def test_the_warning_is_2080_and_the_message_stays(qm, queue) -> None:
    qm.put(queue, b"0123456789")

    with qm.open(queue) as handle:
        seen = handle.get(max_length=4)

        assert (seen.warning, seen.body, seen.length) == (2080, b"0123", 10)
        assert handle.get(max_length=10).body == b"0123456789"


def test_the_descriptor_is_filled_in(qm, queue) -> None:
    receipt = qm.put(queue, b"0123456789", correl_id=b"c", format="MINE")

    with qm.open(queue) as handle:
        seen = handle.get(max_length=1)

    assert (seen.msg_id, seen.correl_id[:1], seen.format) == (receipt.msg_id, b"c", "MINE")


def test_a_message_of_the_buffers_length_fits(qm, queue) -> None:
    qm.put(queue, b"0123")

    with qm.open(queue) as handle:
        message = handle.get(max_length=4)

    assert (message.warning, message.body) == (0, b"0123")
    assert qm.get(queue) is None


def test_depth_does_not_change(qm, queue) -> None:
    qm.put(queue, b"0123456789")

    with qm.open(queue) as handle:
        handle.get(max_length=4)
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 1


def test_a_negative_buffer_is_2005(qm, queue, fails) -> None:
    with qm.open(queue) as handle, fails(2005):
        handle.get(max_length=-1)
