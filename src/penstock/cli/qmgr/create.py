"""`penstock qmgr create`: makes a queue manager's folder, its settings and its SYSTEM objects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, NameOption, named_here

DEAD_LETTERS = "SYSTEM.DEAD.LETTER.QUEUE"  # every queue manager has it


def create(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="1 to 48 letters, digits and . / _ %", show_default=False)
    ] = "",
    qmgr_name: NameOption = "",
    dead_letter_queue: Annotated[
        str,
        typer.Option("--dead-letter-queue", "-u", help="DEADQ; the queue is defined when it is missing"),
    ] = DEAD_LETTERS,
    no_dead_letter_queue: Annotated[
        bool, typer.Option("--no-dead-letter-queue", help="leave DEADQ empty, as crtmqm does")
    ] = False,
    script: Annotated[
        Path | None, typer.Option("--mqsc", "-i", help="run this MQSC file in the new queue manager")
    ] = None,
    linear: Annotated[
        bool, typer.Option("--linear/--circular", help="keep all log files, or reuse them")
    ] = False,
    primary_files: Annotated[
        int | None, typer.Option("--primary-files", "-lp", help="LogPrimaryFiles")
    ] = None,
    secondary_files: Annotated[
        int | None, typer.Option("--secondary-files", "-ls", help="LogSecondaryFiles")
    ] = None,
    file_pages: Annotated[
        int | None, typer.Option("--file-pages", "-lf", help="LogFilePages, of 4 KiB each")
    ] = None,
    buffer_pages: Annotated[
        int | None, typer.Option("--buffer-pages", help="LogBufferPages; 0 lets Penstock choose")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create a queue manager."""
    import penstock
    from penstock.cli.mqsc import text_of
    from penstock.cli.printing import show_json
    from penstock.host.starting import create as create_queue_manager

    name = named_here(name, qmgr_name)
    text = text_of(script.read_bytes(), str(script)) if script else ""
    options: dict[str, Any] = {
        "log_type": "LINEAR" if linear else "CIRCULAR",
        "primary_files": primary_files,
        "secondary_files": secondary_files,
        "file_pages": file_pages,
        "buffer_pages": buffer_pages,
    }
    folder = create_queue_manager(name, **{key: value for key, value in options.items() if value is not None})
    dead_letters = dead_letter_commands("" if no_dead_letter_queue else dead_letter_queue)
    scripts = [each for each in (dead_letters, text) if each]
    failed = []
    if scripts:
        with penstock.embed(name) as qm:
            failed = [reply for each in scripts for reply in qm.mqsc(each) if reply.failed]
    if as_json:
        show_json({"name": name, "folder": str(folder.path), "failed": [f"{r.id}: {r.text}" for r in failed]})
    else:
        print(f"Queue manager {name} is created in {folder.path}.")
        for reply in failed:
            print(f"line {reply.line}: {reply.id}: {reply.text}")
    raise typer.Exit(10 if failed else 0)


def dead_letter_commands(queue: str) -> str:
    """Return MQSC that defines a dead-letter queue; empty for none."""
    if not queue:
        return ""
    define = "" if queue == DEAD_LETTERS else f"DEFINE QLOCAL('{queue}') DEFPSIST(YES) NOREPLACE\n"
    return f"{define}ALTER QMGR DEADQ('{queue}')\n"
