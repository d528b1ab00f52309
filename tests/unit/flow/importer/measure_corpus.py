"""Measures how much of published flows can be imported: counts by reason, and nothing of their text.

    python -m tests.unit.flow.importer.measure_corpus FOLDER [--run]

FOLDER holds one folder a repository. With --run, every flow that the check calls complete is also started and
given a message (`run_corpus`). The figures are in docs/reports/flow-corpus.md.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from pathlib import Path

from penstock.flow import Project
from penstock.flow.checking import check_flow
from penstock.flow.importer.python_writer import python_of
from penstock.flow.nodes import Unavailable
from penstock.flow.open_project import opened
from penstock.model.errors import MQError
from tests.unit.flow.importer.run_corpus import outcome_of

SHOWN = 40
_NAMES = re.compile(r"(?<=there is no )(ESQL module|map|style sheet|message set or schema) \S+")


def main(folder: Path, run: bool = False) -> None:
    """Print the figures."""
    counts: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("files", "nodes", "reasons", "notes", "flows", "errors", "maps", "runs", "BAR files")
    }
    begun = time.monotonic()
    for repository in sorted(each for each in folder.iterdir() if each.is_dir()):
        project = Project(repository)
        measure_files(project, counts)
        measure_flows(project, counts, run)
        measure_maps(project, counts["maps"])
    for path in sorted(folder.rglob("*.bar")):
        measure_bar(path, counts["BAR files"])
    for name, found in counts.items():
        print(f"\n{name}: {found.total()}")
        for what, count in found.most_common(SHOWN):
            print(f"{count:7} {what}")
    print(f"\n{time.monotonic() - begun:.0f} s")


def measure_files(project: Project, counts: dict[str, Counter[str]]) -> None:
    """Build every file by itself: nodes that cannot be run, and what was left out."""
    importer = project.flow_files.importer
    for owner, name, path in project.workspace.flow_files():
        try:
            flow = importer.build(owner, name, path)
        except MQError as raised:
            counts["files"][f"refused: {raised.detail.rpartition(': ')[2]}"] += 1
            continue
        gone = [node for node in flow.nodes if isinstance(node, Unavailable)]
        counts["files"]["with nodes that cannot be run" if gone else "complete"] += 1
        counts["nodes"].update(type(node).__name__ for node in flow.nodes)
        counts["reasons"].update(f"{kind_of(node.type)}: {reason_of(node)}" for node in gone)
        counts["notes"].update(re.sub(r"=.*? is not", " is not", each.text) for each in flow.notes)


def kind_of(type_: str) -> str:
    """Return a type of node; all subflows are one."""
    return "subflow" if type_.endswith("flow") else type_


def reason_of(node: Unavailable) -> str:
    """Return a reason without the names in it."""
    text = re.sub(r"there is no \S+flow in", "there is no such file in", _NAMES.sub(r"\1", node.reason))
    return re.sub(r"(back to|cannot be run:).*", r"\1 ...", text)


def measure_flows(project: Project, counts: dict[str, Counter[str]], run: bool) -> None:
    """Check every flow that is no subflow, with its ESQL compiled, and write it as Python."""
    for flow in project.flows.values():
        report = check_flow(flow, project)
        compile(python_of(flow), flow.name, "exec")
        gone = any(each.severity == "unavailable" for each in report.findings)
        if report.errors:
            counts["flows"]["cannot run"] += 1
            counts["errors"].update(
                {re.sub(r"\d+|'.*?'", "..", each.text.splitlines()[0]) for each in report.errors}
            )
        else:
            counts["flows"][f"{report.engine}, {'without some nodes' if gone else 'complete'}"] += 1
            if run and not gone:
                counts["runs"][outcome_of(flow, project)] += 1


def measure_maps(project: Project, counts: Counter[str]) -> None:
    """Read every map as a Mapping node would."""
    for each in project.workspace.projects:
        for _, path in each.of_ending(".map"):
            try:
                project.graphical_map(path.relative_to(project.folder).as_posix())
            except MQError as raised:
                why = raised.detail.partition("cannot be run: ")[2]
                counts[f"refused: {re.sub(r'(to|function) .*', '...', why)}"] += 1
            else:
                counts["run"] += 1


def measure_bar(path: Path, counts: Counter[str]) -> None:
    """Open a BAR file."""
    try:
        with opened(path) as project:
            counts["with flow files" if project.flows else "without"] += 1
    except MQError as raised:
        counts[f"refused: {raised.detail.rpartition(': ')[2]}"] += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--run" in sys.argv)
