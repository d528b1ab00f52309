"""MQGet: gets another message in the middle of a flow: by ids, with a wait, or browsing.

The message goes to `out` (to `warning` if the queue manager returned a warning); if there is none, the input
goes to `noMessage`. `result` of the new message is stored at `output` of the output assembly. The outcome of
MQGET is in LocalEnvironment.MQ.GET: CC, RC and the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.locations import BODY, MESSAGE, location
from penstock.flow.new_messages import without_body
from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.writing import TRANSACTIONS
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import MISSING, Message, Path, parse_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.model.message import Message as QueueMessage
    from penstock.tree import Reference

RESULT = "ResultRoot"
WARNING, NO_MESSAGE = "warning", "noMessage"
GENERATES = ("none", "message", "localEnvironment", "messageAndLocalEnvironment")
COPIES = ("none", "headers", "entire")
_MSG_ID, _CORREL_ID = Path("MsgId"), Path("CorrelId")
_QUEUE, _QUEUE_NAME, _WAIT = Path("QName"), Path("QueueName"), Path("MQGMO", "WaitInterval")
_GET = Path("MQ", "GET")


class MQGet(BodyProperties):
    """Gets a message: `MQGet("REPLIES", get_with_correl_id=True, wait=5.0)`.

    `generate` selects which trees are created, `copy_message` and `copy_local_environment` which parts of the
    input they start with. `parameters` in LocalEnvironment may name another queue (QName or QueueName) and
    another wait (MQGMO.WaitInterval, in milliseconds).
    """

    outputs = (OUT, WARNING, NO_MESSAGE, FAILURE)
    kind = Kind.EFFECT

    queue: str = ""
    _: KW_ONLY
    wait: float = 1.0
    get_with_msg_id: bool = False
    get_with_correl_id: bool = False
    mqmd: str = "InputRoot.MQMD"
    parameters: str = "InputLocalEnvironment.MQ.GET"
    browse: bool = False
    reset_browse_cursor: bool = False
    convert: bool = False
    transaction: str = "automatic"
    generate: str = "message"
    copy_message: str = "none"
    copy_local_environment: bool = True
    output: str = "OutputRoot"
    result: str = "ResultRoot"

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(transaction=TRANSACTIONS, generate=GENERATES, copy_message=COPIES)
        for name in ("mqmd", "parameters", "output"):
            try:
                location(getattr(self, name))
            except MQError as wrong:
                yield f"{name}: {wrong.detail}"
        if not self.result.startswith(RESULT):
            yield f"result {self.result!r} does not begin with {RESULT}"
        if self.wait < 0:
            yield "wait is a number of seconds, 0 for none"

    def start(self, at: NodeContext) -> Process:
        return _Getting(self, at).process

    def adapted(self, message: Message) -> Message:
        """Return the message that was got as this kind of node sees it."""
        return message


class _Getting:
    """An MQGet in a running flow."""

    def __init__(self, node: MQGet, at: NodeContext) -> None:
        self.node = node
        self.at = at
        self.model: Any = node.model_in(at.instance.project)
        self.mqmd, self.parameters = location(node.mqmd), location(node.parameters)
        self.output, self.result = location(node.output), location(node.result.removeprefix("Result"))
        self.makes_message = node.generate in ("message", "messageAndLocalEnvironment")
        self.makes_local_environment = node.generate in ("localEnvironment", "messageAndLocalEnvironment")

    def process(self, assembly: Assembly) -> None:
        node = self.node
        parameters = self.parameters.reference(assembly)
        queue = _given(parameters, _QUEUE, _given(parameters, _QUEUE_NAME, node.queue))
        wait = float(_given(parameters, _WAIT, node.wait * 1000)) / 1000
        message = self._get(assembly, str(queue).strip(), wait)
        if message is None:
            told = self._told(assembly, str(queue), 2, mq.MQRC_NO_MSG_AVAILABLE)
            self.at.send(NO_MESSAGE, assembly.sending(local_environment=told))
            return
        told = self._told(assembly, str(queue), 1 if message.warning else 0, message.warning)
        result = node.adapted(self._parsed(message))
        sent = self._with_result(assembly.sending(local_environment=told), result)
        self.at.send(WARNING if message.warning else OUT, sent)

    def _get(self, assembly: Assembly, queue: str, wait: float) -> QueueMessage | None:
        node, ports = self.node, assembly.invocation.ports
        match: dict[str, bytes] = {}
        described = self.mqmd.reference(assembly)
        if node.get_with_msg_id:
            match["msg_id"] = _given(described, _MSG_ID, bytes(24))
        if node.get_with_correl_id:
            match["correl_id"] = _given(described, _CORREL_ID, bytes(24))
        if node.browse:
            return ports.browse(
                self.at.label, queue, wait=wait, again=node.reset_browse_cursor, convert=node.convert, **match
            )
        in_unit = node.transaction == "yes" or (
            node.transaction == "automatic" and assembly.invocation.transactional
        )
        return ports.get(queue, wait=wait, in_unit=in_unit, convert=node.convert, **match)

    def _parsed(self, message: QueueMessage) -> Message:
        node = self.node
        return parse_message(
            message,
            node.domain,
            self.model,
            set=node.model,
            type=node.message_type,
            format=node.message_format,
        )

    def _told(self, assembly: Assembly, queue: str, completion: int, reason: int) -> Message:
        """Return LocalEnvironment with the outcome of MQGET."""
        made = assembly.copied_local_environment() if self.node.copy_local_environment else Message()
        made.delete(_GET)
        folder = made.create(_GET)
        for name, value in (("QName", queue), ("CC", completion), ("RC", reason)):
            folder.add_last_child(name, value)
        return made

    def _with_result(self, assembly: Assembly, result: Message) -> Assembly:
        in_message = self.output.tree in (MESSAGE, BODY)
        if not (self.makes_message if in_message else self.makes_local_environment or self.makes_message):
            return assembly
        if self.output.path is None and self.result.path is None and self.output.tree == MESSAGE:
            return assembly.sending(result)
        if in_message:
            assembly = assembly.sending(self._beginning(assembly))
        source = self.result.reference(assembly.sending(result))
        if source is None:
            raise error(mq.PSRC_FLOW_NODE, f"the message that was got has no {self.node.result}")
        _copy(source, self.output.create_in(assembly))
        return assembly

    def _beginning(self, assembly: Assembly) -> Message:
        """Return the message that the result is stored in."""
        if self.node.copy_message == "none":
            return Message()
        return (
            assembly.message.copy() if self.node.copy_message == "entire" else without_body(assembly.message)
        )


def _copy(source: Reference, target: Reference) -> None:
    if not source.is_root:
        target.assign(source)
        return
    target.delete_children()
    for folder in source:
        target.add_last_child(folder.name, namespace=folder.namespace, type=folder.type).assign(folder)


def _given(folder: Reference | None, path: Path, default: Any) -> Any:
    value = MISSING if folder is None else folder.get(path)
    return default if value is MISSING or value is None else value
