"""Run a script against an engine and give its replies.

`run` answers a list of replies, `run_script` the same as a stream, with echoes and a summary at the
end. One command's failure is in its reply and the next command runs. The engine is held by a guard that the
caller passes, for one step of a command at a time; reading and parsing need no engine and hold none.
Nothing here waits, prints or reads a file.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from penstock.admin import replies, syntax
from penstock.admin.commands import (
    display_channels,
    display_clusters,
    display_records,
    display_status,
    display_topics,
    queue_manager,
)
from penstock.admin.context import Context, NotRunning
from penstock.admin.machinery import Runtime
from penstock.admin.mqsc_lexer import CommandText, Remark, SourceLine, read_commands
from penstock.admin.mqsc_parser import Command, parse
from penstock.admin.replies import Pause, Reply
from penstock.admin.syntax import SyntaxFault
from penstock.admin.words import objects, ping, refresh, reset, set_authrec, set_chlauth, start, structures
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.admin.context import Action, Engine
    from penstock.qmgr.connections import Connection

    Reader = Callable[[Command, Context], Action]

SEGMENT_SHOWN_MAX = 400
COLUMN_SHOWN_MAX = 10_000  # that a caret points at
PREFIX_LENGTH = 9  # "     1 : "
Piece = TypeVar("Piece")
ANYBODY: AbstractContextManager[None] = nullcontext()  # a guard for an engine with a single user


@dataclass(frozen=True, slots=True)
class Echo:
    """A line as it was read; `number` is the command's, or 0 for a line that begins none."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """How a script went."""

    commands: int
    syntax_errors: int
    failures: int

    @property
    def exit_code(self) -> int:
        """0 when all went well, 10 when a command failed or was not understood."""
        return 10 if self.syntax_errors or self.failures else 0


def run(
    engine: Engine, text: str, now: float, runtime: Runtime | None = None, *, verify: bool = False
) -> list[Reply]:
    """Run the commands of a text and return their replies; a failure is in its reply."""
    pieces = run_script(engine, script_lines(text), now, runtime, verify=verify)
    return [piece for piece in pieces if isinstance(piece, Reply)]


def script_lines(*pieces: str) -> Iterator[str]:
    """Yield the lines of a text, which may come in pieces; only line feeds separate them."""
    line: list[str] = []
    for piece in pieces:
        start = 0
        while (end := piece.find("\n", start)) >= 0:
            line.append(piece[start:end])
            yield "".join(line)
            line.clear()
            start = end + 1
        line.append(piece[start:])
    last = "".join(line)
    if last:
        yield last


def run_script(
    engine: Engine,
    lines: Iterable[str],
    now: float,
    runtime: Runtime | None = None,
    *,
    verify: bool = False,
    connection: Connection | None = None,
    guard: AbstractContextManager[object] = ANYBODY,
) -> Iterator[Echo | Reply | Summary | Pause]:
    """Run the commands of a script as its lines come; echoes and replies in order, a Summary at the end.

    With a connection that has permissions, each command is checked against them. `guard` is entered for each
    step that needs the engine. A Pause has no text: it lets the caller of the script release the engine, as
    after each piece.
    """
    running = runtime or getattr(engine, "runtime", None) or Runtime()
    context = Context(engine, now, running, connection)
    commands = syntax_errors = failures = 0
    for piece in read_commands(lines):
        if piece is None:
            yield replies.PAUSE
            continue
        if isinstance(piece, Remark):
            yield Echo(0, piece.line.text)
            continue
        text = piece.text
        if not text.strip():
            continue
        yield from _echo(piece, commands + 1)
        if text[:SEGMENT_SHOWN_MAX].strip().upper() in syntax.LANGUAGE_ENDS:
            break
        commands += 1
        wrong = faulty = False
        for reply in _carry_out(piece, context, guard, verify):
            if isinstance(reply, Pause):
                yield reply
                continue
            faulty = faulty or reply.id == "AMQ8405I"
            wrong = wrong or reply.failed
            yield reply.at(commands, reply.line or piece.lines[0].number, text)
        syntax_errors += faulty
        failures += wrong and not faulty
    yield Summary(commands, syntax_errors, failures)


def _echo(source: CommandText, number: int) -> Iterator[Echo]:
    for index, line in enumerate(source.lines):
        yield Echo(number if index == 0 else 0, line.text)


def _carry_out(
    source: CommandText, context: Context, guard: AbstractContextManager[object], verify: bool
) -> Iterator[Reply | Pause]:
    command: Command | None = None
    try:
        _check_storable(source.text)
        command = parse(source)
        yield from step_by_step(_run(command, context, verify), guard)
    except SyntaxFault as fault:
        yield from _syntax_error(source, command, fault)
    except NotRunning as error:
        yield replies.not_running(error.detail)
    except MQError as error:
        yield replies.from_error(error, "" if command is None else command.given_name)


def _run(command: Command, context: Context, verify: bool) -> Iterator[Reply | Pause]:
    """Read the words of a command and carry it out, unless only its syntax is to be checked."""
    action = _reader(command)(command, context)
    if member := structures.scope_of(command, context.qmgr().name):
        action = structures.read_scoped(command, member)
    if verify:
        return
    failed = False
    for piece in action(context):
        failed = failed or (isinstance(piece, Reply) and piece.failed)
        yield piece
    if not failed:
        context.engine.command_run(command.verb, command.source.text, context.connection, context.now)


