"""Default context (section 1): who put the message, from the connection."""

from __future__ import annotations

import penstock
from penstock.model import constants as mq


def test_identity_and_origin_are_the_connections(embed):
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    with penstock.embed("QM1", application="billing") as app:
        app.put("Q", b"a")
    descriptor = qm.get("Q").descriptor
    assert descriptor.put_appl_name == "billing"
    assert descriptor.put_appl_type == mq.MQAT_UNIX
    assert descriptor.user_id


def test_what_the_application_writes_there_is_not_taken(qm, queue):
    qm.put(queue, b"a", user_id="mallory", put_appl_name="evil", appl_origin_data="X")
    descriptor = qm.get(queue).descriptor
    assert descriptor.user_id != "mallory"
    assert (descriptor.put_appl_name == "evil", descriptor.appl_origin_data) == (False, "")


def test_the_option_says_the_same(qm, queue):
    qm.put(queue, b"a")
    qm.put(queue, b"a", options=mq.MQPMO_DEFAULT_CONTEXT)
    assert qm.get(queue).descriptor == qm.get(queue).descriptor


def test_names_are_cut_to_mqs_lengths(embed):
    with penstock.embed("QM1", create=True, application="a" * 40) as qm:
        qm.mqsc("DEFINE QLOCAL(Q)")
        qm.put("Q", b"a")
        assert qm.get("Q").descriptor.put_appl_name == "a" * 28
