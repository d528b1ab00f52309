"""Follow messages of a deployed flow: what they carried on every wire, and what each node changed.

The flow's own workers write it down while it runs; nothing of its messages changes. For administrators: it
shows the content of messages. Masking rules hide fields of all queues here, whatever queue a flow reads.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.console.authority import check_administrator
from penstock.console.masking import masked_lines
from penstock.console.pages.flows import deployed_flow
from penstock.console.visit import Away, Page, command
from penstock.flow.broker import watches

if TYPE_CHECKING:
    from penstock.console.visit import Visit

WHAT = "follow messages through a flow"
SHOWN = 100


def follow(visit: Visit) -> Page:
    """Return the page: what is followed now, and the records."""
    check_administrator(visit.session.user, WHAT)
    home, deployed, flow = deployed_flow(visit)
    mine = [
        each for each in watches.watches_of(home.path) if (each.group, each.flow) == (deployed.group, flow)
    ]
    watch = mine[-1] if mine else None
    id = visit.text("watch") or (watch.id if watch is not None else "")
    found = watches.followed(home, id) if id.isalnum() else []
    visit.shape += [str(sum(len(each.wires) for each in found)), "on" if watch is not None else "off"]
    records = [
        {
            "record": each,
            "wires": [{**wire, "changes": masked_lines(wire["changes"])} for wire in each.wires],
            "failures": [{**one, "text": masked_lines([one["text"]])[0]} for one in each.failures],
            "ms": 1e3 * (each.wires[-1]["time"] - each.time) if each.wires else 0.0,
        }
        for each in reversed(found[-SHOWN:])
    ]
    data: dict[str, Any] = {
        "broker": home.name,
        "group": deployed.group,
        "flow": flow,
        "watch": watch,
        "left": max(0.0, watch.until - time.time()) if watch is not None else 0.0,
        "records": records,
        "asked": bool(id),
    }
    back = visit.link("/flow", broker=home.name, group=deployed.group, flow=flow)
    shown = command("flow", "follow", flow, "--broker", home.name, "--group", deployed.group)
    return Page("follow.html", f"Follow {flow}", data, shown, (("Flows", "/flows"), (flow, back)))


def follow_act(visit: Visit) -> Away:
    """Begin to follow messages, or end it."""
    check_administrator(visit.session.user, WHAT)
    home, deployed, flow = deployed_flow(visit)
    place = {"broker": home.name, "group": deployed.group, "flow": flow}
    if visit.text("act") == "end":
        watches.end(home, deployed.group, flow)
        return Away(visit.link("/follow", **place, watch=visit.text("watch")))
    wanted: dict[str, Any] = {"messages": visit.number("messages", 10), "every": visit.number("every", 1)}
    wanted |= {"failing": bool(visit.text("failing")), "msg_id": visit.text("msg_id").strip().lower()}
    watch = watches.begin(
        home, deployed.group, flow, float(visit.number("seconds", 60)), by=visit.session.user, **wanted
    )
    visit.did("follow messages", **place, **wanted)
    return Away(visit.link("/follow", **place, watch=watch.id))
