"""The report as one HTML page: styles, charts, tables, data and the script that draws live, all inside it.

Every chart is there twice as SVG, for a wide and a narrow screen, so that letters stay readable on a phone,
in print and without JavaScript; the script draws it again with tooltips.
"""

from __future__ import annotations

import base64
import gzip
import json
import time
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.catalogue.loading import SEEDS
from penstock.lab.report.charts import NARROW, WIDE, sized
from penstock.lab.report.numbers import number
from penstock.lab.report.rendering import embedded, script, svg
from penstock.lab.report.story import QUESTIONS

if TYPE_CHECKING:
    from penstock.lab.report.charts import Spec
    from penstock.lab.report.story import Section, Story

STYLE = Path(__file__).with_name("style.css")
METHOD = Path(__file__).with_name("method.html")


class Page:
    """Collects the parts of a page."""

    def __init__(self, story: Story, data: list[dict[str, Any]], live: bool = True) -> None:
        self._story = story
        self._data = data
        self._live = live
        self._parts: list[str] = []
        self._charts = 0

    def html(self) -> str:
        """Return the whole page."""
        story = self._story
        self._header()
        self._highlights()
        if story.regression:
            self._table_section("changes", "What changed?", story.regression, _CHANGES, story.changes)
        self._contents()
        for key, sections in story.groups.items():
            self._parts.append(f'<section class="group" id="{key}"><h2>{QUESTIONS[key]}</h2>')
            if key in story.overviews:
                self._chart(f"{QUESTIONS[key]} Best points", story.overviews[key])
            for each in sections:
                self._section(each)
            self._parts.append("</section>")
        self._advice()
        if story.report_advice:
            text = "Advice of the reports, whose machines were others, beside the figures of this one."
            columns = ["setting", "the report's advice", "measured here"]
            self._table_section(
                "reports", "Does the reports' advice hold?", text, columns, story.report_advice
            )
        if story.targets:
            text = "Rows of the benchmarks that have raised targets, beside what was measured."
            self._table_section("targets", "Are the targets met?", text, _TARGETS, story.targets)
        if story.peers:
            text = "Both took turns on this machine, with the same work and the same promise to the sender."
            self._table_section("peers", "Beside other products", text, _PEERS, story.peers)
        self._not_run()
        self._machine()
        self._parts.append(METHOD.read_text())
        packed = base64.b64encode(gzip.compress(json.dumps(self._data).encode(), mtime=0)).decode()
        self._parts.append(f'<script type="application/gzip" id="data">{packed}</script>')
        if self._live:
            self._parts.append(f"<script>{script(NARROW, WIDE)}</script>")
        head = f"<title>{escape(story.title)}</title><style>{STYLE.read_text()}</style>"
        body = "\n".join(self._parts)
        meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        whole = f"<head>{meta}{head}</head><body><main>{body}</main></body>"
        return f'<!doctype html><html lang="en">{whole}</html>\n'

    def _header(self) -> None:
        first = self._story.runs[0]
        machine = first["sittings"][0]["machine"]
        loads = [each["load"] for run in self._story.runs for each in run["sittings"]]
        told = [
            f"Penstock {machine['penstock']}, commit {machine['commit']}",
            f"{machine['cpu']}, {machine['cores']} cores, {machine['memory']}",
            f"{machine['kernel']}, {machine['file system']}",
            time.strftime("%d %B %Y", time.gmtime(first["begun"])),
            f"{first['tier']} run, {first['rounds']} rounds of {number(first['window_s'])} s",
            f"load before: {', '.join(number(each) for each in loads)}",
        ]
        items = "".join(f"<li>{escape(each)}</li>" for each in told)
        self._parts.append(
            f"<header><h1>{escape(self._story.title)}</h1><ul class='facts'>{items}</ul></header>"
        )

    def _highlights(self) -> None:
        cards = "".join(
            f'<a class="card" href="#t-{escape(name)}"><b>{escape(value)}</b><span>{escape(told)}</span></a>'
            for value, told, name in self._story.highlights
        )
        if cards:
            self._parts.append(
                f'<section id="highlights"><h2>Highlights</h2><div class="cards">{cards}</div></section>'
            )

    def _contents(self) -> None:
        rows = []
        for key, sections in self._story.groups.items():
            links = " ".join(f'<a href="#t-{each.test.test}">{each.test.test}</a>' for each in sections)
            rows.append(f"<dt><a href='#{key}'>{QUESTIONS[key]}</a></dt><dd>{links}</dd>")
        self._parts.append(f"<nav><h2>Contents</h2><dl>{''.join(rows)}</dl></nav>")

    def _section(self, each: Section) -> None:
        test = each.test
        seed = SEEDS.get(test.seed, "")
        origin = f"{escape(seed)}, {escape(test.section)}" if seed else ""
        self._parts.append(
            f'<section class="test" id="t-{test.test}"><h3>{escape(test.title)} <code>{test.test}</code></h3>'
            f'<p class="origin">{origin}</p><p>{escape(_sentence(test.what))}</p>'
        )
        self._parts += [f"<p><strong>{escape(text)}</strong></p>" for text in each.sentences[:1]]
        self._parts += [f"<p>{escape(text)}</p>" for text in each.sentences[1:]]
        self._parts.append('<div class="charts">')
        for title, spec in each.charts:
            self._chart(title, spec)
        self._parts.append("</div>")
        self._parts.append(_table(each.columns, each.lines))
        if each.published:
            self._parts.append(_published(each))
        elif test.said:
            self._parts.append(f'<p class="context">Published: {escape(test.said)}.</p>')
        settings = ", ".join(f"{key} {value}" for key, value in test.load.items())
        note = f"<p>{escape(each.note)}</p>" if each.note else ""
        self._parts.append(
            f"<details><summary>Settings</summary><p>{escape(settings)}</p>{note}</details></section>"
        )

    def _chart(self, title: str, spec: Spec) -> None:
        self._charts += 1
        name = f"chart-{self._charts}"
        drawn = {"wide": svg(sized(spec, WIDE)), "narrow": svg(sized(spec, NARROW))}
        pictures = "".join(f'<div class="static {size}">{text}</div>' for size, text in drawn.items())
        text = (
            f'<div class="live"></div><script type="application/json" id="{name}">{embedded(spec)}</script>'
        )
        live = text if self._live else ""
        self._parts.append(
            f'<figure data-spec="{name}"><figcaption>{escape(title)}</figcaption>{pictures}{live}</figure>'
        )

    def _table_section(
        self, name: str, title: str, text: str, columns: list[str], lines: list[list[str]]
    ) -> None:
        self._parts.append(
            f'<section id="{name}"><h2>{title}</h2><p>{escape(text)}</p>{_table(columns, lines)}</section>'
        )

    def _advice(self) -> None:
        if self._story.advice:
            rows = "".join(
                f"<dt>{escape(ask)}</dt><dd>{escape(told)}</dd>" for ask, told in self._story.advice
            )
            self._parts.append(
                f'<section id="advice"><h2>Tuning advice from these figures</h2><dl>{rows}</dl></section>'
            )

    def _not_run(self) -> None:
        lines = [[name, reason] for name, reason in sorted(self._story.not_run.items())]
        lines += [[name, f"failed: {why}"] for name, why in self._story.failed]
        if lines:
            text = f"{len(lines)} tests have no figures here."
            self._table_section("not-run", "What was not measured?", text, ["test", "reason"], lines)

    def _machine(self) -> None:
        lines = []
        for run in self._story.runs:
            for place, each in enumerate(run["sittings"]):
                about = {**each["machine"], "load before": number(each["load"])}
                about |= {name: number(value) for name, value in each["floors"].items()}
                lines += [[f"{run['run_id']}.{place}", name, str(value)] for name, value in about.items()]
            lines.append([run["run_id"], "command", " ".join(["penstock", *run["command"]])])
            lines += [[run["run_id"], name, value] for name, value in run.get("packages", {}).items()]
        text = (
            "Load and server shared this machine unless drivers are named. Floors: what it can do by itself."
        )
        self._table_section("machine", "Machine and versions", text, ["sitting", "what", "value"], lines)


_CHANGES = ["test", "figure", "ratio", "90 % interval", "p", "verdict"]
_PEERS = ["what", "beside", "ratio", "90 % interval", "rounds"]
_TARGETS = ["what", "raised target", "measured", "90 % interval", "verdict"]


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


def _table(columns: list[str], lines: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in columns)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>'


def _published(each: Section) -> str:
    told = [
        f"{figure.source}: {figure.value} {figure.unit}"
        + (f" at {number(figure.x)}" if figure.x is not None else f" ({figure.metric})")
        + (f", {figure.note}" if figure.note else "")
        for figure in each.published
        if figure.metric not in ("cpu_ms", "response_s")
    ]
    items = "".join(f"<li>{escape(text)}</li>" for text in told)
    return (
        f'<details class="context"><summary>Published, on other machines</summary><ul>{items}</ul></details>'
    )
