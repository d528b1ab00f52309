"""Verbs that may take long: MQSC, exports, checkpoints, backups, reservations. They run in workers.

The host's methods block where they must. A verb that is a generator answers in parts as it goes, so that a
display of a million lines needs no memory: `long_calls` runs them.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from penstock.admin.explanation import Question
from penstock.admin.mqsc import Echo, Reply, Summary, script_lines
from penstock.face.arguments import text_of
from penstock.host import administration, connection_tags
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.protocol._large import LongText
from penstock.protocol.messages import pack_message, unpack_message
from penstock.qmgr import authorization
from penstock.serve.entry.refusals import shown_reply
from penstock.tools import trigger_monitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.model.status import QueueFigures, Status
    from penstock.serve.conversations.conversation import Conversation

ANSWER_SECONDS = 0.05  # for the answer to a stop, before its connection ends too


# -- the verbs -------------------------------------------------------------------------------


def mqsc(
    conversation: Conversation, text: str | LongText, verify: bool = False, echo: bool = False
) -> Iterator[Any]:
    """Run MQSC commands; yield replies, and echoes and a summary on request."""
    if isinstance(text, LongText):
        return _replies(conversation, script_lines(*text.pieces), verify, echo)
    return _replies(conversation, script_lines(text_of(text, "an MQSC script")), verify, echo)


def _replies(conversation: Conversation, lines: Iterator[str], verify: bool, echo: bool) -> Iterator[Any]:
    for piece in administration.pieces(conversation.qm, lines, verify):
        if isinstance(piece, Reply):
            yield ["R", _values(shown_reply(conversation.link, piece))]
        elif echo and isinstance(piece, Echo | Summary):
            yield ["E" if isinstance(piece, Echo) else "S", _values(piece)]
        else:
            yield None


def _values(piece: Echo | Reply | Summary) -> list[Any]:
    """Return the fields of a piece in their order; `dataclasses.astuple` would copy all that is in them."""
    return [getattr(piece, name) for name in piece.__slots__]


def export(conversation: Conversation, everything: bool = False) -> Iterator[str | None]:
    """Return the MQSC that makes every object again, in pieces."""
    qm = conversation.qm
    authorization.check_administrator(qm.engine, qm.connection)
    return administration.export_pieces(qm, everything)


def status(conversation: Conversation) -> Status:
    """Return figures about the queue manager."""
    found = conversation.qm.status()
    conversation.server.channels.add_figures(found)
    return found


def prepared(conversation: Conversation) -> list[dict[str, Any]]:
    """List the prepared units; a group is asked for its own."""
    return conversation.qm.prepared()


def take_connection_tag(conversation: Conversation, tag: str) -> None:
    """Take a connection tag; the link ends if the tag becomes another connection's."""
    server, link = conversation.server, conversation.link
    end = functools.partial(server.loop.call_soon_threadsafe, link.stop, "immediate")
    connection_tags.take(conversation.qm, tag, end)


def queues(conversation: Conversation, pattern: str = "*") -> Iterator[QueueFigures]:
    """Return the figures of queues, in parts."""
    qm = conversation.qm
    authorization.check_qmgr(qm.engine, qm.connection, "DSP")
    return administration.queues(qm, text_of(pattern, "a pattern of queue names"))


def explain_access(conversation: Conversation, user: str, question: dict[str, Any]) -> dict[str, Any]:
    """Explain why a user may or may not do something."""
    known = {each.name for each in dataclasses.fields(Question)} - {"user"}
    if question.keys() - known or not all(isinstance(each, str) for each in question.values()):
        raise error(
            mq.MQRC_OPTIONS_ERROR, f"a question about access has texts for {', '.join(sorted(known))}"
        )
    text_of(user, "user")
    authorization.check_qmgr(conversation.qm.engine, conversation.qm.connection, "DSP")
    conversation.server.access.learn(user)
    return conversation.qm.explain_access(user, **question)


def explain_route(conversation: Conversation, name: str, qmgr: str) -> dict[str, Any]:
    """Explain where messages that are put to a name go."""
    return conversation.qm.explain_route(name, qmgr)


def awaited_triggers(conversation: Conversation, queue: str) -> Iterator[Any]:
    """Return the trigger messages that a monitor would get from a queue now; change nothing."""
    text_of(queue, "the name of an initiation queue")
    return (pack_message(message) for message in trigger_monitor.awaited(conversation.qm, queue))


def peek(
    conversation: Conversation,
    queue: str,
    after: Any = None,
    count: int = 50,
    body_bytes: int = 256,
    backwards: bool = False,
) -> Iterator[Any]:
    """Look at messages and change nothing, in parts."""
    found = conversation.qm.peek(queue, after=after, count=count, body_bytes=body_bytes, backwards=backwards)
    return ([*row[:4], *pack_message(row.message)] for row in found)


