"""Events about changes: commands (CMDEV), and objects that were defined, altered or deleted (CONFIGEV).

They say who did what, not every attribute: passwords are never in them. Put by `Effects`, like all events.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.pcf_parameters import Group, Integer, String
from penstock.qmgr.monitoring.events import Event

if TYPE_CHECKING:
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition

COMMAND_EVENTS = "SYSTEM.ADMIN.COMMAND.EVENT"
CONFIGURATION_EVENTS = "SYSTEM.ADMIN.CONFIG.EVENT"
TEXT_MAX = 10_000  # characters of a command
SECRET = re.compile(r"(?i)\b(\w*PASSW\w*|LDAPPWD|KEYRPWD|INITKEY)(\s*\()[^)]*\)?")
TYPES = {
    "QMGR": mq.MQOT_Q_MGR,
    "NAMELIST": mq.MQOT_NAMELIST,
    "PROCESS": mq.MQOT_PROCESS,
    "CHANNEL": mq.MQOT_CHANNEL,
    "AUTHINFO": mq.MQOT_AUTH_INFO,
    "TOPIC": mq.MQOT_TOPIC,
    "LISTENER": mq.MQOT_LISTENER,
}
NAMES = {
    mq.MQOT_Q: mq.MQCA_Q_NAME,
    mq.MQOT_Q_MGR: mq.MQCA_Q_MGR_NAME,
    mq.MQOT_NAMELIST: mq.MQCA_NAMELIST_NAME,
    mq.MQOT_PROCESS: mq.MQCA_PROCESS_NAME,
    mq.MQOT_CHANNEL: mq.MQCACH_CHANNEL_NAME,
    mq.MQOT_TOPIC: mq.MQCA_TOPIC_NAME,
}


def command_run(engine: Engine, verb: str, text: str, connection: Connection | None, now: float) -> None:
    """Write the event of a command that was carried out, if CMDEV wants it."""
    switch = engine.definition.attributes["CMDEV"]
    if switch == "DISABLED" or (switch == "NODISPLAY" and verb == "DISPLAY"):
        return
    who = "" if connection is None else connection.user
    about = (
        String(mq.MQCACF_EVENT_USER_ID, who[:12].ljust(12)),
        String(mq.MQCACF_EVENT_Q_MGR, engine.name.ljust(48)),
        Integer(mq.MQIACF_EVENT_ORIGIN, mq.MQEVO_CONSOLE),
    )
    said = String(mq.MQCACF_COMMAND_MQSC, SECRET.sub(r"\1\2*****)", text)[:TEXT_MAX])
    groups = (Group(mq.MQGACF_COMMAND_CONTEXT, about), Group(mq.MQGACF_COMMAND_DATA, (said,)))
    engine.effects.emit(Event(COMMAND_EVENTS, mq.MQCMD_COMMAND_EVENT, mq.MQRC_COMMAND_MQSC, groups), now)


def object_changed(engine: Engine, definition: Definition, reason: int, now: float) -> None:
    """Write the event of an object that was created, changed or deleted, with CONFIGEV(ENABLED)."""
    if engine.definition is None or engine.definition.attributes["CONFIGEV"] != "ENABLED":
        return
    kind = TYPES.get(definition.kind, mq.MQOT_Q if definition.kind.startswith("Q") else mq.MQOT_NONE)
    parameters = (
        Integer(mq.MQIACF_EVENT_ORIGIN, mq.MQEVO_CONSOLE),
        Integer(mq.MQIACF_OBJECT_TYPE, kind),
        String(NAMES.get(kind, mq.MQCA_Q_NAME), definition.name.ljust(48)),
    )
    engine.effects.emit(Event(CONFIGURATION_EVENTS, mq.MQCMD_CONFIG_EVENT, reason, parameters), now)
