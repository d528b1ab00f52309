"""Bodies (decisions): bytes as they are, text as UTF-8 with format MQSTR."""

from __future__ import annotations

import pytest


def test_bytes_of_every_value_are_kept(qm, queue):
    body = bytes(range(256))
    qm.put(queue, body)
    assert qm.get(queue).body == body


def test_an_empty_message_is_a_message(qm, queue):
    qm.put(queue, b"")
    message = qm.get(queue)
    assert (message.body, message.length) == (b"", 0)


def test_decision_text_is_utf8_with_format_mqstr(qm, queue):
    qm.put(queue, "Grüße")
    message = qm.get(queue)
    assert (message.body, message.format, message.descriptor.ccsid) == ("Grüße".encode(), "MQSTR", 1208)


def test_decision_a_given_format_stays_with_text(qm, queue):
    qm.put(queue, "x", format="MINE")
    assert qm.get(queue).format == "MINE"


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_decision_other_buffers_are_copied(qm, queue, kind):
    source = bytearray(b"abc")
    qm.put(queue, kind(source))
    source[0] = 0
    assert qm.get(queue).body == b"abc"


def test_other_things_are_refused(qm, queue, fails):
    with fails(2004):
        qm.put(queue, 5)
