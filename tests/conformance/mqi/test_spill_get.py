"""DefaultQBufferSize: a queue that outgrew its buffer is got from as any other."""

from __future__ import annotations

import time

import pytest

from penstock import Get

BODIES = [b"%05d" % number * 50 for number in range(100)]


@pytest.mark.parametrize("persistent", [False, True])
def test_order_and_data_are_kept(spilling, spilled, persistent) -> None:
    spilling.put_many("Q", BODIES, persistent=persistent)

    assert spilled(spilling) > 50
    assert [spilling.get("Q").body for _ in BODIES] == BODIES
    assert spilling.get("Q") is None


def test_priorities_are_kept(spilling, spilled) -> None:
    for number, body in enumerate(BODIES):
        spilling.put("Q", body, priority=number % 3)

    assert spilled(spilling) > 50
    got = [spilling.get("Q") for _ in BODIES]
    assert [m.body for m in got] == BODIES[2::3] + BODIES[1::3] + BODIES[0::3]


def test_a_keyed_get_finds_them(spilling, spilled) -> None:
    ids = [spilling.put("Q", body, correl_id=body[:5]).msg_id for body in BODIES]

    assert spilled(spilling) > 50
    assert spilling.get("Q", msg_id=ids[90]).body == BODIES[90]
    assert spilling.get("Q", correl_id=b"00080").body == BODIES[80]


def test_a_selector_finds_them(spilling, spilled) -> None:
    for number, body in enumerate(BODIES):
        spilling.put("Q", body, properties={"n": number})

    assert spilled(spilling) > 50
    message = spilling.get("Q", selector="n = 77")
    assert (message.body, message.properties) == (BODIES[77], {"n": 77})


def test_get_many_returns_them(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES)

    assert spilled(spilling) > 50
    assert [m.body for m in spilling.get_many("Q", 1000)] == BODIES


def test_a_handle_gets_them_with_all_options(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES)

    assert spilled(spilling) > 50
    with spilling.open("Q") as handle:
        got = [handle.get(options=Get.ACCEPT_TRUNCATED, max_length=5).body for _ in BODIES]
    assert got == [body[:5] for body in BODIES]


def test_expired_ones_are_not_returned(spilling, spilled) -> None:
    for number, body in enumerate(BODIES):
        spilling.put("Q", body, expiry=0.05 if number < 90 else None)
    spilled(spilling)
    time.sleep(0.06)

    assert [m.body for m in spilling.get_many("Q", 1000)] == BODIES[90:]


def test_memory_holds_no_more_than_the_buffer(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES)
    spilled(spilling)

    assert spilling.engine.queues["Q"].memory_bytes <= 4096 + 250
