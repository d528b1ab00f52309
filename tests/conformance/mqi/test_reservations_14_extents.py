"""Clause: several readers look at a queue together, each at its part; nothing is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import penstock
from penstock.qmgr.batches import extents
from tests.conformance.mqi.reservation_steps import bodies, define_queues, put_numbers


def read(qm: penstock.QueueManager, parts: int) -> list[list[bytes]]:
    here = qm.batches.extent("IN")
    size = here["last"] - here["first"] + 1
    cuts = [here["first"] + size * number // parts for number in range(parts + 1)]
    return [_part(qm, here["started"], cuts[at], cuts[at + 1] - 1) for at in range(parts)]


def _part(qm: penstock.QueueManager, started: float, first: int, last: int) -> list[bytes]:
    found: list[bytes] = []
    after = (9, 0)
    while rows := qm.batches.read_extent("IN", started=started, first=first, last=last, after=after):
        found += [message.body or b"" for _, _, message in rows]
        after = rows[-1][:2]
    return found


@pytest.mark.parametrize("piece", [2, 5_000])
def test_every_message_is_in_one_part(
    qm: penstock.QueueManager, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(extents, "PIECE_MAX", piece)
    define_queues(qm, "IN")
    for number in range(20):
        qm.put("IN", b"%02d" % number, priority=number % 4)
    for _ in range(3):
        qm.get("IN")
    expected = sorted(bodies(qm, "IN"))
    for parts in (1, 2, 3, 30):
        found = read(qm, parts)
        assert sorted(body for part in found for body in part) == expected
    assert read(qm, 1) == [bodies(qm, "IN")]  # in the order in which they would be got
    assert sorted(bodies(qm, "IN")) == expected


def test_a_piece_has_a_limit_in_bytes(qm: penstock.QueueManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extents, "PIECE_BYTES_MAX", 100)
    define_queues(qm, "IN")
    for size in (40, 60, 1, 500, 30):
        qm.put("IN", b"x" * size)
    here = qm.batches.extent("IN")
    del here["queue"]
    pieces, after = [], (9, 0)
    while rows := qm.batches.read_extent("IN", **here, after=after):
        pieces.append([len(message.body or b"") for _, _, message in rows])
        after = rows[-1][:2]
    assert pieces == [[40, 60], [1], [500], [30]]


def test_an_empty_queue_has_no_parts(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN")
    assert read(qm, 2) == [[], []]


def test_what_others_hold_and_what_comes_later_is_not_seen(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 6)
    here = qm.batches.extent("IN")
    put_numbers(qm, "IN", 2, first=6)
    with qm.unit_of_work():
        qm.get("IN")
        found = _part(qm, here["started"], here["first"], here["last"])
    assert found == [b"1", b"2", b"3", b"4", b"5"]


def test_a_restart_is_told(embed: Callable[..., penstock.QueueManager], fails: Callable[[int], Any]) -> None:
    qm = embed()
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 2)
    here = qm.batches.extent("IN")
    qm.close()
    with fails(8030):
        _part(embed(), here["started"], here["first"], here["last"])
