"""The map: queue managers and channels, queues and the programs that read and write them, with what waits.

Programs are known by the queues they have open now, and so are the inputs of flows; the broker knows which
queues a flow puts to.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.console import graphs
from penstock.console.brokers import brokers
from penstock.console.formatting import rate
from penstock.console.map_groups import AT, PROGRAM_AT, Network, grouped
from penstock.console.people import RUNNING, queue_managers
from penstock.console.visit import Page
from penstock.flow.drawing.layout import Line
from penstock.model.errors import MQError
from penstock.tools.channel_facts import channels_of, displayed, mqsc_name

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.visit import Visit

NODES_MAX = 200
HANDLES_MAX = 2_000


class DeployedFlow(NamedTuple):
    """An instance of a flow."""

    program: str  # the name that its worker has at the queue manager
    state: str
    puts_to: list[str]


def topology(visit: Visit) -> Page:
    """Return the page."""
    network = Network()
    for name, state in queue_managers().items():
        network.types[name] = f"queue manager · {state.lower()}"
        if state == RUNNING:
            try:
                _add(visit, name, network)
            except MQError as failure:
                network.types[name] = f"queue manager · {failure.reason}"
    around, names = visit.text("around"), list(network.types)
    if around in network.types:
        network = _around(network, around)
    count = len(network.types)
    network = grouped(network, visit.text("open"))
    types = network.types
    shown = dict(list(types.items())[:NODES_MAX])
    lines = [line for line in dict.fromkeys(network.lines) if line.source in shown and line.target in shown]
    visit.shape += [*shown, *(f"{line.source} {line.target}" for line in lines)]
    rates = _rates(visit, lines)
    visit.live |= {f"wire {name}": text for name, text in rates.items()}
    visit.live |= {f"note {label}": type_ for label, type_ in shown.items()}
    data: dict[str, Any] = {
        "picture": graphs.picture_of(shown, lines, "map", rates) if shown else "",
        "nodes": count,
        "groups": {name: len(own) for name, own in network.groups.items()},
        "left_out": len(types) - len(shown),
        "lines": [(line, rates.get(graphs.wire_name(line), "")) for line in lines],
        "names": names,
        "around": around,
    }
    return Page("map.html", "Map", data, "penstock map")


def _add(visit: Visit, qmgr: str, network: Network) -> None:
    """Add what belongs to a queue manager: channels, and queues with their flows and programs."""
    types, lines = network.types, network.lines
    queues = visit.queues(qmgr)
    depths = {row.queue: row.depth for row in queues}
    used = [row.queue for row in queues if row.readers or row.writers][:NODES_MAX]

    def queue(name: str) -> str:
        label = f"{name}{AT}{qmgr}"
        network.waiting[label] = depths.get(name, 0)
        types.setdefault(label, f"queue · {depths.get(name, 0):,} messages")
        return label

    for each in visit.asked(qmgr, channels_of):
        if not each.transmission_queue:
            continue
        types.setdefault(each.partner, f"partner · channel {each.state.lower()}")
        lines.append(Line(queue(each.transmission_queue), each.channel, each.partner, "in"))
    for row in visit.asked(qmgr, lambda qm: _programs(qm, used)):
        name, program = str(row["QUEUE"]), str(row["APPLTAG"])
        if name.startswith(("SYSTEM.", "AMQ.")) or name not in depths or not program:
            continue
        label = f"{program}{PROGRAM_AT}{qmgr}"
        types.setdefault(label, "program")
        if row["INPUT"] != "NO":
            lines.append(Line(queue(name), "out", label, "in"))
        if row["OUTPUT"] != "NO":
            lines.append(Line(label, "out", queue(name), "in"))
    for flow in _flows(qmgr):
        label = f"{flow.program}{PROGRAM_AT}{qmgr}"
        types[label] = f"flow · {flow.state}"
        lines += [Line(label, "out", queue(name), "in") for name in flow.puts_to if name in depths]


def _flows(qmgr: str) -> list[DeployedFlow]:
    """Return the flows that brokers run on a queue manager: they open no queue to put one message."""
    return [
        DeployedFlow(f"{broker['name']}.{row['group']}.{row['flow']}", row["state"], row.get("puts_to", []))
        for broker in brokers()
        if broker["qmgr"] == qmgr
        for row in broker["workers"]
    ]


def _rates(visit: Visit, lines: list[Line]) -> dict[str, str]:
    """Return messages per second by line, where one line alone leads to a queue, or away from it."""
    sources, targets = Counter(line.source for line in lines), Counter(line.target for line in lines)
    found: dict[str, str] = {}
    for line in lines:
        for label, count, verb in ((line.source, sources, "get"), (line.target, targets, "put")):
            name, at, qmgr = label.rpartition(AT)
            rates = visit.world.sampler.rates(qmgr, name) if at and count[label] == 1 else None
            if rates is not None:
                found[graphs.wire_name(line)] = rate(getattr(rates, verb))
    return found


def _programs(qm: ClientQueueManager, queues: list[str]) -> list[dict[str, Any]]:
    """Return the handles of queues that are open: with thousands of queues, most are not."""
    commands = [f"DISPLAY QSTATUS({mqsc_name(name)}) TYPE(HANDLE) ALL" for name in queues]
    return displayed(qm, "\n".join(commands))[:HANDLES_MAX] if commands else []


def _around(network: Network, name: str) -> Network:
    """Return what is at most two steps from a node."""
    types, lines, near = network.types, network.lines, {name}
    for _ in range(2):
        near |= {
            end for line in lines if {line.source, line.target} & near for end in (line.source, line.target)
        }
    kept = {label: type_ for label, type_ in types.items() if label in near}
    lines = [line for line in lines if line.source in kept and line.target in kept]
    return Network(kept, lines, network.waiting)
