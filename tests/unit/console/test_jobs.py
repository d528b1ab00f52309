"""A job counts what became of each item, and ends when nothing more can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.console.jobs import Job, Jobs
from penstock.model import constants as mq
from penstock.model.errors import error
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Callable


def run(act: Callable[[int], bool], total: int = 5) -> Job:
    ended: list[Job] = []
    job = Jobs().begin(Job("move", "ann", total, "/"), range(total), act, 0.0, ended.append)
    until(lambda: bool(ended))
    return job


def test_an_item_that_fails_does_not_stop_the_others() -> None:
    def act(item: int) -> bool:
        if item == 1:
            raise error(mq.MQRC_Q_FULL, "full")
        return item != 2

    job = run(act)
    assert (job.done, job.gone, job.failed, job.state) == (3, 1, 1, "ended")


def test_a_broken_connection_stops_the_job_after_the_item_it_was_at() -> None:
    def act(item: int) -> bool:
        if item == 2:
            raise error(mq.MQRC_CONNECTION_BROKEN, "gone")
        return True

    job = run(act)
    assert (job.done, job.failed, job.state) == (2, 1, "stopped")
    assert "2009" in job.failures[0]


def test_a_mistake_of_ours_ends_the_job_and_is_shown() -> None:
    def act(item: int) -> bool:
        raise ZeroDivisionError(item)

    job = run(act)
    assert (job.done, job.failed, job.state) == (0, 1, "stopped")
    assert job.failures == ["ZeroDivisionError: 0"]
