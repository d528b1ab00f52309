"""SEMANTICS 7: PROPERTIES_FORCE_MQRFH2 and PROPCTL(FORCE) return properties in an MQRFH2."""

from __future__ import annotations

from penstock import Get, Open
from penstock.model.rfh2 import unpack_rfh2


def check(message):
    header, length = unpack_rfh2(message.body)
    assert message.format == "MQHRF2"
    assert header.format == "MQSTR"
    assert "<n dt='i4'>1</n>" in header.folders[0].replace('"', "'") or ">1</n>" in header.folders[0]
    assert message.body[length:] == b"body"
    assert not message.properties


def test_the_option_puts_them_before_the_data(qm, queue) -> None:
    qm.put(queue, "body", properties={"n": 1})

    with qm.open(queue) as handle:
        check(handle.get(options=Get.PROPERTIES_FORCE_RFH2))


def test_the_queue_can_ask_for_it(qm, queue, run) -> None:
    run("ALTER QLOCAL(Q) PROPCTL(FORCE)")
    qm.put(queue, "body", properties={"n": 1})

    with qm.open(queue) as handle:
        check(handle.get())


def test_the_alias_that_was_opened_decides(qm, queue, run) -> None:
    run("DEFINE QALIAS(A) TARGET(Q) PROPCTL(FORCE)")
    qm.put(queue, "body", properties={"n": 1})
    qm.put(queue, "body", properties={"n": 1})

    with qm.open("A", Open.INPUT_SHARED) as alias, qm.open(queue) as direct:
        check(alias.get())
        assert direct.get().properties == {"n": 1}


def test_an_option_goes_before_the_queue(qm, queue, run) -> None:
    run("ALTER QLOCAL(Q) PROPCTL(FORCE)")
    qm.put(queue, "body", properties={"n": 1})

    with qm.open(queue) as handle:
        message = handle.get(options=Get.PROPERTIES_IN_HANDLE)

    assert (message.body, message.properties) == (b"body", {"n": 1})


def test_the_length_counts_against_the_buffer(qm, queue) -> None:
    qm.put(queue, "body", properties={"n": 1})

    with qm.open(queue) as handle:
        seen = handle.get(options=Get.PROPERTIES_FORCE_RFH2, max_length=10)
        assert (seen.warning, len(seen.body), seen.length > 40) == (2080, 10, True)
        check(handle.get(options=Get.PROPERTIES_FORCE_RFH2, max_length=seen.length))


def test_a_message_without_properties_gets_no_header(qm, queue) -> None:
    qm.put(queue, "body")

    with qm.open(queue) as handle:
        assert handle.get(options=Get.PROPERTIES_FORCE_RFH2).body == b"body"


def test_the_message_on_the_queue_is_not_changed(qm, queue) -> None:
    qm.put(queue, "body", properties={"n": 1})

    with qm.open(queue) as handle:
        check(handle.get(options=Get.BROWSE_FIRST | Get.PROPERTIES_FORCE_RFH2))
        check(handle.get(options=Get.SYNCPOINT | Get.PROPERTIES_FORCE_RFH2))
        qm.backout()
        assert handle.get().properties == {"n": 1}


def test_decision_the_one_shot_get_always_returns_them_beside_the_data(qm, queue, run) -> None:
    run("ALTER QLOCAL(Q) PROPCTL(FORCE)")
    qm.put(queue, "body", properties={"n": 1})

    message = qm.get(queue)

    assert (message.body, message.properties) == (b"body", {"n": 1})
