"""`penstock flow follow`: show what messages of a deployed flow carry on every wire, while it runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.deploy import BrokerOption, DeployedFlowArgument, GroupOption

if TYPE_CHECKING:
    from penstock.flow.broker.watches import Followed

TICK_SECONDS = 0.2
SETTLE_SECONDS = 1.0  # after the end, for what workers still write


def follow(
    flow: DeployedFlowArgument,
    group: GroupOption = "default",
    broker: BrokerOption = "default",
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=100, help="of each worker")] = 10,
    seconds: Annotated[float, typer.Option("--for", min=1.0, max=600.0, help="seconds")] = 60.0,
    failing: Annotated[bool, typer.Option("--failing", help="only messages that fail at a node")] = False,
    msg_id: Annotated[str, typer.Option("--id", help="begin of a message or correlation id, in hex")] = "",
    every: Annotated[int, typer.Option("--every", min=1, help="one in so many messages")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Follow messages through a deployed flow, node by node: what each node changed.

    The flow goes on as it is; nothing of its messages changes. It ends after --for seconds, or with Ctrl-C.
    """
    from penstock.flow.broker import watches
    from penstock.flow.broker.home import broker_home

    home = broker_home(broker)
    wanted = {"messages": count, "failing": failing, "msg_id": msg_id.lower(), "every": every}
    watch = watches.begin(home, group, flow, seconds, **wanted)
    shown: dict[str, int] = {}
    try:
        while time.time() < watch.until + SETTLE_SECONDS:
            found = watches.followed(home, watch.id)
            for each in found:
                _show(each, shown, as_json)
            if len(found) >= count and all(time.time() - each.time > SETTLE_SECONDS for each in found):
                break
            time.sleep(TICK_SECONDS)
    finally:
        watches.end(home, group, flow)


def _show(each: Followed, shown: dict[str, int], as_json: bool) -> None:
    """Print what is new of a message."""
    from penstock.cli.printing import show_json_line

    lines = sorted([*each.wires, *each.failures], key=lambda line: float(line["time"]))
    for line in lines[shown.get(each.id, 0) :]:
        if as_json:
            show_json_line({"msg_id": each.msg_id, **line})
        elif "wire" in line:
            print(f"== ...{each.msg_id[-8:]} {line['wire']}")
            print("\n".join(line["changes"]) or "nothing changed", flush=True)
        else:
            print(f"== ...{each.msg_id[-8:]} failed at {line['failed']}\n{line['text']}", flush=True)
    shown[each.id] = len(lines)
