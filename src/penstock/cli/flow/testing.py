"""`penstock flow test`: runs the YAML tests of flow projects."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.flow.testing.cases import Result

JAVA = ".java"
PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="project folders, or files of tests; this folder when none is given"),
]


def run_tests(
    paths: PathsArgument = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="also write the results to a file, as JUnit does")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run tests/*.yaml of flow projects on queues of their own, and test projects; exit 1 when one fails."""
    from penstock.cli.printing import show_json

    rows: list[dict[str, Any]] = []
    for project, file in _files(paths or [Path()]):
        for result in _results(project, file):
            rows.append(
                {"file": str(file), "name": result.name, "problems": result.problems, "log": result.log}
            )
            if not as_json:
                print(f"{'ok    ' if result.passed else 'FAILED'} {file}: {result.name}")
                for problem in result.problems:
                    print(f"       {problem}")
                for line in result.log if result.problems else ():
                    print(f"       log: {line}")
    failed = sum(1 for row in rows if row["problems"])
    if junit is not None:
        junit.write_text(junit_of(rows), "utf-8")
    if not rows:
        where = ", ".join(str(path) for path in paths or [Path()])
        print(f"There are no tests in {where}: a project has them in tests/*.yaml.", file=sys.stderr)
    if as_json:
        show_json({"tests": rows, "passed": len(rows) - failed, "failed": failed})
    else:
        print(f"{len(rows) - failed} passed, {failed} failed")
    if failed or not rows:
        raise typer.Exit(1)


def junit_of(rows: list[dict[str, Any]]) -> str:
    """Return results as the XML that build servers read: one suite per file, one case per test."""
    from xml.sax.saxutils import escape, quoteattr

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for file in dict.fromkeys(row["file"] for row in rows):
        cases = [row for row in rows if row["file"] == file]
        failures = sum(1 for row in cases if row["problems"])
        lines.append(f'<testsuite name={quoteattr(file)} tests="{len(cases)}" failures="{failures}">')
        for row in cases:
            lines.append(f"<testcase classname={quoteattr(file)} name={quoteattr(row['name'])}>")
            if row["problems"]:
                text = escape("\n".join([*row["problems"], *(f"log: {each}" for each in row["log"])]))
                lines.append(f"<failure message={quoteattr(row['problems'][0])}>{text}</failure>")
            lines.append("</testcase>")
        lines.append("</testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _results(project: Path, file: Path) -> list[Result]:
    """Run a file; one that cannot be read is a failure of its own and does not stop the others."""
    from penstock.flow.project import Project
    from penstock.flow.testing.cases import Result, run_file
    from penstock.model.errors import MQError

    try:
        if file.suffix == JAVA:
            from penstock.flow.testing.test_projects import DESCRIPTOR, run_test_file

            tests = next(each for each in file.parents if (each / DESCRIPTOR).is_file())
            return run_test_file(Project(project), tests, file)
        return run_file(Project(project), file)
    except MQError as raised:
        return [Result("the file itself", [str(raised)])]


def java_tests(folder: Path) -> list[Path]:
    """Return the Java files with tests in the test projects of a folder."""
    from penstock.flow.testing.test_projects import test_files

    return [path for _, path in test_files(folder)]


def _files(paths: list[Path]) -> list[tuple[Path, Path]]:
    """Return files of tests with the projects that they belong to."""
    found = []
    for path in paths:
        if path.is_dir():
            found += [(path, file) for file in sorted((path / "tests").glob("*.yaml"))]
            found += [(path, file) for file in java_tests(path)]
        else:
            found.append((path.resolve().parent.parent, path))
    return found
