"""Descriptor fields that cannot be: 2026, 2047, 2050 or 2013, and nothing is put."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq

SET_ALL = mq.MQPMO_SET_ALL_CONTEXT
BAD = [
    ({"format": 5}, 2026),
    ({"format": "ÜÜÜÜÜ"}, 2026),
    ({"ccsid": 2**40}, 2026),
    ({"encoding": "big"}, 2026),
    ({"feedback": -(2**40)}, 2026),
    ({"reply_to": 5}, 2026),
    ({"reply_to": "Ü" * 30}, 2026),
    ({"reply_to": "\ud800"}, 2026),
    ({"msg_type": "request"}, 2026),
    ({"report": 2**33}, 2026),
    ({"flags": 2**40}, 2026),
    ({"original_length": "long"}, 2026),
    ({"offset": 1.5, "flags": mq.MQMF_SEGMENT}, 2026),
    ({"group_id": b"g" * 25, "flags": mq.MQMF_MSG_IN_GROUP}, 2026),
    ({"group_id": "text", "flags": mq.MQMF_MSG_IN_GROUP}, 2026),
    ({"options": SET_ALL, "user_id": "u" * 13}, 2026),
    ({"options": SET_ALL, "user_id": 5}, 2026),
    ({"options": SET_ALL, "accounting_token": b"t" * 33}, 2026),
    ({"options": SET_ALL, "put_appl_name": "n" * 29}, 2026),
    ({"options": SET_ALL, "appl_origin_data": "n" * 5}, 2026),
    ({"options": SET_ALL, "appl_identity_data": "n" * 33}, 2026),
    ({"options": SET_ALL, "put_appl_type": "x"}, 2026),
    ({"msg_id": "text"}, 2026),
    ({"correl_id": "text"}, 2026),
    ({"priority": "high"}, 2050),
    ({"priority": 1.5}, 2050),
    ({"priority": 2**40}, 2050),
    ({"persistent": "maybe", "priority": 1}, 2047),
    ({"expiry": "soon"}, 2013),
    ({"expiry": float("nan")}, 2013),
]


@pytest.mark.parametrize(("fields", "reason"), BAD)
def test_it_is_refused_and_nothing_is_put(qm, queue, fails, fields, reason):
    for persistent in (False, True):
        with fails(reason):
            qm.put(queue, b"a", **({"persistent": persistent} | fields))
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        assert handle.inquire("CURDEPTH") == {"CURDEPTH": 0}


def test_trailing_blanks_do_not_count(qm, queue):
    qm.put(queue, b"a", format="MQSTR   ", reply_to="R".ljust(48))
    message = qm.get(queue)
    assert (message.format, message.reply_to) == ("MQSTR", "R")


def test_short_ids_are_filled_up(qm, queue):
    qm.put(queue, b"a", group_id=b"g", flags=mq.MQMF_MSG_IN_GROUP)
    assert qm.get(queue).descriptor.group_id == b"g".ljust(24, b"\0")


def test_option_classes_are_numbers(qm, queue):
    qm.put(queue, b"a", report=penstock.Report.COD, reply_to="R", flags=penstock.MsgFlag.SEGMENTATION_ALLOWED)
    descriptor = qm.get(queue).descriptor
    assert (descriptor.report, type(descriptor.report)) == (mq.MQRO_COD, int)
