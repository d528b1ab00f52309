"""The result of MQINQ: attributes, and a warning."""

from __future__ import annotations

from typing import Any


class Inquired(dict[str | int, Any]):
    """The requested attributes; `warning` is 2068 if one of them does not apply to this type of queue."""

    warning = 0
