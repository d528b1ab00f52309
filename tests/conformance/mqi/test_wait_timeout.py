"""SEMANTICS 3: a wait ends after its interval with 2033."""

from __future__ import annotations

from penstock import Get
from tests.patience import ends, lasts


def test_the_wait_lasts_its_interval(qm, queue) -> None:
    with lasts(0.045):
        message = qm.get(queue, wait=0.05)

    assert message is None


def test_a_handle_raises_2033_after_the_interval(qm, queue, fails) -> None:
    with lasts(0.045), qm.open(queue) as handle, fails(2033):
        handle.get(options=Get.WAIT, wait=0.05)


def test_no_interval_does_not_wait(qm, queue, fails) -> None:
    with ends(), qm.open(queue) as handle, fails(2033):
        handle.get(options=Get.WAIT)


def test_a_getter_that_gave_up_takes_nothing(qm, queue) -> None:
    qm.get(queue, wait=0.01)
    with qm.open(queue) as handle:
        handle.get(wait=0.01, quiet=True)

    qm.put(queue, b"later")

    assert qm.engine.queues[queue].waiting.count == 0
    assert qm.get(queue).body == b"later"
