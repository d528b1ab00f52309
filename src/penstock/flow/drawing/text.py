"""A flow as text: a tree from each input node; a node that appears again is only named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.flow.drawing.layout import Layout, Line

DEPTH_MAX = 200


def text_of(layout: Layout) -> str:
    """Return a flow as an indented tree."""
    onward: dict[str, list[Line]] = {}
    for line in layout.lines:
        onward.setdefault(line.source, []).append(line)
    reached = {line.target for line in layout.lines}
    labels = [label for layer in layout.layers for label in layer]
    drawing = _Drawing(onward, layout.types)
    for label in [label for label in labels if label not in reached]:
        drawing.root(label)
    for label in [label for label in labels if label not in drawing.drawn]:  # reached only through a cycle
        drawing.root(label)
    return "\n".join(drawing.lines) + "\n"


class _Drawing:
    def __init__(self, onward: dict[str, list[Line]], types: dict[str, str]) -> None:
        self.onward = onward
        self.types = types
        self.drawn: set[str] = set()
        self.lines: list[str] = []

    def root(self, label: str) -> None:
        if label not in self.drawn:
            self.lines.append(f"{label} ({self.types[label]})")
            self._below(label, "", 0)

    def _below(self, label: str, indent: str, depth: int) -> None:
        self.drawn.add(label)
        wires = self.onward.get(label, [])
        for number, wire in enumerate(wires):
            last = number == len(wires) - 1
            entry = "" if wire.input == "in" else f" to {wire.input} of"
            again = wire.target in self.drawn or depth >= DEPTH_MAX
            mark = " (see above)" if again else f" ({self.types[wire.target]})"
            self.lines.append(f"{indent}{'└' if last else '├'}─ {wire.output} →{entry} {wire.target}{mark}")
            if not again:
                self._below(wire.target, f"{indent}{'   ' if last else '│  '}", depth + 1)
