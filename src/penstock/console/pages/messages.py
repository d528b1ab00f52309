"""The message browser: what is on a queue, found by text, property and time. Nothing is taken or marked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.console import bodies, masking, searching
from penstock.console.pages.queue import figures
from penstock.console.visit import Download, Page, command
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.peeked import EXPIRED, UNREADABLE
from penstock.tools import message_acts
from penstock.tools.message_facts import message_facts

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.visit import Visit
    from penstock.model.peeked import Peeked

BODY_BYTES_MAX = 4 << 20
EXPORT_MAX = 10_000
KEPT = (EXPIRED, UNREADABLE)  # by nobody
EXPORT_BYTES_MAX = 64 << 20


def messages(visit: Visit) -> Page:
    """Return the list of messages."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    row = figures(visit, qmgr, name)
    backwards = visit.text("order") == "last"
    after = searching.place_of(visit.text("after"))
    found = visit.asked(qmgr, lambda qm: searching.search(qm, name, wanted_of(visit), after, backwards))
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "name": name,
        "tab": "messages",
        "depth": row.depth,
        "found": found,
        "rows": [_row(each) for each in found.rows],
        "order": visit.text("order"),
        "filters": {each: visit.text(each) for each in ("text", "property", "since", "until")},
        "is_filtered": not wanted_of(visit).wants_all,
        "is_first": after is None,
        "after": f"{found.after[0]}.{found.after[1]}" if found.after else "",
    }
    trail = (("Queues", visit.link("/queues", qm=qmgr)), (name, visit.link("/queue", qm=qmgr, name=name)))
    return Page("messages.html", "Messages", data, command("browse", name, "-m", qmgr, "--all"), trail)


def wanted_of(visit: Visit) -> searching.Conditions:
    """Return the conditions in the address or the form."""
    words = (visit.text(each) for each in ("text", "property", "since", "until"))
    return searching.conditions_of(*words)


def _row(row: Peeked) -> dict[str, Any]:
    message = row.message
    return {
        "at": f"{row.lane}.{row.place}",
        "id": message.msg_id.hex(),
        "put_time": message.put_time,
        "length": row.length,
        "priority": message.priority,
        "persistent": message.persistent,
        "format": message.format.strip(),
        "holder": row.holder,
        "why_kept": row.holder if row.holder.startswith(KEPT) else f"held by {row.holder}",
        "properties": dict(message.properties or {}),
        "preview": bodies.preview_of(message),
        "backouts": message.backout_count,
    }


