"""The checks of `penstock flow check`: findings by node, kinds, and the engine, for every flow of a project.

Goes further than building a flow: every node is started once, so that everything a deployment compiles is
compiled (expressions, patterns, maps, stylesheets, Python modules). No message is run and no queue manager is
needed. A flow that cannot be built is a finding, not an exception. `penstock deploy` runs the same checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.body_checking import check_bodies
from penstock.flow.data_source_checking import check_data_sources
from penstock.flow.engines import INLINE, SPARK, why_not_spark
from penstock.flow.graph.compiled import CompiledFlow
from penstock.flow.graph.flattening import flatten
from penstock.flow.graph.graph import Flow
from penstock.flow.graph.validation import Finding
from penstock.flow.name_checking import check_names
from penstock.flow.project_content import content_of
from penstock.flow.python_files import told, tried
from penstock.flow.terminal_checking import check_terminals
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.flow.graph.flattening import FlatFlow
    from penstock.flow.project import Project


@dataclass
class FlowReport:
    """The report on one flow: `nodes` are (label, type, kind), `reasons` are why Spark cannot run it."""

    name: str
    findings: list[Finding] = field(default_factory=list)
    nodes: list[tuple[str, str, str]] = field(default_factory=list)
    engine: str = ""
    reasons: list[str] = field(default_factory=list)
    compiled: CompiledFlow | None = None  # when nothing stops it
    is_flow: bool = True  # False for a file that could not be read

    @property
    def errors(self) -> list[Finding]:
        """The findings that stop the flow."""
        return [each for each in self.findings if each.severity == "error"]

    def as_json(self) -> dict[str, Any]:
        """Return everything, for programs."""
        return {
            "flow": self.name,
            "is_flow": self.is_flow,
            "engine": self.engine,
            "reasons": self.reasons,
            "findings": [each._asdict() for each in self.findings],
            "nodes": [{"node": label, "type": type_, "kind": kind} for label, type_, kind in self.nodes],
        }


def check_project(project: Project, only: str = "", *, is_here: bool = False) -> list[FlowReport]:
    """Return a report on every flow, and on every unreadable file.

    `is_here` means that the flows will run in this home: then unknown data sources are errors.
    """
    names = [only] if only else sorted(project.flows)
    if not names and not project.unread and not project.left:
        raise error(
            mq.PSRC_FLOW_PROJECT, f"{project.folder} holds no flow: neither flows/*.py nor a .msgflow"
        )
    found = [check_flow(project.flow(name), project, is_here=is_here) for name in names]
    if not only:
        for path, raised in project.unread.items():
            name = path.relative_to(project.folder).as_posix()
            wrong = raised.fields.get("mistakes") or [raised.detail]
            mistakes = [Finding("error", name, text) for text in wrong]
            found.append(FlowReport(name, [*mistakes, *_behind(path, project)], is_flow=False))
        if project.unread:
            found += _not_esql(project, found)
        found += _not_python(project)
        for name, reason in project.left:
            found.append(FlowReport(name, [Finding("unavailable", name, reason)], is_flow=False))
    return found


def _behind(path: Path, project: Project) -> Iterator[Finding]:
    """Check the nodes that a file made although some of its statements failed.

    What the failed ones would have added is missing, so findings about the whole flow mean nothing yet.
    """
    if path.suffix != ".py":
        return
    for flow in {id(each): each for each in tried(path).names.values() if isinstance(each, Flow)}.values():
        for each in check_flow(flow, project).errors:
            if each.node != flow.name:
                yield each


def _not_esql(project: Project, found: list[FlowReport]) -> Iterator[FlowReport]:
    """Find mistakes in ESQL that no readable flow uses, because its flow could not be read."""
    try:
        _ = project.library
    except MQError as raised:
        if not any(each.text == raised.detail for report in found for each in report.findings):
            yield FlowReport("esql", [Finding("error", "esql", raised.detail)], is_flow=False)


def _not_python(project: Project) -> Iterator[FlowReport]:
    """Find Python files that Python cannot read and no flow needs yet; others are the flows' errors."""
    for path, name in content_of(project.folder):
        if path.suffix == ".py" and path not in project.unread:
            try:
                compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            except (SyntaxError, ValueError) as raised:
                found = Finding("warning", str(name), told(path, raised))
                yield FlowReport(str(name), [found], is_flow=False)


def check_flow(flow: Flow, project: Project, *, is_here: bool = False) -> FlowReport:
    """Return the report on one flow; `is_here` as in `check_project`."""
    report = FlowReport(flow.name)
    flat = _flat(flow, report)
    if flat is None:
        return report
    report.nodes = [
        (label, type(node).__name__, node.kind.name.lower()) for label, node in flat.nodes.items()
    ]
    try:
        compiled = CompiledFlow(flow, project)
    except MQError as raised:
        report.findings += raised.fields.get("findings") or [Finding("error", flow.name, raised.detail)]
    else:
        report.findings += [*compiled.trial(), *compiled.warnings]
        if not report.errors:
            report.findings += check_data_sources(compiled, "error" if is_here else "warning")
            report.findings += check_terminals(compiled)
            report.findings += check_names(compiled)
            report.findings += check_bodies(compiled)
        if not report.errors:
            report.compiled = compiled
            report.reasons = [str(each) for each in why_not_spark(compiled)]
            report.engine = INLINE if report.reasons else SPARK
    # Building the flow repeats findings of the first check.
    report.findings = sorted(dict.fromkeys(report.findings), key=lambda each: each.severity)
    return report


def _flat(flow: Flow, report: FlowReport) -> FlatFlow | None:
    try:
        return flatten(flow)
    except MQError as raised:
        report.findings.append(Finding("error", flow.name, raised.detail))
        return None
