"""MQInput: a flow that starts with the messages of a queue. The runner gets them.

The node specifies the queue, the message format (domain, model, type, format) and the transaction.
`flow/nodes/mq_input_run.py` is the node in a running flow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, InputNode
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.nodes.validate import CONTENTS
from penstock.model import constants as mq
from penstock.model.ccsid import is_known
from penstock.model.errors import MQError
from penstock.qmgr.selectors.selector import compile_selector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.node import Process
    from penstock.flow.running.listener import Listener

TRANSACTIONS = ("yes", "no", "automatic")
ANY_ORDER = "none"
ORDERS = (ANY_ORDER, "byArrival", "byUserId", "byQueueOrder")


class MQInput(BodyProperties, InputNode):
    """Gets from a queue: `MQInput("ORDERS.IN", domain="XMLNSC", transaction="automatic")`.

    An `order` other than "none", and `logical_order`, keep the order of the queue: one instance reads it,
    however many the flow has. `convert` converts to `convert_ccsid` (0: UTF-8) and `convert_encoding`. With
    `browse` messages stay on the queue; each is seen once by each run of the flow,
    and again after `browse_again` seconds without a new one (0: never).
    """

    queue: str
    _: KW_ONLY
    transaction: str = "yes"
    order: str = ANY_ORDER
    logical_order: bool = False
    all_available: bool = False
    selector: str = ""
    topic: str = ""
    convert: bool = False
    convert_ccsid: int = 0
    convert_encoding: int = mq.MQENC_NATIVE
    validate: str = "none"
    allow_doctype: bool = False
    browse: bool = False
    browse_again: float = 0.0

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """What is only browsed is seen again after a restart: the flow runs message by message."""
        return Kind.EFFECT if self.browse else Kind.QUEUE

    def check(self) -> Iterable[str]:
        if not self.queue:
            yield "an MQInput needs the name of its queue"
        yield from self.wrong_choices(transaction=TRANSACTIONS, order=ORDERS, validate=CONTENTS)
        if self.convert_ccsid and not is_known(self.convert_ccsid):
            yield f"convert_ccsid {self.convert_ccsid} is not a known character set"
        yield from _wrong_selector(self.selector)
        if self.browse_again < 0:
            yield "browse_again is a number of seconds, 0 for never"
        if self.browse and (self.logical_order or self.all_available):
            yield "browse is for single messages: logical_order and all_available are not for it"

    @property
    def is_ordered(self) -> bool:
        """Whether only one instance may read the queue: each browser would see all messages."""
        return self.browse or self.order != ANY_ORDER or self.logical_order

    def adapted(self, onward: Process) -> Process:
        """Return the function behind `out` with what a kind of input does to each message first."""
        return onward

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        if self.browse:
            from penstock.flow.running.browsing_listener import BrowsingListener

            return BrowsingListener(flow, label, connect(), **options)
        from penstock.flow.running.queue_listener import QueueListener

        return QueueListener(flow, label, connect(), **options)


def _wrong_selector(selector: str) -> Iterable[str]:
    try:
        if selector:
            compile_selector(selector)
    except MQError as wrong:
        yield f"selector {selector!r}: {wrong.detail}"
