"""MQINQ of attributes that other types of queue have: the warning 2068, and values that say so."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture(params=["alias", "remote"])
def name(request, run):
    run("DEFINE QLOCAL(Q)\nDEFINE QALIAS(A) TARGET(Q)\nDEFINE QLOCAL(X) USAGE(XMITQ)")
    run("DEFINE QREMOTE(R) RNAME(N) RQMNAME(X)")
    return {"alias": "A", "remote": "R"}[request.param]


def test_by_number_they_are_not_applicable(qm, name):
    with qm.open(name, mq.MQOO_INQUIRE) as handle:
        found = handle.inquire(mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_INITIATION_Q_NAME, mq.MQIA_DEF_PRIORITY)
    assert found.warning == 2068
    assert found == {
        mq.MQIA_CURRENT_Q_DEPTH: mq.MQIAV_NOT_APPLICABLE,
        mq.MQCA_INITIATION_Q_NAME: "*" * 48,
        mq.MQIA_DEF_PRIORITY: 0,
    }


def test_by_name_they_are_none(qm, name):
    with qm.open(name, mq.MQOO_INQUIRE) as handle:
        found = handle.inquire("CURDEPTH", "MAXDEPTH", "PUT")
    assert (found.warning, found) == (2068, {"CURDEPTH": None, "MAXDEPTH": None, "PUT": "ENABLED"})


def test_own_attributes_have_no_warning_and_what_no_queue_has_is_2067(qm, name, fails):
    with qm.open(name, mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("PUT", mq.MQCA_Q_NAME).warning == 0
        assert handle.inquire().warning == 0
        for selector in ("CHLAUTH", 99999, mq.MQIA_MAX_HANDLES):
            with fails(2067):
                handle.inquire(selector)


def test_a_local_queue_has_no_target(qm, name):
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        found = handle.inquire("TARGET", "CURDEPTH")
    assert (found.warning, found) == (2068, {"TARGET": None, "CURDEPTH": 0})
