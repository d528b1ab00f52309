"""A driver of a cluster that runs flows as it is told: arguments of a run on a line, facts on a line back."""

from __future__ import annotations

import json
import sys
import threading

from penstock.spark import flow_job, session
from tests.spark import HOME


def main() -> None:
    master, options = sys.argv[1], json.loads(sys.argv[2])
    spark = session(master, options, home=HOME)
    for line in sys.stdin:
        facts = flow_job.run(spark, json.loads(line), lambda event: None, threading.Event())
        print(json.dumps(facts), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
