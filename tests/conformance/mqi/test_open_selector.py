"""MQOPEN with a selection string (section 7): bad syntax is 2459 and opens nothing."""

from __future__ import annotations

from penstock.model import constants as mq


def test_bad_selector_is_refused_at_open(qm, queue, fails):
    with fails(2459):
        qm.open(queue, mq.MQOO_INPUT_SHARED, selector="colour = = 'red'")


def test_a_refused_selector_leaves_the_queue_free(qm, queue, fails):
    with fails(2459):
        qm.open(queue, mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_OUTPUT, selector="(")
    with qm.open(queue, mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("IPPROCS", "OPPROCS") == {"IPPROCS": 1, "OPPROCS": 0}


def test_a_bad_selector_makes_no_dynamic_queue(qm, fails):
    with fails(2459):
        qm.open("SYSTEM.DEFAULT.MODEL.QUEUE", mq.MQOO_INPUT_SHARED, dynamic_name="DYN.Q", selector="(")
    with fails(2085):
        qm.open("DYN.Q", mq.MQOO_INQUIRE)


def test_a_good_selector_filters_every_get(qm, queue):
    qm.put(queue, b"blue", properties={"colour": "blue"})
    qm.put(queue, b"red", properties={"colour": "red"})
    with qm.open(queue, mq.MQOO_INPUT_SHARED, selector="colour = 'red'") as handle:
        assert handle.get().body == b"red"
        assert handle.get(quiet=True) is None
