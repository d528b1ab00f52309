"""MQOPEN, open options (section 2): combinations that exclude each other."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq

CONFLICTS = [
    mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE,
    mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED,
    mq.MQOO_OUTPUT | mq.MQOO_SAVE_ALL_CONTEXT,
    mq.MQOO_INPUT_SHARED | mq.MQOO_PASS_ALL_CONTEXT,
    mq.MQOO_INPUT_SHARED | mq.MQOO_SET_IDENTITY_CONTEXT,
    mq.MQOO_INPUT_SHARED | mq.MQOO_CO_OP,
    mq.MQOO_OUTPUT | mq.MQOO_BIND_ON_OPEN | mq.MQOO_BIND_NOT_FIXED,
    mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD | mq.MQOO_NO_READ_AHEAD,
]


@pytest.mark.parametrize("options", CONFLICTS)
def test_conflicting_options_are_refused(qm, queue, fails, options):
    with fails(2046):
        qm.open(queue, options)


def test_a_refused_open_leaves_nothing_open(qm, queue, fails):
    with fails(2046):
        qm.open(queue, CONFLICTS[0])
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("IPPROCS", "OPPROCS") == {"IPPROCS": 0, "OPPROCS": 0}


@pytest.mark.parametrize(
    "options",
    [
        mq.MQOO_INPUT_SHARED | mq.MQOO_SAVE_ALL_CONTEXT,
        mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT,
        mq.MQOO_BROWSE | mq.MQOO_CO_OP,
        mq.MQOO_OUTPUT | mq.MQOO_BIND_NOT_FIXED,
        mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING,
        mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD,
    ],
)
def test_companions_are_taken(qm, queue, options):
    assert qm.open(queue, options).close() == 0
