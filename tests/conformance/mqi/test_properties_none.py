"""SEMANTICS 7: NO_PROPERTIES returns the data alone."""

from __future__ import annotations

from penstock import Get
from penstock.model.rfh2 import Rfh2


def test_they_are_left_out(qm, queue) -> None:
    qm.put(queue, b"body", properties={"n": 1})

    with qm.open(queue) as handle:
        message = handle.get(options=Get.NO_PROPERTIES)

    assert (message.body, message.properties) == (b"body", None)


def test_a_selector_still_sees_them(qm, queue) -> None:
    qm.put(queue, b"body", properties={"n": 1})

    with qm.open(queue, selector="n = 1") as handle:
        assert handle.get(options=Get.NO_PROPERTIES).body == b"body"


def test_the_header_that_a_program_put_is_taken_off(qm, queue) -> None:
    qm.put(queue, Rfh2(("<usr><n>1</n></usr>",), format="MQSTR").pack() + b"body", format="MQHRF2")

    with qm.open(queue) as handle:
        message = handle.get(options=Get.NO_PROPERTIES)

    assert (message.body, message.format, message.properties) == (b"body", "MQSTR", None)
