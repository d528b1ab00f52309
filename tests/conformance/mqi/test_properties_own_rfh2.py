"""SEMANTICS 7: an MQRFH2 that a program put is seen by selectors and unchanged for getters."""

from __future__ import annotations

from penstock import Get
from penstock.model.rfh2 import Rfh2

BODY = (
    Rfh2(("<mcd><Msd>jms_text</Msd></mcd>", "<usr><colour>red</colour></usr>"), format="MQSTR").pack()
    + b"text"
)


def test_a_getter_gets_the_same_bytes(qm, queue) -> None:
    qm.put(queue, BODY, format="MQHRF2")

    message = qm.get(queue)

    assert (message.body, message.format) == (BODY, "MQHRF2")


def test_a_selector_sees_the_properties(qm, queue) -> None:
    qm.put(queue, b"other")
    qm.put(queue, BODY, format="MQHRF2")

    assert qm.get(queue, selector="colour = 'red'").body == BODY
    assert qm.get(queue, selector="colour = 'red'") is None


def test_forcing_a_header_does_not_make_a_second_one(qm, queue) -> None:
    qm.put(queue, BODY, format="MQHRF2")

    with qm.open(queue) as handle:
        assert handle.get(options=Get.PROPERTIES_FORCE_RFH2).body == BODY


def test_in_handle_takes_the_header_off(qm, queue) -> None:
    qm.put(queue, BODY, format="MQHRF2")

    with qm.open(queue) as handle:
        message = handle.get(options=Get.PROPERTIES_IN_HANDLE)

    assert (message.body, message.format) == (b"text", "MQSTR")
    assert message.properties["colour"] == "red"


def test_a_header_that_is_none_stays_data(qm, queue) -> None:
    qm.put(queue, b"RFH nonsense", format="MQHRF2")

    with qm.open(queue) as handle:
        assert handle.get(options=Get.PROPERTIES_IN_HANDLE).body == b"RFH nonsense"


def test_properties_given_beside_the_header_are_merged(qm, queue) -> None:
    qm.put(queue, BODY, format="MQHRF2", properties={"size": 5})

    with qm.open(queue) as handle:
        message = handle.get(options=Get.PROPERTIES_IN_HANDLE, selector="size = 5 AND colour = 'red'")

    assert (message.body, message.properties["size"], message.properties["colour"]) == (b"text", 5, "red")
