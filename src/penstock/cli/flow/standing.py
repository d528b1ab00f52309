"""`penstock flow stop` and `penstock flow start`: let a deployed flow rest, and go on."""

from __future__ import annotations

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.deploy import BrokerOption, DeployedFlowArgument, GroupOption, WaitOption, settled


def stop(
    flow: DeployedFlowArgument,
    group: GroupOption = "default",
    broker: BrokerOption = "default",
    wait: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Stop a deployed flow; its workers finish their units of work, messages stay on their queues.

    It stays stopped when the broker starts again, until `flow start`, `deploy` or `rollback`.
    """
    _set(flow, group, broker, True, wait, as_json)


def start(
    flow: DeployedFlowArgument,
    group: GroupOption = "default",
    broker: BrokerOption = "default",
    wait: WaitOption = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Start a deployed flow that was stopped."""
    _set(flow, group, broker, False, wait, as_json)


def _set(flow: str, group: str, broker: str, stopped: bool, wait: float, as_json: bool) -> None:
    from penstock.cli.printing import show_json
    from penstock.flow.broker import deployments
    from penstock.flow.broker.home import broker_home
    from penstock.model import constants as mq
    from penstock.model.errors import error

    home = broker_home(broker)
    known = deployments.deployments_of(home.read_deployed()).values()
    found = next((each for each in known if each.group == group and flow in each.flows), None)
    if found is None:
        raise error(mq.PSRC_BROKER, f"no flow {flow} is deployed in group {group} of broker {broker}")
    generation = deployments.set_stopped(home, found.project, group, flow, stopped)
    is_settled = settled(home, generation, wait, found.key) is not None or home.holder is None
    word = "stopped" if stopped else "started"
    outcome = word if is_settled else ("stopping" if stopped else "starting")
    if as_json:
        show_json({"flow": flow, "group": group, "broker": broker, "outcome": outcome})
    else:
        print(f"{flow} is {'' if is_settled else 'being '}{word} in group {group}.")
    raise typer.Exit(0 if is_settled or not wait else 1)
