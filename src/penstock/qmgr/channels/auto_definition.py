"""CHAD(ENABLED): a channel that is dialled and not defined is defined from a model.

A partner's channel becomes a RCVR, a client's a SVRCONN. Until it is defined the model holds for it: whose
rights it gives and which TLS it asks for, so a first caller gets no more than a second. Called by `admin`,
which decides who comes in, and by the server, when somebody has come in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.names import check_object_name
from penstock.qmgr.channels import channel_events

if TYPE_CHECKING:
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.channels.channel_events import Subject
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition, Objects

MODELS = {"RCVR": "SYSTEM.AUTO.RECEIVER", "SVRCONN": "SYSTEM.AUTO.SVRCONN"}
CHANNEL_NAME_LENGTH = 20
DESCRIPTION_LENGTH = 64


def model_of(objects: Objects, name: str, kind: str) -> Definition | None:
    """Return what a channel would be defined from; None when it is defined, or none defines itself."""
    qmgr = next(iter(objects.all("QMGR")), None)
    if qmgr is None or qmgr.attributes.get("CHAD") != "ENABLED":
        return None
    return objects.find("CHANNEL", MODELS[kind]) if objects.find("CHANNEL", name) is None else None


def define(
    engine: Engine, subject: Subject, kind: str, caller: str, changes: dict[str, Value], now: float
) -> Definition | None:
    """Define a channel from its model and write an event; None if that is impossible."""
    name = subject.channel
    made, failure = None, 0
    try:
        check_object_name(name)
        model = model_of(engine.objects, name, kind)
        if model is None or len(name) > CHANNEL_NAME_LENGTH:
            raise error(mq.MQRCCF_CHANNEL_NAME_ERROR, f"{name} or {MODELS[kind]} cannot be used")
        described = f"Auto-defined by {caller}"[:DESCRIPTION_LENGTH]
        values = {**model.attributes, "CHANNEL": name, "DESCR": described, **changes}
        made = engine.define("CHANNEL", name, values, now)
    except MQError as refusal:
        failure = refusal.reason
    channel_events.defined_by_itself(engine, subject, kind, failure, now)
    return made
