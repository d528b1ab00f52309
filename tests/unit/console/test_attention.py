"""What needs attention when a queue manager does not run, or does not answer."""

from __future__ import annotations

from penstock.console import attention
from penstock.host.folders.folder_lock import CRASHED, ENDED, RUNNING
from penstock.model import constants as mq
from penstock.model.errors import error


def test_a_queue_manager_that_ended_unexpectedly_needs_attention_and_a_stopped_one_does_not() -> None:
    (found,) = attention.of_state("QM1", CRASHED)
    assert (found.level, found.command) == (attention.BAD, "penstock qmgr start QM1 -b")
    assert not [*attention.of_state("QM1", ENDED), *attention.of_state("QM1", RUNNING)]


def test_no_answer_needs_attention_and_a_missing_authority_does_not() -> None:
    (found,) = attention.of_refusal("QM1", error(mq.MQRC_CONNECTION_BROKEN, "gone"))
    assert "2009" in found.text
    assert not [*attention.of_refusal("QM1", error(mq.MQRC_NOT_AUTHORIZED, "no"))]
