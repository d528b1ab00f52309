"""Runs a message of a queue through a deployed flow, apart from the world, and makes a test of it.

`penstock flow trace` does it in a process of its own, with queues and stubs of its own: the message stays
where it is, and nothing that the flow would do happens. For administrators: it runs the project's code.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penstock.console import graphs, masking
from penstock.console.authority import check_administrator
from penstock.console.brokers import brokers
from penstock.console.pages.flows import deployed_flow
from penstock.console.pages.messages import whole
from penstock.console.visit import Away, Page, command

if TYPE_CHECKING:
    from penstock.console.visit import Visit

WIRES_MAX = 200


def trial_page(visit: Visit) -> Page:
    """Return the form: which flow."""
    return _page(visit, None)


def trial(visit: Visit) -> Page | Away:
    """Run the message and show what every wire carried; or go to where it is stepped through."""
    check_administrator(visit.session.user, "run a flow in the console")
    qmgr, name = visit.qmgr_name(), visit.text("name")
    visit.query |= dict(zip(("broker", "group", "flow"), visit.text("choice").split("|"), strict=False))
    home, deployed, flow = deployed_flow(visit)
    if visit.text("act") == "step":
        place = {each: visit.text(each) for each in ("at", "id")}
        chosen = {"broker": home.name, "group": deployed.group, "flow": flow}
        return Away(visit.link("/step", **chosen, qm=qmgr, name=name, **place))
    seen, is_masked = whole(visit, qmgr, name)
    message = seen.message
    kept = _test_file(visit, deployed.project, flow) if visit.text("act") == "save" else None
    with TemporaryDirectory(prefix="penstock-trial") as folder:
        body, test = Path(folder) / f"from {name}".replace("/", "_"), kept or Path(folder) / "test.yaml"
        body.write_bytes(bytes(message.body or b""))
        words = ("flow", "trace", flow, str(body), "-p", str(deployed.folder(home)), "--json")
        found: dict[str, Any] = json.loads(graphs.penstock(*words, "--save-test", str(test)))
        found["yaml"] = test.read_text("utf-8") if test.exists() else ""
        found["masked"] = masking.NOTE if is_masked else ""
    if kept is not None:
        visit.did("write a test", file=str(kept), flow=flow)
        visit.say(f"The run is a test of {kept} now.")
    visit.did("trial", qmgr=qmgr, queue=name, flow=flow, broker=home.name)
    found["wires"] = found["wires"][:WIRES_MAX]
    return _page(visit, found)


def _test_file(visit: Visit, project: str, flow: str) -> Path:
    """Return the file of tests of a flow, in a project that the web process was started with."""
    return visit.world.projects.path_of(project) / "tests" / f"{flow}.yaml"


def _page(visit: Visit, found: dict[str, Any] | None) -> Page:
    qmgr, name = visit.qmgr_name(), visit.text("name")
    choices = [
        (f"{broker['name']}|{deployed['group']}|{flow}", f"{flow} ({deployed['project']}, {broker['name']})")
        for broker in brokers()
        for deployed in broker["deployments"]
        for flow in deployed["flows"]
    ]
    data = {
        "qmgr": qmgr,
        "name": name,
        "at": visit.text("at"),
        "id": visit.text("id"),
        "choices": choices,
        "choice": visit.text("choice"),
        "found": found,
        "projects": [each.name for each in visit.world.projects.found()],
    }
    back = visit.link("/message", qm=qmgr, name=name, at=visit.text("at"), id=visit.text("id"))
    flow = visit.text("choice").rpartition("|")[2] or "FLOW"
    shown = command("flow", "trace", flow, "FILE", "--save-test", f"tests/{flow}.yaml")
    return Page("trial.html", "Run through a flow", data, shown, ((name, back),))
