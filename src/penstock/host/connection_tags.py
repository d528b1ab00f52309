"""Connection tags of programs: one connection of the queue-sharing group at a time has each.

Called by `QueueManager.take_connection_tag`, embedded and for the conversations of a server. The group keeps
the tags (`qmgr.sharing.connection_tags`). Invariant: a connection that has lost its tag does no more work.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.face._clock import now as clock
from penstock.face.arguments import text_of
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.queue_manager import QueueManager


def take(qm: QueueManager, tag: str, end: Callable[[], object] | None = None) -> None:
    """Make a connection the only one with a tag; `end` ends it when the tag has become another's."""
    qm.session.check_open()
    if not 0 < len(text_of(tag, "a connection tag").encode()) <= mq.MQ_CONN_TAG_LENGTH:
        text = f"a connection tag has 1 to {mq.MQ_CONN_TAG_LENGTH} bytes"
        raise error(mq.MQRC_OPTIONS_ERROR, text)
    if qm.host.sharing is None:
        text = f"connection tags need a queue-sharing group: {qm.name} is in none (penstock qsg join)"
        raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, text)
    qm.host.sharing.take_tag(tag, qm.connection, end or partial(end_connection, qm))


def end_connection(qm: QueueManager) -> None:
    """Back out what is open and end a connection: its calls fail with 2018 from now on."""
    session = qm.session
    with qm.gate.anyway:
        for scope in list(session.scopes):
            session.abandon(scope)
        session.closed = True
        qm.engine.step.begin()
        qm.engine.disconnect(qm.connection, clock())
        qm.engine.step.end()
