"""Round trips at a given rate, spread over many pairs of channels: how long one takes when nothing is scarce.

Each pair has a remote queue for its requests here and one for its replies there, so that a trip goes out by
one channel of the pair and back by the other. Few programs drive all pairs, each trip on its own schedule: a
late trip does not delay the time at which the next one is due.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.lab.load.queue_server import DEPTH_MAX, QMGR
from tests.bench.channel_servers import FAR

if TYPE_CHECKING:
    from penstock.lab.load.queue_server import QueueServer

REQUESTS, REPLIES = "REQUESTS", "REPLIES"
BODY = bytes(2048)
WAIT_SECONDS = 30.0
DRIVERS = 16
REPLIERS = 4


def near_commands(pairs: int) -> list[str]:
    """Return the definitions of the requesting queue manager."""
    target = f"RNAME({REQUESTS}) RQMNAME({FAR})"
    asks = [f"DEFINE QREMOTE(ASK.{number}) {target} XMITQ({QMGR}.{number})" for number in range(pairs)]
    return [f"DEFINE QLOCAL({REPLIES}) MAXDEPTH({DEPTH_MAX})", *asks]


def far_commands(pairs: int) -> list[str]:
    """Return the definitions of the replying queue manager."""
    target = f"RNAME({REPLIES}) RQMNAME({QMGR})"
    tells = [f"DEFINE QREMOTE(TELL.{number}) {target} XMITQ({FAR}.{number})" for number in range(pairs)]
    return [f"DEFINE QLOCAL({REQUESTS}) MAXDEPTH({DEPTH_MAX})", *tells]


def trips(
    near: QueueServer, far: QueueServer, pairs: int, rate: float, seconds: float
) -> tuple[float, float]:
    """Make round trips at a rate; return the mean response in ms and the rate that was reached."""
    over = threading.Event()
    repliers = [threading.Thread(target=_reply, args=(far, over)) for _ in range(REPLIERS)]
    took: list[float] = []
    drivers = min(DRIVERS, pairs)
    requesters = [
        threading.Thread(
            target=_drive, args=(near, range(first, pairs, drivers), drivers / rate, seconds, took)
        )
        for first in range(drivers)
    ]
    for thread in (*repliers, *requesters):
        thread.start()
    for thread in requesters:
        thread.join()
    over.set()
    for thread in repliers:
        thread.join()
    return sum(took) / max(1, len(took)) * 1000, len(took) / seconds


def _reply(far: QueueServer, over: threading.Event) -> None:
    with far.connect() as qm:
        while not over.is_set():
            request = qm.get(REQUESTS, wait=0.5)
            if request is not None:
                qm.put(request.reply_to, request.body, correl_id=request.msg_id)


def _drive(near: QueueServer, own: range, interval: float, seconds: float, took: list[float]) -> None:
    """Make the trips of some pairs, one after the other."""
    with near.connect() as qm:
        began = time.perf_counter()
        for number in range(int(seconds / interval)):
            due = began + number * interval
            time.sleep(max(0.0, due - time.perf_counter()))
            took.append(_trip(qm, own[number % len(own)]))


def _trip(qm: Any, pair: int) -> float:
    began = time.perf_counter()
    place = {"reply_to": f"TELL.{pair}", "reply_to_qmgr": FAR}
    receipt = qm.put(f"ASK.{pair}", BODY, persistent=False, **place)
    assert qm.get(REPLIES, correl_id=receipt.msg_id, wait=WAIT_SECONDS) is not None
    return time.perf_counter() - began
