"""`penstock flow import`: flow files or a BAR become a Python project that gives the same results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def import_(
    path: Annotated[Path, typer.Argument(help="a folder with .msgflow files, or a BAR file")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="the new folder")] = None,
    overrides: Annotated[
        Path | None, typer.Option("--overrides", help="a file of flow#node.property=value lines")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write flow files as Python; list what cannot be run, by node."""
    from penstock.cli.printing import show_json
    from penstock.flow.checking import check_project
    from penstock.flow.importer.python_project import write_project
    from penstock.flow.open_project import opened

    target = output or Path(f"{path.resolve().stem}-penstock")
    with opened(path, overrides) as project:
        written = write_project(project, target)
        reports = check_project(project)
    findings = [{"flow": report.name, **found._asdict()} for report in reports for found in report.findings]
    if as_json:
        flows = {name: str(file) for name, file in written.flows.items()}
        facts = {"copied": written.copied, "stubs": [str(path) for path in written.stubs]}
        show_json({"target": str(target), "flows": flows, **facts, "findings": findings})
        return
    for each in findings:
        print(f"{each['severity']}: {each['flow']}: {each['node']}: {each['text']}")
    for path in written.stubs:
        print(f"stub: {path}: write what the Java class did")
    print(f"{len(written.flows)} flows and {written.copied} other files are in {target}.")
