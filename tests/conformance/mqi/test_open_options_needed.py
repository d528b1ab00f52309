"""MQOPEN, open options (section 2): what must be given."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


def test_no_access_option_is_refused(qm, queue, fails):
    with fails(2046):
        qm.open(queue, mq.MQOO_FAIL_IF_QUIESCING)


def test_unknown_option_is_refused(qm, queue, fails):
    with fails(2046):
        qm.open(queue, mq.MQOO_OUTPUT | 0x40000000)


def test_resolve_names_alone_is_enough(qm, queue):
    with qm.open(queue, mq.MQOO_RESOLVE_NAMES) as handle:
        assert handle.resolved == (queue, "QM1")


@pytest.mark.parametrize("option", [mq.MQOO_OUTPUT, mq.MQOO_BROWSE, mq.MQOO_INQUIRE, mq.MQOO_SET])
def test_each_access_option_alone_is_enough(qm, queue, option):
    with qm.open(queue, option) as handle:
        assert handle.name == queue


def test_decision_without_options_a_queue_is_opened_for_all_it_allows(qm, queue):
    with qm.open(queue) as handle:
        handle.put(b"a")
        handle.get(options=mq.MQGMO_BROWSE_FIRST)
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 1}
        assert handle.get().body == b"a"
