"""What the engine calls while something is traced: an interface, which the host implements.

The engine has a `Tracer` only while somebody watches. Compiled through `tracing.pxd`, so that a call costs no
more than a C function. Implementations run no Python code of others and raise nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.monitoring.accounts import Account
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork


class Tracer:
    """Is called about every put, get and end of a unit; `account` is the connection's, if one is at work."""

    def put(self, queue: Queue, message: Message, account: Account | None) -> None:
        """A message was put."""

    def got(self, queue: Queue, message: Message, account: Account | None) -> None:
        """A message was got."""

    def ended(self, unit: UnitOfWork, how: str) -> None:
        """A unit of work has ended."""
