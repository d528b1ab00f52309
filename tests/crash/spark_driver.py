"""A driver in a process of its own: a session, one fused query, a line for every batch. Tests kill it."""

from __future__ import annotations

import json
import sys
import time

from penstock.spark import session
from penstock.spark.runs import fused


def main() -> None:
    """Run a query over a queue until it is empty; the arguments are JSON."""
    given = json.loads(sys.argv[1])
    spark = session(given["master"], given["spark_options"], home=given["spark_home"])
    query = fused.start(
        spark,
        given["options"],
        work=given["work"],
        arguments=given["arguments"],
        checkpoint=given["checkpoint"],
        until_empty=True,
    )
    print("jvm", 0 if given["master"].startswith("sc:") else spark.sparkContext._gateway.proc.pid, flush=True)
    seen = -1
    while query.isActive:
        progress = query.lastProgress
        if progress is not None and progress.batchId > seen:
            seen = progress.batchId
            print("batch", seen, flush=True)
        time.sleep(0.01)
    query.awaitTermination()  # raises what the query failed with
    print("done", flush=True)


if __name__ == "__main__":
    main()
