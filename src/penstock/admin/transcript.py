"""What runmqsc prints: heading, echoes, replies and summary, line by line.

Ids, columns and summary lines are those that scripts depend on; the product line is ours. A caller
that needs a stream uses `lines_of`; `transcript` runs a text and gives all of it with the exit code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.display import layout
from penstock.admin.replies import Pause, Reply
from penstock.admin.runner import Echo, Summary, run_script, script_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.admin.context import Engine
    from penstock.admin.machinery import Runtime

PRODUCT = "Penstock: messaging and integration for Python people."


def transcript(
    engine: Engine,
    text: str,
    now: float,
    runtime: Runtime | None = None,
    *,
    echo: bool = True,
    verify: bool = False,
) -> tuple[str, int]:
    """Run a script and return what runmqsc would print, and its exit code (0 or 10)."""
    name = engine.objects.all("QMGR")[0].name
    every = run_script(engine, script_lines(text), now, runtime, verify=verify)
    pieces = [piece for piece in every if not isinstance(piece, Pause)]
    summary = pieces[-1]
    assert isinstance(summary, Summary)
    return "\n".join(lines_of(pieces, name, echo=echo)) + "\n", summary.exit_code


def lines_of(pieces: Iterable[Echo | Reply | Summary], name: str, *, echo: bool = True) -> Iterator[str]:
    """Yield the printed lines of a script's pieces, without line ends."""
    yield PRODUCT
    yield f"Starting MQSC for queue manager {name}."
    yield ""
    yield ""
    for piece in pieces:
        if isinstance(piece, Reply):
            yield from reply_lines(piece)
        elif isinstance(piece, Summary):
            yield from summary_lines(piece)
        elif echo:
            yield f"{piece.number:6d} : {piece.text}" if piece.number else f"       : {piece.text}"


def reply_lines(reply: Reply) -> Iterator[str]:
    """Yield one reply: the caret line of a syntax error, id and text, notes, attributes."""
    if reply.pointer:
        yield from reply.pointer.split("\n")
    yield from f"{reply.id}: {reply.text}".split("\n")
    yield from (f"Note: {note}" for note in reply.notes)
    if reply.attributes is not None:
        yield from layout(reply.attributes)


def summary_lines(summary: Summary) -> Iterator[str]:
    """Yield the three lines at the end."""
    yield _count(summary.commands, "{} MQSC command{} read.")
    yield _count(summary.syntax_errors, "{} command{} {} a syntax error.")
    if summary.failures:
        yield _count(summary.failures, "{} valid MQSC command{} could not be processed.")
    else:
        yield "All valid MQSC commands were processed."


def _count(number: int, text: str) -> str:
    if number == 1:
        return text.format("One", "", "has")
    return text.format(number or "No", "s", "have")
