"""Prepared units of shared queues: the group holds them, and any member ends them (GROUPUR).

`prepare` hands the shared part of a unit to the facility; from then on it belongs to no member. Its private
part is prepared on disk before, and ends as the facility says, whichever member ended the shared part. Called
by `qmgr.prepared`; results come from the host through `held` and `settled`. No I/O.
Invariant: the shared part of a unit is either this member's, or held by the group: never both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.sharing.wishes import Hold, Settle
from penstock.qmgr.states import ACTIVE, COMMITTING, ENDED, PREPARED

if TYPE_CHECKING:
    from penstock.model.errors import MQError
    from penstock.qmgr.sharing.sharing import Sharing
    from penstock.qmgr.sharing.wishes import Ticket
    from penstock.qmgr.unit_of_work import UnitOfWork


def prepare(sharing: Sharing, unit: UnitOfWork, xid: str, now: float) -> None:
    """Have the group hold a unit; the caller waits for the round that does it."""
    sharing.check_connected()
    part = unit.shared
    if part.lost:
        sharing.fail(unit, now)
        raise error(mq.MQRC_BACKED_OUT, "the connection to the facility was lost in this unit of work")
    ticket = sharing.new_ticket()
    puts = [sharing.stored(queue, message) for queue, message in part.puts]
    user = unit.owner.user if unit.owner is not None else ""
    unit.state = COMMITTING
    unit.owner = None
    wish = Hold(unit, xid, user, [row for _, _, row in part.gets], puts, ticket)
    if unit.logged or unit.puts or unit.gets:
        unit.user = user
        sharing.engine.start_logging(unit)
        sharing.submit_prepared(wish)
    else:
        sharing.submit(wish)
    sharing.engine.step.wait_for_round(ticket)


def held(sharing: Sharing, wish: Hold, failure: MQError | None, now: float) -> None:
    """Take over what became of a unit that was to be held. The gate is held."""
    unit = wish.unit
    unknown = wish.outcome and failure is not None and failure.reason == mq.MQRC_CF_NOT_AVAILABLE
    if failure is not None and not unknown:
        unit.state = ACTIVE if unit.xid is None else PREPARED
        sharing.fail(unit, now)
    else:
        for queue, _ in unit.shared.puts:
            queue.depth -= 1  # nobody sees them before the commit
        sharing.let_go(unit)
        if wish.outcome:
            unit.state = PREPARED  # its private half: what became of the other decides
        else:
            unit.state = ENDED
            sharing.engine.units.pop(unit.number, None)
            sharing.engine._after(unit, True)
    sharing.finish(wish.ticket, failure)


def resolve(sharing: Sharing, xid: str, commit: bool, user: str | None) -> None:
    """End a unit that the group holds, whoever prepared it; `user` is who must have, None for any."""
    sharing.check_connected()
    ticket: Ticket = sharing.new_ticket()
    sharing.submit(Settle(xid, commit, user, ticket))
    sharing.engine.step.wait_for_round(ticket)


def in_doubt(sharing: Sharing) -> dict[int, UnitOfWork]:
    """Return the units here whose other half the group holds, by the keys of their outcomes."""
    prefix = sharing.xid_of(0)[:-1]
    prepared = sharing.engine.prepared.items()
    units = [(xid, unit) for xid, unit in prepared if xid.startswith(prefix) and unit.shared is None]
    return {int(xid.removeprefix(prefix)): unit for xid, unit in units}


def merged(sharing: Sharing, own: list[dict[str, Any]], held: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the prepared units of this member and of the group; the two halves of one are one."""
    units = {each["xid"]: each for each in own}
    for unit in held:
        outcome = unit.pop("outcome")
        here = unit["member"] == sharing.engine.name
        private = units.pop(sharing.xid_of(outcome), None) if here else None
        if private is not None:
            unit["puts"] += private["puts"]
            unit["gets"] += private["gets"]
            unit["queues"] = sorted({*unit["queues"], *private["queues"]})
        units[unit["xid"]] = unit
    return list(units.values())


def settled(sharing: Sharing, wish: Settle, result: tuple[str, list[int], int] | MQError, now: float) -> int:
    """Take over the end of a unit: queues that have messages now. The gate is held.

    Return the key of its outcome if its private half was here, else 0.
    """
    ended = 0
    failure: MQError | None = None
    if not isinstance(result, tuple):
        failure = result
    elif result[0] == "unknown":
        failure = error(mq.PSRC_UNIT_UNKNOWN, f"no unit is prepared under {wish.xid}", xid=wish.xid)
    elif result[0] == "denied":
        text = f"the unit {wish.xid} was prepared by another user"
        failure = error(mq.MQRC_NOT_AUTHORIZED, text, xid=wish.xid)
    else:
        for queue in sharing.queues():
            if queue.number in result[1]:
                sharing.arrived(queue, now)
        unit = in_doubt(sharing).get(result[2])
        if unit is not None:
            sharing.end_private(unit, wish.commit, now)
            ended = result[2]
    sharing.finish(wish.ticket, failure)
    return ended
