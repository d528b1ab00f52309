"""Context options that the handle was not opened for: 2093 to 2096."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (mq.MQPMO_PASS_ALL_CONTEXT, 2093),
        (mq.MQPMO_PASS_IDENTITY_CONTEXT, 2094),
        (mq.MQPMO_SET_ALL_CONTEXT, 2095),
        (mq.MQPMO_SET_IDENTITY_CONTEXT, 2096),
    ],
)
def test_each_needs_its_open_option(qm, queue, fails, option, reason):
    with qm.open(queue, mq.MQOO_OUTPUT) as handle, fails(reason):
        handle.put(b"a", options=option)


def test_identity_is_not_enough_for_all(qm, queue, fails):
    options = mq.MQOO_OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT | mq.MQOO_PASS_IDENTITY_CONTEXT
    with qm.open(queue, options) as handle:
        with fails(2095):
            handle.put(b"a", options=mq.MQPMO_SET_ALL_CONTEXT)
        with fails(2093):
            handle.put(b"a", options=mq.MQPMO_PASS_ALL_CONTEXT)
