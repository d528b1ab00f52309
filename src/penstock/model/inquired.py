"""What MQINQ answers: attributes, and a warning."""

from __future__ import annotations

from typing import Any


class Inquired(dict[str | int, Any]):
    """Attributes that were asked for; `warning` is 2068 when one of them is not for this type of queue."""

    warning = 0
