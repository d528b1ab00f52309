"""Room `spark`: queues as Spark data sources, and flows as exactly-once Spark jobs.

`session` starts Spark in this process (or returns the running one), `register` registers the format
"penstock" with it. `source`, `sink` and `fused` read and commit batches; `qmgr.batches` defines a batch.
Nothing here decides what a flow means.
"""

from penstock.spark.format.registration import register
from penstock.spark.starting.session import session

__all__ = ["register", "session"]
