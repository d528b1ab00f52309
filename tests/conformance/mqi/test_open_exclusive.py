"""MQOPEN, exclusive input (section 3): 2042 while somebody else has the queue open for input."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq

EXCLUSIVE, SHARED = mq.MQOO_INPUT_EXCLUSIVE, mq.MQOO_INPUT_SHARED


@pytest.mark.parametrize(
    ("first", "second"), [(EXCLUSIVE, SHARED), (SHARED, EXCLUSIVE), (EXCLUSIVE, EXCLUSIVE)]
)
def test_exclusive_input_suffers_no_other_input(qm, queue, fails, first, second):
    with qm.open(queue, first):
        with fails(2042):
            qm.open(queue, second)


def test_shared_inputs_live_together(qm, queue):
    with qm.open(queue, SHARED), qm.open(queue, SHARED) as second:
        assert second.name == queue


def test_output_and_browse_do_not_conflict_with_exclusive_input(qm, queue):
    with qm.open(queue, EXCLUSIVE), qm.open(queue, mq.MQOO_OUTPUT | mq.MQOO_BROWSE) as other:
        other.put(b"a")
        assert other.get(options=mq.MQGMO_BROWSE_FIRST).body == b"a"


def test_the_queue_is_free_after_the_exclusive_close(qm, queue):
    qm.open(queue, EXCLUSIVE).close()
    assert qm.open(queue, EXCLUSIVE).close() == 0


def test_a_refused_open_does_not_count(qm, queue, fails):
    with qm.open(queue, SHARED):
        with fails(2042):
            qm.open(queue, EXCLUSIVE | mq.MQOO_OUTPUT)
        with qm.open(queue, mq.MQOO_INQUIRE) as asking:
            assert asking.inquire("IPPROCS", "OPPROCS") == {"IPPROCS": 1, "OPPROCS": 0}


def test_exclusive_through_an_alias_is_exclusive_on_the_base(qm, queue, run, fails):
    run("DEFINE QALIAS(A) TARGET(Q)")
    with qm.open("A", EXCLUSIVE):
        with fails(2042):
            qm.open(queue, SHARED)
