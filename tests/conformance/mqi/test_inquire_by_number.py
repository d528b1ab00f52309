"""MQINQ by MQIA_ and MQCA_ number: integers and padded strings, as MQ answers (section 14)."""

from __future__ import annotations

from penstock.model import constants as mq


def test_integers(qm, run):
    run("DEFINE QLOCAL(Q) MAXDEPTH(7) DEFPSIST(YES) PUT(DISABLED)")
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        found = handle.inquire(mq.MQIA_MAX_Q_DEPTH, mq.MQIA_DEF_PERSISTENCE, mq.MQIA_INHIBIT_PUT)
    assert found == {
        mq.MQIA_MAX_Q_DEPTH: 7,
        mq.MQIA_DEF_PERSISTENCE: mq.MQPER_PERSISTENT,
        mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED,
    }


def test_strings_are_padded(qm, run):
    run("DEFINE QLOCAL(Q) DESCR('Orders')")
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        found = handle.inquire(mq.MQCA_Q_DESC, mq.MQCA_Q_NAME)
    assert found == {mq.MQCA_Q_DESC: "Orders".ljust(64), mq.MQCA_Q_NAME: "Q".ljust(48)}


def test_live_figures(qm, queue):
    qm.put(queue, b"a")
    with qm.open(queue, mq.MQOO_INQUIRE | mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT) as handle:
        found = handle.inquire(mq.MQIA_CURRENT_Q_DEPTH, mq.MQIA_OPEN_INPUT_COUNT, mq.MQIA_OPEN_OUTPUT_COUNT)
    assert list(found.values()) == [1, 1, 1]


def test_the_queue_manager(qm):
    with qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR) as handle:
        found = handle.inquire(mq.MQCA_Q_MGR_NAME, mq.MQIA_CODED_CHAR_SET_ID, mq.MQIA_MAX_HANDLES)
    assert list(found.values()) == ["QM1".ljust(48), 1208, 256]


def test_unknown_numbers_are_2067(qm, queue, fails):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle, fails(2067):
        handle.inquire(99999)
