"""Which queues may have a stream (STREAMQ), and which may be one: checked when a definition is made.

As in MQ a stream queue is a local, alias or remote queue, and a queue that is one has none itself: no
chains, no loops. Transmission queues and most SYSTEM queues have no streams; a dynamic queue streams as its
model said when it was made. Only what a change brings about is looked at, so that older definitions stay
changeable. What a stream does is in `streaming`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.qmgr.objects import Definition, Objects

DYNAMIC = ("TEMPDYN", "PERMDYN")
SYSTEM = "SYSTEM."
SYSTEM_DESTINATIONS = ("SYSTEM.DEFAULT.LOCAL.QUEUE",)
SYSTEM_SOURCES = frozenset(
    {
        "SYSTEM.DEFAULT.LOCAL.QUEUE",
        "SYSTEM.DEFAULT.MODEL.QUEUE",
        "SYSTEM.JMS.TEMPQ.MODEL",
        "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
        "SYSTEM.ADMIN.ACTIVITY.QUEUE",
        "SYSTEM.ADMIN.CHANNEL.EVENT",
        "SYSTEM.ADMIN.COMMAND.EVENT",
        "SYSTEM.ADMIN.CONFIG.EVENT",
        "SYSTEM.ADMIN.LOGGER.EVENT",
        "SYSTEM.ADMIN.PERFM.EVENT",
        "SYSTEM.ADMIN.PUBSUB.EVENT",
        "SYSTEM.ADMIN.QMGR.EVENT",
        "SYSTEM.ADMIN.STATISTICS.QUEUE",
    }
)


class Defined(Protocol):
    """The part of an engine that is looked at."""

    @property
    def objects(self) -> Objects:
        """All definitions."""

    @property
    def queues(self) -> Mapping[str, Any]:
        """Local queues by name."""


def check_streams(engine: Defined, definition: Definition, before: Definition | None) -> None:
    """Raise what forbids a definition, as far as streams are concerned."""
    if definition.kind == "QALIAS":
        _check_alias(engine, definition)
    if before is None and definition.attributes.get("DEFTYPE") in DYNAMIC and definition.kind == "QLOCAL":
        return  # it has the stream queue of its model
    name = stream_name(definition)
    if not name or definition.kind not in ("QLOCAL", "QMODEL"):
        return
    usage = definition.attributes.get("USAGE")
    if before is not None and stream_name(before) == name and before.attributes.get("USAGE") == usage:
        return
    if usage == "XMITQ":
        raise error(
            mq.MQRCCF_STREAMQ_NOT_SUPPORTED,
            f"{definition.name} is a transmission queue",
            object=definition.name,
        )
    if definition.name.startswith(SYSTEM) and definition.name not in SYSTEM_SOURCES:
        raise error(
            mq.MQRCCF_STREAMQ_NOT_SUPPORTED, f"{definition.name} cannot have a stream", object=definition.name
        )
    if definition.kind == "QLOCAL" and before is not None and before.attributes.get("DEFTYPE") in DYNAMIC:
        raise error(
            mq.MQRCCF_STREAMQ_NOT_SUPPORTED, f"{definition.name} is a dynamic queue", object=definition.name
        )
    _check_destination(engine, definition, name)
    if definition.kind == "QLOCAL":
        _check_not_a_stream(engine, definition)


def stream_name(definition: Definition) -> str:
    """Return the name of the stream queue of a definition; empty for none."""
    return str(definition.attributes.get("STREAMQ", ""))


def _check_destination(engine: Defined, definition: Definition, name: str) -> None:
    if name == definition.name:
        raise error(mq.MQRCCF_STREAMQ_DEST_NOT_SUPP, f"{name} cannot be its own stream", object=name)
    if name.startswith(SYSTEM) and name not in SYSTEM_DESTINATIONS:
        raise error(mq.MQRCCF_STREAMQ_DEST_NOT_SUPP, f"{name} cannot be a stream", object=name)
    found = engine.objects.find("QUEUE", name)
    if found is not None and found.kind == "QMODEL":
        raise error(mq.MQRCCF_STREAMQ_DEST_NOT_SUPP, f"{name} is a model queue", object=name)
    base = _base(engine, found)
    if base is not None and base.name == definition.name:
        raise error(mq.MQRCCF_STREAMQ_DEST_CONFLICT, f"{name} leads back to {definition.name}", object=name)
    if base is not None and stream_name(base):
        detail = f"{base.name} has a stream itself: STREAMQ({stream_name(base)})"
        raise error(mq.MQRCCF_STREAMQ_DEST_CONFLICT, detail, object=base.name)


def _base(engine: Defined, found: Definition | None) -> Definition | None:
    """Return the local queue that a name means, through an alias if it is one."""
    if found is not None and found.kind == "QALIAS" and found.attributes.get("TARGTYPE") != "TOPIC":
        found = engine.objects.find("QUEUE", str(found.attributes["TARGET"]))
    return found if found is not None and found.kind == "QLOCAL" else None


def _check_not_a_stream(engine: Defined, definition: Definition) -> None:
    for source in engine.queues.values():
        if source.stream is not None and source.name != definition.name:
            base = _base(engine, engine.objects.find("QUEUE", source.stream.name))
            if source.stream.name == definition.name or (base is not None and base.name == definition.name):
                detail = f"{definition.name} is the stream of {source.name} and cannot have one itself"
                raise error(mq.MQRCCF_STREAMQ_CONFLICT, detail, object=definition.name)


def _check_alias(engine: Defined, alias: Definition) -> None:
    """Refuse an alias that is a stream and would lead to a queue that has one."""
    base = _base(engine, alias)
    if base is None or not stream_name(base):
        return
    for source in engine.queues.values():
        if source.stream is not None and source.stream.name == alias.name:
            detail = f"{alias.name} is the stream of {source.name}, and {base.name} has a stream itself"
            raise error(mq.MQRCCF_STREAMQ_DEST_CONFLICT, detail, object=alias.name)
