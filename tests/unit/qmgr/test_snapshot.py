"""The snapshot of a checkpoint costs the same however many messages are new: others wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import penstock
from penstock.qmgr.restart import snapshot

if TYPE_CHECKING:
    from pathlib import Path


def test_new_messages_are_handed_over_without_a_look_at_them(tmp_path: Path) -> None:
    with penstock.embed("QM1", create=True, home=tmp_path) as qm:
        qm.mqsc("DEFINE QLOCAL(Q)", check=True)
        qm.put_many("Q", [b"x"] * 10, persistent=True)
        unsaved = qm.engine.wishes.unsaved
        assert len(unsaved) == 10
        taken = snapshot.take(qm.engine)
        assert taken.unsaved is unsaved
        assert taken.held == []
        taken.give_back(qm.engine)
        assert len(qm.engine.wishes.unsaved) == 10
        qm.checkpoint()
        assert all(message.location for message in qm.engine.queues["Q"].messages())
