"""Descriptor fields on put (section 1): format, CCSID, encoding, feedback, names."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq


def test_format_is_at_most_eight_characters(qm, queue, fails):
    qm.put(queue, b"a", format="MYFORMAT")
    assert qm.get(queue).format == "MYFORMAT"
    with fails(2026):
        qm.put(queue, b"a", format="TOOLONGXX")


def test_ccsid_0_becomes_the_queue_managers(qm, queue):
    qm.put(queue, b"a", ccsid=0)
    assert qm.get(queue).descriptor.ccsid == 1208


def test_ccsid_encoding_and_feedback_are_kept(qm, queue):
    qm.put(queue, b"a", ccsid=819, encoding=273, feedback=65537)
    descriptor = qm.get(queue).descriptor
    assert (descriptor.ccsid, descriptor.encoding, descriptor.feedback) == (819, 273, 65537)


def test_defaults(qm, queue):
    qm.put(queue, b"a")
    descriptor = qm.get(queue).descriptor
    assert (descriptor.encoding, descriptor.ccsid, descriptor.format) == (546, 1208, "")


def test_a_reply_name_that_is_too_long_is_refused(qm, queue, fails):
    with fails(2026):
        qm.put(queue, b"a", reply_to="R" * 49)


def test_a_whole_descriptor_can_be_given(qm, queue):
    given = penstock.Descriptor(format="MQSTR", reply_to="R", msg_type=mq.MQMT_REQUEST)
    qm.put(queue, b"a", descriptor=given)
    message = qm.get(queue)
    assert (message.format, message.reply_to, message.msg_type) == ("MQSTR", "R", mq.MQMT_REQUEST)


def test_a_misspelt_field_is_named_with_the_likely_one(qm, queue):
    with pytest.raises(TypeError, match="reply_to"):
        qm.put(queue, b"a", replyto="R")
