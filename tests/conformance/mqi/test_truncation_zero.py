"""SEMANTICS 3: a buffer of no length asks how long the message is, or throws it away."""

from __future__ import annotations

from penstock import Get


def test_the_length_can_be_asked_for(qm, queue) -> None:
    qm.put(queue, b"x" * 1000)

    with qm.open(queue) as handle:
        seen = handle.get(max_length=0)

    assert (seen.warning, seen.body, seen.length) == (2080, b"", 1000)
    assert qm.get(queue).length == 1000


def test_accepting_it_discards_the_message(qm, queue) -> None:
    qm.put(queue, b"x" * 1000)

    with qm.open(queue) as handle:
        seen = handle.get(max_length=0, options=Get.ACCEPT_TRUNCATED)

    assert (seen.warning, seen.body) == (2079, b"")
    assert qm.get(queue) is None


def test_an_empty_message_fits(qm, queue) -> None:
    qm.put(queue, b"")

    with qm.open(queue) as handle:
        message = handle.get(max_length=0)

    assert (message.warning, message.body) == (0, b"")
    assert qm.get(queue) is None
