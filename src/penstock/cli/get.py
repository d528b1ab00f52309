"""`penstock get`: takes messages off a queue and shows them.

Messages are got in units of work that commit only after the output was written, so that a full disk or a
closed pipe loses none. Exit 1 with 2033 if there was no message at all.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from penstock.cli.connecting import QmgrOption, QueueArgument
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message

    Show = Callable[[Message], None]

BATCH_MESSAGES_MAX = 100
TOPIC = "MQTopicString"  # the property with the topic of a publication


def get(
    queue: QueueArgument,
    qmgr: QmgrOption = "",
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")] = 1,
    wait: Annotated[float, typer.Option("--wait", "-w", help="seconds to wait for each; -1 for ever")] = 0.0,
    correl_id: Annotated[str | None, typer.Option(help="48 hexadecimal digits, 0x..., or text")] = None,
    msg_id: Annotated[str | None, typer.Option(help="as --correl-id")] = None,
    selector: Annotated[str | None, typer.Option(help="such as \"colour = 'red'\"")] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            "-f",
            help="write the body to a file; with --count other than 1 one file per message, numbered",
        ),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(help="with --file: all bodies in one file, each followed by this text; \\n, \\t, \\xNN"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON object per line for each message")
    ] = False,
) -> None:
    """Get messages off a queue."""
    from penstock.cli.connecting import connected
    from penstock.cli.message_view import parse_id
    from penstock.model.errors import error

    match = {
        "correl_id": parse_id(correl_id, "--correl-id"),
        "msg_id": parse_id(msg_id, "--msg-id"),
        "selector": selector,
    }
    given: dict[str, Any] = {name: value for name, value in match.items() if value is not None}
    if separator is not None and file is None:
        raise typer.BadParameter("--separator needs --file")
    with connected(qmgr) as qm:
        with ExitStack() as closing:
            show = shower(as_json) if file is None else writer(file, count, separator, closing)
            got = get_batches(qm, queue, count, wait, given, show)
    if got == 0:
        such = "such message" if given else "message to get"
        raise error(mq.MQRC_NO_MSG_AVAILABLE, f"queue {queue} has no {such}")


def get_batches(
    qm: BlockingQueueManager,
    queue: str,
    count: int,
    wait: float,
    given: dict[str, Any],
    show: Show,
) -> int:
    """Get up to `count` messages (0: all) and show each before its unit commits; return how many."""
    done = 0
    while count == 0 or done < count:
        room = BATCH_MESSAGES_MAX if count == 0 else min(BATCH_MESSAGES_MAX, count - done)
        with qm.unit_of_work():
            first = qm.get(queue, wait=None if wait < 0 else wait, **given)
            got = 0
            message = first
            while message is not None:
                show(message)
                got += 1
                message = qm.get(queue, **given) if got < room else None
            sys.stdout.flush()
        done += got
        if got == 0:
            break
    return done


def shower(as_json: bool, with_topics: bool = False) -> Show:
    """Return a function that prints one message: its body as text, or all of it as a JSON line.

    On a terminal control characters are escaped; a file or pipe gets the text unchanged.
    """
    from penstock.cli.message_view import message_facts
    from penstock.cli.printing import LINES, show_json_line, visible

    is_terminal = sys.stdout.isatty()

    def show(message: Message) -> None:
        if as_json:
            show_json_line(message_facts(message))
        else:
            topic = str((message.properties or {}).get(TOPIC, "")) if with_topics else ""
            body = bytes(message.body or b"").decode("utf-8", "backslashreplace")
            line = f"{topic}: {body}" if topic else body
            print(visible(line, kept=LINES) if is_terminal else line)

    return show


def writer(file: Path, count: int, separator: str | None, closing: ExitStack) -> Show:
    """Return a function that writes bodies: to one file, or to one file per message if several may come."""
    if count != 1 and separator is None:
        check_folder(file)
        return numbered_writer(file)
    file.open("ab").close()  # fails now, and not when a message has been got
    return body_writer(file, unescaped(separator or ""), closing)


def check_folder(file: Path) -> None:
    """Raise the error that prevents creating files beside `file`, before a message is got."""
    with TemporaryFile(dir=file.parent):
        pass


def numbered_writer(file: Path) -> Show:
    """Return a function that writes each body to a new file: `order.xml` becomes `order-000001.xml` and so
    on.

    An existing file is never overwritten: its message is on no queue any more.
    """
    number = 0

    def write(message: Message) -> None:
        nonlocal number
        while True:
            number += 1
            try:
                out = file.with_name(f"{file.stem}-{number:06}{file.suffix}").open("xb")
            except FileExistsError:
                continue
            with out:
                out.write(message.body or b"")
            return

    return write


def unescaped(text: str) -> bytes:
    """Return the bytes that a text with backslashes means.

    >>> unescaped("--\\\\n"), unescaped("\\\\x00"), unescaped("e")
    (b'--\\n', b'\\x00', b'e')
    """
    try:
        return text.encode().decode("unicode_escape").encode("latin-1")
    except (UnicodeDecodeError, UnicodeEncodeError):
        raise typer.BadParameter(f"--separator {text!r} has a backslash that means nothing") from None


def body_writer(file: Path, separator: bytes, closing: ExitStack) -> Show:
    """Return a function that writes a message's body to a file, unchanged, before the message is removed.

    The first message opens the file: if there is none, the file keeps its content.
    """
    opened: list[BinaryIO] = []

    def write(message: Message) -> None:
        if not opened:
            opened.append(closing.enter_context(file.open("wb")))
        opened[0].write(message.body or b"")
        opened[0].write(separator)
        opened[0].flush()

    return write
