"""`penstock mqsc`: runs MQSC commands from a file, from standard input or typed, as runmqsc does.

Exit 0 when all commands were carried out, 10 when one was not, 20 when nothing could be run. The
commands themselves belong to room `admin`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from penstock.admin.replies import Reply
    from penstock.host.queue_manager import QueueManager

SOME_FAILED = 10
NOT_RUN = 20
LAST_WORDS = ("END", "EXIT", "QUIT")


def mqsc(
    name: Annotated[str, typer.Argument(help="the queue manager")],
    file: Annotated[Path | None, typer.Argument(help="the script; standard input when left out")] = None,
    command: Annotated[str | None, typer.Option("--command", "-c", help="run this text instead")] = None,
    echo: Annotated[bool, typer.Option("--echo/--no-echo", "/-e", help="show each command")] = True,
    export: Annotated[
        bool, typer.Option("--export", help="print a script that recreates every object; run nothing")
    ] = False,
    system: Annotated[bool, typer.Option("--all", help="with --export: SYSTEM objects too")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="answer with a JSON list of replies")] = False,
) -> None:
    """Run MQSC commands in a queue manager."""
    from penstock.cli.failure import report

    try:
        code = run(name, file, command, echo, export, system, as_json)
    except Exception as failure:
        if not report(failure, as_json):
            raise
        code = NOT_RUN
    raise typer.Exit(code)


def run(
    name: str, file: Path | None, command: str | None, echo: bool, export: bool, system: bool, as_json: bool
) -> int:
    """Do what the options ask for and return the exit code."""
    import penstock

    typed = command is None and file is None and sys.stdin.isatty()
    text = "" if export or typed else script(file, command)
    with penstock.embed(name) as qm:
        if export:
            print(exported(qm, system), end="")
            return 0
        if typed:
            return converse(qm, as_json)
        replies = qm.mqsc(text)
        show(qm, text, replies, echo, as_json)
    return SOME_FAILED if any(reply.failed for reply in replies) else 0


def exported(qm: QueueManager, system: bool) -> str:
    """Return the script that recreates the objects."""
    from penstock.admin.export import export

    with qm.gate:
        return export(qm.engine, system=system)


def script(file: Path | None, command: str | None) -> str:
    """Return the text to run."""
    if command is not None:
        return command
    return file.read_text() if file is not None else sys.stdin.read()


def show(qm: QueueManager, text: str, replies: list[Reply], echo: bool, as_json: bool) -> None:
    """Print replies as runmqsc lays them out, or as JSON."""
    from penstock.admin.mqsc import transcript
    from penstock.cli.listing import show_json

    if as_json:
        show_json([reply_facts(reply) for reply in replies])
    else:
        print(transcript(qm.name, text, replies, echo=echo), end="")


def converse(qm: QueueManager, as_json: bool) -> int:
    """Read commands from a terminal and answer each at once, until END."""
    from penstock.admin.mqsc import layout

    code = 0
    for text in typed_commands():
        replies = qm.mqsc(text)
        for reply in replies:
            print(reply_facts(reply) if as_json else layout(reply))
        if any(reply.failed for reply in replies):
            code = SOME_FAILED
    return code


def typed_commands() -> Any:
    """Yield what is typed, a whole command at a time: `+` and `-` at a line's end go on."""
    lines: list[str] = []
    while True:
        try:
            line = input("" if not lines else "> ")
        except EOFError:
            return
        if line.strip().upper() in LAST_WORDS and not lines:
            return
        lines.append(line)
        if not line.rstrip().endswith(("+", "-")):
            yield "\n".join(lines)
            lines.clear()


def reply_facts(reply: Reply) -> dict[str, Any]:
    """Return a reply as JSON can hold it."""
    facts: dict[str, Any] = {
        "id": reply.id,
        "text": reply.text,
        "failed": reply.failed,
        "command": reply.command,
        "line": reply.line,
        "source": reply.source,
    }
    if reply.attributes is not None:
        facts["attributes"] = dict(reply.attributes)
    if reply.reason:
        facts["reason"] = reply.reason
    if reply.column:
        facts["column"] = reply.column
    return facts
