"""The blocks of a lane after a restart, in whatever order its messages are in the message files."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.qmgr.deep.block import BLOCK_MESSAGES
from penstock.qmgr.deep.shelves import Shelf

BLOCK_WORTH, SMALL_MAX = 256, 1000  # as in `shelves`, whose compiled form hides them
COUNT = 5 * BLOCK_MESSAGES


def stored(place: int) -> Message:
    """Return a message as it is read from its file."""
    message = Message(None, b"%024d" % place, NO_ID, True, 0, float(place), NEVER, Descriptor())
    message.place, message.seq, message.location, message.length = place, 7 * COUNT - place, 1000 + place, 10
    return message


def cut(places: list[int], chance: random.Random, pieces: int) -> list[list[int]]:
    ends = [0, *sorted(chance.sample(range(1, len(places)), pieces - 1)), len(places)]
    return [places[start:end] for start, end in pairwise(ends)]


def in_pieces(chance: random.Random) -> list[int]:
    """As the spiller writes: neighbours together, their groups in any order."""
    pieces = cut(list(range(1, COUNT)), chance, 40)
    chance.shuffle(pieces)
    return [place for piece in pieces for place in piece]


def newest_first(chance: random.Random) -> list[int]:
    return [place for piece in reversed(cut(list(range(1, COUNT)), chance, 12)) for place in piece]


def mixed(chance: random.Random) -> list[int]:
    """Two files that have every other message."""
    return [*range(1, COUNT, 2), *range(2, COUNT, 2)]


@pytest.mark.parametrize("order", [in_pieces, newest_first, mixed])
@pytest.mark.parametrize("seed", range(3))
def test_blocks_have_all_messages_in_the_order_of_their_places(order, seed) -> None:
    shelf = Shelf(None, 0)

    for place in order(random.Random(seed)):
        assert shelf.add(stored(place))
    shelf.settle()

    assert all(before.last < behind.first for before, behind in pairwise(shelf.blocks)), seed
    found = [
        (block.place(at), block.seq(at), block.locations[at])
        for block in shelf.blocks
        for at in block.live_positions(0, len(block))
    ]
    assert found == [(place, 7 * COUNT - place, 1000 + place) for place in range(1, COUNT)], seed
    assert len(shelf.blocks) <= COUNT // BLOCK_WORTH
    assert sum(block.bytes for block in shelf.blocks) == 10 * (COUNT - 1)


def test_messages_that_go_back_too_often_stay_objects() -> None:
    shelf = Shelf(None, 0)

    taken = [place for place in range(SMALL_MAX + 50, 0, -1) if shelf.add(stored(place))]
    shelf.settle()

    assert len(taken) == SMALL_MAX + 1
    assert [block.first for block in shelf.blocks] == [min(taken)]
