"""DefaultQBufferSize: several threads get from a queue that lies on disk."""

from __future__ import annotations


def test_each_message_is_got_once(spilling, spilled, spawn) -> None:
    bodies = [b"%05d" % number * 50 for number in range(400)]
    spilling.put_many("Q", bodies)
    spilled(spilling)

    def consume() -> list[bytes]:
        got = []
        while (message := spilling.get("Q")) is not None:
            got.append(message.body)
        return got

    shares = [spawn(consume) for _ in range(4)]
    got = [body for share in shares for body in share.result(60)]

    assert sorted(got) == bodies


def test_putters_and_getters_together_lose_nothing(spilling, spawn) -> None:
    def produce(start: int) -> None:
        for number in range(start, start + 100):
            spilling.put("Q", b"%05d" % number * 50)

    def consume() -> list[bytes]:
        got = []
        while (message := spilling.get("Q", wait=60.0)).body != b"end":
            got.append(message.body)
        return got

    makers = [spawn(produce, start) for start in (0, 100)]
    takers = [spawn(consume) for _ in range(2)]
    for maker in makers:
        maker.result(60)
    spilling.put_many("Q", [b"end"] * 2)

    got = [body for taker in takers for body in taker.result(60)]
    assert sorted(got) == [b"%05d" % number * 50 for number in range(200)]
