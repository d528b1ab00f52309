"""Two threads never get the same message, and none is lost between them."""

from __future__ import annotations

from penstock import Get


def test_each_message_is_got_once(qm, queue, spawn) -> None:
    for number in range(400):
        qm.put(queue, b"%d" % number)

    def consume() -> list[bytes]:
        got = []
        while (message := qm.get(queue)) is not None:
            got.append(message.body)
        return got

    got = [body for share in [spawn(consume) for _ in range(4)] for body in share.result(60)]

    assert sorted(got, key=int) == [b"%d" % number for number in range(400)]


def test_units_that_back_out_and_units_that_commit_share_the_queue(qm, queue, spawn) -> None:
    for number in range(60):
        qm.put(queue, b"%d" % number)

    def consume(patience: int) -> list[bytes]:
        got: list[bytes] = []
        for attempt in range(200):
            qm.begin()
            message = qm.get(queue)
            if message is None:
                qm.backout()
                return got
            if attempt % patience == 0:
                qm.backout()
            else:
                got.append(message.body)
                qm.commit()
        return got

    shares = [spawn(consume, patience) for patience in (2, 3)]
    got = [body for share in shares for body in share.result(60)]
    while (message := qm.get(queue)) is not None:
        got.append(message.body)

    assert sorted(got, key=int) == [b"%d" % number for number in range(60)]


def test_two_cursors_on_one_message_one_gets_it(qm, queue, fails) -> None:
    qm.put(queue, b"x")
    with qm.open(queue) as one, qm.open(queue) as two:
        one.get(options=Get.BROWSE_FIRST)
        two.get(options=Get.BROWSE_FIRST)
        one.get(options=Get.UNDER_CURSOR)
        with fails(2034):
            two.get(options=Get.UNDER_CURSOR)


def test_waiters_and_getters_together_lose_nothing(qm, queue, spawn) -> None:
    def consume() -> int:
        count = 0
        while qm.get(queue, wait=60.0).body != b"end":
            count += 1
        return count

    shares = [spawn(consume) for _ in range(3)]
    for number in range(200):
        qm.put(queue, b"%d" % number, persistent=number % 50 == 0)
    qm.put_many(queue, [b"end"] * 3)

    assert sum(share.result(60) for share in shares) == 200
