"""`penstock qmgr image`: records what damaged objects can be rebuilt from, as rcdmqimg does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, named

if TYPE_CHECKING:
    from collections.abc import Sequence

ObjectsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[OBJECT]...", help="objects, or names that end in *; without any: all", show_default=False
    ),
]
TypeOption = Annotated[str, typer.Option("--type", "-t", help="queue, channel, topic ...: only such objects")]


def image(
    context: typer.Context,
    name: QmgrArgument = "",
    objects: ObjectsArgument = None,
    qmgr: QmgrOption = "",
    object_type: TypeOption = "all",
    archive: Annotated[
        Path | None, typer.Option("--archive", help="move log files that nothing needs to this folder")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Record a media image of all objects, or of some (linear logging); show which log files are needed.

    With --qmgr every name is an object's; else the first is the queue manager.
    """
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.host.backups.media_image import archive as move_away
    from penstock.host.folders.folder import existing_folder

    name, objects = qmgr_and_objects(context, name, objects, qmgr)
    name = named(name, qmgr)
    folder = existing_folder(name) if archive is not None else None
    with connected(name, commands_only=True) as qm:
        facts = qm.record_image(*objects, object_type=object_type)
    if folder is not None and archive is not None:
        move_away(folder, facts["not_needed"], archive.absolute())
        facts["archived"] = str(archive.absolute())
    if as_json:
        show_json({"name": name, **facts})
        return
    _show(name, facts, objects, archive)


def qmgr_and_objects(
    context: typer.Context, name: str, objects: Sequence[str] | None, qmgr: str
) -> tuple[str, list[str]]:
    """Return the queue manager named by position, and the objects: with --qmgr all names are objects."""
    source = context.get_parameter_source("qmgr")
    typed = source is not None and source.name == "COMMANDLINE"  # not from PENSTOCK_QMGR
    if typed and name and (objects or name != qmgr):
        return "", [name, *(objects or [])]
    return name, list(objects or [])


def _show(name: str, facts: dict[str, Any], objects: Sequence[str], archive: Path | None) -> None:
    from penstock.cli.printing import counted

    if facts["all"] and objects:
        print("This is the first image, so it holds all objects.")
    print(f"Queue manager {name} has recorded {facts['image']}.")
    if not facts["all"]:
        shown = ", ".join(facts["objects"][:10])
        more = len(facts["objects"]) - 10
        print(f"It holds {shown}{f' and {more} more' if more > 0 else ''};")
        print(f"to recover these, {facts['since']} and later log files are needed.")
    print(f"Log files needed: {facts['restart']} and later for a restart,")
    print(f"{facts['media']} and later for a media recovery.")
    older = counted(len(facts["not_needed"]), "older log file")
    if archive is not None:
        print(f"Moved to {archive}: {older}.")
    elif facts["not_needed"]:
        print(f"Not needed any more: {older}, up to {facts['not_needed'][-1]}; --archive FOLDER moves them.")
