"""Replies that wait for the next get: when they do, and that none waits for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.client.reply_coalescing import ReplyCoalescing

if TYPE_CHECKING:
    from tests.served import Served

pytestmark = pytest.mark.installed

ASYNC = penstock.Put.ASYNC_RESPONSE


def answer(beat: ReplyCoalescing, times: int, now: float = 100.0) -> None:
    for _ in range(times):
        beat.put(now)
        beat.get(True, now)


def test_a_reply_waits_after_two_that_gets_have_followed() -> None:
    beat = ReplyCoalescing()
    assert not beat.put(100.0)
    beat.get(True, 100.0)
    assert not beat.put(100.0)
    beat.get(True, 100.0)
    assert beat.put(100.0)


def test_two_puts_in_a_row_are_no_replies() -> None:
    beat = ReplyCoalescing()
    answer(beat, 5)
    beat.put(100.0)
    assert not beat.put(100.0)
    beat.get(True, 100.0)
    assert not beat.put(100.0)


@pytest.mark.parametrize(("seconds", "waits"), [(0.009, True), (0.011, False)])
def test_a_get_that_takes_its_time_ends_the_rhythm(seconds: float, waits: bool) -> None:
    beat = ReplyCoalescing()
    answer(beat, 5)
    beat.put(100.0)
    beat.get(True, 100.0 + seconds)
    assert beat.put(101.0) is waits


def test_gets_alone_make_no_rhythm() -> None:
    beat = ReplyCoalescing()
    for _ in range(5):
        beat.get(True, 100.0)
    assert not beat.put(100.0)


@pytest.mark.parametrize(("seconds", "waits"), [(0.0009, True), (0.0011, False)])
def test_replies_to_requests_read_ahead_leave_together_but_not_late(seconds: float, waits: bool) -> None:
    beat = ReplyCoalescing()
    answer(beat, 2)
    assert beat.put(100.0)
    beat.get(False, 100.0)  # read ahead: nothing leaves with it
    assert beat.put(100.0 + seconds) is waits
    beat.get(False, 100.0 + seconds)
    assert beat.put(100.0 + seconds)


def test_a_reply_that_no_get_follows_arrives(served: Served) -> None:
    with served.connect(share=False) as replier, served.connect(share=False) as requester:
        for number in range(5):
            requester.put("APP.Q", b"%d" % number)
            assert replier.get("APP.Q", wait=60.0) is not None
            replier.put("APP.REPLIES", b"%d" % number, options=ASYNC)
        found: list[penstock.Message] = []
        while len(found) < 5:  # the last one is held by the kernel for 200 ms, no get follows it
            more = requester.get_many("APP.REPLIES", 5, wait=60.0)
            assert more, "a reply has not arrived"
            found += more
        assert [message.body for message in found] == [b"%d" % number for number in range(5)]


def test_a_reply_that_was_held_is_there_when_its_program_has_ended(served: Served) -> None:
    with served.connect(share=False) as requester:
        with served.connect(share=False) as replier:
            for _ in range(5):
                requester.put("APP.Q", b"x")
                replier.get("APP.Q", wait=60.0)
                replier.put("APP.REPLIES", b"y", options=ASYNC)
        assert len(requester.get_many("APP.REPLIES", 10)) == 5
