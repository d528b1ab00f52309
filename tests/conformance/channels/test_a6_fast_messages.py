"""A6: NPMSPEED: fast messages are visible at once and outside batches, normal ones in them."""

from __future__ import annotations

import pytest

from tests.channel_pairs import Pair, bodies, status, until_state
from tests.patience import until

pytestmark = pytest.mark.installed


def test_fast_messages_need_no_batch(pair: Pair) -> None:
    pair.link("FAST")
    for number in range(50):
        pair.qma.put("FAST.R", b"%d" % number)
    assert bodies(pair.qmb, "FAST.T", 50) == [b"%d" % number for number in range(50)]
    row = until_state(pair.qma, "FAST", "RUNNING")
    assert (row["BATCHES"], row["MSGS"], row["LSTSEQNO"], row["INDOUBT"]) == (0, 50, 0, "NO")


def test_fast_messages_overtake_a_batch_that_is_open(pair: Pair) -> None:
    pair.link("OVERTAKE", "BATCHINT(1000)")
    pair.qma.put("OVERTAKE.R", b"slow", persistent=True)
    until(lambda: status(pair.qma, "OVERTAKE").get("CURMSGS") == 1)
    pair.qma.put("OVERTAKE.R", b"fast")
    assert bodies(pair.qmb, "OVERTAKE.T", 2) == [b"fast", b"slow"]


def test_normal_messages_keep_their_order_among_persistent_ones(pair: Pair) -> None:
    pair.link("NORMAL", "NPMSPEED(NORMAL)")
    for number in range(40):
        pair.qma.put("NORMAL.R", b"%d" % number, persistent=number % 2 == 0)
    assert bodies(pair.qmb, "NORMAL.T", 40) == [b"%d" % number for number in range(40)]
    until(lambda: status(pair.qma, "NORMAL").get("LSTSEQNO") == 40)
