"""`penstock qmgr create`: makes a queue manager's folder, its settings and its SYSTEM objects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def create(
    name: Annotated[str, typer.Argument(help="1 to 48 letters, digits and . / _ %")],
    dead_letter_queue: Annotated[
        str,
        typer.Option("--dead-letter-queue", "-u", help="set DEADQ, and define the queue when it is missing"),
    ] = "",
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
        int | None, typer.Option("--buffer-pages", help="LogBufferPages; 0 chooses")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """Create a queue manager."""
    import penstock
    from penstock.cli.listing import show_json
    from penstock.host.folder import folder_of

    text = script.read_text() if script else ""
    options: dict[str, Any] = {
        "log_type": "LINEAR" if linear else "CIRCULAR",
        "primary_files": primary_files,
        "secondary_files": secondary_files,
        "file_pages": file_pages,
        "buffer_pages": buffer_pages,
    }
    given = {option: value for option, value in options.items() if value is not None}
    folder = folder_of(name)
    if folder.exists():
        from penstock.host.folder import create_folder

        create_folder(name)  # raises 8008
    with penstock.embed(name, create=True, **given) as qm:
        if dead_letter_queue:
            qm.mqsc(f"DEFINE QLOCAL('{dead_letter_queue}')")
            qm.mqsc(f"ALTER QMGR DEADQ('{dead_letter_queue}')")
        replies = qm.mqsc(text) if text else []
    failed = [reply for reply in replies if reply.severity >= 20]
    if as_json:
        show_json(
            {"name": name, "folder": str(folder.path), "failed_commands": [reply.text for reply in failed]}
        )
    else:
        print(f"Queue manager {name} is created in {folder.path}.")
        for reply in failed:
            print(f"{reply.id}: {reply.text}")
    raise typer.Exit(10 if failed else 0)
