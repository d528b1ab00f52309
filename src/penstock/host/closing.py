"""The end of a connection to an embedded queue manager: MQDISC.

Called by `QueueManager.close`, with interruptions held back. Invariant: units that are open are committed or
their failure is raised, and the connection has left the registry, whatever fails on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.face._clock import now as clock
from penstock.host import registry
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.host.queue_manager import QueueManager


def close(qm: QueueManager) -> None:
    """Commit what is open, close handles; the last connection stops the queue manager."""
    if not qm.closing.acquire(blocking=False):
        return  # it is closed, or another thread is at it
    if qm.session.closed:  # it was ended, because its connection tag is another's
        registry.leave(qm.host)
        return
    if qm.gate.closed:
        qm.session.closed = True
        if qm.host.failure is not None:
            registry.leave(qm.host)
        return
    try:
        _end_all(qm)
    finally:
        try:
            _disconnect(qm)
        finally:
            qm.session.closed = True
            registry.leave(qm.host)


def _end_all(qm: QueueManager) -> None:
    """Commit what is open, as MQDISC does; a unit that was backed out raises when all are done."""
    failure = None
    with qm.gate:
        scopes = list(qm.session.scopes)
    for scope in scopes:
        try:
            qm.session.end_scope(scope, True)
        except MQError as problem:
            failure = problem
    if failure is not None:
        raise failure


def _disconnect(qm: QueueManager) -> None:
    with qm.session.step():
        for waiter in list(qm.session.waiters):
            if waiter.active:
                qm.engine.fail_waiter(waiter.queue, waiter, mq.MQRC_HCONN_ERROR)
        qm.engine.disconnect(qm.connection, clock())
