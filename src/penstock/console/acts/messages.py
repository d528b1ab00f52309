"""Acts on messages: put, resend, and move, copy or delete many of them, after a plan that counts them.

A plan fixes its upper end: what comes later is not touched. Moving takes and puts each message in one unit of
work, so that it is always on exactly one queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console import masking, searching
from penstock.console.bodies import text_of
from penstock.console.jobs import Job
from penstock.console.pages.messages import all_wanted, wanted_of, whole
from penstock.console.pages.queue import figures
from penstock.console.visit import Away, Page, command
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools import dead_letters, message_acts
from penstock.tools.channel_facts import mqsc_name
from penstock.tools.message_facts import property_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.visit import Visit
    from penstock.model.message import Message
    from penstock.model.peeked import Peeked

PLAN_MAX = 100_000
TYPED_ABOVE = 1_000  # messages: then the queue's name has to be typed
ORIGINAL = "penstock_original_id"
WORDS = {"move": "Move", "copy": "Copy", "delete": "Delete"}
FILTERS = ("text", "property", "since", "until")


def put_page(visit: Visit) -> Page:
    """Return the form for a new message, or for a copy of an existing one."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    figures(visit, qmgr, name)
    source = _original(visit, qmgr, name).message if visit.text("at") else None
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "name": name,
        "tab": "put",
        "at": visit.text("at"),
        "id": visit.text("id"),
        "body": "",
        "properties": "",
        "format": "MQSTR",
        "priority": "",
        "persistent": False,
        "correl_id": "",
        "reply_to": "",
        "is_text": True,
    }
    if source is not None:
        data |= _fields_of(source)
    trail = (("Queues", visit.link("/queues", qm=qmgr)), (name, visit.link("/queue", qm=qmgr, name=name)))
    title = "Edit and resend" if source is not None else "Put a message"
    return Page("put.html", title, data, command("put", name, "TEXT", "-m", qmgr), trail)


def _original(visit: Visit, qmgr: str, name: str) -> Peeked:
    """Return the message that is edited; 2035 if some of it is hidden: the hidden part would be lost."""
    found, is_masked = whole(visit, qmgr, name)
    if is_masked:
        raise error(mq.MQRC_NOT_AUTHORIZED, f"{masking.NOTE} It can be moved and copied, not edited")
    return found


def _fields_of(source: Message) -> dict[str, Any]:
    text = text_of(source)
    body = bytes(source.body or b"")
    is_text = "\ufffd" not in text and "\0" not in text
    return {
        "body": text if is_text else body.hex(" "),
        "is_text": is_text,
        "properties": "\n".join(f"{key}={_typed(value)}" for key, value in (source.properties or {}).items()),
        "format": source.format.strip(),
        "priority": str(source.priority),
        "persistent": bool(source.persistent),
        "correl_id": source.correl_id.hex() if any(source.correl_id) else "",
        "reply_to": source.reply_to.strip(),
    }


