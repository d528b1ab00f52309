"""Prepared units: an outside coordinator decides their end, and they survive a restart until then.

A prepared unit keeps its puts invisible and its gets held. It is named by an external id (`xid`)
and no longer belongs to the connection that made it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.names import check_label
from penstock.qmgr import records
from penstock.qmgr.sharing import held_units
from penstock.qmgr.states import ACTIVE, PREPARED

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork

XID_LENGTH_MAX = 128
XID_PREFIX = "qsg:"  # of units that the facility of a queue-sharing group decides
BATCH_PREFIX = "CHANNEL/"  # of batches of message channels, which only their channel decides
_BATCH = re.compile(re.escape(BATCH_PREFIX) + r"\d+:\d+:\d+:[^:]+:.+")


def prepare(engine: Engine, unit: UnitOfWork, xid: str, now: float) -> None:
    """Promise that the unit can be committed; the promise holds when `engine.step.position` is on disk."""
    check_label(xid, XID_LENGTH_MAX, mq.MQRC_OPTIONS_ERROR, "an external id")
    if is_batch(xid):
        raise error(
            mq.MQRC_OPTIONS_ERROR, f"an external id does not begin as {xid}: message channels use such names"
        )
    if xid.startswith(XID_PREFIX):
        raise error(mq.MQRC_OPTIONS_ERROR, f"an external id does not begin with {XID_PREFIX}")
    if unit.state == ACTIVE and unit.shared is not None and xid not in engine.prepared:
        held_units.prepare(engine.sharing, unit, xid, now)
        return
    prepare_batch(engine, unit, xid, now)


def is_batch(xid: str) -> bool:
    """Return whether a prepared unit is a batch of a message channel, by its name."""
    return xid.startswith(BATCH_PREFIX) and _BATCH.fullmatch(xid) is not None


def prepare_batch(engine: Engine, unit: UnitOfWork, xid: str, now: float) -> None:
    """As `prepare`, under any name: programs use `prepare`, message channels this."""
    if unit.state != ACTIVE:
        raise error(mq.MQRC_BACKED_OUT, "the queue manager backed this unit of work out")
    if xid in engine.prepared:
        raise error(mq.PSRC_UNIT_EXISTS, f"a unit is prepared under {xid} already", xid=xid)
    if unit.shared is not None:
        detail = "a batch with messages of shared queues cannot be prepared: use private queues"
        raise error(mq.MQRC_ENVIRONMENT_ERROR, detail)
    unit.xid = xid
    unit.state = PREPARED
    unit.user = unit.owner.user if unit.owner is not None else ""
    unit.owner = None
    engine.prepared[xid] = unit
    engine.start_logging(unit)
    value = records.pack_value((unit.number, xid, unit.started, unit.user))
    engine.step.wait_for(engine.journal.append(records.PREPARE, value, b""))


def resolve(engine: Engine, xid: str, commit: bool, now: float, user: str | None = None) -> None:
    """Commit or back out a prepared unit; 8021 when none has this id.

    One that the group holds must have been prepared by `user`, unless that is None.
    """
    unit = engine.prepared.get(xid)
    if unit is None and engine.sharing is not None:
        held_units.resolve(engine.sharing, xid, commit, user)
        return
    if unit is None:
        raise error(mq.PSRC_UNIT_UNKNOWN, f"no unit is prepared under {xid}", xid=xid)
    if xid.startswith(XID_PREFIX):
        raise error(mq.MQRC_OPTIONS_ERROR, f"{xid} is decided by the facility of its group", xid=xid)
    if is_batch(xid):
        detail = f"{xid} is a batch of a message channel: its partner decides it, or RESOLVE CHANNEL"
        raise error(mq.MQRCCF_CHANNEL_INDOUBT, detail, xid=xid)
    if commit:
        engine.commit(unit, now)
    else:
        engine.backout(unit, now)
        engine.step.wait_for(engine.journal.end)


def listing(engine: Engine) -> list[dict[str, Any]]:
    """Return the prepared units: id, number, when, how many puts and gets on which queues."""
    return [
        {
            "xid": xid,
            "unit": unit.number,
            "user": unit.user,
            "started": unit.started,
            "puts": len(unit.puts),
            "gets": len(unit.gets),
            "queues": sorted({message.queue.name for message in (*unit.puts, *unit.gets)}),
        }
        for xid, unit in engine.prepared.items()
    ]
