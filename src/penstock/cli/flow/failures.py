"""`penstock flow failures`: the last failures of a deployed flow."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption
from penstock.cli.deploy import DeployedFlowArgument
from penstock.model import constants as mq

COLUMNS = ("time", "event", "node", "reason", "name", "message", "attempt", "to", "text")


def failures(
    flow: DeployedFlowArgument,
    broker: Annotated[
        str, typer.Option("--broker", "-b", help="the broker's name", autocompletion=completion.brokers)
    ] = "default",
    group: Annotated[
        str, typer.Option("--group", "-g", help="the group; default: every group with the flow")
    ] = "",
    count: Annotated[
        int, typer.Option("--count", "-n", min=0, help="how many; 0 for all that are kept")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the last failures of a deployed flow: when, which node, why, and what became of the message.

    The text of an exception may quote the message.
    """
    from penstock.cli.printing import show_columns, show_json
    from penstock.flow.broker.deployments import deployments_of
    from penstock.flow.broker.home import broker_home
    from penstock.flow.broker.logs import last_failures
    from penstock.model.errors import error
    from penstock.model.failure_properties import printable

    home = broker_home(broker)
    deployed = deployments_of(home.read_deployed()).values()
    groups = sorted({each.group for each in deployed if flow in each.flows and group in ("", each.group)})
    if not groups:
        raise error(mq.PSRC_BROKER, f"no flow {flow} is deployed to broker {broker}", broker=broker)
    found = [
        {"group": each, **facts}
        for each in groups
        for facts in last_failures(home.failures, each, flow, count)
    ]
    found = sorted(found, key=lambda each: str(each["time"]))[-count:]
    if as_json:
        show_json(found)
        return
    if not found:
        print(f"Flow {flow} has not failed.")
        return
    show_columns(COLUMNS, [[printable(str(each.get(name, ""))) for name in COLUMNS] for each in found])
