"""SEMANTICS 7: PROPERTIES_COMPATIBILITY shows them as MQRFH2 when one is of a known folder."""

from __future__ import annotations

import pytest

from penstock import Get


def test_a_user_property_brings_the_header(qm, queue) -> None:
    qm.put(queue, b"body", properties={"n": 1})

    with qm.open(queue) as handle:
        message = handle.get(options=Get.PROPERTIES_COMPATIBILITY)

    assert (message.format, message.body[:4]) == ("MQHRF2", b"RFH ")


def test_properties_of_other_folders_alone_are_dropped(qm, queue) -> None:
    qm.put(queue, b"body", properties={"mine.n": 1})

    with qm.open(queue) as handle:
        message = handle.get(options=Get.PROPERTIES_COMPATIBILITY)

    assert (message.body, message.properties) == (b"body", None)


@pytest.mark.parametrize("control", ["COMPAT", "ALL", "NONE", "V6COMPAT"])
def test_decision_these_settings_of_the_queue_leave_them_beside_the_data(qm, queue, run, control) -> None:
    run(f"ALTER QLOCAL(Q) PROPCTL({control})")
    qm.put(queue, b"body", properties={"n": 1})

    with qm.open(queue) as handle:
        message = handle.get()

    assert (message.body, message.properties) == (b"body", {"n": 1})


def test_only_one_property_option_is_allowed(qm, queue, fails) -> None:
    with qm.open(queue) as handle, fails(2046):
        handle.get(options=Get.PROPERTIES_IN_HANDLE | Get.NO_PROPERTIES)
