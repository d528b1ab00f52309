"""Defines the unknown channel of a client or queue manager that the rules admit (CHAD)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.channels import auto_definition
from penstock.qmgr.channels.channel_events import Subject

if TYPE_CHECKING:
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.peer import Peer
    from penstock.serve.server import Server


def define(
    server: Server, name: str, kind: str, caller: str, peer: Peer, **changes: Value
) -> Definition | None:
    """Define a channel that a partner dials; None if CHAD or its name forbids it."""
    if auto_definition.model_of(server.engine.objects, name, kind) is None:
        return None
    made: list[Definition | None] = []
    subject = Subject(name, peer.name)
    server.message_channels.step(
        lambda now: made.append(
            auto_definition.define(server.engine, subject, kind, caller, dict(changes), now)
        )
    )
    if made[0] is not None:
        text = f"Channel {name} ({kind}) was defined because {caller} at {peer} dialled it (CHAD)."
        server.error_log.write("AMQ9999I", text)
    return made[0]
