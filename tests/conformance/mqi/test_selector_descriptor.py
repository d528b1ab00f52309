"""SEMANTICS 7: a selector can name fields of the descriptor."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "Root.MQMD.Priority = 7",
        "JMSPriority > 6",
        "Root.MQMD.Format = 'MINE'",
        "JMSDeliveryMode = 'PERSISTENT'",
        "Root.MQMD.Persistence = 1",
        "JMSType = 'order'",
        "Root.MQMD.ReplyToQ = 'REPLIES'",
        "JMSXDeliveryCount = 1 AND JMSPriority = 7",
    ],
)
def test_the_field_is_looked_at(qm, queue, text) -> None:
    qm.put(queue, b"other", priority=1)
    qm.put(
        queue,
        b"this",
        priority=7,
        persistent=True,
        format="MINE",
        reply_to="REPLIES",
        properties={"JMSType": "order"},
    )

    assert qm.get(queue, selector=text).body == b"this"


def test_the_backout_count_is_seen(qm, queue) -> None:
    qm.put(queue, b"x")
    qm.begin()
    qm.get(queue)
    qm.backout()

    assert qm.get(queue, selector="JMSXDeliveryCount = 1") is None
    assert qm.get(queue, selector="JMSRedelivered = TRUE").body == b"x"
