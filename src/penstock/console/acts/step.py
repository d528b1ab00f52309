"""Steps through a deployed flow with a test message, wire by wire, with breakpoints; then makes a test of it.

The run has a process, queues and stubs of its own: nothing of production is touched. For administrators,
because it runs the project's code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console import graphs
from penstock.console.authority import check_administrator
from penstock.console.pages.flows import deployed_flow
from penstock.console.pages.messages import whole
from penstock.console.stepping import Flow, Run
from penstock.console.visit import Away, Page, command
from penstock.flow.testing.recording import as_content
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.console.visit import Visit
    from penstock.flow.drawing.layout import Layout

BODY_MAX = 1 << 20
WAYS = ("step", "over", "out", "run")
TREES = {
    "message": "Message",
    "local_environment": "LocalEnvironment",
    "exception_list": "ExceptionList",
    "environment": "Environment",
    "headers": "Properties and descriptor",
}


def step_page(visit: Visit) -> Page:
    """Return the page of a run, or the form that begins one."""
    check_administrator(visit.session.user, "step through a flow")
    if visit.text("run"):
        return _run_page(visit, visit.world.runs.find(visit.session.user, visit.text("run")))
    home, deployed, name = deployed_flow(visit)
    shape = graphs.shape_of(deployed.folder(home), name)
    body = ""
    if visit.text("at"):
        message = whole(visit, visit.qmgr_name(), visit.text("name"))[0].message
        body = as_content(bytes(message.body or b"")).get("body", "")
    data: dict[str, Any] = {
        "broker": home.name,
        "group": deployed.group,
        "flow": name,
        "body": body,
        "terminals": terminals_of(shape),
        "inputs": [label for label in shape.types if label not in {line.target for line in shape.lines}],
    }
    back = visit.link("/flow", broker=home.name, group=deployed.group, flow=name)
    shown = command("flow", "trace", name, "FILE", "--full")
    return Page("step_begin.html", f"Step through {name}", data, shown, (("Flows", "/flows"), (name, back)))


def terminals_of(shape: Layout) -> list[str]:
    """Return where a breakpoint can be: all terminals with wires."""
    return list(dict.fromkeys(f"{line.source}.{line.output}" for line in shape.lines))


def _run_page(visit: Visit, run: Run) -> Page:
    flow = run.flow
    shape = graphs.shape_of(flow.folder, flow.name)
    at = run.last.get("wire", "") if run.is_paused else ""
    visit.shape += [run.last["state"], str(len(run.passed)), at]
    picture = graphs.marked(
        graphs.drawn(shape, flow.name), shape, at, {each["wire"] for each in run.passed}, set(run.breaks)
    )
    data: dict[str, Any] = {
        "run": run,
        "broker": flow.broker,
        "group": flow.group,
        "flow": flow.name,
        "picture": picture,
        "passed": list(reversed(run.passed)),
        "terminals": terminals_of(shape),
        "trees": [
            (label, "\n".join(run.last.get("trees", {}).get(name, ()))) for name, label in TREES.items()
        ],
    }
    back = visit.link("/flow", broker=flow.broker, group=flow.group, flow=flow.name)
    shown = command("flow", "trace", flow.name, "FILE", "--full")
    trail = (("Flows", "/flows"), (flow.name, back))
    return Page("step.html", f"Step through {flow.name}", data, shown, trail)


def step(visit: Visit) -> Away:
    """Begin a run, or give it a command."""
    user, act = visit.session.user, visit.text("act")
    check_administrator(user, "step through a flow")
    runs = visit.world.runs
    if act == "begin":
        return _begin(visit)
    run = runs.find(user, visit.text("run"))
    if act == "end":
        runs.end(user)
        return Away(visit.link("/flow", broker=run.flow.broker, group=run.flow.group, flow=run.flow.name))
    if act in WAYS:
        run.go({"do": act})
    elif act == "break":
        run.breaks = breaks_of(visit)
        run.go({"do": "break", "breaks": run.breaks})
    elif act == "set":
        run.go({"do": "set", "path": visit.text("path").strip(), "value": visit.text("value")})
    else:
        raise error(mq.MQRC_OPTIONS_ERROR, f"there is no act {act[:20]}")
    if run.last.get("note"):
        visit.say(run.last["note"], "bad")
    return Away(visit.link("/step", run=run.id))


def _begin(visit: Visit) -> Away:
    home, deployed, name = deployed_flow(visit)
    body = visit.text("body").replace("\r\n", "\n")
    if len(body) > BODY_MAX:
        raise error(mq.MQRC_OPTIONS_ERROR, f"a test message has at most {BODY_MAX:,} characters here")
    given = {"body": body, **({"input": visit.text("input")} if visit.text("input") else {})}
    flow = Flow(home.name, deployed.group, name, deployed.folder(home))
    run = visit.world.runs.begin(visit.session.user, flow, given, breaks_of(visit))
    visit.did("step through a flow", broker=home.name, flow=name, bytes=len(body.encode()))
    return Away(visit.link("/step", run=run.id))


def breaks_of(visit: Visit) -> dict[str, str]:
    """Return the breakpoints of a form: chosen terminals, each with its condition."""
    return {each: visit.text(f"when {each}").strip() for each in visit.all("stop")}
