"""Topics and subscriptions: the tree level by level, who gets what, and a form to publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console import bodies
from penstock.console.listening import KEPT_MAX, UNSEEN_SECONDS
from penstock.console.people import queue_managers
from penstock.console.visit import Away, Page, command
from penstock.tools.channel_facts import displayed

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.visit import Visit

CHILDREN_MAX = 200
SUBSCRIPTIONS_MAX = 200


def topics(visit: Visit) -> Page:
    """Return one level of the tree below a topic string, and the subscriptions that match it."""
    qmgr, topic = visit.qmgr_name(), visit.text("topic")
    below = f"{topic}/+" if topic else "+"
    rows = visit.asked(qmgr, lambda qm: displayed(qm, f"DISPLAY TPSTATUS({_quoted(below)}) TYPE(TOPIC) ALL"))
    rows = [row for row in rows if row["TOPICSTR"] not in ("", topic)]
    rows.sort(key=lambda row: str(row["TOPICSTR"]))
    if topic:
        what = f"DISPLAY TPSTATUS({_quoted(topic)}) TYPE(SUB) ALL"
    else:
        what = "DISPLAY SUB(*) SUBTYPE(ALL) ALL"
    found = visit.asked(qmgr, lambda qm: displayed(qm, what))
    queues = visit.asked(qmgr, _queues) if topic and found else {}
    subscriptions = [_subscription(row, queues) for row in found]
    own = visit.asked(qmgr, lambda qm: displayed(qm, f"DISPLAY TPSTATUS({_quoted(topic)}) TYPE(TOPIC) ALL"))
    visit.shape += [f"{row['TOPICSTR']} {row.get('SUBCOUNT')} {row.get('RETAINED')}" for row in rows]
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "managers": list(queue_managers()),
        "topic": topic,
        "parent": topic.rpartition("/")[0],
        "rows": rows[:CHILDREN_MAX],
        "more": max(0, len(rows) - CHILDREN_MAX),
        "subscriptions": subscriptions[:SUBSCRIPTIONS_MAX],
        "more_subscriptions": max(0, len(subscriptions) - SUBSCRIPTIONS_MAX),
        "facts": own[0] if topic and own else {},
    }
    shown = command("topic", "show", topic, "-m", qmgr) if topic else command("mqsc", qmgr, "-c", what)
    trail = (("Topics", visit.link("/topics", qm=qmgr)),) if topic else ()
    return Page("topics.html", topic or "Topics", data, shown, trail)


def _queues(qm: ClientQueueManager) -> dict[str, str]:
    """Return the queue of each subscription by its id; DISPLAY TPSTATUS does not have it."""
    return {row["SUBID"]: row["DEST"] for row in displayed(qm, "DISPLAY SUB(*) SUBTYPE(ALL) SUBID DEST")}


def _subscription(row: dict[str, Any], queues: dict[str, str]) -> dict[str, Any]:
    return {
        "name": row.get("SUB", ""),
        "topic": row.get("SUBTOPIC") or row.get("TOPICSTR", ""),
        "user": row.get("SUBUSER", ""),
        "durable": row.get("DURABLE", ""),
        "queue": row["DEST"] if "DEST" in row else queues.get(row["SUBID"], ""),
        "messages": row.get("NUMMSGS", ""),
    }


def publish(visit: Visit) -> Away:
    """Publish a message to a topic."""
    qmgr, topic = visit.qmgr_name(), visit.text("topic")
    body = visit.text("body").replace("\r\n", "\n")
    retain = bool(visit.text("retain"))
    visit.asked(qmgr, lambda qm: qm.publish(topic, body, retain=retain, format="MQSTR"))
    visit.did("publish", qmgr=qmgr, topic=topic, bytes=len(body.encode()), retained=retain)
    visit.say(f"Published to {topic}.")
    return Away(visit.link("/topics", qm=qmgr, topic=topic))


def listen(visit: Visit) -> Away:
    """Subscribe to a topic for as long as the page is open."""
    qmgr, topic = visit.qmgr_name(), visit.text("topic").strip()
    made = visit.world.listening.begin(visit.session.user, qmgr, topic)
    visit.did("listen", qmgr=qmgr, topic=topic)
    return Away(visit.link("/listen", id=made.id))


def listening(visit: Visit) -> Page:
    """Return the page with what came to a topic since somebody listens."""
    found = visit.world.listening.find(visit.session.user, visit.text("id"))
    visit.shape += [str(found.came), found.state]
    rows = [
        {"time": at, "topic": topic, "length": message.length, "preview": bodies.preview_of(message, 400)}
        for at, topic, message in reversed(found.kept)
    ]
    data = {"listener": found, "rows": rows, "unseen": int(UNSEEN_SECONDS), "kept": KEPT_MAX}
    trail = (
        ("Topics", visit.link("/topics", qm=found.qmgr)),
        (found.topic, visit.link("/topics", qm=found.qmgr, topic=found.topic)),
    )
    shown = command("subscribe", found.topic, "-m", found.qmgr)
    return Page("listen.html", f"Listening to {found.topic}", data, shown, trail)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
