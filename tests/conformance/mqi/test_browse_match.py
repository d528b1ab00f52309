"""SEMANTICS 6: match options apply to browsing."""

from __future__ import annotations

from penstock import Get, Open


def test_browse_by_correlation_id(qm, queue) -> None:
    for number in range(6):
        qm.put(queue, b"%d" % number, correl_id=b"odd" if number % 2 else b"even")

    with qm.open(queue, Open.BROWSE) as handle:
        seen = [handle.get(options=Get.BROWSE_FIRST, correl_id=b"odd").body]
        seen += [handle.get(options=Get.BROWSE_NEXT, correl_id=b"odd").body for _ in range(2)]
        end = handle.get(options=Get.BROWSE_NEXT, correl_id=b"odd", quiet=True)

    assert (seen, end) == ([b"1", b"3", b"5"], None)


def test_a_browse_that_finds_nothing_leaves_the_cursor(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b"])
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST)
        handle.get(options=Get.BROWSE_NEXT, msg_id=b"unknown", quiet=True)
        assert handle.get(options=Get.BROWSE_NEXT).body == b"b"


def test_browse_by_message_id_and_token(qm, queue) -> None:
    receipts = qm.put_many(queue, [b"a", b"b", b"c"])
    with qm.open(queue, Open.BROWSE) as handle:
        seen = handle.get(options=Get.BROWSE_FIRST, msg_id=receipts[1].msg_id)
        again = handle.get(options=Get.BROWSE_FIRST, token=seen.token)

    assert (seen.body, again.body) == (b"b", b"b")
