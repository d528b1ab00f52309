"""Data in reports (section 5): none, the first 100 bytes, or all."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq

BODY = bytes(range(256))


@pytest.fixture
def report(qm, queue, run):
    run("DEFINE QLOCAL(R)")

    def of(options, **fields):
        qm.put(queue, BODY, report=options, reply_to="R", format="MINE", **fields)
        qm.get(queue)
        return qm.get("R")

    return of


@pytest.mark.parametrize(
    ("options", "length"),
    [
        (mq.MQRO_COA, 0),
        (mq.MQRO_COA_WITH_DATA, 100),
        (mq.MQRO_COA_WITH_FULL_DATA, 256),
        (mq.MQRO_COD, 0),
        (mq.MQRO_COD_WITH_DATA, 100),
        (mq.MQRO_COD_WITH_FULL_DATA, 256),
    ],
)
def test_as_much_as_asked_for(report, options, length):
    assert report(options).body == BODY[:length]


def test_the_format_is_the_originals_when_there_is_data(report):
    assert report(mq.MQRO_COA_WITH_DATA).format == "MINE"
    assert report(mq.MQRO_COA).format == ""


def test_code_page_and_encoding_are_the_originals(report):
    descriptor = report(mq.MQRO_COA_WITH_FULL_DATA, ccsid=819, encoding=273).descriptor
    assert (descriptor.ccsid, descriptor.encoding) == (819, 273)
