"""One queue: figures and history, who uses it, its settings as MQSC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console.visit import Page, command
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.channel_facts import displayed, mqsc_name

if TYPE_CHECKING:
    from penstock.console.visit import Visit
    from penstock.model.status import QueueFigures

HANDLES_MAX = 200
KINDS = {"QLOCAL": "QLOCAL", "QMODEL": "QMODEL"}
LEFT_OUT = (
    "QUEUE",
    "TYPE",
    "CRDATE",
    "CRTIME",
    "ALTDATE",
    "ALTTIME",
    "CURDEPTH",
    "IPPROCS",
    "OPPROCS",
    "DEFTYPE",
)
SHOWN_FIRST = ("DESCR", "MAXDEPTH", "MAXMSGL", "PUT", "GET", "DEFPSIST", "BOTHRESH", "BOQNAME", "MSGDLVSQ")


def queue(visit: Visit) -> Page:
    """Return the page."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    row = figures(visit, qmgr, name)
    found = attributes(visit, qmgr, name)
    handles = visit.asked(
        qmgr, lambda qm: displayed(qm, f"DISPLAY QSTATUS({mqsc_name(name)}) TYPE(HANDLE) ALL")
    )
    handles = [each for each in handles if each.get("APPLTAG") != "" or each.get("PID")]
    sampler = visit.world.sampler
    visit.shape += [f"{each.get('APPLTAG')} {each.get('PID')} {each.get('INPUT')}" for each in handles]
    data = {
        "qmgr": qmgr,
        "name": name,
        "tab": "now",
        "row": row,
        "rates": sampler.rates(qmgr, name),
        "history": sampler.history(qmgr, name),
        "since": sampler.started,
        "handles": handles[:HANDLES_MAX],
        "more_handles": max(0, len(handles) - HANDLES_MAX),
        "description": str(found.get("DESCR", "")),
        "script": script_of(name, found),
    }
    trail = (("Queues", visit.link("/queues", qm=qmgr)),)
    shown = command("queue", "show", name, "-m", qmgr)
    return Page("queue.html", name, data, shown, trail)


def figures(visit: Visit, qmgr: str, name: str) -> QueueFigures:
    """Return the figures of a queue; 2085 if it is none, or none that the person may display."""
    found = visit.asked(qmgr, lambda qm: qm.queues(name)) if name and "*" not in name else []
    for row in found:
        if row.queue == name:
            return row  # type: ignore[no-any-return]
    raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"there is no local queue {name[:60]} that you may display")


def attributes(visit: Visit, qmgr: str, name: str) -> dict[str, Any]:
    """Return the attributes of a queue."""
    found = visit.asked(qmgr, lambda qm: displayed(qm, f"DISPLAY QLOCAL({mqsc_name(name)}) ALL"))
    return found[0] if found else {}


def script_of(name: str, found: dict[str, Any]) -> str:
    """Return the MQSC that defines a queue as it is."""
    if not found:
        return ""
    order = [*(each for each in SHOWN_FIRST if each in found), *sorted(found.keys() - set(SHOWN_FIRST))]
    words = [f"{each}({_value(found[each])})" for each in order if each not in LEFT_OUT and found[each] != ""]
    lines = [" ".join(words[start : start + 3]) for start in range(0, len(words), 3)]
    return f"DEFINE QLOCAL({mqsc_name(name)}) REPLACE +\n  " + " +\n  ".join(lines)


def _value(value: Any) -> str:
    return str(value) if isinstance(value, int) else mqsc_name(str(value))
