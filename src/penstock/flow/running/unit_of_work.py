"""Ends units of work over queues and databases, for every listener: commit or undo.

Databases commit first, so that a failure there also backs out the message. If undoing one part fails, the
other is undone anyway: a unit that is left open would be committed when its connection is closed. Units that
the queue manager coordinates end in `coordination`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.flow.running.reporting import named, report
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.esql.database.databases import Databases
    from penstock.face.blocking import BlockingQueueManager

logger = logging.getLogger(__name__)


class UnitOfWork:
    """The units of one connection, if there is one, and the databases of its thread, one after the other."""

    def __init__(self, qm: BlockingQueueManager | None, databases: Databases | None) -> None:
        self.qm = qm
        self.databases = databases

    def commit(self) -> None:
        """Commit the databases, then the queues."""
        self.commit_databases()
        if self.qm is not None:
            self.qm.commit()

    def commit_databases(self) -> None:
        """Commit the unit's database work."""
        if self.databases is not None:
            self.databases.commit_all()

    def undo(self, counted: bool = True) -> MQError | None:
        """Undo databases and queues; return the failure of a database.

        What is not `counted` leaves the backout counts of messages as they are.
        """
        broken = self.undo_databases()
        if self.qm is None:
            return broken
        try:
            if counted:
                self.qm.backout()
            else:
                self.qm.backout_uncounted()
        except MQError:  # the connection is gone, and its unit was backed out
            logger.debug("flow_backout_failed", exc_info=True)
        return broken

    def undo_databases(self) -> MQError | None:
        """Roll the databases back; return the error, after which their connections are dropped."""
        if self.databases is None:
            return None
        try:
            self.databases.rollback_all()
        except MQError as failure:
            report(logging.WARNING, "flow_rollback_failed", failure.detail, **named(failure))
            self.databases.abandon_all()
            return failure
        return None
