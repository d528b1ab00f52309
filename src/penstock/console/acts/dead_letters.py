"""Sends dead letters on: to where they were going or to another queue, edited, at a rate; or deletes them.

Each letter goes in a unit of work: whatever ends the web process, it is on exactly one queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.console.jobs import Job
from penstock.console.pages.dead_letters import chosen_of, dead_letter_queue, look
from penstock.console.visit import Away
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools import dead_letters

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.pages.dead_letters import Seen
    from penstock.console.visit import Visit

ACTS = {"retry": "Redrive", "move": "Move", "delete": "Delete"}
TYPED_ABOVE = 1_000


def redrive(visit: Visit) -> Away:
    """Do what the page of a group has shown, as a job."""
    qmgr, act, target = visit.qmgr_name(), visit.text("act"), visit.text("target").strip()
    if act not in ACTS:
        raise error(mq.MQRC_OPTIONS_ERROR, f"there is no act {act[:20]}")
    if not visit.number("upper"):
        raise error(mq.MQRC_OPTIONS_ERROR, "look at the letters first: open the group")
    if act == "move" and not target:
        raise error(mq.MQRC_OPTIONS_ERROR, "name the queue that the letters go to")
    queue = dead_letter_queue(visit, qmgr)
    chosen = chosen_of(visit)
    found = [each for each in visit.asked(qmgr, lambda qm: look(qm, queue))[0] if chosen.accepts(each)]
    if act == "delete" and len(found) > TYPED_ABOVE and visit.text("typed") != queue:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{len(found):,} letters: type {queue} to confirm")
    sent = _sender(visit.qm(qmgr), queue, act, target, _change(visit))
    where = f" to {target}" if act == "move" else ""
    what = f"{ACTS[act]} {len(found):,} dead letters{where}"
    job = Job(what, visit.session.user, len(found), visit.link("/dlq", qm=qmgr))
    facts = {"qmgr": qmgr, "queue": queue, "target": target, "planned": len(found), **chosen.values}
    visit.did(f"dead letters: {act}", **facts, result="started")
    visit.world.jobs.begin(
        job,
        found,
        sent,
        float(visit.number("rate")),
        lambda ended: visit.did(
            f"dead letters: {act}", **facts, done=ended.done, failed=ended.failed, result=ended.state
        ),
    )
    return Away(visit.link("/job", id=job.id))


def _change(visit: Visit) -> Callable[[bytes], bytes] | None:
    """Return the edit that was previewed: one text for another."""
    old, new = visit.text("find").encode(), visit.text("put").encode()
    return (lambda body: body.replace(old, new)) if old else None


def _sender(
    qm: ClientQueueManager,
    queue: str,
    act: str,
    target: str,
    change: Callable[[bytes], bytes] | None,
) -> Callable[[Seen], bool]:
    def send(seen: Seen) -> bool:
        if act == "delete":
            return dead_letters.remove(qm, queue, seen.letter)
        if act == "move":
            return dead_letters.move(qm, queue, seen.letter, target, change=change)
        return dead_letters.retry(qm, queue, seen.letter, change)

    return send
