"""The descriptors that messages have on transmission queues, made once for each descriptor of an application.

Messages share descriptors, so one check serves all that follow: that the texts of a descriptor fit the MQMD
in the header which programs see (`model.onward`). Called through `Effects` by `putting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.descriptor_format import pack_descriptor
from penstock.model.message import Descriptor, Message

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine

KEPT_MAX = 1000


class OuterDescriptors:
    """Finds the outer descriptor of a message by the one that its application gave it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue_manager = engine.dependencies.on("QMGR")  # whose CCSID may change
        self._kept: dict[int, tuple[Descriptor, Descriptor]] = {}  # the first, so that its id stays its own

    def of(self, own: Descriptor) -> Descriptor:
        """Return the outer descriptor; 2026 when a text does not fit an MQMD."""
        kept = self._kept.get(id(own))
        if kept is None or not self._queue_manager.valid:
            kept = self._make(own)
        return kept[1]

    def _make(self, own: Descriptor) -> tuple[Descriptor, Descriptor]:
        engine = self._engine
        if not self._queue_manager.valid or len(self._kept) >= KEPT_MAX:
            self._kept.clear()
            self._queue_manager = engine.dependencies.on("QMGR")
        pack_descriptor(Message(b"", descriptor=own), 1)
        outer = Descriptor(
            format=mq.MQFMT_XMIT_Q_HEADER,
            user_id=own.user_id,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=engine.name,
            encoding=own.encoding,
            ccsid=int(engine.definition.attributes["CCSID"]),
        )
        made = self._kept[id(own)] = (own, outer)
        return made
