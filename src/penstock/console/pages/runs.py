"""A run on Spark: how far it is, its last batches, and why it failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console.authority import check_administrator
from penstock.console.visit import Page, command
from penstock.flow.running.run_files import runs
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.console.visit import Visit
    from penstock.flow.running.run_files import Run

SHOWN = 60


def run(visit: Visit) -> Page:
    """Return the page of one run."""
    check_administrator(visit.session.user, "look at runs on Spark")
    found = next((each for each in runs() if each.id == visit.text("id")), None)
    if found is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "this run is no longer kept")
    facts = found.facts
    visit.shape += [facts["state"], str(facts["batches"])]
    data: dict[str, Any] = {"run": facts, "bars": bars(found), "rate": rate(facts)}
    shown = command("flow", "run", facts["flow"], "-m", facts["qmgr"], "--engine", "spark")
    return Page("run.html", f"{facts['flow']} on Spark", data, shown, (("Flows", "/flows"),))


def bars(found: Run) -> list[dict[str, Any]]:
    """Return the last batches, the newest first, each with its share of the largest."""
    batches = found.facts["last"][-SHOWN:]
    most = max((each["messages"] for each in batches), default=0) or 1
    return [{**each, "share": each["messages"] / most} for each in reversed(batches)]


def rate(facts: dict[str, Any]) -> float:
    """Return the messages per second of the batches that are kept."""
    seconds = sum(each["seconds"] for each in facts["last"])
    return sum(each["messages"] for each in facts["last"]) / seconds if seconds else 0.0
