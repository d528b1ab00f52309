"""An MQOutput with one queue and nothing behind it, in a running flow: the fast way to put a message.

Nothing reads WrittenDestination, so nothing is recorded. What the rules determine for all messages is
computed once; every other output uses `writing.put_own`. Compiled through `mq_output_run.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from penstock.flow.processing import Processing
from penstock.flow.writing import CONTEXTS, persistence_of_queue, prepare
from penstock.tree.assembly import serialise_message

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.ports import Ports
    from penstock.flow.writing import PutRules
    from penstock.model.message import Message as QueueMessage


@cython.cclass
class Putting(Processing):
    """An MQOutput's function: puts to `queue` by `rules`, which leave most messages unchanged."""

    def __init__(self, queue: str, qmgr: str, rules: PutRules) -> None:
        self.queue = queue
        self.qmgr = qmgr
        self.rules = rules
        self.options = CONTEXTS[rules.context]
        self.automatic = rules.transaction == "automatic"
        self.always = rules.transaction == "yes"
        self.by_queue = rules.persistence == "asQdef"
        changes = (rules.new_msg_id, rules.new_correl_id, rules.persistence in ("yes", "no"), rules.request)
        self.as_it_is = not any(changes)

    def process(self, assembly: Assembly) -> None:
        """Put a message."""
        message: QueueMessage = serialise_message(assembly.message)
        invocation = assembly.invocation
        source = invocation.source
        by_queue = self.by_queue
        if not self.as_it_is or source is None or source.descriptor is not message.descriptor:
            by_queue = persistence_of_queue(assembly, message, self.rules)
            prepare(assembly, message, self.rules)
        in_unit = invocation.transactional if self.automatic else self.always
        ports: Ports = invocation.ports
        ports.put(self.queue, message, self.qmgr, self.options, in_unit, by_queue)
