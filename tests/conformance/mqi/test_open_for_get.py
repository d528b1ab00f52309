"""SEMANTICS 6, 13: what a handle may do depends on how it was opened."""

from __future__ import annotations

import pytest

from penstock import Get, Open
from penstock.model import constants as mq


def test_browse_does_not_need_input(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_FIRST).body == b"a"


def test_browse_works_while_another_has_the_queue_exclusively(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.INPUT_EXCLUSIVE), qm.open(queue, Open.BROWSE) as handle:
        assert handle.get(options=Get.BROWSE_FIRST).body == b"a"


@pytest.mark.parametrize("options", [Get.BROWSE_FIRST, Get.BROWSE_NEXT, Get.BROWSE_UNDER_CURSOR])
def test_a_browse_without_browse_is_2036(qm, queue, fails, options) -> None:
    with qm.open(queue, Open.INPUT_SHARED) as handle, fails(2036):
        handle.get(options=options)


def test_a_get_without_input_is_2037(qm, queue, fails) -> None:
    with qm.open(queue, Open.BROWSE) as handle, fails(2037):
        handle.get()
    with qm.open(queue, Open.OUTPUT) as handle, fails(2037):
        handle.get()


def test_a_process_cannot_be_got_from(qm, fails) -> None:
    with qm.open("SYSTEM.DEFAULT.PROCESS", Open.INQUIRE, object_type=mq.MQOT_PROCESS) as handle, fails(2037):
        handle.get()


def test_a_remote_queue_cannot_be_got_from(qm, run, fails) -> None:
    run("DEFINE QLOCAL(XQ) USAGE(XMITQ)")
    run("DEFINE QREMOTE(R) RNAME(THERE) RQMNAME(QM9) XMITQ(XQ)")

    with fails(2045):
        qm.open("R", Open.INPUT_SHARED)
    with fails(2045):
        qm.get("R")
