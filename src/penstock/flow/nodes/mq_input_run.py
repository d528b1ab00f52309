"""An MQInput in a running flow: one attempt at a message, and what happens to one that failed too often.

`nodes/mq_input.py` has the node with its properties; runners make this from it and pass it the messages that
they got. Compiled through `mq_input_run.pxd`: every message of a queue enters here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from penstock.flow.assembly import Assembly, Invocation, assembled, begun
from penstock.flow.eager_validation import read_through
from penstock.flow.failing import CANNOT_BE_HANDLED, CONNECTION_GONE, exceptions_of, failed, type_name
from penstock.flow.node import CATCH, FAILURE, OUT
from penstock.flow.processing import forward
from penstock.model import constants as mq
from penstock.model.ccsid import UTF8
from penstock.model.errors import MessageFailed, MQError, error
from penstock.tree import MISSING, Path
from penstock.tree.assembly import Reader, parse_message

if TYPE_CHECKING:
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.nodes.mq_input import MQInput
    from penstock.flow.ports import BackoutRules
    from penstock.model.message import Message as QueueMessage
    from penstock.model.properties import PropertyValue
    from penstock.tree import Message

_TOPIC = Path("Properties", "Topic")


@cython.cclass
class QueueInput:
    """An MQInput in a running flow."""

    def __init__(self, node: MQInput, at: NodeContext) -> None:
        self.node = node
        self.at = at
        self.ports = at.instance.ports
        self.out, self.catch, self.failure = at.wire(OUT), at.wire(CATCH), at.wire(FAILURE)
        if self.out is not None:
            self.out = node.adapted(self.out)
        model = node.model_in(at.instance.project)
        self.reader = Reader(
            node.domain,
            model,
            set=node.model,
            type=node.message_type,
            format=node.message_format,
            doctype=node.allow_doctype,
        )
        self.kind = type_name(node)
        self.always = node.transaction == "yes"
        self.by_message = node.transaction == "automatic"
        self.as_it_comes = not (node.convert or node.topic or node.validate != "none")

    def in_unit(self, message: QueueMessage) -> bool:
        """Return whether a message belongs to the unit of work: yes, no, or if it is persistent."""
        return self.always or (self.by_message and message.persistent)

    def attempt(self, message: QueueMessage) -> None:
        """Run the flow on a message once; raise `MessageFailed` if no terminal of the input handled a
        failure.
        """
        in_unit = self.in_unit(message)
        invocation = begun(self.ports, in_unit, message)
        try:
            tree = self.parsed(message, in_unit)
        except MQError as raised:
            self._fail(
                message, invocation, failed(raised, self.at.label, self.kind, self.at.instance.flow_name)
            )
            return
        if self.out is None:
            return
        try:
            forward(self.out, assembled(tree, invocation))
        except MessageFailed as raised:
            if self.catch is None or raised.reason in CANNOT_BE_HANDLED:
                raise
            raised.fields["nodes"].append((self.at.label, self.kind))
            self.catch(Assembly(tree, invocation, exception_list=exceptions_of(raised)))

    def parsed(self, message: QueueMessage, in_unit: bool) -> Message:
        """Return the tree of a message; folders are parsed on demand."""
        if self.as_it_comes:
            return self.reader.tree(message, in_unit)
        tree = self.reader.tree(self._converted(message), in_unit)
        self._finish(tree)
        return tree

    def _converted(self, message: QueueMessage) -> QueueMessage:
        """Return a message as MQGMO_CONVERT would; MQ's warnings are errors here."""
        node, own = self.node, message.descriptor
        ccsid = node.convert_ccsid or UTF8
        if not node.convert or (own.ccsid == ccsid and own.encoding == node.convert_encoding):
            return message
        from penstock.model.conversion import convert  # few nodes convert, and few messages are dead letters

        body = message.body or b""
        done = convert(body, own.format, own.ccsid, own.encoding, ccsid, node.convert_encoding)
        if done.warning:
            raise error(done.warning, f"the message cannot be converted from CCSID {own.ccsid} to {ccsid}")
        made = message.snapshot()
        made.body, made.length = done.body, len(done.body)
        made.descriptor = own.replace(ccsid=done.ccsid, encoding=done.encoding)
        return made

    def _finish(self, tree: Message) -> None:
        """Set the node's topic in a tree, and validate its body if required."""
        if self.node.topic and tree.get(_TOPIC) in (MISSING, None, ""):
            tree.set(_TOPIC, self.node.topic)
        if self.node.validate != "none":
            read_through(tree, self.at.instance.project)

    def give_up(self, message: QueueMessage, rules: BackoutRules, last: MessageFailed | None) -> str:
        """Send a message that failed too often away: to the failure terminal, backout queue or dead-letter
        queue.

        Returns where it went. The failure terminal is tried as often as the flow was, then the queues in
        order; if one refuses the message, the next is tried. If all refuse, the flow runs again: returns ""
        if it succeeds now (an output queue was temporarily full), else raises 8303 and the message stays.
        """
        if self.failure is not None and message.backout_count < 2 * rules.threshold:
            invocation = Invocation(self.ports, self.in_unit(message), message)
            self._fail(message, invocation, last or self._threshold_reached(message))
            return FAILURE
        refused = ""
        for queue, wrapped in ((rules.backout_queue, _again), (rules.dead_letter_queue, self._letter)):
            try:
                if queue:
                    letter = wrapped(message)
                    letter.properties = {**(message.properties or {}), **self._why(last)}
                    self.ports.put(queue, letter, "", mq.MQPMO_SET_ALL_CONTEXT)
                    return queue
            except MQError as failure:
                if failure.reason in CONNECTION_GONE:
                    raise
                refused += f"; {queue} does not take it: {failure}"
        self._retry(message, refused)
        return ""

    def _retry(self, message: QueueMessage, refused: str) -> None:
        """Run the flow on a message that no queue accepts; 8303 if it fails again."""
        try:
            self.attempt(message)
        except MessageFailed as raised:
            if raised.reason in CANNOT_BE_HANDLED:
                raise
            what = f"message {message.msg_id.hex()} of {self.node.queue}"
            detail = f"{what} has failed {message.backout_count} times{refused}; last: {raised}"
            raise error(mq.PSRC_FLOW_POISON, detail, queue=self.node.queue) from raised

    def _why(self, last: MessageFailed | None) -> dict[str, PropertyValue]:
        """Return the properties that describe the failure of a message that is given up."""
        from penstock.model.failure_properties import failure_of

        at, now = self.at, self.ports.clock()
        return failure_of(
            last, at.instance.flow_name, at.label, self.node.queue, now, mq.MQRC_BACKOUT_THRESHOLD_REACHED
        ).properties()

    def _letter(self, message: QueueMessage) -> QueueMessage:
        from penstock.qmgr.messages.dead_letters import wrap

        owner = self.ports.queue_manager_name
        return wrap(
            owner, message, mq.MQRC_BACKOUT_THRESHOLD_REACHED, self.node.queue, owner, self.ports.clock()
        )

    def _fail(self, message: QueueMessage, invocation: Invocation, problem: MessageFailed) -> None:
        """Send a message that this node itself could not handle to the failure terminal, as a BLOB."""
        if self.failure is None:
            raise problem
        tree = parse_message(message, "BLOB")
        self.failure(Assembly(tree, invocation, exception_list=exceptions_of(problem)))

    def _threshold_reached(self, message: QueueMessage) -> MessageFailed:
        reached = error(
            mq.MQRC_BACKOUT_THRESHOLD_REACHED, f"the message was backed out {message.backout_count} times"
        )
        return failed(reached, self.at.label, self.kind, self.at.instance.flow_name)


def _again(message: QueueMessage) -> QueueMessage:
    """Return the message as it arrived, to be put elsewhere."""
    copy = message.snapshot()
    copy.backout_count = 0
    return copy
