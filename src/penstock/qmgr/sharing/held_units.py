"""Prepared units of shared queues: the group holds them, and any member ends them (GROUPUR).

`prepare` hands a unit that is shared only to the facility; from then on it belongs to no member. Called by
`qmgr.prepared`; results come from the host through `held` and `settled`. No I/O.
Invariant: a unit is either this member's, or held by the group: never both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.sharing.wishes import Hold, Settle
from penstock.qmgr.states import ACTIVE, COMMITTING, ENDED

if TYPE_CHECKING:
    from penstock.model.errors import MQError
    from penstock.qmgr.sharing.sharing import Sharing
    from penstock.qmgr.sharing.wishes import Ticket
    from penstock.qmgr.unit_of_work import UnitOfWork


def prepare(sharing: Sharing, unit: UnitOfWork, xid: str, now: float) -> None:
    """Have the group hold a unit; the caller waits for the round that does it."""
    sharing.check_connected()
    if unit.logged or unit.puts or unit.gets:
        detail = (
            "a prepared unit has messages of shared or of private queues, not of both:"
            " commit it without preparing, or use one kind"
        )
        raise error(mq.MQRC_ENVIRONMENT_ERROR, detail)
    part = unit.shared
    if part.lost:
        sharing.fail(unit, now)
        raise error(mq.MQRC_BACKED_OUT, "the connection to the facility was lost in this unit of work")
    ticket = sharing.new_ticket()
    puts = [sharing.stored(queue, message) for queue, message in part.puts]
    user = unit.owner.user if unit.owner is not None else ""
    unit.state = COMMITTING
    unit.owner = None
    sharing.submit(Hold(unit, xid, user, [row for _, _, row in part.gets], puts, ticket))
    sharing.engine.step.wait_for_round(ticket)


def held(sharing: Sharing, wish: Hold, failure: MQError | None, now: float) -> None:
    """Take over what became of a unit that was to be held. The gate is held."""
    unit = wish.unit
    if failure is not None:
        unit.state = ACTIVE
        sharing.fail(unit, now)
    else:
        for queue, _ in unit.shared.puts:
            queue.depth -= 1  # nobody sees them before the commit
        sharing.let_go(unit)
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


def settled(sharing: Sharing, wish: Settle, result: tuple[str, list[int]] | MQError, now: float) -> None:
    """Take over the end of a unit: queues that have messages now. The gate is held."""
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
    sharing.finish(wish.ticket, failure)
