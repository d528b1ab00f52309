"""Pictures inside pages: SVG whose colours come from the style sheet, so that it follows the theme.

The shape of a flow comes from `penstock flow graph --json` in a process of its own, because reading a project
runs its Python files. It is kept by project, version and flow.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from penstock.flow.drawing.layout import Layout, Line, arranged
from penstock.flow.drawing.svg import svg_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.own_command import run_own_command

if TYPE_CHECKING:
    from pathlib import Path

SECONDS_MAX = 60.0
SHAPES_MAX = 100
TEXT_HEIGHT = 11.0
STYLE = re.compile(r'<style>.*?</style>| style="[^"]*"', re.DOTALL)
NOTE = re.compile(r'<text ([^>]*class="note")>')
START = re.compile(r' d="M(-?[\d.]+) (-?[\d.]+)')
WIRE = re.compile(r'<path[^>]* d="[^"]* (-?[\d.]+) (-?[\d.]+)" marker-end="url\(#tip\)"/>')


def penstock(*words: str) -> str:
    """Run a command of ours in a process of its own; return what it printed. 8351 when it fails."""
    try:
        done = run_own_command(*words, seconds_max=SECONDS_MAX)
    except subprocess.TimeoutExpired as late:
        raise error(mq.PSRC_BROKER, f"penstock {words[0]} {words[1]} took over {SECONDS_MAX:.0f} s") from late
    if done.returncode and not done.stdout.startswith("{"):
        raise error(mq.PSRC_BROKER, (done.stderr or done.stdout).strip()[-500:] or "the command failed")
    return done.stdout


@lru_cache(SHAPES_MAX)
def shape_of(folder: Path, flow: str) -> Layout:
    """Return the layout of a deployed flow."""
    found: dict[str, Any] = json.loads(penstock("flow", "graph", flow, "-p", str(folder), "--json"))
    return Layout(found["layers"], found["types"], [Line(**each) for each in found["wires"]])


def wire_name(line: Line) -> str:
    """Return the name that workers count a wire under."""
    return f"{line.source}.{line.output} -> {line.target}"


def drawn(
    layout: Layout, title: str, notes: dict[str, str] | None = None, passed: dict[str, str] | None = None
) -> Markup:
    """Return a picture; a note is below the type of its node, a text at the end of a wire.

    Notes of nodes and texts of wires are live values: `note LABEL` and `wire NAME`. Where several wires end
    at a node with a note, each text begins with its terminal.
    """
    text = svg_of(layout, title, notes)
    inline = STYLE.sub("", text).replace("<rect width=", '<rect class="paper" width=', 1)
    labels = iter(layout.places())
    inline = NOTE.sub(lambda found: _live(found, f"note {next(labels)}"), inline)
    if passed:
        lines, ends = iter(layout.lines), Counter[str]()
        arriving = Counter(line.target for line in layout.lines)

        def with_text(found: re.Match[str]) -> str:
            line = next(lines)
            if wire_name(line) not in passed:
                return found.group()
            ends[line.target] += 1
            terminal = line.output if notes is not None and arriving[line.target] > 1 else ""
            return found.group() + _at_end(found, line, passed[wire_name(line)], ends[line.target], terminal)

        inline = WIRE.sub(with_text, inline)
    return Markup(inline)  # svg_of escapes every name


def marked(picture: Markup, layout: Layout, here: str, passed: set[str], stops: set[str]) -> Markup:
    """Return a picture with the wire where a message is, those that it passed, and breakpoints."""
    lines = iter(layout.lines)

    def mark(found: re.Match[str]) -> str:
        line = next(lines)
        terminal = f"{line.source}.{line.output}"
        wire = f"{terminal} -> {line.target}"
        kinds = ["failing"] if 'class="failing"' in found.group() else []
        kinds += ["here"] if wire == here else ["passed-wire"] if wire in passed else []
        path = (
            found.group().replace(' class="failing"', "").replace("<path", f'<path class="{" ".join(kinds)}"')
        )
        x, y = START.search(path).groups()  # type: ignore[union-attr]
        return path + (f'<circle class="stop" cx="{x}" cy="{y}" r="5"/>' if terminal in stops else "")

    made = WIRE.sub(mark, picture)
    target = escape(here.partition(" -> ")[2])
    return Markup(made.replace(f"<g><title>{target}</title>", f'<g class="here"><title>{target}</title>'))


def _live(found: re.Match[str], key: str) -> str:
    return f'<text data-live="{escape(key)}" {found.group(1)}>'


def _at_end(found: re.Match[str], line: Line, text: str, number: int, terminal: str) -> str:
    """Return the text at the end of a wire; those of several wires to one place are above each other."""
    x, y = float(found.group(1)) - 10, float(found.group(2)) + 6 - TEXT_HEIGHT * number
    live = f'<tspan data-live="{escape(f"wire {wire_name(line)}")}">{escape(text)}</tspan>'
    title = f"<title>{escape(wire_name(line))}</title>"
    before = f'<tspan class="name">{escape(terminal)} </tspan>' if terminal else ""
    return f'<text class="passed" x="{x}" y="{y}" text-anchor="end">{title}{before}{live}</text>'


def picture_of(types: dict[str, str], lines: list[Line], title: str, passed: dict[str, str]) -> Markup:
    """Return a picture of any graph."""
    return drawn(arranged(types, lines), title, None, passed)
