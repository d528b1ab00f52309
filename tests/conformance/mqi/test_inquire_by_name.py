"""MQINQ by MQSC name: values as MQSC shows them."""

from __future__ import annotations

from penstock.model import constants as mq


def test_attributes_by_name(qm, run):
    run("DEFINE QLOCAL(Q) DESCR('Orders') MAXDEPTH(7) DEFPSIST(YES) NOSHARE")
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        found = handle.inquire("DESCR", "MAXDEPTH", "DEFPSIST", "QUEUE", "share")
    assert found == {"DESCR": "Orders", "MAXDEPTH": 7, "DEFPSIST": "YES", "QUEUE": "Q", "share": "NO"}


def test_without_names_all_of_them(qm, queue):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        found = handle.inquire()
    assert {"MAXDEPTH", "CURDEPTH", "IPPROCS", "TRIGGER", "BOTHRESH"} <= set(found)


def test_an_unknown_name_is_2067(qm, queue, fails):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle, fails(2067):
        handle.inquire("COLOUR")


def test_an_attribute_of_another_type_of_object_is_2067(qm, queue, fails):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle, fails(2067):
        handle.inquire("CHLTYPE")


def test_an_open_handle_sees_alterations(qm, queue, run):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        run("ALTER QLOCAL(Q) MAXDEPTH(9)")
        assert handle.inquire("MAXDEPTH") == {"MAXDEPTH": 9}


def test_an_alias_answers_for_itself(qm, queue, run):
    run("DEFINE QALIAS(A) TARGET(Q) DESCR('mine')")
    with qm.open("A", mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("DESCR", "TARGET") == {"DESCR": "mine", "TARGET": "Q"}
