"""Draws a comparison as an SVG picture: one group of bars a scenario, lengths on a logarithmic scale.

Takes what the JSON of a run holds and returns text; needs nothing but the standard library.
"""

from __future__ import annotations

import math
from html import escape
from typing import Any

WIDTH = 900
LABEL_WIDTH = 130
VALUE_WIDTH = 90
BAR_HEIGHT = 16
GAP = 4
TITLE_HEIGHT = 26
HEAD_HEIGHT = 44
OURS = "#1f6f5c"
THEIRS = "#9aa5b1"
FONT = "font-family='sans-serif' font-size='12'"


def draw(title: str, groups: list[tuple[str, list[tuple[str, float, bool]]]]) -> str:
    """Return the picture of groups (name, bars); a bar is a name, a rate, and whether it is ours."""
    rates = [rate for _, bars in groups for _, rate, _ in bars if rate > 0]
    low, high = (min(rates), max(rates)) if rates else (1.0, 10.0)
    low = 10 ** math.floor(math.log10(low))
    height = HEAD_HEIGHT + sum(TITLE_HEIGHT + len(bars) * (BAR_HEIGHT + GAP) for _, bars in groups)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' role='img'>",
        f"<rect width='{WIDTH}' height='{height}' fill='white'/>",
        f"<text x='8' y='18' {FONT} font-weight='bold'>{escape(title)}</text>",
        f"<text x='8' y='34' {FONT} fill='#555'>operations a second, logarithmic scale, medians</text>",
    ]
    top = HEAD_HEIGHT
    for name, bars in groups:
        parts.append(f"<text x='8' y='{top + 16}' {FONT} font-weight='bold'>{escape(name)}</text>")
        top += TITLE_HEIGHT
        for label, rate, ours in bars:
            parts.append(_bar(top, label, rate, OURS if ours else THEIRS, length(rate, low, high)))
            top += BAR_HEIGHT + GAP
    return "\n".join([*parts, "</svg>\n"])


def length(rate: float, low: float, high: float) -> float:
    """Return a bar's length in pixels: nothing at `low`, all there is at `high`."""
    if rate <= low or high <= low:
        return 1.0
    room = WIDTH - LABEL_WIDTH - VALUE_WIDTH
    return max(1.0, room * math.log(rate / low) / math.log(high / low))


def groups_of(found: dict[str, Any], subject: str) -> list[tuple[str, list[tuple[str, float, bool]]]]:
    """Return the groups of a run's JSON, fastest bar first."""
    groups = []
    for results in found["results"].values():
        for table in (result for result in results if result["kind"] == "figures"):
            bars = [(line[0], float(line[1].replace(",", "")), line[0] == subject) for line in table["lines"]]
            groups.append((table["title"], sorted(bars, key=lambda bar: -bar[1])))
    return groups


def _bar(top: int, label: str, rate: float, colour: str, pixels: float) -> str:
    base = top + BAR_HEIGHT - 4
    return (
        f"<text x='{LABEL_WIDTH - 6}' y='{base}' {FONT} text-anchor='end'>{escape(label)}</text>"
        f"<rect x='{LABEL_WIDTH}' y='{top}' width='{pixels:.1f}' height='{BAR_HEIGHT}' fill='{colour}'/>"
        f"<text x='{LABEL_WIDTH + pixels + 6:.1f}' y='{base}' {FONT}>{rate:,.0f}</text>"
    )
