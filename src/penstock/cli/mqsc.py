"""`penstock mqsc`: runs MQSC commands from a file, from standard input or typed, as runmqsc does.

Exit 0 if all commands succeeded, 10 if one failed, 20 if nothing could be run. Room `admin` has the commands
themselves.
"""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import QMGR, QmgrOption, chosen, named
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.face.blocking import BlockingQueueManager

NOT_RUN = 20
LAST_WORDS = ("END", "EXIT", "QUIT")
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def mqsc(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME] [FILE]",
            help="the queue manager, or name it with --qmgr; the script, standard input when left out",
            autocompletion=completion.queue_managers,
        ),
    ] = None,
    qmgr: QmgrOption = "",
    command: Annotated[
        list[str] | None, typer.Option("--command", "-c", help="run this text instead; may be repeated")
    ] = None,
    echo: Annotated[bool, typer.Option("--echo/--no-echo", " /-e", help="show each command")] = True,
    verify: Annotated[bool, typer.Option("--verify", "-v", help="check the commands, run none")] = False,
    export: Annotated[bool, typer.Option("--export", help="print a script of all objects")] = False,
    everything: Annotated[bool, typer.Option("--all", help="with --export: SYSTEM objects too")] = False,
    encoding: Annotated[
        str, typer.Option("--encoding", help="the script's character encoding; default: detected")
    ] = "",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="show only DISPLAY results and failures")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="answer with a JSON list of replies")] = False,
) -> None:
    """Run MQSC commands in a queue manager."""
    from penstock.cli.failure import report

    name, file = place_of(words or [], qmgr)
    try:
        if export:
            code = show_export(name, everything)
        elif not command and file is None and sys.stdin.isatty():
            code = converse(name, verify, as_json)
        else:
            code = run(name, script(file, command, encoding), echo, verify, as_json, quiet)
    except Exception as failure:
        if not report(failure, as_json):
            raise
        code = NOT_RUN
    raise typer.Exit(code)


def place_of(words: list[str], qmgr: str) -> tuple[str, Path | None]:
    """Return the queue manager and the script that the command line specifies.

    One word is the queue manager, unless that is named otherwise or only a file has the name.
    """
    if len(words) > 2:
        raise typer.BadParameter(f"mqsc takes a queue manager and a script, not {' '.join(words)}")
    if len(words) == 2:
        return named(words[0], qmgr), Path(words[1])
    explicit = qmgr not in ("", os.environ.get(QMGR, ""))
    if words and (explicit or (Path(words[0]).is_file() and not is_queue_manager(words[0]))):
        return chosen(qmgr), Path(words[0])
    return (words[0] if words else chosen(qmgr)), None


def is_queue_manager(name: str) -> bool:
    """Return whether a word is the name of a queue manager of this home, or an address of one."""
    from penstock.client.address import is_address
    from penstock.host.folders.folder import list_folders

    return is_address(name) or any(folder.name == name for folder in list_folders())


def show_export(name: str, everything: bool) -> int:
    """Print the script that recreates the objects."""
    from penstock.cli.connecting import connected

    with connected(name, commands_only=True) as qm:
        text = qm.export(everything)
    print(text, end="")
    return 0


def run(name: str, text: str, echo: bool, verify: bool, as_json: bool, quiet: bool = False) -> int:
    """Run a script, show its output as it arrives, and return the exit code."""
    from penstock.admin.mqsc import Reply, lines_of, reply_lines, script_lines
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json_list

    codes: list[int] = []
    with connected(name, commands_only=True) as qm:
        pieces = _watched(qm.mqsc_script(script_lines(text), verify=verify), codes)
        if as_json:
            show_json_list(
                reply_facts(piece) for piece in pieces if isinstance(piece, Reply) and worth(piece, quiet)
            )
        elif quiet:
            for piece in pieces:
                if isinstance(piece, Reply) and worth(piece, quiet):
                    print("\n".join(reply_lines(piece)))
        else:
            for line in lines_of(pieces, name, echo=echo):
                print(line)
    return max(codes, default=0)


