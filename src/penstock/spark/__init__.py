"""Room `spark`: queues as Spark data sources, and flows as exactly-once Spark jobs.

`session` starts Spark in this process (or finds the one that runs), `register` makes the format "penstock"
known to it. How a batch is read and committed is in `source`, `sink` and `fused`; what a batch is, in
`qmgr.reservations`. Nothing here decides what a flow means.
"""

from penstock.spark.registration import register
from penstock.spark.session import session

__all__ = ["register", "session"]
