"""Dead letters, grouped by cause and origin; a group can be looked at, filtered and sent on."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.console import bodies, searching
from penstock.console.masking import masked_lines, masked_rows
from penstock.console.people import queue_managers
from penstock.console.visit import Page, command
from penstock.model.reasons import REASONS
from penstock.tools import dead_letters

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.visit import Visit
    from penstock.model.peeked import Peeked
    from penstock.tools.dead_letters import Letter

LETTERS_MAX = 20_000  # that are looked at
SHOWN = 100
WORDS = ("reason", "destination", "flow", "node")


@dataclass
class Group:
    """Letters of one cause, destination and origin."""

    reason: int
    name: str
    flow: str
    node: str
    destination: str
    count: int = 0
    oldest: float = 0.0
    newest: float = 0.0
    sample: str = ""
    text: str = ""


@dataclass
class Seen:
    """A letter and where it is."""

    row: Peeked
    letter: Letter


@dataclass
class Chosen:
    """Which letters are meant."""

    values: dict[str, str] = field(default_factory=dict)
    conditions: searching.Conditions = field(default_factory=searching.Conditions)
    upper: int = 0

    def accepts(self, seen: Seen) -> bool:
        """Return whether a letter is chosen."""
        if self.upper and seen.row.place > self.upper:
            return False
        facts = facts_of(seen.letter)
        if any(value and facts[name] != value for name, value in self.values.items()):
            return False
        return self.conditions.accepts(seen.row)


def dlq(visit: Visit) -> Page:
    """Return the page with the groups."""
    qmgr = visit.qmgr_name()
    queue = dead_letter_queue(visit, qmgr)
    found, complete = visit.asked(qmgr, lambda qm: look(qm, queue))
    groups = _grouped(found)
    visit.shape += [f"{each.reason} {each.flow} {each.destination} {each.count}" for each in groups]
    data = {
        "qmgr": qmgr,
        "managers": list(queue_managers()),
        "queue": queue,
        "groups": groups,
        "count": len(found),
        "complete": complete,
        "limit": LETTERS_MAX,
    }
    return Page("dlq.html", "Dead letters", data, command("dlq", "list", "-m", qmgr))


def letters(visit: Visit) -> Page:
    """Return the page of a group, with the plan for sending its letters on. Nothing is done here."""
    qmgr = visit.qmgr_name()
    queue = dead_letter_queue(visit, qmgr)
    chosen = chosen_of(visit)
    everything, complete = visit.asked(qmgr, lambda qm: look(qm, queue))
    found = [each for each in everything if chosen.accepts(each)]
    target = visit.text("target") or visit.text("destination")
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "queue": queue,
        "values": chosen.values,
        "text": visit.text("text"),
        "property": visit.text("property"),
        "find": visit.text("find"),
        "put": visit.text("put"),
        "rate": visit.text("rate"),
        "count": len(found),
        "bytes": sum(each.row.length for each in found),
        "upper": max((each.row.place for each in found), default=0),
        "rows": [_row(each, visit) for each in found[:SHOWN]],
        "complete": complete,
        "shown": SHOWN,
        "target": target,
        "room": _room(visit, qmgr, target),
        "reason": reason_name(chosen.values["reason"]),
    }
    words = ["dlq", "retry", "-m", qmgr, "--dry-run"]
    words += ["--reason", chosen.values["reason"]] if chosen.values["reason"] else []
    words += ["--destination", chosen.values["destination"]] if chosen.values["destination"] else []
    title = f"{len(found):,} dead letter{'' if len(found) == 1 else 's'}"
    return Page(
        "letters.html", title, data, command(*words), (("Dead letters", visit.link("/dlq", qm=qmgr)),)
    )


def dead_letter_queue(visit: Visit, qmgr: str) -> str:
    """Return the dead-letter queue; 2085 when there is none."""
    found: str = visit.asked(qmgr, lambda qm: dead_letters.dead_letter_queue(qm, visit.text("queue")))
    return found


def chosen_of(visit: Visit) -> Chosen:
    """Return which letters an address or a form means."""
    conditions = searching.conditions_of(visit.text("text"), visit.text("property"), "", "")
    return Chosen({name: visit.text(name) for name in WORDS}, conditions, visit.number("upper"))


def look(qm: ClientQueueManager, queue: str) -> tuple[list[Seen], bool]:
    """Return the letters on a queue and whether these are all; nothing is taken."""
    found: list[Seen] = []
    place = None
    while rows := qm.peek(queue, after=place, count=searching.SLICE, body_bytes=searching.BODY_BYTES):
        found += [Seen(row, dead_letters.read(row.message)) for row in masked_rows(rows, queue)]
        place = (rows[-1].lane, rows[-1].place)
        if len(found) >= LETTERS_MAX:
            return found, False
    return found, True


def facts_of(letter: Letter) -> dict[str, str]:
    """Return what letters are grouped by."""
    reason, flow, node = letter.cause
    return {"reason": str(reason), "flow": flow, "node": node, "destination": letter.destination}


def _grouped(found: list[Seen]) -> list[Group]:
    groups: dict[tuple[str, ...], Group] = {}
    for each in found:
        facts = facts_of(each.letter)
        key = tuple(facts.values())
        group = groups.get(key)
        since = each.letter.since
        if group is None:
            failure = each.letter.failure
            group = groups[key] = Group(
                each.letter.cause[0],
                reason_name(facts["reason"]),
                facts["flow"],
                facts["node"],
                facts["destination"],
                oldest=since,
                newest=since,
                sample=preview(each),
                text=masked_lines([failure.text[:300]])[0] if failure is not None else "",
            )
        group.count += 1
        group.oldest, group.newest = min(group.oldest, since), max(group.newest, since)
    return sorted(groups.values(), key=lambda group: -group.count)


def reason_name(number: str) -> str:
    """Return the name of a reason; empty if it has none."""
    entry = REASONS.get(int(number)) if number.isdigit() else None
    return entry.name if entry is not None else ""


def preview(seen: Seen) -> str:
    """Return the first characters of a letter's own body."""
    own = seen.row.message.snapshot()
    own.body = seen.letter.body
    if seen.letter.header is not None:
        own.descriptor = own.descriptor.replace(ccsid=seen.letter.header.ccsid)
    return bodies.preview_of(own)


def _row(seen: Seen, visit: Visit) -> dict[str, Any]:
    changed = seen.letter.body
    if visit.text("find"):
        changed = changed.replace(visit.text("find").encode(), visit.text("put").encode())
    return {
        "at": f"{seen.row.lane}.{seen.row.place}",
        "id": seen.row.message.msg_id.hex(),
        "since": seen.letter.since,
        "age": time.time() - seen.letter.since,
        "destination": seen.letter.destination,
        "preview": preview(seen),
        "holder": seen.row.holder,
        "changes": changed != seen.letter.body,
        "after": changed[:200].decode("utf-8", "replace"),
    }


def _room(visit: Visit, qmgr: str, target: str) -> int | None:
    """Return how many messages fit on the target queue; None if that is not known here."""
    for row in visit.queues(qmgr):
        if row.queue == target:
            return max(0, row.depth_max - row.depth)
    return None
