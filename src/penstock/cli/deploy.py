"""`penstock deploy`, `penstock rollback` and `penstock undeploy`: set which projects a broker runs.

They write what shall run; a broker that runs makes it so, and the commands wait for that. One that does not
run has it from its next start on.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.flow.broker.deployments import Deployment
    from penstock.flow.broker.home import BrokerHome

TICK_SECONDS = 0.05
BrokerOption = Annotated[
    str, typer.Option("--broker", help="the broker's name", autocompletion=completion.brokers)
]
ProjectArgument = Annotated[
    str,
    typer.Argument(
        help="the project, as `penstock broker list` shows it", autocompletion=completion.projects
    ),
]
DeployedFlowArgument = Annotated[
    str,
    typer.Argument(
        help="the flow, as `penstock broker list` shows it", autocompletion=completion.deployed_flows
    ),
]
GroupOption = Annotated[str, typer.Option("--group", "-g", help="the execution group")]
WaitOption = Annotated[float, typer.Option("--wait", help="return after this many seconds at most")]


def deploy(
    project: Annotated[Path, typer.Argument(help="the folder of a flow project, or a BAR file")],
    group: GroupOption = "default",
    instances: Annotated[
        int | None,
        typer.Option(
            "--instances", "-n", min=1, max=256, help="of every flow; as many as now by default, else 1"
        ),
    ] = None,
    properties: Annotated[
        list[str] | None, typer.Option("--set", help="[FLOW#]NAME=VALUE: a property, or NODE.PROPERTY")
    ] = None,
    overrides: Annotated[Path | None, typer.Option("--overrides", help="a file of such lines")] = None,
    skip: Annotated[list[str] | None, typer.Option("--skip", help="a flow to leave out")] = None,
    broker: BrokerOption = "default",
    wait: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Deploy a project: new, as another version, or with another number of instances.

    Flows with errors are left out; the command names them and ends with 1.
    """
    from penstock.flow.broker import deployments
    from penstock.flow.broker.home import broker_home
    from penstock.flow.overrides import parse_overrides, read_overrides

    given = read_overrides(overrides) if overrides is not None else {}
    given |= parse_overrides(properties or [])
    home = broker_home(broker, create=True)
    made, generation = deployments.deploy(home, project, group, instances, given, skip=skip or [])
    workers = settled(home, generation, wait, made.key)
    show(made, home, workers, as_json)


def rollback(
    project: ProjectArgument,
    version: Annotated[
        int, typer.Argument(min=0, help="the version; the one before this one by default")
    ] = 0,
    group: GroupOption = "default",
    broker: BrokerOption = "default",
    listed: Annotated[bool, typer.Option("--list", help="list the versions and change nothing")] = False,
    wait: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Go back to an earlier version of a project, with the properties and instances it had.

    Workers finish the units of work they are in, as with `deploy`: no message is lost or done twice.
    """
    from penstock.flow.broker import deployments
    from penstock.flow.broker.home import broker_home

    home = broker_home(broker)
    if listed:
        show_versions(deployments.history(home, project, group), as_json)
        return
    made, generation = deployments.roll_back(home, project, group, version)
    workers = settled(home, generation, wait, made.key)
    show(made, home, workers, as_json)


def show_versions(versions: list[dict[str, Any]], as_json: bool) -> None:
    """Print the versions of a project, the newest first."""
    from datetime import datetime

    from penstock.cli.printing import show_columns, show_json

    if as_json:
        show_json({"versions": [with_time(each) for each in versions]})
        return
    rows = []
    for each in versions:
        when = (
            datetime.fromtimestamp(each["deployed"]).astimezone().isoformat(" ", "seconds")
            if each["deployed"]
            else ""
        )
        properties = " ".join(f"{name}={value}" for name, value in each["properties"].items())
        rows.append((each["version"], "deployed" if each["is_current"] else "", when, properties))
    show_columns(("version", "state", "deployed at", "properties"), rows)


def with_time(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts of a deployment for JSON: its time is a text."""
    from penstock.cli.message_view import iso_time

    return {**facts, "deployed": iso_time(facts["deployed"]) if facts["deployed"] else None}


def undeploy(
    project: ProjectArgument,
    group: GroupOption = "default",
    broker: BrokerOption = "default",
    wait: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Take a project out of a group; its workers finish the units of work they are in."""
    from penstock.cli.printing import show_json
    from penstock.flow.broker import deployments
    from penstock.flow.broker.home import broker_home

    home = broker_home(broker)
    generation = deployments.undeploy(home, project, group)
    workers = settled(home, generation, wait, f"{group}/{project}")
    outcome = "ending" if workers is None and home.holder is not None else "undeployed"
    if as_json:
        show_json({"project": project, "group": group, "broker": broker, "outcome": outcome})
    else:
        print(f"{project} is {'still ending' if outcome == 'ending' else 'undeployed'} in group {group}.")
    raise typer.Exit(1 if outcome == "ending" and wait else 0)


def settled(home: BrokerHome, generation: int, wait: float, key: str) -> list[dict[str, Any]] | None:
    """Wait until the broker has made a state true; return a project's workers, None if it has not (yet)."""
    end = time.monotonic() + wait
    while home.holder is not None:
        status = home.read_status()
        workers = [each for each in status["workers"] if f"{each['group']}/{each['project']}" == key]
        if status["generation"] >= generation and status["settled"]:
            states = {each["state"] for each in workers}
            if not states & {"starting", "waiting", "stopping"}:
                return workers
        if time.monotonic() >= end:
            return None
        time.sleep(TICK_SECONDS)
    return None


def show(made: Deployment, home: BrokerHome, workers: list[dict[str, Any]] | None, as_json: bool) -> None:
    """Report the result of a deployment; one that cannot run ends the command with 1."""
    from dataclasses import asdict

    from penstock.cli.printing import show_json

    own = workers or []
    failing = [each for each in own if each["state"] == "crash-looping"]
    outcome = "failing" if failing else "running" if workers is not None else "deployed"
    if workers is None and home.holder is not None:
        outcome = "starting"
    if as_json:
        show_json({**with_time(asdict(made)), "broker": home.name, "outcome": outcome, "workers": own})
    else:
        what = f"{made.project} version {made.version} is {outcome} in group {made.group}"
        print(what + _note(made, home, outcome))
        for note in made.notes:
            print(f"  {note}")
        for wrong in made.left:
            print(f"  left out: {wrong}")
        for each in failing:
            print(f"{each['flow']}: {each['error']}")
    if outcome in ("failing", "starting") or made.left:
        raise typer.Exit(1)


def _note(made: Deployment, home: BrokerHome, outcome: str) -> str:
    tied = [f"{name} ({', '.join(why)})" for name, why in made.flows.items() if why]
    note = f"; instances of {', '.join(tied)} are threads of one process" if tied else ""
    if outcome == "starting":
        note += " and does not run yet; `penstock broker list` shows how it goes"
    if outcome == "deployed":
        note += f"; it runs when broker {home.name} is started"
    return note + "."
