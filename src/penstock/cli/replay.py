"""`penstock replay`: runs archived messages through a flow, and compares the outputs with an earlier run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.ending_signals import on_ending
from penstock.cli.exit_codes import MESSAGES_FAILED
from penstock.cli.spark_signals import Interrupted, interrupt, quieten, started


def replay(
    source: Annotated[
        str,
        typer.Option(
            "--from", help="the archive: Parquet, JSON lines, recordings, or a folder with a file per message"
        ),
    ],
    flow: Annotated[str, typer.Option("--flow", help="the flow's name")],
    target: Annotated[str, typer.Option("--to", help="a new folder for Parquet, or the word queues")],
    project: Annotated[Path, typer.Option("--project", "-p", help="the folder of the flow project")] = Path(),
    input: Annotated[str, typer.Option("--input", help="the MQInput, when the flow has several")] = "",
    form: Annotated[str, typer.Option("--form", help="parquet, json, files or mxml; default: detected")] = "",
    since: Annotated[
        str, typer.Option("--since", help="a day or time: only what was put then or later")
    ] = "",
    until: Annotated[str, typer.Option("--until", help="a day or time: only what was put before")] = "",
    compare: Annotated[str, typer.Option("--compare", help="the folder of an earlier run")] = "",
    qmgr: QmgrOption = "",
    master: Annotated[str, typer.Option("--master", help="Spark's master")] = "",
    properties: Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE")] = None,
    spark_options: Annotated[list[str] | None, typer.Option("--spark", help="NAME=VALUE")] = None,
    allow_failures: Annotated[
        bool, typer.Option("--allow-failures", help="exit 0 even if messages have failed")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run archived messages through a flow on Spark, and show what differs from an earlier run.

    Exit 3 when messages have failed, 1 when something differs.
    """
    from penstock.cli.connecting import chosen
    from penstock.cli.printing import show_json
    from penstock.flow.overrides import parse_overrides
    from penstock.spark import replay as job
    from penstock.spark.starting.session import DEFAULT_MASTER, session

    overrides = parse_overrides(properties or [])
    arguments: dict[str, Any] = {
        "project": str(project.resolve()),
        "flow": flow,
        "input": chosen_input(project, flow, overrides, input),
        "set": overrides,
        "archive": source,
        "target": target,
        "form": form,
        "span": [since, until],
        "compare": compare,
        "options": {"url": chosen(qmgr)} if target == job.TO_QUEUES else {},
    }
    _check(arguments, master or DEFAULT_MASTER)
    quieten()
    try:
        with on_ending(interrupt):
            options = parse_overrides(spark_options or [])
            spark = started(lambda: session(master or DEFAULT_MASTER, options), interrupt)
            facts = job.job(spark, arguments, lambda event: None, None)
    except Interrupted as ended:
        print(_how_to_go_on(target), file=sys.stderr)
        raise typer.Exit(ended.exit_code) from None
    if as_json:
        show_json(facts)
    else:
        _show(facts)
    if facts["failed"] and not allow_failures:
        raise typer.Exit(MESSAGES_FAILED)
    difference = facts.get("difference", {})
    if any(difference.get(name) for name in ("changed", "only_before", "only_now")):
        raise typer.Exit(1)


def _check(arguments: dict[str, Any], master: str) -> None:
    """Refuse places that the run could not read or write, before Spark starts."""
    from penstock.spark import replay as job
    from penstock.spark.format.archives import check_choice
    from penstock.spark.runs.run_checks import check_address
    from penstock.spark.starting.session import is_local

    check_choice(arguments["form"], *arguments["span"])
    if is_local(master):
        job.check_paths(arguments["archive"], arguments["target"], arguments["compare"])
    if arguments["target"] == job.TO_QUEUES:
        check_address(arguments["options"]["url"], master)


def _how_to_go_on(target: str) -> str:
    from penstock.spark.replay import TO_QUEUES

    if target == TO_QUEUES:
        return "Stopped. Either all outputs are on their queues or none; look before you run it again."
    return f"Stopped. What is in {target} may be incomplete: remove it and run the same command again."


def chosen_input(project: Path, flow: str, overrides: dict[str, str], input: str) -> str:
    """Return the input that was given, or the only one; the flow is compiled for it, before Spark starts."""
    from penstock.flow.loading import compiled_flow
    from penstock.flow.nodes.mq_input import MQInput

    inputs = compiled_flow(str(project), flow, overrides).inputs
    found = [label for label, node in inputs.items() if isinstance(node, MQInput)]
    if input in found:
        return input
    if input or len(found) != 1:
        raise typer.BadParameter(f"--input is one of {', '.join(found) or 'none'}")
    return found[0]


def _show(facts: dict[str, Any]) -> None:
    from penstock.cli.printing import counted

    failed = f", {facts['failed']} failed" if facts["failed"] else ""
    print(f"{counted(facts['messages'], 'message')}{failed}, {counted(facts['outputs'], 'output')}")
    for queue, count in facts["queues"].items():
        print(f"  {queue:<24} {count}")
    difference = facts.get("difference")
    if difference is None:
        return
    print(
        f"{difference['same']} the same, {difference['changed']} changed,"
        f" {difference['only_before']} only before, {difference['only_now']} only now"
    )
    for sample in difference["samples"]:
        print(f"{sample['verdict']}: {sample['source_id']} to {sample['to']}")
        print(f"  - {sample['before']}\n  + {sample['now']}")
