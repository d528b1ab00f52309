"""`penstock doctor`: what this installation has, lacks and can do."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.tools.doctor import Finding

MARKS = {"ok": "ok", "note": "--", "problem": "!!"}


def doctor(
    sync: Annotated[bool, typer.Option("--sync", help="also measure the disk's sync rate")] = False,
    measure: Annotated[
        bool, typer.Option("--measure", help="also time both engines, for the hints of flow run (a minute)")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Examine the build, Java, Spark, limits and PENSTOCK_HOME; exit 1 when something is wrong."""
    from penstock.cli.printing import show_json
    from penstock.spark.doctor_checks import examine_spark
    from penstock.spark.starting.session import spark_folder
    from penstock.tools.doctor import examine
    from penstock.tools.group_checks import examine_groups

    findings = [*examine(measure_sync=sync), *examine_groups(), *examine_spark(spark_folder())]
    if measure:
        from penstock.cli.doctor_measure import measure as measured

        findings.append(measured())
    if as_json:
        show_json([asdict(finding) for finding in findings])
    else:
        shown = with_modules_counted(findings)
        width = max(len(finding.subject) for finding in shown)
        for finding in shown:
            print(f"{MARKS[finding.state]}  {finding.subject.ljust(width)}  {finding.text}")
            if finding.advice:
                print(f"    {' ' * width}  {finding.advice}")
    raise typer.Exit(1 if any(finding.state == "problem" for finding in findings) else 0)


def with_modules_counted(findings: list[Finding]) -> list[Finding]:
    """Return findings with one line for all compiled modules: only the others are interesting."""
    from penstock.tools.doctor import Finding

    compiled = [each for each in findings if each.state == "ok" and each.subject.startswith("penstock.")]
    if not compiled:
        return findings
    place = findings.index(compiled[0])
    others = [each for each in findings if each not in compiled]
    return [*others[:place], Finding("modules", "ok", f"{len(compiled)} compiled"), *others[place:]]
