"""A driver of a cluster that runs flows as it is told: arguments of a run on a line, facts on a line back.

A line `stop` ends the current run in order.
"""

from __future__ import annotations

import json
import queue
import sys
import threading

from penstock.spark import session
from penstock.spark.runs import flow_job
from tests.spark import HOME


def main() -> None:
    master, options = sys.argv[1], json.loads(sys.argv[2])
    spark = session(master, options, home=HOME)
    lines: queue.Queue[str] = queue.Queue()
    stopped = threading.Event()

    def read() -> None:
        for line in sys.stdin:
            if line == "stop\n":
                stopped.set()
            else:
                lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    while line := lines.get():
        stopped.clear()
        facts = flow_job.run(spark, json.loads(line), lambda event: None, stopped)
        print(json.dumps(facts), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
