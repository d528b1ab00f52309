"""A connection tag of a client that reconnects: it is taken again on each new link.

Both clients keep it with the handles that are opened again. Invariant: no call of the program is made on a
new link before the tag is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client.core.steps import Call, Pause
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.client.core.steps import Steps


class HeldTag:
    """One tag of one connection."""

    def __init__(self, qm: Any, tag: str) -> None:
        self._qm, self._tag = qm, tag

    def reopen(self) -> Steps[None]:
        """Take the tag on a new link; the broken one may have it for a while."""
        policy = self._qm.recovery.policy
        problem = None
        for pause in policy.pauses():
            try:
                yield Call("take_connection_tag", {"tag": self._tag})
                return
            except MQError as failure:
                if failure.reason != mq.MQRC_CONN_TAG_IN_USE:
                    raise
                problem = failure
            yield Pause(pause)
        raise policy.failed(mq.MQRC_RECONNECT_TIMED_OUT, problem)


def keep(qm: Any, tag: str) -> None:
    """Have a connection take a tag again whenever it comes back."""
    held = qm.recovery.tags.setdefault(tag, HeldTag(qm, tag))
    qm.recovery.opened.add(held)
