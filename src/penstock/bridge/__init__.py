"""Bridge: queues served by transaction programs: Python functions, an HTTP service, a Kafka topic.

`program` declares a function with its options, `Context` is what it may ask for beside the body, `Bridge`
runs one program for a queue. Commit modes, sync levels and conversations are those of the IMS bridge.
"""

from penstock.bridge.context import Context
from penstock.bridge.program import program
from penstock.bridge.running import Bridge
from penstock.bridge.settings import Settings

__all__ = ["Bridge", "Context", "Settings", "program"]