def message(visit: Visit) -> Page:
    """Return the page of one message."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    found, is_masked = shown_and_masked(visit, qmgr, name)
    held = found.message
    view = visit.text("view") or bodies.guessed_view(held)
    domain = visit.text("domain") or bodies.guessed_domain(held)
    if domain not in (*bodies.DOMAINS, "BLOB"):
        raise error(mq.MQRC_OPTIONS_ERROR, f"there is no domain {domain[:20]}")
    shown_max = BODY_BYTES_MAX if view == "tree" else bodies.SHOWN_BYTES_MAX
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "name": name,
        "at": visit.text("at"),
        "row": _row(found),
        "descriptor": bodies.descriptor_of(held),
        "view": view,
        "domain": domain,
        "domains": bodies.DOMAINS,
        "models": bodies.models(qmgr),
        "model": visit.text("model"),
        "type": visit.text("type"),
        "format": visit.text("format"),
        "masked": masking.NOTE if is_masked else "",
        "shown_max": shown_max if found.length > shown_max else 0,
        **_body(visit, held, view, domain, qmgr),
    }
    trail = (
        ("Queues", visit.link("/queues", qm=qmgr)),
        (name, visit.link("/queue", qm=qmgr, name=name)),
        ("Messages", visit.link("/messages", qm=qmgr, name=name)),
    )
    words = ["browse", name, "-m", qmgr, "--mqmd", *(["--domain", domain] if view == "tree" else [])]
    return Page("message.html", f"…{held.msg_id.hex()[-12:]}", data, command(*words), trail)


def _body(visit: Visit, held: Any, view: str, domain: str, qmgr: str) -> dict[str, Any]:
    """Return the body as the view asks for it, and why it cannot be shown so."""
    made: dict[str, Any] = {"content": "", "fields": [], "refused": ""}
    if view == "hex":
        made["content"] = bodies.hex_of(held)
    elif view == "tree":
        try:
            words = (visit.text("model"), qmgr, visit.text("type"), visit.text("format"))
            made["fields"] = bodies.tree_of(held, domain, *words)
        except (MQError, OSError, ValueError) as refused:
            made["refused"] = str(refused)
            made["content"] = bodies.text_of(held)[: bodies.SHOWN_BYTES_MAX]
    else:
        made["content"] = bodies.text_of(held)[: bodies.SHOWN_BYTES_MAX]
    return made


def whole(visit: Visit, qmgr: str, name: str) -> tuple[Peeked, bool]:
    """Return the same as `shown_and_masked`; 2010 for a message that is too long to work on."""
    found, is_masked = shown_and_masked(visit, qmgr, name)
    if found.length > BODY_BYTES_MAX:
        text = f"the message has {found.length:,} bytes: the console edits, steps and runs up to"
        raise error(mq.MQRC_DATA_LENGTH_ERROR, f"{text} {BODY_BYTES_MAX >> 20} MB")
    return found, is_masked


def shown_and_masked(
    visit: Visit, qmgr: str, name: str, body_bytes: int = BODY_BYTES_MAX
) -> tuple[Peeked, bool]:
    """Return the message that an address names as it may be seen, and whether some of it is hidden."""
    place = searching.place_of(visit.text("at"))
    if place is None:
        raise error(mq.MQRC_OPTIONS_ERROR, "the address names no message")
    found = visit.asked(qmgr, lambda qm: message_acts.peek_one(qm, name, place, body_bytes))
    wanted = visit.text("id")
    if found is None or (wanted and found.message.msg_id.hex() != wanted):
        raise error(mq.MQRC_NO_MSG_AVAILABLE, f"this message is no longer on {name}")
    (shown,) = masking.masked_rows([found], name)
    return shown, shown is not found


def export(visit: Visit) -> Download:
    """Return the messages that a filter chooses as JSON, one per line; they stay on the queue."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    if visit.text("at"):
        rows = [shown_and_masked(visit, qmgr, name, EXPORT_BYTES_MAX)[0]]
        _check_size(rows, sum(row.length for row in rows), name)
    else:
        rows = visit.asked(qmgr, lambda qm: all_wanted(qm, name, wanted_of(visit), EXPORT_MAX))
    lines = [json.dumps(message_facts(each.message), default=str) for each in rows]
    visit.did("export", qmgr=qmgr, queue=name, done=len(rows))
    safe = "".join(each if each.isalnum() or each in "._-" else "_" for each in name)
    return Download(f"{safe}.jsonl", ("\n".join(lines) + "\n").encode() if lines else b"")


def all_wanted(
    qm: ClientQueueManager, name: str, wanted: searching.Conditions, count_max: int
) -> list[Peeked]:
    """Return all messages that are wanted, with their bodies; 2102 when they are too many."""
    found: list[Peeked] = []
    place, size = None, 0
    while True:
        rows = qm.peek(name, after=place, count=searching.SLICE, body_bytes=EXPORT_BYTES_MAX)
        if not rows:
            return found
        place = (rows[-1].lane, rows[-1].place)
        chosen = [row for row in masking.masked_rows(rows, name) if wanted.accepts(row)]
        found += chosen
        size += sum(row.length for row in chosen)
        _check_size(found, size, name, count_max)


def _check_size(found: list[Peeked], size: int, name: str, count_max: int = EXPORT_MAX) -> None:
    if len(found) > count_max or size > EXPORT_BYTES_MAX:
        raise error(
            mq.MQRC_RESOURCE_PROBLEM,
            f"more than {count_max:,} messages or {EXPORT_BYTES_MAX >> 20} MB: narrow the filter, or use "
            f"`penstock browse {name} --json`",
        )
