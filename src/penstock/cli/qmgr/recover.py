"""`penstock qmgr recover`: rebuilds damaged objects from their media images and the log (rcrmqobj)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from penstock.cli.connecting import JsonOption, NameOption, QmgrArgument, named_here
from penstock.cli.qmgr.image import ObjectsArgument, TypeOption, qmgr_and_objects

if TYPE_CHECKING:
    from penstock.host.folders.folder import Folder


def recover(
    context: typer.Context,
    name: QmgrArgument = "",
    objects: ObjectsArgument = None,
    qmgr: NameOption = "",
    object_type: TypeOption = "all",
    as_json: JsonOption = False,
) -> None:
    """Rebuild a queue manager whose queue files or checkpoint are damaged, or some of its objects.

    It must not run. With --qmgr every name is an object's; else the first is the queue manager.
    """
    from penstock.host.folders.folder import existing_folder
    from penstock.qmgr.restart.object_choice import is_everything

    name, objects = qmgr_and_objects(context, name, objects, qmgr)
    folder = existing_folder(named_here(name, qmgr))
    if is_everything((), object_type) and not objects:
        _recover_all(folder, as_json)
    else:
        _recover_some(folder, objects, object_type, as_json)


def _recover_all(folder: Folder, as_json: bool) -> None:
    from penstock.cli.printing import counted, show_json
    from penstock.host.backups import media_recovery

    image, report, aside = media_recovery.recover(folder)
    facts = {
        "name": folder.name,
        "image": str(image.path),
        "loaded": report.loaded,
        "replayed": report.replayed,
        "prepared": report.prepared,
        "damaged": str(aside),
    }
    if as_json:
        show_json(facts)
        return
    print(f"Queue manager {folder.name} is rebuilt from {image.path}:")
    loaded, replayed = counted(report.loaded, "message"), counted(report.replayed, "log record")
    print(f"{loaded} of the image, {replayed} since then.")
    print(f"What was damaged is in {facts['damaged']}; remove it when you do not need it.")


def _recover_some(folder: Folder, objects: list[str], object_type: str, as_json: bool) -> None:
    from penstock.cli.printing import counted, show_json
    from penstock.host.backups.object_recovery import recover_objects

    done, aside = recover_objects(folder, objects, object_type)
    if as_json:
        rows = [
            {
                "type": each.kind,
                "object": each.name,
                "image": str(each.image) if each.image is not None else "",
                "messages": each.messages,
                "lost": each.lost,
            }
            for each in done
        ]
        show_json({"name": folder.name, "objects": rows, "damaged": str(aside) if aside is not None else ""})
        return
    for each in done:
        if each.image is None:
            print(f"{each.kind} {each.name} has no messages, and its definition is whole.")
            continue
        messages = counted(each.messages, "persistent message")
        print(
            f"Queue {each.name} is rebuilt from {each.image}: {messages}, {each.lost} of which had been lost."
        )
    if aside is not None:
        print(f"What was damaged is in {aside}; remove it when you do not need it.")
