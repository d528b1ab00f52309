"""Maps and graphs of 5 and of 200 nodes: no boxes upon each other, texts within them, small and quick."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from penstock.console import graphs
from penstock.flow.drawing.layout import Line

BYTES_MAX = 300_000


def map_of(count: int) -> tuple[dict[str, str], list[Line]]:
    """Return a map: one program in three writes to a queue, and reads that of another."""
    types: dict[str, str] = {}
    lines = []
    for number in range(count):
        kind = "program" if number % 3 == 0 else "queue"
        types[f"{kind.upper()}.{number} @ QM1"] = f"{kind} · {number:,} messages"
    names = list(types)
    for number in range(0, count - 2, 3):
        lines.append(Line(names[number], "out", names[number + 1], "in"))
        lines.append(Line(names[(number * 7 + 2) % count], "out", names[number], "in"))
    return types, [line for line in lines if line.source != line.target]


@pytest.mark.parametrize("count", [5, 200])
def test_boxes_do_not_overlap_and_every_name_and_rate_is_there(count: int) -> None:
    types, lines = map_of(count)
    passed = {graphs.wire_name(lines[0]): "12/s"}
    picture = str(graphs.picture_of(types, lines, "map", passed))
    root = ET.fromstring(picture)
    boxes = []
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        rect = group.find("{http://www.w3.org/2000/svg}rect")
        if rect is not None and group.find("{http://www.w3.org/2000/svg}title") is not None:
            boxes.append(tuple(float(rect.get(name, "0")) for name in ("x", "y", "width", "height")))
    assert len(boxes) == count
    for (x, y, width, height), (left, top, wide, high) in combinations(boxes, 2):
        apart = x + width <= left or left + wide <= x or y + height <= top or top + high <= y
        assert apart, "two boxes lie upon each other"
    titles = re.findall(r"<g><title>([^<]+)</title>", picture)
    assert set(types) <= set(titles)
    assert picture.count("12/s") == 1
    assert len(picture) < BYTES_MAX
