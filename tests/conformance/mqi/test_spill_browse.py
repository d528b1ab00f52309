"""DefaultQBufferSize: a browse of a queue that outgrew its buffer sees all and fills no memory."""

from __future__ import annotations

import pytest

from penstock import Get

BODIES = [b"%05d" % number * 50 for number in range(200)]


@pytest.mark.parametrize("persistent", [False, True])
def test_all_messages_are_seen(spilling, spilled, persistent) -> None:
    spilling.put_many("Q", BODIES, persistent=persistent)

    assert spilled(spilling) > 100
    assert [m.body for m in spilling.browse("Q")] == BODIES


def test_a_browse_does_not_bring_them_all_back_to_memory(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES)
    spilled(spilling)
    for _ in spilling.browse("Q"):
        pass

    assert spilling.engine.queues["Q"].memory_bytes < 5000 + 64 * 250


def test_the_message_under_the_cursor_can_be_got(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES)
    spilled(spilling)
    with spilling.open("Q") as handle:
        for _ in range(150):
            handle.get(options=Get.BROWSE_NEXT)
        assert handle.get(options=Get.BROWSE_UNDER_CURSOR).body == BODIES[149]
        assert handle.get(options=Get.UNDER_CURSOR).body == BODIES[149]
        assert handle.get(options=Get.BROWSE_NEXT).body == BODIES[150]


def test_a_lock_holds(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES)
    spilled(spilling)
    with spilling.open("Q") as handle:
        for _ in range(150):
            handle.get(options=Get.BROWSE_NEXT | Get.LOCK)
        others = spilling.get_many("Q", 1000)
        assert [m.body for m in others] == BODIES[:149] + BODIES[150:]
        assert handle.get(options=Get.UNDER_CURSOR).body == BODIES[149]


def test_a_selector_on_a_browse(spilling, spilled) -> None:
    for number, body in enumerate(BODIES):
        spilling.put("Q", body, properties={"n": number})
    spilled(spilling)

    assert [m.body for m in spilling.browse("Q", selector="n BETWEEN 140 AND 142")] == BODIES[140:143]
