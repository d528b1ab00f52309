"""Flows: what is deployed and how it runs; one flow with its graph, failures by node, versions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from penstock.console import graphs
from penstock.console.authority import check_administrator, is_administrator
from penstock.console.brokers import brokers
from penstock.console.visit import Away, Page, command
from penstock.flow.broker import deployments
from penstock.flow.broker.home import broker_home
from penstock.flow.broker.logs import last_failures
from penstock.flow.drawing.text import text_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.console.visit import Visit
    from penstock.flow.broker.deployments import Deployment
    from penstock.flow.broker.home import BrokerHome

FAILURES_MAX = 200
SHOWN = 30
NUMBERS = ("messages", "failed", "given_up", "lost", "restarts")


def flows(visit: Visit) -> Page:
    """Return the list of deployed flows."""
    found = brokers()
    rows = [row for each in found for row in _rows(each)]
    visit.shape += [
        f"{row['broker']} {row['group']} {row['flow']} {row['state']} {row['version']}" for row in rows
    ]
    return Page("flows.html", "Flows", {"brokers": found, "rows": rows}, command("broker", "list"))


def _rows(broker: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each deployed flow: its instances added up."""
    rows = []
    for deployed in broker["deployments"]:
        for flow in deployed["flows"]:
            own = _workers(broker, deployed["group"], flow)
            rows.append(
                {
                    "broker": broker["name"],
                    "group": deployed["group"],
                    "project": deployed["project"],
                    "version": deployed["version"],
                    "flow": flow,
                    "instances": len(own),
                    "state": _state(own) if broker["process"] else "broker stopped",
                    "rate": sum(each.get("rate") or 0 for each in own),
                    "error": next((each["error"] for each in own if each.get("error")), ""),
                    **{name: sum(each.get(name) or 0 for each in own) for name in NUMBERS},
                }
            )
    return rows


def _workers(broker: dict[str, Any], group: str, flow: str) -> list[dict[str, Any]]:
    return [row for row in broker["workers"] if (row["group"], row["flow"]) == (group, flow)]


def _state(workers: list[dict[str, Any]]) -> str:
    states = sorted({str(each["state"]) for each in workers}, key=lambda state: state == "running")
    return states[0] if states else "not running"


def deployed_flow(visit: Visit) -> tuple[BrokerHome, Deployment, str]:
    """Return the deployed flow that an address names; 8351 if there is none."""
    home = broker_home(visit.text("broker"))
    group, flow = visit.text("group"), visit.text("flow")
    for each in deployments.deployments_of(home.read_deployed()).values():
        if flow in each.flows and group in ("", each.group):
            return home, each, flow
    raise error(mq.PSRC_BROKER, f"no flow {flow[:60]} is deployed to broker {home.name}")


def flow(visit: Visit) -> Page:
    """Return the page of one flow."""
    home, deployed, name = deployed_flow(visit)
    broker = next(each for each in brokers() if each["name"] == home.name)
    row = next(each for each in _rows(broker) if (each["group"], each["flow"]) == (deployed.group, name))
    failures = list(reversed(last_failures(home.failures, deployed.group, name, FAILURES_MAX)))
    by_node = Counter(str(each.get("node", "")) for each in failures)
    nodes = _nodes(_workers(broker, deployed.group, name))
    visit.shape += [row["state"], str(row["version"]), *(str(each.get("time")) for each in failures[:1])]
    visit.shape += [each["node"] for each in nodes]
    data: dict[str, Any] = {
        "broker": home.name,
        "group": deployed.group,
        "flow": name,
        "project": deployed.project,
        "row": row,
        "deployed": deployed,
        "failures": failures[:SHOWN],
        "failure_count": len(failures),
        "by_node": by_node.most_common(),
        "versions": deployments.history(home, deployed.project, deployed.group),
        "workers": _workers(broker, deployed.group, name),
        "is_administrator": is_administrator(visit.session.user),
        "nodes": nodes,
        **_picture(visit, home, deployed, name, by_node, nodes),
    }
    shown = command("flow", "failures", name, "--broker", home.name, "--group", deployed.group)
    return Page("flow.html", name, data, shown, (("Flows", "/flows"),))


def _nodes(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what each node did, all instances added up; empty for a broker that does not count nodes."""
    found: dict[str, dict[str, Any]] = {}
    for each in (node for worker in workers for node in worker.get("nodes", ())):
        about = {"node": each["node"], "type": each["type"], "messages": 0, "failed": 0, "seconds": 0.0}
        total = found.setdefault(each["node"], about)
        for name in ("messages", "failed", "seconds"):
            total[name] += each[name]
    for total in found.values():
        total["mean_us"] = total["seconds"] * 1e6 / total["messages"] if total["messages"] else 0.0
    return list(reversed(found.values()))  # workers name the last nodes first


def _picture(
    visit: Visit,
    home: BrokerHome,
    deployed: Deployment,
    name: str,
    by_node: Counter[str],
    nodes: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the graph as picture and as text, with what nodes and wires did; or why there is none."""
    try:
        shape = graphs.shape_of(deployed.folder(home), name)
    except (MQError, ValueError) as failure:
        return {"picture": "", "tree": "", "no_picture": str(failure)}
    notes = {each["node"]: f"{each['messages']:,} · {_duration(each['mean_us'])}" for each in nodes}
    for node, count in by_node.items():
        notes[node] = f"{notes[node]} · {count} failed" if node in notes else f"{count} failed"
    alone = graphs.wire_targets(shape)
    counts = {each["node"]: int(each["messages"]) for each in nodes if each["node"] in alone}
    for label, type_ in shape.types.items():
        visit.live[f"note {label}"] = f"{type_} · {notes[label]}" if label in notes else type_
    visit.live |= {f"wire {label}": f"{count:,}" for label, count in counts.items()}
    picture = graphs.drawn(shape, name, notes, counts)
    return {"picture": picture, "tree": text_of(shape), "no_picture": ""}


def _duration(mean_us: float) -> str:
    return f"{mean_us:.0f} µs" if mean_us < 1000 else f"{mean_us / 1000:.1f} ms"


def flow_act(visit: Visit) -> Away:
    """Roll a project back to a version, or take it out of its group; for administrators."""
    check_administrator(visit.session.user, "change what a broker runs")
    home, deployed, _ = deployed_flow(visit)
    act = visit.text("act")
    facts = {"broker": home.name, "group": deployed.group, "project": deployed.project}
    if act == "rollback":
        made, _ = deployments.roll_back(home, deployed.project, deployed.group, visit.number("version"))
        visit.did("roll back", **facts, version=made.version)
        visit.say(f"{made.project} goes to version {made.version}.")
        return Away(visit.link("/flow", broker=home.name, group=deployed.group, flow=visit.text("flow")))
    if act == "undeploy" and visit.text("typed") == deployed.project:
        deployments.undeploy(home, deployed.project, deployed.group)
        visit.did("undeploy", **facts)
        visit.say(
            f"{deployed.project} is taken out of group {deployed.group}; workers finish their units of work."
        )
        return Away("/flows")
    raise error(mq.MQRC_OPTIONS_ERROR, f"type {deployed.project} to confirm")