def _typed(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f'"{text}"' if isinstance(value, str) and property_value(text) != text else text


def put(visit: Visit) -> Away:
    """Put a message; of a resent one the original is taken in the same unit of work, if that is wished."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    qm = visit.qm(qmgr)
    body = _body_of(visit)
    properties = dict(_property(line) for line in visit.text("properties").splitlines() if line.strip())
    original = _original(visit, qmgr, name) if visit.text("at") else None
    if original is not None:
        properties.setdefault(ORIGINAL, original.message.msg_id.hex())
    target = visit.text("target") or name
    details = _details(visit, properties)
    if original is not None and visit.text("hex"):
        own = original.message.descriptor
        details |= {"ccsid": own.ccsid, "encoding": own.encoding}
    with qm.unit_of_work():
        if original is not None and visit.text("replace"):
            if dead_letters.take(qm, name, original.message) is None:
                raise error(mq.MQRC_NO_MSG_AVAILABLE, "the original is no longer there; nothing was put")
        receipt = qm.put(target, body, **details)
    act = "resend" if original is not None else "put"
    visit.did(act, qmgr=qmgr, queue=target, bytes=len(body), taken=bool(visit.text("replace")))
    visit.say(f"Message …{receipt.msg_id.hex()[-12:]} is on {target}.")
    return Away(visit.link("/messages", qm=qmgr, name=target, order="last"))


def _details(visit: Visit, properties: dict[str, Any]) -> dict[str, Any]:
    details: dict[str, Any] = {"persistent": bool(visit.text("persistent")), "format": visit.text("format")}
    if properties:
        details["properties"] = properties
    if visit.text("priority"):
        details["priority"] = visit.number("priority")
    if visit.text("expiry"):
        details["expiry"] = float(visit.number("expiry"))
    if visit.text("correl_id"):
        details["correl_id"] = _bytes(visit.text("correl_id"), "a correlation id").ljust(24, b"\0")[:24]
    if visit.text("reply_to"):
        details["reply_to"] = visit.text("reply_to")
    return details


def _body_of(visit: Visit) -> bytes:
    text = visit.text("body")
    if visit.text("hex"):
        return _bytes(text, "a body in hex")
    return text.replace("\r\n", "\n").encode()


def _bytes(text: str, what: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{what} has hexadecimal digits and nothing else") from None


def _property(line: str) -> tuple[str, Any]:
    name, equals, value = line.partition("=")
    if not equals:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{line[:60]} is not of the form name=value")
    return name.strip(), property_value(value.strip())


# -- many messages ---------------------------------------------------------------------------


def plan(visit: Visit) -> Page:
    """Return the page that says what an act would do: how many messages, which ones. Nothing is done."""
    qmgr, name, act = visit.qmgr_name(), visit.text("name"), visit.text("act")
    if act not in WORDS:
        raise error(mq.MQRC_OPTIONS_ERROR, f"there is no act {act[:20]}")
    rows = _chosen(visit, qmgr, name)
    picks = visit.all("pick")
    upper = max((row.place for row in rows), default=0)
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "name": name,
        "act": act,
        "word": WORDS[act],
        "count": len(rows),
        "bytes": sum(row.length for row in rows),
        "oldest": min((row.message.put_time for row in rows), default=0.0),
        "newest": max((row.message.put_time for row in rows), default=0.0),
        "held": sum(bool(row.holder) for row in rows),
        "upper": upper,
        "picks": picks,
        "filters": {each: visit.text(each) for each in FILTERS},
        "typed": act != "copy" and len(rows) > TYPED_ABOVE,
        "targets": [row.queue for row in visit.queues(qmgr) if not row.queue.startswith("SYSTEM.")][:1000],
        "target": visit.text("target"),
    }
    trail = (("Queues", visit.link("/queues", qm=qmgr)), (name, visit.link("/queue", qm=qmgr, name=name)))
    return Page("plan.html", f"{WORDS[act]} messages", data, _command(visit, act, qmgr, name), trail)


def _command(visit: Visit, act: str, qmgr: str, name: str) -> str:
    """Return the command that does the same, where there is one."""
    if act == "delete" and not visit.all("pick") and wanted_of(visit).wants_all:
        return command("mqsc", qmgr, "-c", f"CLEAR QLOCAL({mqsc_name(name)})")
    return ""


def _chosen(visit: Visit, qmgr: str, name: str) -> list[Peeked]:
    """Return the messages that are meant, without their bodies: those picked, or all of a filter."""
    figures(visit, qmgr, name)
    picks = {searching.place_of(each) for each in visit.all("pick")}
    wanted, upper = wanted_of(visit), visit.number("upper")

    def chosen(qm: ClientQueueManager) -> list[Peeked]:
        if picks:
            found = [
                message_acts.peek_one(qm, name, place, 0) for place in sorted(each for each in picks if each)
            ]
            return [row for row in found if row is not None]
        if wanted.wants_all:
            rows = _all(qm, name)
        else:
            rows = all_wanted(qm, name, wanted, PLAN_MAX)
        return [row for row in rows if not upper or row.place <= upper]

    rows: list[Peeked] = visit.asked(qmgr, chosen)
    return rows


def _all(qm: ClientQueueManager, name: str) -> list[Peeked]:
    """Return all messages of a queue, without bodies; 2102 when they are too many."""
    found: list[Peeked] = []
    place = None
    while rows := qm.peek(name, after=place, count=5 * searching.SLICE, body_bytes=0):
        found += rows
        place = (rows[-1].lane, rows[-1].place)
        if len(found) > PLAN_MAX:
            raise error(mq.MQRC_RESOURCE_PROBLEM, f"more than {PLAN_MAX:,} messages: narrow the filter")
    return found


def run(visit: Visit) -> Away:
    """Do what a plan has shown, as a job."""
    qmgr, name, act = visit.qmgr_name(), visit.text("name"), visit.text("act")
    if not visit.number("upper") and not visit.all("pick"):
        raise error(mq.MQRC_OPTIONS_ERROR, "a plan comes first: open it from the queue's page")
    rows = _chosen(visit, qmgr, name)
    target = visit.text("target").strip()
    if act != "copy" and len(rows) > TYPED_ABOVE and visit.text("typed") != name:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{len(rows):,} messages: type the queue's name to confirm")
    if act in ("move", "copy") and (not target or target == name):
        raise error(mq.MQRC_OPTIONS_ERROR, "name another queue as the target")
    qm = visit.qm(qmgr)
    sent = _sender(qm, act, name, target)
    what = f"{WORDS[act]} {len(rows):,} messages from {name}" + (f" to {target}" if target else "")
    job = Job(what, visit.session.user, len(rows), visit.link("/queue", qm=qmgr, name=name))
    facts = {"qmgr": qmgr, "queue": name, "target": target, "planned": len(rows)}
    visit.did(act, **facts, result="started")
    visit.world.jobs.begin(
        job,
        rows,
        sent,
        float(visit.number("rate")),
        lambda ended: visit.did(act, **facts, done=ended.done, failed=ended.failed, result=ended.state),
    )
    return Away(visit.link("/job", id=job.id))


def _sender(qm: ClientQueueManager, act: str, name: str, target: str) -> Callable[[Peeked], bool]:
    """Return what does the act to one message; False if the message has gone."""
    word = message_acts.PURGE if act == "delete" else act
    return lambda row: message_acts.one(qm, word, name, target, row)


def pause(visit: Visit) -> Away:
    """Enable or disable puts or gets of a queue."""
    qmgr, name = visit.qmgr_name(), visit.text("name")
    verb, to = visit.text("verb"), visit.text("to")
    if verb not in ("PUT", "GET") or to not in ("ENABLED", "DISABLED"):
        raise error(mq.MQRC_OPTIONS_ERROR, "PUT or GET, ENABLED or DISABLED")
    visit.asked(qmgr, lambda qm: qm.mqsc(f"ALTER QLOCAL({mqsc_name(name)}) {verb}({to})", check=True))
    visit.did("alter", qmgr=qmgr, queue=name, change=f"{verb}({to})")
    visit.say(f"{verb}({to}) is set for {name}.")
    return Away(visit.link("/queue", qm=qmgr, name=name))


def job_page(visit: Visit) -> Page:
    """Return the page of a job."""
    found = visit.world.jobs.find(visit.text("id"))
    if found is None or found.user != visit.session.user:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "this job is over and forgotten, or it is somebody else's")
    visit.shape += [found.state, *found.failures]
    return Page("job.html", found.what, {"job": found})


def job_stop(visit: Visit) -> Away:
    """Have a job stop after the message it is at."""
    found = visit.world.jobs.find(visit.text("id"))
    if found is not None and found.user == visit.session.user:
        found.stop.set()
    return Away(visit.link("/job", id=visit.text("id")))
