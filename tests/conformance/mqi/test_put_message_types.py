"""Message types (section 1): 2029 for none of them, 2027 for a request without reply queue."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize("kind", [mq.MQMT_REPLY, mq.MQMT_DATAGRAM, mq.MQMT_REPORT, 65536, 999_999_999])
def test_known_and_own_types_are_kept(qm, queue, kind):
    qm.put(queue, b"a", msg_type=kind)
    assert qm.get(queue).msg_type == kind


@pytest.mark.parametrize("kind", [0, 3, 7, 65535, -1, 1_000_000_000])
def test_other_types_are_refused(qm, queue, fails, kind):
    with fails(2029):
        qm.put(queue, b"a", msg_type=kind)


def test_a_request_needs_a_reply_queue(qm, queue, fails):
    with fails(2027):
        qm.put(queue, b"a", msg_type=mq.MQMT_REQUEST)
    qm.put(queue, b"a", msg_type=mq.MQMT_REQUEST, reply_to="R")
    assert qm.get(queue).msg_type == mq.MQMT_REQUEST


def test_the_default_is_a_datagram(qm, queue):
    qm.put(queue, b"a")
    assert qm.get(queue).msg_type == mq.MQMT_DATAGRAM
