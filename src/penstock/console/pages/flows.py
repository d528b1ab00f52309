"""Flows: what is deployed and how it runs; one flow with its graph, failures by node, versions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from penstock.console import graphs
from penstock.console.authority import is_administrator
from penstock.console.brokers import brokers
from penstock.console.masking import masked_lines
from penstock.console.visit import Page, command
from penstock.flow.broker import deployments
from penstock.flow.broker.home import broker_home
from penstock.flow.broker.logs import last_failures
from penstock.flow.drawing.text import text_of
from penstock.flow.running.run_files import runs
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.console.visit import Visit
    from penstock.flow.broker.deployments import Deployment
    from penstock.flow.broker.home import BrokerHome

FAILURES_MAX = 200
SHOWN = 30
LOG_LINES = 200
LOG_BYTES = 256 << 10
SUMS = ("messages", "failed", "seconds")
NUMBERS = ("messages", "failed", "given_up", "lost", "restarts")


def flows(visit: Visit) -> Page:
    """Return the list of deployed flows."""
    found = brokers()
    rows = [row for each in found for row in _rows(each)]
    visit.shape += [
        f"{row['broker']} {row['group']} {row['flow']} {row['state']} {row['version']}" for row in rows
    ]
    seen = [each for each in runs() if is_administrator(visit.session.user)]
    visit.shape += [f"{each.id} {each.facts['state']}" for each in seen]
    data = {
        "brokers": found,
        "rows": rows,
        "runs": seen,
        "projects": [each.name for each in visit.world.projects.found()],
        "is_administrator": is_administrator(visit.session.user),
    }
    return Page("flows.html", "Flows", data, command("broker", "list"))


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
                    "state": _state(own, flow in deployed["stopped"])
                    if broker["process"]
                    else "broker stopped",
                    "is_stopped": flow in deployed["stopped"],
                    "rate": sum(each.get("rate") or 0 for each in own),
                    "error": next((each["error"] for each in own if each.get("error")), ""),
                    **{name: sum(each.get(name) or 0 for each in own) for name in NUMBERS},
                }
            )
    return rows


def _workers(broker: dict[str, Any], group: str, flow: str) -> list[dict[str, Any]]:
    return [row for row in broker["workers"] if (row["group"], row["flow"]) == (group, flow)]


def _state(workers: list[dict[str, Any]], is_stopped: bool) -> str:
    if is_stopped and not workers:
        return "stopped"
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
    wires: Counter[str] = Counter()
    for each in _workers(broker, deployed.group, name):
        wires.update(each.get("wires", {}))
    visit.shape += [row["state"], str(row["version"]), *(str(each.get("time")) for each in failures[:1])]
    visit.shape += [each["node"] for each in nodes]
    data: dict[str, Any] = {
        "broker": home.name,
        "group": deployed.group,
        "flow": name,
        "project": deployed.project,
        "row": row,
        "deployed": deployed,
        "failures_max": FAILURES_MAX,
        "failures": [_masked(each) for each in failures[:SHOWN]],
        "failure_count": len(failures),
        "by_node": by_node.most_common(),
        "versions": deployments.history(home, deployed.project, deployed.group),
        "workers": _workers(broker, deployed.group, name),
        "is_administrator": is_administrator(visit.session.user),
        "nodes": nodes,
        "log": masked_lines(log_lines(home.logs / f"{deployed.group}.log", name))
        if is_administrator(visit.session.user)
        else [],
        **_picture(visit, home, deployed, name, by_node, nodes, wires),
    }
    shown = command("flow", "failures", name, "--broker", home.name, "--group", deployed.group)
    return Page("flow.html", name, data, shown, (("Flows", "/flows"),))


def _nodes(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what each node did, all instances added up; empty for a broker that does not count nodes."""
    found: dict[str, dict[str, Any]] = {}
    for each in (node for worker in workers for node in worker.get("nodes", ())):
        about = {"node": each["node"], "type": each["type"], "timed": 0, **dict.fromkeys(SUMS, 0)}
        total = found.setdefault(each["node"], about)
        for name in SUMS:
            total[name] += each[name]
        total["timed"] += sum(each["histogram"])
    for total in found.values():
        total["mean_us"] = total["seconds"] * 1e6 / total["timed"] if total["timed"] else 0.0
    return list(reversed(found.values()))  # workers name the last nodes first


def _picture(
    visit: Visit,
    home: BrokerHome,
    deployed: Deployment,
    name: str,
    by_node: Counter[str],
    nodes: list[dict[str, Any]],
    wires: Counter[str],
) -> dict[str, Any]:
    """Return the graph as picture and as text, with what nodes and wires did; or why there is none."""
    try:
        shape = graphs.shape_of(deployed.folder(home), name)
    except (MQError, ValueError) as failure:
        return {"picture": "", "tree": "", "no_picture": str(failure)}
    notes = {
        each["node"]: f"{each['messages']:,} · {_duration(each['mean_us'])}"
        for each in nodes
        if each["messages"]
    }
    for node, count in by_node.items():
        notes[node] = f"{notes[node]} · {count} failed" if node in notes else f"{count} failed"
    passed = {graphs.wire_name(line): f"{wires.get(graphs.wire_name(line), 0):,}" for line in shape.lines}
    visit.live |= {f"note {label}": notes.get(label, "") for label in shape.types}
    visit.live |= {f"wire {wire}": text for wire, text in passed.items()}
    picture = graphs.drawn(shape, name, notes, passed if wires else None)
    return {"picture": picture, "tree": text_of(shape), "no_picture": ""}


def _masked(failure: dict[str, Any]) -> dict[str, Any]:
    """Return a failure whose text, which may quote a message, has nothing that a rule hides."""
    return {**failure, "text": masked_lines([str(failure.get("text", ""))])[0]}


def log_lines(path: Path, flow: str) -> list[str]:
    """Return the last lines of a group's log that name a flow, the newest first."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LOG_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [line for line in reversed(lines) if f"flow={flow}" in line or f'"{flow}"' in line][:LOG_LINES]


def _duration(mean_us: float) -> str:
    return f"{mean_us:.0f} µs" if mean_us < 1000 else f"{mean_us / 1000:.1f} ms"
