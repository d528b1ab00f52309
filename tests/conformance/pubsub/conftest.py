"""What the publish/subscribe clauses share: the fixtures of the MQI clauses, and a look at bodies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance.mqi.conftest import embed, fails, qm, queue, run, spawn, until, waiting

__all__ = ["embed", "fails", "qm", "queue", "run", "spawn", "until", "waiting"]


@pytest.fixture
def bodies() -> Callable[..., list[bytes]]:
    """Return the bodies of what a subscription holds."""

    def got(subscription) -> list[bytes]:
        return [message.body for message in subscription.messages()]

    return got
