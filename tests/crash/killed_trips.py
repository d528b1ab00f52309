"""The process that the aggregation test kills: one trip through both flows, and who answers in between.

Run as `python tests/crash/killed_trips.py HOME NUMBER CALL`: finishes what is there, puts trip NUMBER,
works until nothing is left to do, and kills itself with SIGKILL at call CALL of that (0: not at all).
Trips with even numbers get a reply for every request, the others one too few, so that a timer ends them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import penstock
from tests.aggregation_accidents import Accident
from tests.aggregation_fixtures import Trips, fan_in, fan_out, run

SECONDS = 1000.0


def main(home: str, number: int, call: int) -> None:
    with penstock.embed("QM1", create=number == 0, home=home) as real:
        trips = Trips(real, fan_out(("TAXI", "HOTEL"), timeout=SECONDS), fan_in())
        finish(real, trips, 100)
        qm: Any = Accident(real, call, lambda: os.kill(os.getpid(), signal.SIGKILL))
        qm.put("IN", str(number).encode(), persistent=True)
        finish(qm, trips, 1 + number % 3)


def finish(qm: Any, trips: Trips, batch: int) -> None:
    """Work on what is there until nothing is left to do."""
    run(qm, trips.out, "MQInput", batch)
    answer(qm)
    run(qm, trips.back, "Replies", batch)
    run(qm, trips.back, "AggregateReply", 1, lambda: time.time() + SECONDS + 1)


def answer(qm: Any) -> None:
    """Answer requests, each in a unit of its own; the second request of a trip with an odd number never
    is.
    """
    while True:
        qm.begin()
        request = qm.get("REQUESTS")
        if request is None:
            qm.backout()
            return
        again = next((m for m in qm.browse("REQUESTS") if m.body == request.body), None)
        if int(request.body) % 2 == 0 or again is not None:
            qm.put("REPLIES", request.body, correl_id=request.msg_id, persistent=True)
        qm.commit()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
