"""Hashes of ids against a plain list, sealed and not."""

from __future__ import annotations

import random

import pytest

from penstock.qmgr.deep._id_hashes import IdHashes
from penstock.qmgr.deep.block import BLOCK_MESSAGES, NUMBER_MAX

EDGES = (0, 1, NUMBER_MAX - 1, NUMBER_MAX)


@pytest.mark.parametrize("count", [0, 1, 2, 700, BLOCK_MESSAGES])
@pytest.mark.parametrize("highest", [3, 1000, NUMBER_MAX])
def test_it_finds_what_a_list_has(count, highest) -> None:
    chance = random.Random(count + highest)
    values = [chance.choice((*EDGES[:2], chance.randrange(highest + 1), highest)) for _ in range(count)]
    ids = IdHashes()
    for value in values[: count // 2]:
        ids.append(value)
    ids.extend(values[count // 2 :])
    wanted = {*EDGES, *values[:50], *(chance.randrange(highest + 1) for _ in range(50))}

    expected = {value: [at for at, each in enumerate(values) if each == value] for value in wanted}
    assert list(ids.by_position()) == values
    assert {value: ids.find(value) for value in wanted} == expected
    for _ in range(2):
        ids.seal()
        assert {value: ids.find(value) for value in wanted} == expected
    assert ids.footprint() <= 7 * count + 200


def test_numbers_that_are_no_hashes_are_refused() -> None:
    ids = IdHashes()

    for number in (-1, NUMBER_MAX + 1):
        with pytest.raises(OverflowError):
            ids.append(number)
