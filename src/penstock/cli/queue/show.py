"""`penstock queue show`: everything about one queue: figures, counts, programs, settings."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.cli.connecting import JsonOption, QmgrOption, QueueArgument
from penstock.cli.queue.list import age, moment

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

TIMES = ("oldest", "last_put", "last_get")
PROGRAM = {"APPLTAG": "application", "PID": "process", "USERID": "user", "CHANNEL": "channel"}
WAYS = ("INPUT", "OUTPUT", "BROWSE")


def show(queue: QueueArgument, qmgr: QmgrOption = "", as_json: JsonOption = False) -> None:
    """Show a local queue: depth, counts since the start, the programs that use it, its settings."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_facts, show_json

    with connected(qmgr, commands_only=True) as qm:
        facts = queue_facts(qm, queue)
    if as_json:
        show_json(facts)
        return
    programs, settings = facts.pop("programs"), facts.pop("settings")
    show_facts({name: value for name, value in facts.items() if value not in (None, "")})
    print()
    if programs:
        show_columns(list(programs[0]), [list(each.values()) for each in programs])
    else:
        print("No program has it open.")
    print()
    print(" ".join(f"{name}({value})" for name, value in settings.items()))


def queue_facts(qm: BlockingQueueManager, queue: str) -> dict[str, Any]:
    """Return what is known of a queue; 2085 if there is no such local queue."""
    from penstock.model import constants as mq
    from penstock.model.errors import error
    from penstock.model.status import values
    from penstock.tools.channel_facts import mqsc_name

    found = [each for each in qm.queues(queue) if each.queue == queue]
    if not found:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{queue} is not a local queue", object=queue)
    name = mqsc_name(queue)
    facts = values(found[0])
    oldest = facts["oldest"]
    facts |= {each: moment(facts[each]) for each in TIMES}
    facts["oldest_age"] = age(time.time() - oldest) if oldest else ""
    handles = [each.attributes for each in qm.mqsc(f"DISPLAY QSTATUS({name}) TYPE(HANDLE) ALL")]
    definition = qm.mqsc(f"DISPLAY QLOCAL({name}) ALL")[0].attributes or {}
    facts["programs"] = [_program(each) for each in handles if each is not None]
    facts["settings"] = {key: value for key, value in definition.items() if value not in ("", " ")}
    return facts


def _program(handle: Any) -> dict[str, Any]:
    opened = [way.lower() for way in WAYS if handle[way] != "NO"]
    return {**{name: handle[key] for key, name in PROGRAM.items()}, "opened_for": " ".join(opened)}
