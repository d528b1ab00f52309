"""Ctrl-C and SIGTERM while Spark works in this process: a command ends in its own words, without tracebacks.

PySpark puts a handler of its own over SIGINT when a session starts, so commands set theirs after that. py4j
logs every call that a signal has cut off; that is no news for anybody.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, NoReturn


class Interrupted(BaseException):
    """A signal has ended what the command was waiting for. No KeyboardInterrupt: py4j logs those."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number


def quieten() -> None:
    """Let py4j log nothing of calls that a signal cuts off."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


def interrupt(number: int, frame: Any = None) -> NoReturn:
    """End whatever the main thread waits for."""
    _leave_connection()
    raise Interrupted(number)


def _leave_connection() -> None:
    """Let the next call to the JVM take a new connection: on the old one an answer is still owed."""
    context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    gateway = getattr(context, "_gateway", None)
    if gateway is not None:
        gateway._gateway_client.thread_connection.connection = None
