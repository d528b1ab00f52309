"""What must be true of the lanes of a queue at any moment, whatever lies on disk."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from penstock.qmgr.states import AVAILABLE, PACKED


def check(queue: Any) -> None:
    """Raise AssertionError if lists, blocks and counts of a queue contradict each other."""
    packed, free_mask, length, spilled_bytes = 0, 0, 0, 0
    for number, lane in enumerate(queue.lanes):
        nodes = _nodes(lane)
        places: list[int] = []
        for node in nodes:
            assert node.lane == number
            assert node.queue is queue
            if node.state == PACKED:
                here = list(node.positions())
                assert here
                assert here[0] == node.start
                assert node.place == node.block.place(here[0])
                assert node in node.block.runs
                assert any(node.block is block for block in lane.blocks)
                places += [node.block.place(at) for at in here]
                packed += len(here)
            else:
                places.append(node.place)
                if node.body is None:
                    spilled_bytes += node.length
                else:
                    length += node.length
        assert places == sorted(set(places))
        blocks = lane.blocks or []
        assert all(one.last < other.first for one, other in pairwise(blocks))
        runs = [run for block in blocks for run in block.runs]
        assert sum(block.live for block in blocks) == sum(len(list(run.positions())) for run in runs)
        assert all(block.live == sum(1 for each in block.locations if each) > 0 for block in blocks)
        spilled_bytes += sum(block.bytes for block in blocks)
        available = [node for node in nodes if node.state in (AVAILABLE, PACKED)]
        if available:
            assert lane.free is not None
            assert lane.free.place <= available[0].place
        free_mask |= (lane.free is not None) << number
    assert queue.mask == free_mask
    assert queue.packed == packed
    assert queue.memory_bytes == length
    assert queue.spilled_bytes == spilled_bytes


def _nodes(lane: Any) -> list[Any]:
    found = []
    node = lane.oldest
    before = None
    while node is not None:
        assert node.older is before
        found.append(node)
        before, node = node, node.newer
    assert lane.newest is before
    return found