def trace(
    conversation: Conversation, kind: str, name: str, after: int, seconds: float = 0.0
) -> list[dict[str, Any]]:
    """Watch something, and return its recorded events behind a number."""
    return conversation.qm.trace(kind, name, after, seconds)


def checkpoint(conversation: Conversation) -> None:
    """Take a checkpoint now."""
    conversation.qm.checkpoint()


def backup(conversation: Conversation, target: str) -> str:
    """Copy the queue manager to a folder on its own machine."""
    return str(conversation.qm.backup(target))


def record_image(
    conversation: Conversation, names: list[str] | None = None, object_type: str = "all"
) -> dict[str, Any]:
    """Record a media image of all objects, or of some; return the log files that are needed."""
    chosen = [text_of(name, "the name of an object") for name in names or ()]
    return conversation.qm.record_image(*chosen, object_type=text_of(object_type, "a type of object"))


def stop(conversation: Conversation, mode: str = "quiesce") -> None:
    """Stop the queue manager."""
    authorization.check_administrator(conversation.qm.engine, conversation.qm.connection)
    if mode not in ("quiesce", "immediate", "preemptive"):
        raise error(
            mq.MQRC_OPTIONS_ERROR, f"a queue manager stops by quiesce, immediate or preemptive, not {mode}"
        )
    server = conversation.server
    server.loop.call_soon_threadsafe(server.loop.call_later, ANSWER_SECONDS, server.stop, mode)


# -- batches of outside engines ---------------------------------------------------------------

FLOW_VERBS = ("new_epoch", "recorded", "begin", "reserve", "commit", "release", "forget", "listing", "extent")


def flow(conversation: Conversation, verb: str, arguments: list[Any], named: dict[str, Any]) -> Any:
    """Run a step of a flow's batch."""
    if verb not in FLOW_VERBS:
        raise error(mq.MQRC_OPTIONS_ERROR, f"batches have no {verb}")
    return getattr(conversation.qm.batches, verb)(*arguments, **named)


def read_slice(conversation: Conversation, arguments: list[Any], named: dict[str, Any]) -> Iterator[Any]:
    """Return the messages of a slice, in parts."""
    return (pack_message(message) for message in conversation.qm.batches.read_slice(*arguments, **named))


def look(conversation: Conversation, arguments: list[Any], named: dict[str, Any]) -> Iterator[Any]:
    """Return messages that a batch could take, with their numbers, in parts."""
    found = conversation.qm.batches.look(*arguments, **named)
    return ([number, *pack_message(message)] for number, message in found)


def read_extent(conversation: Conversation, queue: str, named: dict[str, Any]) -> Iterator[Any]:
    """Return a piece of a queue's messages, with priority, place and, if asked for, holder, in parts."""
    found = conversation.qm.batches.read_extent(queue, **named)
    return ([lane, place, *pack_message(message), *holder] for lane, place, message, *holder in found)


def prepare_outputs(
    conversation: Conversation,
    flow: str,
    n: int,
    slice: int,
    attempt: Any,
    outputs: list[Any],
    epoch: int,
    start: int = 0,
    more: bool = False,
    takes: Sequence[Any] = (),
) -> None:
    """Store the outputs of an attempt at a slice: messages, or bodies with the arguments of a put."""
    made = [each if len(each) > 2 else (each[0], unpack_message(each[1])) for each in outputs]
    conversation.qm.batches.prepare_outputs(
        flow, n, slice, attempt, made, epoch=epoch, start=start, more=more, takes=takes
    )


def output(conversation: Conversation, queue: str, body: bytes, details: dict[str, Any]) -> Any:
    """Make an output from the arguments of a put."""
    name, message = conversation.qm.batches.output(queue, body, **details)
    return [name, pack_message(message)]


VERBS: dict[str, Callable[..., Any]] = {
    "mqsc": mqsc,
    "export": export,
    "status": status,
    "prepared": prepared,
    "take_connection_tag": take_connection_tag,
    "queues": queues,
    "explain_access": explain_access,
    "explain_route": explain_route,
    "awaited_triggers": awaited_triggers,
    "peek": peek,
    "trace": trace,
    "checkpoint": checkpoint,
    "backup": backup,
    "record_image": record_image,
    "stop": stop,
    "flow": flow,
    "flow_read_slice": read_slice,
    "flow_look": look,
    "flow_read_extent": read_extent,
    "flow_prepare_outputs": prepare_outputs,
    "flow_output": output,
}

COMMANDS = frozenset(
    (
        *("mqsc", "export", "status", "queues", "peek", "explain_access", "explain_route"),
        *("trace", "checkpoint", "backup", "record_image", "stop"),
    )
)
