"""`penstock flow check`: what is wrong with flows, by flow and node, and with their queues; 1 for errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption
from penstock.cli.printing import counted

if TYPE_CHECKING:
    from penstock.flow.checking import FlowReport
    from penstock.flow.graph.validation import Finding
    from penstock.flow.project import Project

WHERE = {"spark": "on Spark"}  # an engine, as people call it


def check(
    path: Annotated[Path, typer.Argument(help="the folder of a project, or a BAR file")] = Path(),
    flow: Annotated[str, typer.Option("--flow", help="only this one")] = "",
    overrides: Annotated[
        Path | None, typer.Option("--overrides", help="a file of flow#node.property=value lines")
    ] = None,
    qmgr: Annotated[
        str,
        typer.Option(
            "--qmgr",
            "-m",
            help="look up the flows' queues at this queue manager, a name or an mq:// address",
            autocompletion=completion.queue_managers,
        ),
    ] = "",
    nodes: Annotated[bool, typer.Option("--nodes", help="show every node and its kind")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check flows: findings by node, the engine that would run them, and what cannot be run."""
    from penstock.cli.printing import show_json
    from penstock.flow.checking import check_project
    from penstock.flow.open_project import opened

    with opened(path, overrides) as project:
        reports = check_project(project, flow, is_here=bool(qmgr))
        if qmgr:
            check_queues(project, reports, qmgr)
    if as_json:
        show_json([each.as_json() for each in reports])
    else:
        for report in reports:
            show(report, nodes)
        print(_sum(reports))
    if any(report.errors for report in reports):
        raise typer.Exit(1)


def check_queues(project: Project, reports: list[FlowReport], qmgr: str) -> None:
    """Add the mistakes in the queues of flows at a queue manager."""
    from penstock.cli.connecting import connected
    from penstock.flow.queue_checking import QueueChecker

    with connected(qmgr) as qm:
        checker = QueueChecker(qm)
        for report in reports:
            if report.nodes:
                report.findings += checker.check(project.flow(report.name))
                report.engine = "" if report.errors else report.engine


def show(report: FlowReport, nodes: bool) -> None:
    """Print what was found out about a flow."""
    runs = f"runs {WHERE.get(report.engine, report.engine)}" if report.engine else "cannot run"
    print(f"{report.name}: {runs if report.is_flow else 'cannot be used'}")
    for reason in report.reasons:
        print(f"  not on Spark: {reason}")
    for found in _together(report.findings):
        print(f"  {found}".replace("\n", "\n    "))
    if nodes:
        for label, type_, kind in report.nodes:
            print(f"  {label}  {type_}  {kind}")


def _together(findings: list[Finding]) -> list[Finding]:
    """Return findings, with equal ones of several nodes merged."""
    nodes: dict[tuple[str, str], list[str]] = {}
    for each in findings:
        nodes.setdefault((each.severity, each.text), []).append(each.node)
    return [
        findings[0]._replace(severity=severity, node=", ".join(names), text=text)
        for (severity, text), names in nodes.items()
    ]


def _sum(reports: list[FlowReport]) -> str:
    counts = {"error": 0, "unavailable": 0, "warning": 0}
    for report in reports:
        for found in report.findings:
            counts[found.severity] += 1
    files = sum(not report.is_flow for report in reports)
    unread = f" and {counted(files, 'file')} that cannot be used" if files else ""
    return (
        f"{counted(len(reports) - files, 'flow')}{unread}: {counted(counts['error'], 'error')},"
        f" {counted(counts['unavailable'], 'unavailable node')}, {counted(counts['warning'], 'warning')}"
    )
