"""A connection that answers on ever new dynamic queues does not remember them all."""

from __future__ import annotations

import penstock
from penstock.host import session


def test_routes_of_replies_are_forgotten() -> None:
    with penstock.embed("QM1", create=True) as qm, penstock.embed("QM1") as server:
        for _ in range(session.ROUTES_KEPT + 5):
            with qm.open("SYSTEM.DEFAULT.MODEL.QUEUE") as replies:
                server.put(replies.name, b"answer")
                assert replies.get().body == b"answer"
        assert len(server.session.routes) <= session.ROUTES_KEPT