def step_by_step(pieces: Iterator[Piece], guard: AbstractContextManager[object]) -> Iterator[Piece]:
    """Yield the same pieces, each made with the guard held and handed out without."""
    while True:
        with guard:
            try:
                piece = next(pieces)
            except StopIteration:
                return
        yield piece


def _check_storable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as found:
        raise SyntaxFault("half of a surrogate pair is not a character", found.start, found.end) from found


def _reader(command: Command) -> Reader:
    special = _SPECIAL.get((command.verb, command.noun))
    return special or _READERS[command.verb]


def _read_unsupported(command: Command, context: Context) -> Action:
    return partial(queue_manager.unsupported, verb=command.verb, noun=command.noun)


_READERS: dict[str, Reader] = {
    "DEFINE": objects.read_define,
    "ALTER": objects.read_alter,
    "DELETE": objects.read_delete,
    "DISPLAY": objects.read_display,
    "START": start.read_start_or_stop,
    "STOP": start.read_start_or_stop,
    "PING": ping.read_ping,
    "SUSPEND": refresh.read_suspend_or_resume,
    "RESUME": refresh.read_suspend_or_resume,
}
_SPECIAL: dict[tuple[str, str], Reader] = {
    ("CLEAR", "QLOCAL"): objects.read_clear_queue,
    ("CLEAR", "TOPICSTR"): objects.read_clear_topic,
    ("DELETE", "AUTHREC"): set_authrec.read_delete_authrec,
    ("DISPLAY", "QMGR"): objects.read_display_qmgr,
    ("DISPLAY", "CHLAUTH"): display_records.display_chlauth,
    ("DISPLAY", "AUTHREC"): display_records.display_authrec,
    ("DISPLAY", "ENTAUTH"): display_records.display_entauth,
    ("DISPLAY", "QSTATUS"): display_status.display_queue_status,
    ("DISPLAY", "CONN"): display_status.display_connections,
    ("DISPLAY", "QMSTATUS"): display_status.display_qmgr_status,
    ("DISPLAY", "PUBSUB"): display_topics.display_pubsub,
    ("DISPLAY", "TPSTATUS"): display_topics.display_topic_status,
    ("DISPLAY", "SBSTATUS"): display_topics.display_subscription_status,
    ("REFRESH", "SECURITY"): refresh.read_refresh_security,
    ("REFRESH", "QMGR"): refresh.read_refresh_qmgr,
    ("REFRESH", "CLUSTER"): refresh.read_refresh_cluster,
    ("RESET", "QSTATS"): reset.read_reset_queue_statistics,
    ("RESET", "CHANNEL"): reset.read_reset_channel,
    ("RESET", "CLUSTER"): reset.read_reset_cluster,
    ("RESET", "QMGR"): reset.read_reset_qmgr,
    ("RESOLVE", "CHANNEL"): reset.read_resolve_channel,
    **dict.fromkeys((("DISPLAY", noun) for noun in ("CFSTATUS", *structures.ROWS)), structures.read_display),
    **dict.fromkeys(structures.OPTIONS, structures.read_action),
    ("SET", "AUTHREC"): set_authrec.read_set_authrec,
    ("SET", "CHLAUTH"): set_chlauth.read_set_chlauth,
}
_SPECIAL.update(
    {("DISPLAY", noun): display_clusters.display_cluster_objects for noun in display_clusters.HEADS}
)
_SPECIAL.update(dict.fromkeys(queue_manager.MISSING, _read_unsupported))
_SPECIAL.update(
    {("DISPLAY", noun): display_status.display_runtime_status for noun in display_status.RUNTIME_KINDS}
    | {("DISPLAY", "CHSTATUS"): display_channels.display_channel_status}
)


def _syntax_error(source: CommandText, command: Command | None, fault: SyntaxFault) -> Iterator[Reply]:
    """Yield AMQ8405I with the place and the likely mistake, and AMQ8427I with the syntax that is right."""
    line, column = source.place(fault.start)
    segment = source.text[: max(fault.end, fault.start)].strip()[-SEGMENT_SHOWN_MAX:]
    sentence = f"{fault.text}: {fault.hint}" if fault.hint else f"{fault.text}."
    text = f"Syntax error detected at or near end of command segment below:-\n{segment}\n{sentence}"
    reply = replies.failed("AMQ8405I", text, mq.MQRCCF_ATTR_VALUE_ERROR)
    yield replace(reply, line=line.number, column=column + 1, pointer=_pointer(source, line, column, fault))
    if command is None:
        known = ", ".join(syntax.VERBS)
        yield Reply("AMQ8426I", f"Valid MQSC commands are:\n{known}")
    else:
        valid = syntax.valid_syntax(command.verb, command.noun, _subtype_in(command))
        yield Reply("AMQ8427I", f"Valid syntax for the MQSC command:\n{valid}")


def _pointer(source: CommandText, line: SourceLine, column: int, fault: SyntaxFault) -> str:
    """Return the caret line, under the line that holds the fault; that line again when others follow it."""
    if column > COLUMN_SHOWN_MAX:
        return ""
    width = max(min(fault.end - fault.start, len(line.text) - column, COLUMN_SHOWN_MAX), 1)
    caret = " " * (PREFIX_LENGTH + column) + "^" * width
    if line is source.lines[-1]:
        return caret
    return f"       : {line.text[: 2 * COLUMN_SHOWN_MAX]}\n{caret}"


def _subtype_in(command: Command) -> str:
    wanted = syntax.subtype_attribute(command.noun)
    for parameter in command.parameters:
        if parameter.name == wanted and parameter.values:
            return parameter.values[0].text.upper()
    return ""
