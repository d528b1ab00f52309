"""Deadlines: from the `wait` of a call to the monotonic time at which it ends."""

from __future__ import annotations

import time

from penstock.model import constants as mq
from penstock.model.errors import error

WAIT_SECONDS_MAX = 2_147_483.0  # MQ's largest interval in milliseconds


def deadline_of(wait: float | None) -> float | None:
    """Return the monotonic time at which a wait ends, None for never; 2090 for nonsense."""
    if wait is None:
        return None
    try:
        fits = 0 <= wait + 0.0 <= WAIT_SECONDS_MAX
    except (TypeError, OverflowError):
        raise error(
            mq.MQRC_WAIT_INTERVAL_ERROR, f"a wait is a number of seconds, or None for ever, not {wait!r:.60}"
        ) from None
    if not fits:
        raise error(
            mq.MQRC_WAIT_INTERVAL_ERROR,
            f"a wait of {wait} seconds is not between 0 and {WAIT_SECONDS_MAX:.0f}",
        )
    return time.monotonic() + wait
