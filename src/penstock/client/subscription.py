"""A subscription at the other end of a socket: what `subscribe` of a client returns.

Compiled through `subscription.pxd`: no signal comes between the answer and the return of a message.
"""

from __future__ import annotations

from penstock.client.core import subscription as core
from penstock.client.driver import blocking
from penstock.face.closing import Closing
from penstock.face.receiving import ReceivingPublications


class ClientSubscription(core.SubscriptionFacts, ReceivingPublications, Closing):
    """One open subscription, for blocking programs."""

    get = blocking(core.get)
    request = blocking(core.request)
    alter = blocking(core.alter)
    close = blocking(core.close)
