"""Verbs on a handle that was not opened for them: 2036, 2037, 2038, 2039, 2040."""

from __future__ import annotations

from penstock.model import constants as mq


def test_put_needs_output(qm, queue, fails):
    with qm.open(queue, mq.MQOO_INPUT_SHARED) as handle, fails(2039):
        handle.put(b"a")


def test_get_needs_input(qm, queue, fails):
    with qm.open(queue, mq.MQOO_OUTPUT | mq.MQOO_BROWSE) as handle, fails(2037):
        handle.get()


def test_browse_needs_browse(qm, queue, fails):
    with qm.open(queue, mq.MQOO_INPUT_SHARED) as handle, fails(2036):
        handle.get(options=mq.MQGMO_BROWSE_FIRST)


def test_inquire_needs_inquire(qm, queue, fails):
    with qm.open(queue, mq.MQOO_OUTPUT) as handle, fails(2038):
        handle.inquire("CURDEPTH")


def test_set_needs_set(qm, queue, fails):
    with qm.open(queue, mq.MQOO_INQUIRE) as handle, fails(2040):
        handle.set(PUT="DISABLED")


def test_put_to_a_process_handle(qm, run, fails):
    run("DEFINE PROCESS(P)")
    with qm.open("P", mq.MQOO_INQUIRE, object_type=mq.MQOT_PROCESS) as handle, fails(2039):
        handle.put(b"a")
