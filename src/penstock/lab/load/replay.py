"""Replay of recorded traffic: messages of given lengths at the recorded moments, or faster.

A recording is a Parquet file with the columns offset_us, queue, bytes and persistent. It begins some time
after the role is ready, so that the window around it can be open by then.
"""

from __future__ import annotations

import threading
import time
from time import monotonic
from typing import TYPE_CHECKING, Any

from penstock.lab.load.crew import LATENESS, SERVICE
from penstock.lab.load.schedule import Pace, recorded
from penstock.lab.load.system_under_test import connect

if TYPE_CHECKING:
    from penstock.lab.load.crew import Role


LEAD_SECONDS = 0.5


def replay(role: Role, way: dict[str, str], rows: list[list[Any]], speed: float = 1.0) -> None:
    """Put the recorded messages at their times, once; a row is offset_us, queue, bytes, persistent."""
    qm = connect(way)
    role.ready()
    pace = Pace(recorded([row[0] / 1e6 for row in rows], monotonic() + LEAD_SECONDS, speed))
    for _, queue, size, persistent in rows:
        time.sleep(pace.wait(monotonic()))
        due, sent = pace.take(), monotonic()
        qm.put(queue, bytes(size), persistent=bool(persistent))
        done = monotonic()
        role.took(int((done - due) * 1e9))
        role.timed(SERVICE, int((done - sent) * 1e9))
        role.timed(LATENESS, int((sent - due) * 1e9))
    threading.Event().wait()


ROLES = {"replay": replay}
