"""A flow as SVG: boxes in layers from left to right, wires as curves with the names of their terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.flow.drawing.layout import Layout

BOX_WIDTH, BOX_HEIGHT = 170, 44
NOTED_HEIGHT = 60  # of boxes with a note
GAP_X, GAP_Y, MARGIN = 90, 26, 20
LANE = 18  # between wires that pass below the boxes
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


def svg_of(layout: Layout, title: str, notes: Mapping[str, str] | None = None) -> str:
    """Return a picture of a flow; with notes every box has a third line, for the note of its node."""
    tall = BOX_HEIGHT if notes is None else NOTED_HEIGHT
    at = {
        label: (MARGIN + x * (BOX_WIDTH + GAP_X), MARGIN + y * (tall + GAP_Y))
        for label, (x, y) in layout.places().items()
    }
    width = max((x for x, _ in at.values()), default=0) + BOX_WIDTH + MARGIN
    height = max((y for _, y in at.values()), default=0) + tall + MARGIN
    starts = _starts(layout, at, tall)
    lines = []
    for line in layout.lines:
        start, end = starts[line.source, line.output], at[line.target]
        below = 0
        if end[0] - start[0] > GAP_X or end[0] < start[0]:  # it would cross boxes of other layers
            below = height
            height += LANE
        lines.append(_line(line.output, line.input, start, (end[0], end[1] + tall // 2), below))
    boxes = [_box(label, layout.types[label], *place, tall, notes) for label, place in at.items()]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" style="fill:#ffffff;stroke:none"/>',
        TIP,
    ]
    return "\n".join([*head, *lines, *boxes, "</svg>\n"])


def _starts(
    layout: Layout, at: dict[str, tuple[int, int]], tall: int
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return where the wires of each terminal begin: spread over the right edge of its node."""
    outputs: dict[str, list[tuple[int, str]]] = {}
    for line in layout.lines:
        terminals = outputs.setdefault(line.source, [])
        if all(line.output != name for _, name in terminals):
            far = at[line.target][0] - at[line.source][0] > BOX_WIDTH + GAP_X
            terminals.append((at[line.target][1] + 10_000 * far, line.output))
    return {
        (label, name): (
            at[label][0] + BOX_WIDTH,
            at[label][1] + tall * (number + 1) // (len(found) + 1),
        )
        for label, found in outputs.items()
        for number, (_, name) in enumerate(sorted(found))
    }


def _box(label: str, type_: str, x: int, y: int, tall: int, notes: Mapping[str, str] | None) -> str:
    gone = ' class="gone"' if type_ == "Unavailable" else ""
    shown = label if len(label) <= LABEL_CHARACTERS else f"…{label[1 - LABEL_CHARACTERS :]}"
    middle = x + BOX_WIDTH // 2
    note = ""
    if notes is not None:
        text = escape(notes.get(label, ""))
        note = f'<text x="{middle}" y="{y + 50}" text-anchor="middle" class="note">{text}</text>'
    return (
        f"<g{gone}><title>{escape(label)}</title>"
        f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{tall}"/>'
        f'<text x="{middle}" y="{y + 19}" text-anchor="middle">{escape(shown)}</text>'
        f'<text x="{middle}" y="{y + 34}" text-anchor="middle" class="type">{escape(type_)}</text>{note}</g>'
    )


def _line(output: str, entry: str, start: tuple[int, int], end: tuple[int, int], below: int) -> str:
    """Return one wire with the name of its terminal; `below` is the height at which it passes below the
    boxes.
    """
    (x1, y1), (x2, y2) = start, end
    kind = ' class="failing"' if output in FAILING else ""
    name = output if entry in USUAL else f"{output} → {entry}"
    text = "" if name in USUAL else f'<text class="name" x="{x1 + 5}" y="{y1 - 3}">{escape(name)}</text>'
    if below:
        half = GAP_X // 2
        path = (
            f"M{x1} {y1} C{x1 + half} {y1} {x1} {below} {x1 + half} {below} L{x2 - half} {below} "
            f"C{x2} {below} {x2 - half} {y2} {x2} {y2}"
        )
    else:
        bend = max(40, abs(x2 - x1) // 2)
        path = f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    return f'<path{kind} d="{path}" marker-end="url(#tip)"/>{text}'
