"""A block against a plain dictionary, whatever is put into it, taken out and put back."""

from __future__ import annotations

import random

import pytest

from penstock.qmgr.deep.block import BLOCK_MESSAGES, NUMBER_MAX, Block, hash_of


def key(number: int) -> bytes:
    return b"%024d" % number


def filled(count: int, chance: random.Random) -> tuple[Block, dict[int, tuple[int, int, int]]]:
    """Return a block, and place -> (sequence number, id, location) of what is in it."""
    block = Block(100, 5000, 1.0)
    known = {}
    place = 100
    for _ in range(count):
        seq = chance.choice((0, 5000 + chance.randrange(-4000, 100_000)))
        number, location = chance.randrange(50), chance.randrange(1, 1 << 40)
        block.enter(block.append(place, seq, hash_of(key(number)), hash_of(key(-number))), location, 10)
        known[place] = seq, number, location
        place += chance.randrange(1, 1000)
    return block, known


@pytest.mark.parametrize("count", [1, 200, BLOCK_MESSAGES])
@pytest.mark.parametrize("seed", range(3))
def test_it_says_what_a_dictionary_says(count, seed) -> None:
    chance = random.Random(seed)
    block, known = filled(count, chance)
    if block.full:
        block.seal()
    away: dict[int, tuple[int, int, int]] = {}
    for place in chance.sample(sorted(known), count // 2):
        away[place] = known.pop(place)
        assert block.leave(block.position_of(place), 10) == away[place][2]
    for place in chance.sample(sorted(away), len(away) // 3):
        known[place] = away.pop(place)
        block.enter(block.position_of(place), known[place][2], 10)

    here = sorted(known)
    assert [block.place(at) for at in block.live_positions(0, len(block))] == here
    assert block.live == len(here)
    assert block.bytes == 10 * len(here)
    for number in range(50):
        expected = [place for place in here if known[place][1] == number]
        for ids, wanted in ((block.msg_ids, key(number)), (block.correl_ids, key(-number))):
            found = [block.place(at) for at in ids.find(hash_of(wanted)) if block.locations[at]]
            assert found == expected, seed
    for place in chance.sample(here, min(20, len(here))):
        at = block.position_of(place)
        assert (block.seq(at), block.locations[at]) == (known[place][0], known[place][2])
        assert block.position_behind(place) == at + 1
        assert block.position_behind(place - 1) == at
    assert block.position_of(99) == block.position_of(block.last + 1) == -1
    numbers = [seq for seq, _, _ in (known | away).values() if seq]
    assert block.seq_range() == ((min(numbers), max(numbers)) if numbers else (0, 0))


def test_what_its_numbers_cannot_hold_is_not_taken() -> None:
    block = Block(1, 1 << 40, 1.0)
    block.append(1, 1 << 40, 0, 0)

    assert block.takes(2, (1 << 40) + 1)
    assert block.takes(2, 0)
    assert not block.takes(2, 5)
    assert not block.takes(2, 1 << 41)
    assert not block.takes(2 + NUMBER_MAX, (1 << 40) + 1)


def test_thirty_two_bytes_a_message() -> None:
    block, _ = filled(BLOCK_MESSAGES, random.Random(1))
    block.seal()

    assert block.footprint() <= 32 * BLOCK_MESSAGES
