"""`penstock flow run`: a flow in the foreground, until its queue is empty or it is stopped."""

from __future__ import annotations

import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.exit_codes import MESSAGES_FAILED

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.broker.job import Job
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.spark.runs.spark_run import SparkRun

EngineOption = Annotated[
    str, typer.Option("--engine", help="spark, inline or auto; default: Spark, unless a node forbids it")
]
PropertiesOption = Annotated[
    list[str] | None, typer.Option("--set", help="NAME=VALUE: a property of the flow, or NODE.PROPERTY")
]
SparkOption = Annotated[
    list[str] | None, typer.Option("--spark", help="NAME=VALUE: an option of Spark itself")
]
CheckpointOption = Annotated[
    str, typer.Option("--checkpoint", help="Spark's checkpoint of the flow; default: below PENSTOCK_HOME")
]
AlsoOption = Annotated[
    list[str] | None,
    typer.Option("--also", help="a further queue manager whose queues are read; Spark only"),
]
ClusterOption = Annotated[
    str, typer.Option("--cluster", help="read the queues of all members of this cluster; Spark only")
]
WarmOption = Annotated[
    bool, typer.Option("--warm/--no-warm", help="keep Spark for the next runs, for 5 minutes without use")
]
UntilEmptyOption = Annotated[
    bool, typer.Option("--until-empty/--continuous", help="end when the input is empty, or never")
]
InstancesOption = Annotated[
    int, typer.Option("--instances", "-n", min=1, max=256, help="number of instances")
]
MasterOption = Annotated[
    str, typer.Option("--master", help="Spark's master: local[*], spark://..., sc://...")
]
BatchSizeOption = Annotated[
    int, typer.Option("--batch-size", min=0, help="messages per Spark batch; 0 for 100,000")
]
PartitionsOption = Annotated[
    int, typer.Option("--partitions", min=0, help="most tasks per Spark batch; 0: all cores")
]
AllowFailuresOption = Annotated[
    bool, typer.Option("--allow-failures", help="exit 0 even if messages were given up or lost")
]
WatchOption = Annotated[
    bool, typer.Option("--watch", help="start the flow anew when a file of the project changes")
]
COUNTER_COLUMNS = ("node", "type", "messages", "failed", "seconds")


