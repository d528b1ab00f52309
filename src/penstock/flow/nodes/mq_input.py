"""MQInput: a flow begins with the messages of a queue. How they are got is the runner's business.

The node says which queue, what the messages are (domain, model, type, format) and how far the unit of work
reaches. `flow/queue_input.py` is the node in a running flow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.node import InputNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener

TRANSACTIONS = ("yes", "no", "automatic")


class MQInput(InputNode):
    """Gets from a queue: `MQInput("ORDERS.IN", domain="XMLNSC", transaction="automatic")`.

    `order` "byArrival" and `logical_order` keep the order of the queue: one instance then works on it.
    """

    kind = Kind.QUEUE

    def __init__(
        self,
        queue: str,
        *,
        domain: str = "BLOB",
        model: str = "",
        message_type: str = "",
        message_format: str = "",
        transaction: str = "yes",
        order: str = "none",
        logical_order: bool = False,
        all_available: bool = False,
        selector: str = "",
        topic: str = "",
        convert: bool = False,
        validate: str = "none",
        name: str = "",
    ) -> None:
        super().__init__(name=name)
        self.queue = queue
        self.domain = domain
        self.model = model
        self.message_type = message_type
        self.message_format = message_format
        self.transaction = transaction
        self.order = order
        self.logical_order = logical_order
        self.all_available = all_available
        self.selector = selector
        self.topic = topic
        self.convert = convert
        self.validate = validate

    def check(self) -> Iterable[str]:
        if not self.queue:
            yield "an MQInput needs the name of its queue"
        if self.transaction not in TRANSACTIONS:
            yield f"transaction {self.transaction!r} is none of {', '.join(TRANSACTIONS)}"

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.queue_listener import QueueListener

        return QueueListener(flow, label, connect(), **options)
