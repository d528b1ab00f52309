"""`penstock qmgr create`: makes a queue manager's folder, its settings and its SYSTEM objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, NameOption, named_here

if TYPE_CHECKING:
    from penstock.admin.mqsc import Reply

DEAD_LETTERS = "SYSTEM.DEAD.LETTER.QUEUE"  # every queue manager has it
LISTENER = "SYSTEM.LISTENER.TCP.1"  # the name that crtmqm -p gives
DeadLetterQueueOption = Annotated[
    str, typer.Option("--dead-letter-queue", "-u", help="DEADQ; the queue is defined when it is missing")
]
AutomaticScriptOption = Annotated[
    str, typer.Option("--automatic-mqsc", "-ic", help="MQSC file or folder, applied again at each start")
]
AutomaticIniOption = Annotated[
    str, typer.Option("--automatic-ini", "-ii", help="INI file or folder, read after qm.ini at each start")
]
VariableOption = Annotated[
    list[str] | None,
    typer.Option("--variable", "-iv", help="NAME=VALUE for +NAME+ in the MQSC of -ic; may be repeated"),
]
PortOption = Annotated[
    int | None,
    typer.Option("--port", "-p", min=1, max=65535, help="define a listener at this port, of all addresses"),
]


def create(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="1 to 48 letters, digits and . / _ %", show_default=False)
    ] = "",
    qmgr_name: NameOption = "",
    dead_letter_queue: DeadLetterQueueOption = DEAD_LETTERS,
    no_dead_letter_queue: Annotated[
        bool, typer.Option("--no-dead-letter-queue", help="leave DEADQ empty, as crtmqm does")
    ] = False,
    script: Annotated[
        Path | None, typer.Option("--mqsc", "-i", help="run this MQSC file in the new queue manager")
    ] = None,
    automatic_script: AutomaticScriptOption = "",
    automatic_ini: AutomaticIniOption = "",
    variable: VariableOption = None,
    port: PortOption = None,
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
    from penstock.cli.mqsc import text_of
    from penstock.host.starting import create as create_queue_manager

    name = named_here(name, qmgr_name)
    text = text_of(script.read_bytes(), str(script)) if script else ""
    options: dict[str, Any] = {
        "log_type": "LINEAR" if linear else "CIRCULAR",
        "primary_files": primary_files,
        "secondary_files": secondary_files,
        "file_pages": file_pages,
        "buffer_pages": buffer_pages,
        "mqsc_config": automatic_script or None,
        "ini_config": automatic_ini or None,
        "variables": variables_of(variable or []),
    }
    folder = create_queue_manager(name, **{key: value for key, value in options.items() if value is not None})
    dead_letters = dead_letter_commands("" if no_dead_letter_queue else dead_letter_queue)
    scripts = [each for each in (dead_letters, listener_command(port), text) if each]
    failed = failures_of(name, scripts) if scripts or automatic_script or automatic_ini else []
    show(name, folder.path, failed, as_json)
    raise typer.Exit(10 if failed else 0)


def failures_of(name: str, scripts: list[str]) -> list[Reply]:
    """Start the new queue manager, which applies what is automatic; run scripts and return what failed."""
    import penstock

    with penstock.embed(name) as qm:
        return [reply for each in scripts for reply in qm.mqsc(each) if reply.failed]


def show(name: str, folder: Path, failed: list[Reply], as_json: bool) -> None:
    """Print where the queue manager is, and what failed in its scripts."""
    from penstock.cli.printing import show_json

    if as_json:
        show_json({"name": name, "folder": str(folder), "failed": [f"{r.id}: {r.text}" for r in failed]})
        return
    print(f"Queue manager {name} is created in {folder}.")
    for reply in failed:
        print(f"line {reply.line}: {reply.id}: {reply.text}")


def variables_of(given: list[str]) -> dict[str, str]:
    """Return the variables of -iv; a usage error for one without a value."""
    pairs = [each.partition("=") for each in given]
    wrong = [name for name, equals, _ in pairs if not equals]
    if wrong:
        raise typer.BadParameter(f"{wrong[0]} is not NAME=VALUE", param_hint="-iv")
    return {name.strip(): value for name, _, value in pairs}


def listener_command(port: int | None) -> str:
    """Return MQSC that defines a listener, which starts with the queue manager; empty without a port."""
    if port is None:
        return ""
    return f"DEFINE LISTENER({LISTENER}) TRPTYPE(TCP) CONTROL(QMGR) PORT({port})\n"


def dead_letter_commands(queue: str) -> str:
    """Return MQSC that defines a dead-letter queue; empty for none."""
    if not queue:
        return ""
    define = "" if queue == DEAD_LETTERS else f"DEFINE QLOCAL('{queue}') DEFPSIST(YES) NOREPLACE\n"
    return f"{define}ALTER QMGR DEADQ('{queue}')\n"
