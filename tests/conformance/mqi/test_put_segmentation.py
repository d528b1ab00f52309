"""Messages longer than MAXMSGL with SEGMENTATION_ALLOWED are cut by the queue manager (section 6)."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq

ALLOWED = mq.MQMF_SEGMENTATION_ALLOWED


@pytest.fixture
def narrow(run):
    run("DEFINE QLOCAL(Q) MAXMSGL(32) MAXDEPTH(4)")


def test_a_long_message_arrives_in_segments(qm, narrow):
    body = bytes(range(100))
    qm.put("Q", body, flags=ALLOWED)
    parts = qm.get_many("Q", 9)
    assert b"".join(part.body for part in parts) == body
    assert [part.descriptor.offset for part in parts] == [0, 32, 64, 96]
    assert len({part.descriptor.group_id for part in parts}) == 1
    assert parts[-1].descriptor.flags & mq.MQMF_LAST_SEGMENT


def test_without_permission_it_is_2030(qm, narrow, fails):
    with fails(2030):
        qm.put("Q", b"x" * 33)


def test_all_segments_fit_or_none_is_put(qm, narrow, fails):
    qm.put("Q", b"first")
    with fails(2053):
        qm.put("Q", bytes(100), flags=ALLOWED)
    assert [m.body for m in qm.get_many("Q", 9)] == [b"first"]


def test_all_segments_fit_into_the_unit_or_none_is_put(qm, narrow, run, fails):
    run("ALTER QMGR MAXUMSGS(3)")
    with qm.unit_of_work():
        with fails(2024):
            qm.put("Q", bytes(100), flags=ALLOWED)
        qm.put("Q", b"other")
    assert [m.body for m in qm.get_many("Q", 9)] == [b"other"]


def test_persistent_segments_survive_together(qm, embed, narrow):
    body = bytes(range(100))
    qm.put("Q", body, flags=ALLOWED, persistent=True)
    qm.close()
    assert b"".join(part.body for part in embed().get_many("Q", 9)) == body


def test_a_message_that_fits_is_not_cut(qm, narrow):
    qm.put("Q", b"x" * 32, flags=ALLOWED)
    assert len(qm.get_many("Q", 9)) == 1
