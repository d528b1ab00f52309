"""A flow as SVG: boxes in layers from left to right, wires as curves with the names of their terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from penstock.flow.drawing.layout import Layout

BOX_WIDTH, BOX_HEIGHT = 170, 44
GAP_X, GAP_Y, MARGIN = 90, 26, 20
LABEL_CHARACTERS = 24
USUAL = frozenset({"out", "in"})
FAILING = frozenset({"failure", "catch"})
STYLE = """
text { font: 12px sans-serif; fill: #1b2733 } .type { font-size: 10px; fill: #5b6b7a }
.name { font-size: 9px; fill: #5b6b7a } rect { fill: #f4f8fb; stroke: #35648f; rx: 6px }
.gone rect { fill: #fbeeee; stroke: #b3261e; stroke-dasharray: 4 3 }
path { fill: none; stroke: #35648f; stroke-width: 1.4 }
path.failing { stroke: #b3261e; stroke-dasharray: 5 3 }
"""


TIP = (
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" style="fill:#35648f;stroke:none"/></marker>'
)


def svg_of(layout: Layout, title: str) -> str:
    """Return a picture of a flow."""
    at = {
        label: (MARGIN + x * (BOX_WIDTH + GAP_X), MARGIN + y * (BOX_HEIGHT + GAP_Y))
        for label, (x, y) in layout.places().items()
    }
    width = max((x for x, _ in at.values()), default=0) + BOX_WIDTH + MARGIN
    height = max((y for _, y in at.values()), default=0) + BOX_HEIGHT + MARGIN
    lines = [_line(line.output, line.input, at[line.source], at[line.target]) for line in layout.lines]
    boxes = [_box(label, layout.types[label], *place) for label, place in at.items()]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        TIP,
    ]
    return "\n".join([*head, *lines, *boxes, "</svg>\n"])


def _box(label: str, type_: str, x: int, y: int) -> str:
    gone = ' class="gone"' if type_ == "Unavailable" else ""
    shown = label if len(label) <= LABEL_CHARACTERS else f"…{label[1 - LABEL_CHARACTERS :]}"
    middle = x + BOX_WIDTH // 2
    return (
        f"<g{gone}><title>{escape(label)}</title>"
        f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}"/>'
        f'<text x="{middle}" y="{y + 19}" text-anchor="middle">{escape(shown)}</text>'
        f'<text x="{middle}" y="{y + 34}" text-anchor="middle" class="type">{escape(type_)}</text></g>'
    )


def _line(output: str, entry: str, source: tuple[int, int], target: tuple[int, int]) -> str:
    x1, y1 = source[0] + BOX_WIDTH, source[1] + BOX_HEIGHT // 2
    x2, y2 = target[0], target[1] + BOX_HEIGHT // 2
    bend = max(40, abs(x2 - x1) // 2)
    kind = ' class="failing"' if output in FAILING else ""
    name = output if entry in USUAL else f"{output} → {entry}"
    text = (
        ""
        if name in USUAL
        else f'<text class="name" x="{x1 + 6}" y="{y1 - 4 + (y2 > y1) * 14}">{escape(name)}</text>'
    )
    path = f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    return f'<path{kind} d="{path}" marker-end="url(#tip)"/>{text}'
