"""SEMANTICS 3, 13: get options that are unknown or contradict each other are 2046."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize(
    "options",
    [
        0x80000000,
        mq.MQGMO_SET_SIGNAL,
        mq.MQGMO_MARK_SKIP_BACKOUT,
        mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT,
        mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR,
        mq.MQGMO_BROWSE_NEXT | mq.MQGMO_MSG_UNDER_CURSOR,
        mq.MQGMO_LOCK,
        mq.MQGMO_LOCK | mq.MQGMO_MSG_UNDER_CURSOR,
        mq.MQGMO_UNLOCK | mq.MQGMO_LOCK,
        mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_PROPERTIES_COMPATIBILITY,
    ],
)
def test_the_options_are_refused_and_nothing_happens(qm, queue, fails, options) -> None:
    qm.put(queue, b"stays")

    with qm.open(queue) as handle:
        with fails(2046):
            handle.get(options=options)
        assert handle.get(options=mq.MQGMO_BROWSE_FIRST).body == b"stays"


def test_fail_if_quiescing_is_taken(qm, queue) -> None:
    qm.put(queue, b"x")

    with qm.open(queue) as handle:
        assert handle.get(options=mq.MQGMO_FAIL_IF_QUIESCING).body == b"x"
