"""A server that measures how long its loop is held: `python -m tests.bench.measured_loop HOME NAME`.

Writes its port, then for every line that it reads the longest times since the last one, as JSON. A timer of
the loop is due every half a millisecond; how late it is, is how long the loop was held. The time that its
thread was ready and waited for a core is taken off: it belongs to the machine, not to the server. Of a busy
machine remains: another thread of the server may have the interpreter and wait for a core. So the processor
time of the loop's thread is given too, which no other program changes.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from penstock.host.folders.folder import folder_of
from penstock.serve.serving import serve

TICK_SECONDS = 0.0005
LOOPBACK = "127.0.0.1"


class Meter:
    """The longest holds of a loop."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._delays = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        self._last = self._now()
        self._longest = (0.0, 0.0)
        self.ticks = 0
        self._tick()

    def take(self) -> dict[str, float]:
        """Return the longest hold and the longest processor time, in seconds, since the last call."""
        held, processor = self._longest
        self._longest = (0.0, 0.0)
        return {"held": held, "processor": processor}

    def _now(self) -> tuple[float, float]:
        """Return the time less what the thread has waited for a core, and its processor time."""
        delay = int(os.pread(self._delays, 100, 0).split()[1]) / 1e9
        return time.monotonic() - delay, time.thread_time()

    def _tick(self) -> None:
        now = self._now()
        held, processor = (after - before for after, before in zip(now, self._last, strict=True))
        self._longest = max(self._longest[0], held - TICK_SECONDS), max(self._longest[1], processor)
        self._last = now
        self.ticks += 1
        self._loop.call_later(TICK_SECONDS, self._tick)


def ready(server: Any) -> None:
    def answer() -> None:
        for _ in sys.stdin:
            ticks = meter.ticks
            while meter.ticks < ticks + 2:  # what is under way is over, and counted
                time.sleep(TICK_SECONDS)
            print(json.dumps(meter.take()), flush=True)

    meter = Meter(server.loop)
    threading.Thread(target=answer, daemon=True).start()
    print(server.listeners.status()[0].port, flush=True)


if __name__ == "__main__":
    serve(folder_of(sys.argv[2], Path(sys.argv[1])), 0, LOOPBACK, ready)
