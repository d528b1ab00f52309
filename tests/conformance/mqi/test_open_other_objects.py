"""MQOPEN of processes, namelists and the queue manager: for inquire only."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq

OTHERS = [("P", mq.MQOT_PROCESS), ("N", mq.MQOT_NAMELIST), ("QM1", mq.MQOT_Q_MGR)]


@pytest.fixture
def objects(run):
    run("DEFINE PROCESS(P) APPLICID('/bin/true') USERDATA('u')")
    run("DEFINE NAMELIST(N) NAMES(A,B)")


@pytest.mark.parametrize(("name", "kind"), OTHERS)
@pytest.mark.parametrize("option", [mq.MQOO_OUTPUT, mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE, mq.MQOO_SET])
def test_other_options_are_not_for_these_types(qm, objects, fails, name, kind, option):
    with fails(2045):
        qm.open(name, option, object_type=kind)


def test_inquire_a_process(qm, objects):
    with qm.open("P", mq.MQOO_INQUIRE, object_type=mq.MQOT_PROCESS) as handle:
        assert handle.inquire("APPLICID", "USERDATA") == {"APPLICID": "/bin/true", "USERDATA": "u"}


def test_inquire_a_namelist(qm, objects):
    with qm.open("N", mq.MQOO_INQUIRE, object_type=mq.MQOT_NAMELIST) as handle:
        assert handle.inquire("NAMES") == {"NAMES": ("A", "B")}


def test_a_blank_name_is_the_queue_manager(qm):
    with qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR) as handle:
        assert handle.inquire("QMNAME") == {"QMNAME": "QM1"}


def test_another_queue_managers_name_is_unknown(qm, fails):
    with fails(2086):
        qm.open("QM2", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR)


def test_unknown_process_and_type(qm, fails):
    with fails(2085):
        qm.open("NOPE", mq.MQOO_INQUIRE, object_type=mq.MQOT_PROCESS)
    with fails(2043):
        qm.open("NOPE", mq.MQOO_INQUIRE, object_type=99)
