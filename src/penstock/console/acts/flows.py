"""What people change about deployed flows: deploy, stop and start, instances, roll back, undeploy.

For administrators. Projects are deployed from the folders that the web process was started with; that runs in
a process of its own, because it runs the project's code.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.console import graphs
from penstock.console.authority import check_administrator
from penstock.console.pages.flows import deployed_flow
from penstock.console.visit import Away
from penstock.flow.broker import deployments
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.console.visit import Visit
    from penstock.flow.broker.deployments import Deployment
    from penstock.flow.broker.home import BrokerHome

CHANGE = "change what a broker runs"


def deploy(visit: Visit) -> Away:
    """Deploy a project of the folders that the web process was started with."""
    check_administrator(visit.session.user, CHANGE)
    project = visit.world.projects.path_of(visit.text("project"))
    group, broker = visit.text("group") or "default", visit.text("broker") or "default"
    words = ["deploy", f"--group={group}", f"--broker={broker}", "--wait", "10", "--json"]
    words += [f"--instances={visit.number('instances')}"] if visit.text("instances") else []
    found: dict[str, Any] = json.loads(graphs.penstock(*words, "--", str(project)))
    if "version" not in found:
        raise error(mq.PSRC_BROKER, str(found.get("text") or found.get("error") or found)[:500])
    visit.did("deploy", broker=broker, group=group, project=found["project"], version=found["version"])
    kind = "bad" if found["outcome"] == "failing" or found["left"] else "ok"
    visit.say(f"{found['project']} version {found['version']} is {found['outcome']} in group {group}.", kind)
    for each in found["left"][:5]:
        visit.say(f"left out: {each}", "bad")
    return Away("/flows")


def flow_act(visit: Visit) -> Away:
    """Stop or start a flow, change its instances, roll its project back, or take it out of its group."""
    check_administrator(visit.session.user, CHANGE)
    home, deployed, flow = deployed_flow(visit)
    acts = {"rollback": _roll_back, "stop": _stop, "start": _start, "instances": _instances}
    act = visit.text("act")
    if act == "undeploy" and visit.text("typed") == deployed.project:
        return _undeploy(visit, home, deployed)
    if act not in acts:
        raise error(mq.MQRC_OPTIONS_ERROR, f"type {deployed.project} to confirm")
    facts = acts[act](visit, home, deployed)
    visit.did(act, broker=home.name, group=deployed.group, project=deployed.project, **facts)
    return Away(visit.link("/flow", broker=home.name, group=deployed.group, flow=flow))


def _roll_back(visit: Visit, home: BrokerHome, deployed: Deployment) -> dict[str, Any]:
    made, _ = deployments.roll_back(home, deployed.project, deployed.group, visit.number("version"))
    visit.say(f"{made.project} goes to version {made.version}.")
    return {"version": made.version}


def _stop(visit: Visit, home: BrokerHome, deployed: Deployment) -> dict[str, Any]:
    flow = visit.text("flow")
    deployments.set_stopped(home, deployed.project, deployed.group, flow, True)
    visit.say(f"{flow} stops after the units of work that it is in; messages stay on their queues.")
    return {"flow": flow}


def _start(visit: Visit, home: BrokerHome, deployed: Deployment) -> dict[str, Any]:
    flow = visit.text("flow")
    deployments.set_stopped(home, deployed.project, deployed.group, flow, False)
    visit.say(f"{flow} starts.")
    return {"flow": flow}


def _instances(visit: Visit, home: BrokerHome, deployed: Deployment) -> dict[str, Any]:
    count = visit.number("count")
    deployments.set_instances(home, deployed.project, deployed.group, count)
    visit.say(f"Each flow of {deployed.project} gets {count} instance{'' if count == 1 else 's'}.")
    return {"instances": count}


def _undeploy(visit: Visit, home: BrokerHome, deployed: Deployment) -> Away:
    deployments.undeploy(home, deployed.project, deployed.group)
    visit.did("undeploy", broker=home.name, group=deployed.group, project=deployed.project)
    visit.say(
        f"{deployed.project} is taken out of group {deployed.group}; workers finish their units of work."
    )
    return Away("/flows")
