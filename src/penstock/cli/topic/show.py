"""`penstock topic show`: who receives publications on a topic, and what prevents others from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.cli.connecting import JsonOption, QmgrOption, TopicArgument
from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

COLUMNS = ("subscription", "topic", "queue", "user", "durable", "selector", "messages", "receives")
NOT_FOUND = "AMQ8147E"


def show(
    topic: TopicArgument,
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show who receives what is published to a topic: subscriptions to it and to patterns that match it."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_facts, show_json

    with connected(qmgr, commands_only=True) as qm:
        facts = topic_facts(qm, topic)
    if as_json:
        show_json(facts)
        return
    receivers = facts.pop("subscriptions")
    show_facts({name: value for name, value in facts.items() if value is not None})
    print()
    if receivers:
        show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in receivers])
    else:
        print(f"Nobody subscribes to {topic}.")


def topic_facts(qm: BlockingQueueManager, topic: str) -> dict[str, Any]:
    """Return the facts about a topic string, used or not, and the subscriptions that match it."""
    status = rows(qm, f"DISPLAY TPSTATUS({quoted(topic)}) TYPE(TOPIC) ALL")
    known = status[0] if len(status) == 1 else {}
    matched = rows(qm, f"DISPLAY TPSTATUS({quoted(topic)}) TYPE(SUB) ALL")
    receivers = [_receiver(qm, row) for row in matched]
    highest = max((each["level"] for each in receivers), default=0)
    for each in receivers:
        each["receives"] = "if its selector matches" if each["selector"] else "yes"
        if each["level"] < highest:
            each["receives"] = f"no: SUBLEVEL({each['level']}), others have {highest}"
    return {
        "topic": topic,
        "object": known.get("ADMIN") or None,
        "publish": known.get("PUB"),
        "subscribe": known.get("SUB"),
        "retained": known.get("RETAINED"),
        "publishers": known.get("PUBCOUNT", 0),
        "subscriptions": receivers,
    }


def _receiver(qm: BlockingQueueManager, row: dict[str, Any]) -> dict[str, Any]:
    found = rows(qm, f"DISPLAY SUB SUBID({row['SUBID']}) ALL")
    about = found[0] if found else {}
    return {
        "subscription": row["SUB"],
        "topic": row["SUBTOPIC"],
        "queue": about.get("DEST", ""),
        "queue_manager": about.get("DESTQMGR", ""),
        "user": row["SUBUSER"],
        "durable": row["DURABLE"],
        "selector": about.get("SELECTOR", ""),
        "level": int(about.get("SUBLEVEL", 1)),
        "messages": row["NUMMSGS"],
        "connected": row["ACTCONN"].strip("0") != "",
    }


def rows(qm: BlockingQueueManager, command: str) -> list[dict[str, Any]]:
    """Run a DISPLAY command; nothing if nothing is found, its error if it fails."""
    from penstock.model.errors import error

    replies = qm.mqsc(command)
    failed = next((each for each in replies if each.failed and each.id != NOT_FOUND), None)
    if failed is not None:
        raise error(failed.reason or mq.MQRCCF_COMMAND_FAILED, f"{failed.id}: {failed.text}")
    return [dict(each.attributes) for each in replies if each.attributes is not None]


def quoted(text: str) -> str:
    """Return a text as an MQSC string."""
    return "'" + text.replace("'", "''") + "'"
