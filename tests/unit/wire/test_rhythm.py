"""Replies that wait for the next get: when they do, and that none waits for long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.wire.client.rhythm import Rhythm

if TYPE_CHECKING:
    from tests.unit.wire.conftest import Served

pytestmark = pytest.mark.installed

ASYNC = penstock.Put.ASYNC_RESPONSE


def answer(beat: Rhythm, times: int) -> None:
    for _ in range(times):
        beat.put()
        beat.get(True)


def test_a_reply_waits_after_two_that_gets_have_followed() -> None:
    beat = Rhythm()
    assert not beat.put()
    beat.get(True)
    assert not beat.put()
    beat.get(True)
    assert beat.put()


def test_two_puts_in_a_row_are_no_replies() -> None:
    beat = Rhythm()
    answer(beat, 5)
    beat.put()
    assert not beat.put()
    beat.get(True)
    assert not beat.put()


def test_a_get_that_takes_its_time_ends_the_rhythm() -> None:
    beat = Rhythm()
    answer(beat, 5)
    beat.put()
    time.sleep(0.03)
    beat.get(True)
    assert not beat.put()


def test_gets_alone_make_no_rhythm() -> None:
    beat = Rhythm()
    for _ in range(5):
        beat.get(True)
    assert not beat.put()


def test_replies_to_requests_read_ahead_leave_together_but_not_late() -> None:
    beat = Rhythm()
    answer(beat, 2)
    assert beat.put()
    beat.get(False)
    time.sleep(0.005)
    assert not beat.put()
    beat.get(False)
    assert beat.put()


def test_a_reply_that_no_get_follows_arrives_soon(served: Served) -> None:
    with served.connect(share=False) as replier, served.connect(share=False) as requester:
        for number in range(5):
            requester.put("APP.Q", b"%d" % number)
            assert replier.get("APP.Q", wait=5.0) is not None
            replier.put("APP.REPLIES", b"%d" % number, options=ASYNC)
        found = requester.get_many("APP.REPLIES", 5)
        began = time.monotonic()
        while len(found) < 5 and time.monotonic() - began < 20:
            found += requester.get_many("APP.REPLIES", 5, wait=1.0)
        assert [message.body for message in found] == [b"%d" % number for number in range(5)]
        assert time.monotonic() - began < 10.0, "200 ms is what the kernel takes"


def test_a_reply_that_was_held_is_there_when_its_program_has_ended(served: Served) -> None:
    with served.connect(share=False) as requester:
        with served.connect(share=False) as replier:
            for _ in range(5):
                requester.put("APP.Q", b"x")
                replier.get("APP.Q", wait=5.0)
                replier.put("APP.REPLIES", b"y", options=ASYNC)
        assert len(requester.get_many("APP.REPLIES", 10)) == 5
