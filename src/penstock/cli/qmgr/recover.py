"""`penstock qmgr recover`: rebuilds a damaged queue manager from its media image and the log (rcrmqobj)."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption, NameOption, QmgrArgument, named_here


def recover(name: QmgrArgument = "", qmgr_name: NameOption = "", as_json: JsonOption = False) -> None:
    """Rebuild a queue manager whose queue files or checkpoint are damaged; it must not run."""
    from penstock.cli.printing import counted, show_json
    from penstock.host import media_recovery
    from penstock.host.folder import existing_folder

    name = named_here(name, qmgr_name)
    folder = existing_folder(name)
    image, report, aside = media_recovery.recover(folder)
    facts = {
        "name": name,
        "image": str(image.path),
        "loaded": report.loaded,
        "replayed": report.replayed,
        "prepared": report.prepared,
        "damaged": str(aside),
    }
    if as_json:
        show_json(facts)
        return
    print(f"Queue manager {name} is rebuilt from {image.path}:")
    loaded, replayed = counted(report.loaded, "message"), counted(report.replayed, "log record")
    print(f"{loaded} of the image, {replayed} since then.")
    print(f"What was damaged is in {facts['damaged']}; remove it when you do not need it.")
