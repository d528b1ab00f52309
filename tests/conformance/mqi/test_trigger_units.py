"""Triggers and units of work (section 5): fired when the unit ends, either way."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def monitor(qm, run):
    run("DEFINE PROCESS(P)")
    run("DEFINE QLOCAL(INIT)")
    run("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)")
    return qm.open("INIT", mq.MQOO_INPUT_SHARED)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("commit", [True, False])
def test_the_end_of_the_unit_brings_it(qm, monitor, persistent, commit):
    qm.begin()
    qm.put("Q", b"a", persistent=persistent)
    assert monitor.get(options=mq.MQGMO_NO_SYNCPOINT, quiet=True) is None
    qm.commit() if commit else qm.backout()
    assert monitor.get(wait=60.0, quiet=True) is not None


def test_the_program_finds_the_message(qm, monitor):
    qm.put("Q", b"a", persistent=True)
    assert monitor.get(wait=60.0) is not None
    assert qm.get("Q").body == b"a"


def test_decision_a_returned_message_does_not_fire(qm, monitor):
    qm.put("Q", b"a")
    monitor.get()
    qm.begin()
    qm.get("Q")
    qm.backout()
    assert monitor.get(quiet=True) is None