def run(
    flow: Annotated[str, typer.Argument(help="the flow's name", autocompletion=completion.flows)],
    project: Annotated[str, typer.Option("--project", "-p", help="the folder of the flow project")] = ".",
    qmgr: QmgrOption = "",
    engine: EngineOption = "",
    until_empty: UntilEmptyOption = False,
    instances: InstancesOption = 1,
    properties: PropertiesOption = None,
    master: MasterOption = "",
    batch_size: BatchSizeOption = 0,
    partitions: PartitionsOption = 0,
    checkpoint: CheckpointOption = "",
    spark_options: SparkOption = None,
    also: AlsoOption = None,
    cluster: ClusterOption = "",
    warm: WarmOption = True,
    counters: Annotated[bool, typer.Option("--counters", help="count and time every node")] = False,
    allow_failures: AllowFailuresOption = False,
    watch: WatchOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress line")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run a flow in the foreground; Ctrl-C ends it after the unit of work it is in.

    `flow run` is the pipeline and runs on Spark; `penstock deploy` serves messages one by one in processes of
    the broker. With --until-empty, exit 3 when messages were given up or lost.
    """
    from penstock.cli.flow.engine import choose
    from penstock.cli.flow.on_spark import run_on_spark
    from penstock.cli.own_queue_manager import running
    from penstock.flow.overrides import parse_overrides

    progress = not (quiet or as_json)
    tell = say if progress else say_nothing
    if watch:
        from penstock.cli.flow.watching import watch as watch_project

        raise typer.Exit(watch_project(sys.argv[1:], project, tell))
    with running(qmgr, tell) as name:
        job = job_for(project, flow, name, parse_overrides(properties or []), until_empty, counters)
        compiled = compiled_with_warnings(job, tell)
        implied = "spark" if master or also or cluster else "inline" if instances > 1 or counters else ""
        if choose(compiled, engine or implied, tell, partial(backlog, job, compiled)) == "spark":
            given = spark_run(job, batch_size, partitions, own_path(checkpoint, master), also or [])
            if cluster:
                given = with_members(given, cluster, compiled, tell)
            options = parse_overrides(spark_options or [])
            keep = warm and (until_empty or sys.stdin.isatty())
            facts = run_on_spark(given, master, options, tell, progress, keep)
        else:
            facts = run_inline(job, compiled, instances, tell, progress)
    if until_empty:
        remember_rate(compiled, facts)
    show(facts, as_json)
    if until_empty and not allow_failures and (facts["given_up"] or facts["lost"]):
        raise typer.Exit(MESSAGES_FAILED)


def compiled_with_warnings(job: Job, tell: Callable[[str], None]) -> CompiledFlow:
    """Return a job's flow, compiled; print what is probably a mistake in it."""
    compiled = job.compiled()
    for warning in compiled.warnings:
        tell(str(warning))
    return compiled


def remember_rate(compiled: CompiledFlow, facts: dict[str, Any]) -> None:
    """Store how quick the flow was on this engine: the next run may choose by it."""
    from penstock.cli.flow.engine import name_of
    from penstock.flow.engines import RATE_MESSAGES_MIN

    if facts["messages"] >= RATE_MESSAGES_MIN and find_spec("pyspark") is not None:
        from penstock.spark.runs.flow_rates import remember

        remember(name_of(compiled), facts["engine"], facts["messages"], facts["rate"])


def run_inline(
    job: Job, compiled: CompiledFlow, instances: int, tell: Callable[[str], None], progress: bool
) -> dict[str, Any]:
    """Run a flow in threads of this process; return what it did."""
    from penstock.cli.flow.foreground import Foreground

    hint_of_reservations(job, compiled, tell)
    return Foreground(job, compiled, instances, tell, progress).run()


def backlog(job: Job, flow: CompiledFlow) -> int:
    """Return how many messages wait on the queues that a flow reads."""
    from penstock.flow.nodes.mq_input import MQInput
    from penstock.spark.remote_queue_manager import depth_of

    with job.connector()() as qm:
        return sum(depth_of(qm, node.queue) for node in flow.inputs.values() if isinstance(node, MQInput))


def hint_of_reservations(job: Job, flow: CompiledFlow, tell: Callable[[str], None]) -> None:
    """Print a hint about messages that a Spark run of the same flow still holds: nothing else gets them."""
    from penstock.cli.printing import counted
    from penstock.model.errors import MQError

    if tell is say_nothing:
        return
    names = [f"{flow.name}/{label}" for label in flow.inputs]
    with job.connector()() as qm:
        try:
            found = qm.batches.listing()
        except MQError:
            return  # a hint is for those who may see it
        for each in found:
            if each.rows and first_name(each.flow) in names:
                held = counted(each.rows, "message")
                tell(
                    f"A run on Spark holds {held} of {each.queue}: run it on Spark to go on with them,"
                    f" or give them back with `penstock flow reservations release {each.flow}`."
                )


def first_name(flow: str) -> str:
    """Return the name of a flow on Spark without the mark of its second query."""
    from penstock.spark.runs.spark_run import SECOND

    return flow.removesuffix(SECOND)


def own_path(checkpoint: str, master: str) -> str:
    """Return a local path as absolute: a warm session has another working directory."""
    from pathlib import Path

    from penstock.spark.starting.session import is_local

    here = not master or is_local(master)
    return str(Path(checkpoint).resolve()) if checkpoint and here and ":" not in checkpoint else checkpoint


def spark_run(
    job: Job, batch_rows: int, partitions: int, checkpoint: str, also: list[str] | None = None
) -> SparkRun:
    """Return the same run for Spark."""
    from pathlib import Path

    from penstock.spark.runs.spark_run import BATCH_ROWS, SparkRun

    return SparkRun(
        project=str(Path(job.project).resolve()),
        flow=job.flow,
        url=job.qmgr,
        properties=job.properties,
        batch_rows=batch_rows or BATCH_ROWS,
        partitions=partitions,
        until_empty=job.until_empty,
        checkpoint=checkpoint,
        options=who(job),
        also=also or [],
    )


def with_members(given: SparkRun, cluster: str, flow: CompiledFlow, tell: Callable[[str], None]) -> SparkRun:
    """Return a run over the other members of a cluster too, that have the queues of the flow."""
    from dataclasses import replace

    from penstock.spark.cluster_members import members
    from penstock.spark.runs.spark_run import input_queues

    found = members(given.url, cluster, input_queues(flow), given.options, tell)
    tell(f"Cluster {cluster}: {', '.join([given.url, *found])}")
    return replace(given, also=list(dict.fromkeys([*given.also, *found])))


def who(job: Job) -> dict[str, str]:
    """Return the user options for Spark's workers at an address; their own environment lacks them."""
    import os
    from pathlib import Path

    from penstock.cli.connecting import PASSWORD_FILE
    from penstock.client.address import is_address

    if not job.user or not is_address(job.qmgr):
        return {}
    file = os.environ.get(PASSWORD_FILE, "")
    if job.password and not file:
        raise typer.BadParameter(
            f"workers of Spark read the password of {job.user} from a file: use --password-file"
        )
    return {"user": job.user, **({"passwordFile": str(Path(file).resolve())} if file else {})}


def job_for(
    project: str, flow: str, qmgr: str, properties: dict[str, str], until_empty: bool, counters: bool
) -> Job:
    """Return the job to run."""
    import os

    from penstock.cli.connecting import USER, password_of
    from penstock.flow.broker.job import Job

    user = os.environ.get(USER, "")
    return Job(
        project=project,
        flow=flow,
        qmgr=qmgr,
        properties=properties,
        until_empty=until_empty,
        counters=counters,
        user=user,
        password=password_of(user),
    )


def say(text: str) -> None:
    """Print a notice that is not part of the result."""
    print(text, file=sys.stderr, flush=True)


def say_nothing(text: str) -> None:
    """Print nothing: a program reads the output, or --quiet was given."""


def show(facts: dict[str, Any], as_json: bool) -> None:
    """Show the counts."""
    from penstock.cli.printing import counted, rated, show_columns, show_json

    if as_json:
        show_json(facts)
        return
    done = f"{counted(facts['messages'], 'message')} in {facts['seconds']:.2f} s"
    done += rated(facts["messages"], facts["rate"])
    done += f", {counted(facts['outputs'], 'output')}"
    if facts["engine"] == "spark":
        done += f", {counted(facts['batches'], 'batch')}"
    print(
        f"{done}, {counted(facts['failed'], 'failed attempt')},"
        f" {facts['given_up']} given up, {facts['lost']} lost."
    )
    if facts.get("nodes"):
        show_columns(COUNTER_COLUMNS, [[row[name] for name in COUNTER_COLUMNS] for row in facts["nodes"]])
