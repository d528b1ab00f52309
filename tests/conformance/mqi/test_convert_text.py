"""SEMANTICS 3: MQGMO_CONVERT turns MQSTR into the character set that the getter wants."""

from __future__ import annotations

import pytest

from penstock import Get
from penstock.model import constants as mq

CODECS = {37: "cp037", 500: "cp500", 1252: "cp1252", 1208: "utf-8", 1200: "utf-16-le", 819: "latin-1"}
TEXT = "Gr\u00fc\u00dfe [x] {y} 100%"


@pytest.mark.parametrize("ccsid", sorted(CODECS))
def test_from_and_to_utf_8(qm, queue, ccsid) -> None:
    qm.put(queue, TEXT.encode(CODECS[ccsid]), format=mq.MQFMT_STRING, ccsid=ccsid)
    qm.put(queue, TEXT)

    with qm.open(queue) as handle:
        into = handle.get(options=Get.CONVERT)
        outof = handle.get(options=Get.CONVERT, ccsid=ccsid)

    assert (into.body, into.descriptor.ccsid, into.warning) == (TEXT.encode(), 1208, 0)
    assert (outof.body, outof.descriptor.ccsid, outof.warning) == (TEXT.encode(CODECS[ccsid]), ccsid, 0)


def test_utf_16_follows_the_encoding(qm, queue) -> None:
    qm.put(queue, TEXT.encode("utf-16-be"), format=mq.MQFMT_STRING, ccsid=1200, encoding=273)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT, ccsid=1200, encoding=546)

    assert (message.body, message.descriptor.encoding) == (TEXT.encode("utf-16-le"), 546)


def test_without_the_option_nothing_is_converted(qm, queue) -> None:
    qm.put(queue, TEXT.encode("cp500"), format=mq.MQFMT_STRING, ccsid=500)

    message = qm.get(queue)

    assert (message.body, message.descriptor.ccsid) == (TEXT.encode("cp500"), 500)


def test_the_length_is_that_of_the_converted_data(qm, queue) -> None:
    qm.put(queue, "\u00fc".encode("cp500"), format=mq.MQFMT_STRING, ccsid=500)

    with qm.open(queue) as handle:
        assert handle.get(options=Get.CONVERT).length == 2


def test_a_browse_converts_its_copy_only(qm, queue) -> None:
    qm.put(queue, TEXT.encode("cp500"), format=mq.MQFMT_STRING, ccsid=500)

    with qm.open(queue) as handle:
        seen = handle.get(options=Get.BROWSE_FIRST | Get.CONVERT)
        message = handle.get()

    assert (seen.body, message.body) == (TEXT.encode(), TEXT.encode("cp500"))


def test_a_unit_that_is_backed_out_returns_the_original(qm, queue) -> None:
    qm.put(queue, TEXT.encode("cp500"), format=mq.MQFMT_STRING, ccsid=500)

    with qm.open(queue) as handle:
        handle.get(options=Get.CONVERT | Get.SYNCPOINT)
        qm.backout()

    assert qm.get(queue).body == TEXT.encode("cp500")
