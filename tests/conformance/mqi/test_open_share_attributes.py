"""MQOPEN, SHARE and DEFSOPT: how the queue decides about INPUT_AS_Q_DEF."""

from __future__ import annotations

from penstock.model import constants as mq

AS_DEFINED = mq.MQOO_INPUT_AS_Q_DEF


def test_noshare_makes_every_input_exclusive(qm, run, fails):
    run("DEFINE QLOCAL(Q) NOSHARE")
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        with fails(2042):
            qm.open("Q", mq.MQOO_INPUT_SHARED)


def test_defsopt_excl_makes_input_as_defined_exclusive(qm, run, fails):
    run("DEFINE QLOCAL(Q) SHARE DEFSOPT(EXCL)")
    with qm.open("Q", AS_DEFINED):
        with fails(2042):
            qm.open("Q", mq.MQOO_INPUT_SHARED)


def test_defsopt_shared_lets_two_in(qm, run):
    run("DEFINE QLOCAL(Q) SHARE DEFSOPT(SHARED)")
    with qm.open("Q", AS_DEFINED), qm.open("Q", AS_DEFINED) as second:
        assert second.name == "Q"


def test_shared_input_wins_over_defsopt_excl(qm, run):
    run("DEFINE QLOCAL(Q) SHARE DEFSOPT(EXCL)")
    with qm.open("Q", mq.MQOO_INPUT_SHARED), qm.open("Q", mq.MQOO_INPUT_SHARED) as second:
        assert second.name == "Q"
