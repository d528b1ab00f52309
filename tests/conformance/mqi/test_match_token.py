"""SEMANTICS 3: a get by the message token that a browse returned."""

from __future__ import annotations

from penstock import Get


def test_the_browsed_message_is_got_by_its_token(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    with qm.open(queue) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        token = handle.get(options=Get.BROWSE_NEXT).token

        message = handle.get(token=token)

    assert message.body == b"b"
    assert [m.body for m in qm.browse(queue)] == [b"a", b"c"]


def test_tokens_differ_and_persistent_ones_do_too(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    qm.put_many(queue, [b"c", b"d"], persistent=True)

    assert len({m.token for m in qm.browse(queue)}) == 4


def test_a_token_of_a_message_that_is_gone_gets_nothing(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    token = next(iter(qm.browse(queue))).token
    qm.get(queue)
    qm.put(queue, b"b")

    with qm.open(queue) as handle, fails(2033):
        handle.get(token=token)
