"""Log lines of the inline engine about messages, with their facts as fields for formatters and stores.

`facts` never hold message data; `text`, the words of an exception, may quote some. How a record looks is up
to the process: the foreground prints the line, a broker's worker has its own format (`broker/logs.py`).
"""

from __future__ import annotations

import logging
from typing import Any

from penstock.model.errors import MQError

logger = logging.getLogger("penstock.flow")


def report(level: int, event: str, text: str = "", **facts: Any) -> None:
    """Log an event."""
    if logger.isEnabledFor(level):
        told = {name: value for name, value in facts.items() if value not in (None, "")}
        line = " ".join((event, *(f"{name}={value}" for name, value in told.items())))
        extra = {"event": event, "facts": told, "text": text}
        logger.log(level, "%s%s", line, f": {text}" if text else "", extra=extra)


def named(failure: BaseException) -> dict[str, Any]:
    """Return the facts of a failure that hold no message data: reason and name, or its type."""
    if isinstance(failure, MQError):
        return {"reason": failure.reason, "name": failure.name}
    return {"error": type(failure).__name__}


def report_failed(level: int, raised: MQError, **facts: Any) -> None:
    """Log a failed attempt at a message."""
    fields = raised.fields
    report(
        level,
        "flow_message_failed",
        raised.detail,
        flow=fields.get("messageflowlabel"),
        node=fields.get("nodelabel"),
        **facts,
        **named(raised),
    )