def worth(reply: Reply, quiet: bool) -> bool:
    """Return whether a reply is shown: with --quiet only failures, and the results of DISPLAY."""
    return not quiet or reply.failed or reply.attributes is not None


def _watched(pieces: Iterable[Echo | Reply | Summary], codes: list[int]) -> Iterator[Echo | Reply | Summary]:
    """Pass pieces on as they arrive, and record the exit code of the last."""
    from penstock.admin.mqsc import Summary

    for piece in pieces:
        if isinstance(piece, Summary):
            codes.append(piece.exit_code)
        yield piece


def converse(name: str, verify: bool, as_json: bool) -> int:
    """Answer commands as they are typed, until END."""
    from penstock.admin.mqsc import Reply, reply_lines
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json_line

    worst = 0
    with connected(name, commands_only=True) as qm:
        print(f"Starting MQSC for queue manager {name}.", file=sys.stderr)
        for text in typed_commands():
            pieces = pieces_of(qm, text, verify)
            worst = max(worst, exit_code(pieces))
            for reply in (piece for piece in pieces if isinstance(piece, Reply)):
                if as_json:
                    show_json_line(reply_facts(reply))
                else:
                    print("\n".join(reply_lines(reply)))
    return worst


def pieces_of(qm: BlockingQueueManager, text: str, verify: bool) -> list[Echo | Reply | Summary]:
    """Run a script and return echoes, replies and summary; everything is on disk afterwards."""
    from penstock.admin.mqsc import script_lines

    return list(qm.mqsc_script(script_lines(text), verify=verify))


def exit_code(pieces: list[Echo | Reply | Summary]) -> int:
    """Return 0, or 10 when a command failed."""
    from penstock.admin.mqsc import Summary

    return max((piece.exit_code for piece in pieces if isinstance(piece, Summary)), default=0)


def script(file: Path | None, commands: list[str] | None, encoding: str) -> str:
    """Return the text to run."""
    if commands:
        return "\n".join(commands)
    data = file.read_bytes() if file is not None else sys.stdin.buffer.read()
    return text_of(data, str(file or "standard input"), encoding)


def text_of(data: bytes, source: str, encoding: str = "") -> str:
    """Return a script's text; 8042 if it cannot be decoded.

    Without an encoding it is UTF-8, or UTF-16 if its byte order mark says so (PowerShell writes such files),
    else Windows-1252 or, for characters that it lacks, Latin-1; then a notice is printed.
    """
    from penstock.model.errors import error

    try:
        return data.decode(encoding or ("utf-16" if data.startswith(UTF_16_MARKS) else "utf-8-sig"))
    except LookupError:
        raise error(
            mq.PSRC_ARGUMENT_ERROR, f"{encoding} is not a known encoding; utf-8, latin-1 and cp1252 are"
        ) from None
    except UnicodeDecodeError as failure:
        if encoding or b"\0" in data:
            detail = f"{source}: byte {failure.start} is not {encoding or 'UTF-8'} text"
            raise error(mq.PSRC_ARGUMENT_ERROR, detail) from None
    for guess, name in (("cp1252", "Windows-1252"), ("latin-1", "Latin-1")):
        try:
            text = data.decode(guess)
        except UnicodeDecodeError:
            continue
        print(
            f"Note: {source} is not UTF-8 and was read as {name}; to read it as another, use --encoding.",
            file=sys.stderr,
        )
        return text
    raise AssertionError("every byte is a character of Latin-1")


def typed_commands() -> Iterator[str]:
    """Yield what is typed, a whole command at a time: `+` and `-` at the end of a line continue it."""
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
    facts = reply.as_data()
    del facts["severity"], facts["ok"]
    return {"id": reply.id, "text": reply.text, "failed": reply.failed, **facts}
