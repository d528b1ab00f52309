"""SEMANTICS 3: a conversion that fails is a warning; the message goes, its data as it was."""

from __future__ import annotations

import pytest

from penstock import Get


def got(qm, queue, body, to_ccsid=0, **fields):
    qm.put(queue, body, **fields)
    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT, ccsid=to_ccsid)
        assert handle.get(quiet=True) is None
    return message


@pytest.mark.parametrize(
    ("body", "fields", "to_ccsid", "reason"),
    [
        (b"data", {"ccsid": 500}, 0, 2110),
        (b"data", {"format": "MINE", "ccsid": 500}, 0, 2110),
        (b"not a header", {"format": "MQDEAD", "ccsid": 500}, 0, 2110),
        (b"data", {"format": "MQSTR", "ccsid": 4242}, 0, 2111),
        (b"data", {"format": "MQSTR"}, 4242, 2115),
        ("\u20ac".encode(), {"format": "MQSTR"}, 500, 2119),
        (b"\xff\xfe\xfd", {"format": "MQSTR"}, 500, 2119),
    ],
)
def test_the_original_is_returned_and_removed(qm, queue, body, fields, to_ccsid, reason) -> None:
    message = got(qm, queue, body, to_ccsid, **fields)

    assert (message.warning, message.body) == (reason, body)
    assert message.descriptor.ccsid == fields.get("ccsid", 1208)


def test_a_result_that_does_not_fit_is_2120_and_the_original_is_returned(qm, queue) -> None:
    qm.put(queue, "\u00fc\u00fc\u00fc".encode("cp500"), format="MQSTR", ccsid=500)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT, max_length=4)

    assert (message.warning, message.body) == (2120, "\u00fc\u00fc\u00fc".encode("cp500"))
    assert qm.get(queue) is None


def test_a_message_that_is_too_long_before_conversion_is_2080_and_stays(qm, queue) -> None:
    qm.put(queue, "abcdef".encode("cp500"), format="MQSTR", ccsid=500)

    with qm.open(queue) as handle:
        assert handle.get(options=Get.CONVERT, max_length=4).warning == 2080
    assert qm.get(queue).length == 6


def test_decision_accepted_truncation_is_told_before_a_failed_conversion(qm, queue) -> None:
    qm.put(queue, b"abcdef", format="MINE", ccsid=500)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT | Get.ACCEPT_TRUNCATED, max_length=4)

    assert (message.warning, message.body, message.descriptor.ccsid) == (2079, b"abcd", 500)


def test_decision_what_is_accepted_truncated_is_converted_first(qm, queue) -> None:
    qm.put(queue, "abcdef".encode("cp500"), format="MQSTR", ccsid=500)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT | Get.ACCEPT_TRUNCATED, max_length=4)

    assert (message.warning, message.body, message.descriptor.ccsid) == (2079, b"abcd", 1208)


def test_data_that_is_right_already_is_not_looked_at(qm, queue) -> None:
    assert got(qm, queue, b"\xff binary").warning == 0


def test_an_empty_body_has_no_warning(qm, queue) -> None:
    assert got(qm, queue, b"", ccsid=500).warning == 0
