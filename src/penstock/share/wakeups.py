"""Wake-ups: notifications of other members, received by one session of this member.

A put of another member notifies the queues that this one waits for; other topics are for their own modules.
A thread of `facility`. A wake-up that is lost costs a second: `members.Watch` has waiting gets try again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import psycopg

from penstock.share.exchange import hang_up

if TYPE_CHECKING:
    from penstock.share.facility import Facility


class Listener(threading.Thread):
    """Listens to the group."""

    def __init__(self, facility: Facility, connection: Any) -> None:
        super().__init__(name="penstock-wakeups", daemon=True)
        self._facility = facility
        self._connection = connection
        self._ended = False
        connection.execute(f'listen "{facility.channel}"')

    def run(self) -> None:
        """Hand on notifications until the session ends."""
        try:
            for notice in self._connection.notifies():
                self._facility.woken(notice.payload)
        except (psycopg.Error, OSError) as failure:
            if not self._ended:
                self._facility.session_lost(failure)
        finally:
            self._connection.close()

    def close(self) -> None:
        """End the session."""
        self._ended = True
        if self.is_alive():
            hang_up(self._connection)
        else:
            self._connection.close()
