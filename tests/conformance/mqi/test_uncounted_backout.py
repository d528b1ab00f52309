"""A backout for a reason that is not that of the messages leaves their counts: embedded, over a socket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import penstock
from tests.flow_station import Station


def back_out_twice(qm: Any) -> tuple[list[int], Any]:
    """Get two messages and put one, back all of it out once uncounted and once counted."""
    counts = []
    for backout in (qm.backout_uncounted, qm.backout_uncounted, qm.backout):
        qm.begin()
        found = [qm.get("IN"), qm.get("IN")]
        counts += [each.backout_count for each in found]
        qm.put("OUT", b"x")
        backout()
    return counts + [each.backout_count for each in qm.browse("IN")], qm.get("OUT")


def fill(qm: Any) -> None:
    qm.put("IN", b"one", persistent=True)
    qm.put("IN", b"two", persistent=False)


def test_embedded(tmp_path: Path) -> None:
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        qm.mqsc("DEFINE QLOCAL(IN)")
        qm.mqsc("DEFINE QLOCAL(OUT)")
        fill(qm)
        assert back_out_twice(qm) == ([0, 0, 0, 0, 0, 0, 1, 1], None)
        qm.begin()
        qm.get("IN")
        qm.backout_uncounted()
    with penstock.embed("QM1", home=tmp_path / "home") as qm:
        assert [each.backout_count for each in qm.browse("IN")] == [1]  # the count of disk


@pytest.mark.installed
def test_over_a_socket(tmp_path: Path) -> None:
    station = Station(tmp_path)
    station.start()
    try:
        with station.connect() as qm:
            fill(qm)
            assert back_out_twice(qm) == ([0, 0, 0, 0, 0, 0, 1, 1], None)
    finally:
        station.stop()
