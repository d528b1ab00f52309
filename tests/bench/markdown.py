"""`python -m tests.bench.markdown FILE.json… [--title T]`: the tables of runs for a page of docs/reports."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from tests.bench.printing import quantity


def tables(found: dict[str, Any]) -> str:
    """Return the machine line and one section a benchmark."""
    run = found["run"]
    shown = [
        f"{key} {run[key]}"
        for key in ("cpu", "cores", "memory", "kernel", "file system", "python", "penstock", "commit")
    ]
    parts = [f"Machine: {', '.join(shown)}.\n", f"Command: `{run['command']}`; {run['rounds']} rounds.\n"]
    if systems := run.get("systems"):
        parts.append(f"Systems: {', '.join(f'{name} {text}' for name, text in systems.items())}.\n")
    for name, results in found["results"].items():
        foreign = run["foreign_percent"][name]
        parts.append(f"## {name}\n\nOther processes used {foreign:.0f} % of a core meanwhile.\n")
        if rows := [result for result in results if result["kind"] == "row"]:
            parts.append(_rows(rows))
        parts += [_figures(result) for result in results if result["kind"] == "figures"]
    return "\n".join(parts)


def _rows(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| what | Penstock | floor | ratio | 90 % interval | target | verdict |",
        "|---|---:|---:|---:|---|---|---|",
    ]
    for row in rows:
        ratio, unit = row["ratio"], row["unit"]
        floor = f"{quantity(row['floor']['median'], unit)} ({row['floor_name']})"
        spread = f"{ratio['low']:.3g} - {ratio['high']:.3g}"
        ours = quantity(row["subject"]["median"], unit)
        cells = [
            row["what"],
            ours,
            floor,
            f"{ratio['median']:.3g}",
            spread,
            row["target"] or "",
            row["verdict"],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _figures(figures: dict[str, Any]) -> str:
    lines = [f"{figures['title']}:\n", "| " + " | ".join(figures["columns"]) + " |"]
    lines.append("|---" + "|---:" * (len(figures["columns"]) - 1) + "|")
    lines += ["| " + " | ".join(line) + " |" for line in figures["lines"]]
    if figures["note"]:
        lines.append(f"\n{figures['note']}.")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.markdown", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="what runs wrote")
    parser.add_argument("--title", help="the page's title")
    options = parser.parse_args()
    if options.title:
        print(f"# {options.title}\n")
    for file in options.files:
        print(tables(json.loads(file.read_text())))


if __name__ == "__main__":
    main()
