"""Permanent dynamic queues (section 14): stay until somebody deletes them."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def model(run):
    run("DEFINE QMODEL(M) DEFTYPE(PERMDYN) DEFPSIST(YES)")
    return "M"


def test_it_stays_after_the_creators_close(qm, model):
    with qm.open(model, dynamic_name="KEPT.*") as handle:
        name = handle.name
    qm.put(name, b"a")
    assert qm.get(name).body == b"a"


def test_it_survives_a_restart_with_its_messages(qm, embed, model):
    with qm.open(model) as handle:
        name = handle.name
        handle.put(b"a")
    qm.close()
    assert embed().get(name).body == b"a"


def test_close_with_delete_needs_it_empty(qm, model, fails):
    handle = qm.open(model)
    handle.put(b"a")
    with fails(2055):
        handle.close(mq.MQCO_DELETE)
    handle.get()
    handle.close(mq.MQCO_DELETE)
    with fails(2085):
        qm.open(handle.name)


def test_delete_purge_takes_the_messages_along(qm, model, fails):
    handle = qm.open(model)
    handle.put(b"a")
    handle.close(mq.MQCO_DELETE_PURGE)
    with fails(2085):
        qm.get(handle.name)


@pytest.mark.parametrize("option", [mq.MQCO_DELETE, mq.MQCO_DELETE_PURGE])
def test_uncommitted_work_forbids_both(qm, model, fails, option):
    handle = qm.open(model)
    qm.begin()
    handle.put(b"a", options=mq.MQPMO_SYNCPOINT)
    with fails(2055):
        handle.close(option)
    qm.backout()
    handle.close(option)


def test_any_handle_may_delete_it(qm, model, fails):
    with qm.open(model) as handle:
        name = handle.name
    qm.open(name, mq.MQOO_OUTPUT).close(mq.MQCO_DELETE)
    with fails(2085):
        qm.open(name)
