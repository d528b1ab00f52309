"""The map stays readable: above 60 nodes those with names alike are one."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the packages of the extra console are not installed")
from penstock.console.map_groups import GROUPED_ABOVE, Network, grouped
from penstock.flow.drawing.layout import Line


def network(stems: int, each: int) -> Network:
    made = Network({"QM1": "queue manager · running"})
    for stem in range(stems):
        for number in range(each):
            name = chr(65 + stem // 26) + chr(65 + stem % 26)
            queue, program = f"{name}.{number} @ QM1", f"app-{name}{number} at QM1"
            made.types |= {queue: "queue · 2 messages", program: "program"}
            made.waiting[queue] = 2
            made.lines.append(Line(queue, "out", program, "in"))
    return made


def test_a_small_map_is_shown_as_it_is() -> None:
    small = network(2, 14)
    assert len(small.types) <= GROUPED_ABOVE
    assert grouped(small, "") is small


def test_names_that_begin_alike_are_one_node_with_sums() -> None:
    found = grouped(network(4, 25), "")
    assert len(found.types) == 9
    assert found.types["AA* @ QM1"] == "25 queues · 50 messages"
    assert found.types["app-AA* at QM1"] == "25 programs"
    assert Line("AA* @ QM1", "out", "app-AA* at QM1", "in") in found.lines
    assert len(found.lines) == 4


def test_an_open_group_shows_its_members_and_their_lines() -> None:
    found = grouped(network(4, 25), "AA* @ QM1")
    assert "AA.7 @ QM1" in found.types
    assert "AA* @ QM1" not in found.types
    assert Line("AA.7 @ QM1", "out", "app-AA* at QM1", "in") in found.lines


def test_too_many_stems_are_grouped_by_queue_manager() -> None:
    found = grouped(network(30, 3), "AA* @ QM1")
    assert set(found.groups) == {"* @ QM1", "* at QM1"}
    assert found.types["* @ QM1"] == "87 queues · 174 messages"
    assert "AA.2 @ QM1" in found.types
