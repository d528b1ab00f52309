"""MQInput: a flow begins with the messages of a queue. How they are got is the runner's business.

The node says which queue, what the messages are (domain, model, type, format) and how far the unit of work
reaches. `QueueInput` is the node in a running flow: one attempt at a message, and what becomes of one that
failed too often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.assembly import Assembly, Invocation
from penstock.flow.failing import CANNOT_BE_HANDLED, exceptions_of, failed, type_name
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, OUT, InputNode
from penstock.model import constants as mq
from penstock.model.constants_reasons import PSRC_FLOW_POISON
from penstock.model.errors import MessageFailed, MQError, error
from penstock.qmgr.dead_letters import wrap
from penstock.tree import parse_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.compiled import CompiledFlow
    from penstock.flow.place import Place
    from penstock.flow.ports import BackoutRules
    from penstock.flow.running.listener import Listener
    from penstock.model.message import Message as QueueMessage
    from penstock.tree import Message

TRANSACTIONS = ("yes", "no", "automatic")
BACKED_OUT = 2362  # MQRC_BACKOUT_THRESHOLD_REACHED, the reason in a dead letter


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

    def in_unit(self, message: QueueMessage) -> bool:
        """Say whether a message belongs to the unit of work: yes, no, or as it is persistent."""
        return self.transaction == "yes" or (self.transaction == "automatic" and message.persistent)


class QueueInput:
    """An MQInput in a running flow."""

    def __init__(self, node: MQInput, at: Place) -> None:
        self.node = node
        self.at = at
        self.ports = at.instance.ports
        self.out, self.catch, self.failure = at.wire(OUT), at.wire(CATCH), at.wire(FAILURE)
        self.model: Any = at.instance.project.model(node.model) if node.model else None
        self.kind = type_name(node)

    def attempt(self, message: QueueMessage) -> None:
        """Run the flow on a message once; `MessageFailed` when no terminal of the input handled a failure."""
        invocation = Invocation(self.ports, self.node.in_unit(message), message)
        try:
            tree = self.parsed(message)
        except MQError as raised:
            self._fail(
                message, invocation, failed(raised, self.at.label, self.kind, self.at.instance.flow_name)
            )
            return
        if self.out is None:
            return
        try:
            self.out(Assembly(tree, invocation))
        except MessageFailed as raised:
            if self.catch is None or raised.reason in CANNOT_BE_HANDLED:
                raise
            raised.fields["nodes"].append((self.at.label, self.kind))
            self.catch(Assembly(tree, invocation, exception_list=exceptions_of(raised)))

    def parsed(self, message: QueueMessage) -> Message:
        """Return the tree of a message; folders are read when they are touched."""
        node = self.node
        return parse_message(
            message,
            node.domain,
            self.model,
            set=node.model,
            type=node.message_type,
            format=node.message_format,
            transactional=node.in_unit(message),
        )

    def give_up(self, message: QueueMessage, rules: BackoutRules, last: MessageFailed | None) -> str:
        """Lead a message that failed too often away: failure terminal, backout queue, dead-letter queue.

        Returns where it went. The failure terminal has as many chances as the flow had, then the queues are
        next. 8303 when there is no place: the message stays.
        """
        if self.failure is not None and message.backout_count < 2 * rules.threshold:
            invocation = Invocation(self.ports, self.node.in_unit(message), message)
            self._fail(message, invocation, last or self._threshold_reached(message))
            return FAILURE
        if rules.backout_queue:
            self.ports.put(rules.backout_queue, _again(message), options=mq.MQPMO_SET_ALL_CONTEXT)
            return rules.backout_queue
        if rules.dead_letter_queue:
            owner = self.ports.queue_manager_name
            letter = wrap(owner, message, BACKED_OUT, self.node.queue, owner, self.ports.clock())
            self.ports.put(rules.dead_letter_queue, letter, options=mq.MQPMO_SET_ALL_CONTEXT)
            return rules.dead_letter_queue
        raise error(
            PSRC_FLOW_POISON,
            f"message {message.msg_id.hex()} of {self.node.queue} has failed {message.backout_count} times",
            queue=self.node.queue,
        )

    def _fail(self, message: QueueMessage, invocation: Invocation, problem: MessageFailed) -> None:
        """Send a message that this node itself could not handle to the failure terminal, as a BLOB."""
        if self.failure is None:
            raise problem
        tree = parse_message(message, "BLOB")
        self.failure(Assembly(tree, invocation, exception_list=exceptions_of(problem)))

    def _threshold_reached(self, message: QueueMessage) -> MessageFailed:
        reached = error(BACKED_OUT, f"the message was backed out {message.backout_count} times")
        return failed(reached, self.at.label, self.kind, self.at.instance.flow_name)


def _again(message: QueueMessage) -> QueueMessage:
    """A message as it came, to be put elsewhere."""
    copy = message.snapshot()
    copy.backout_count = 0
    return copy
