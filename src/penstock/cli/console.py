"""`penstock console`: the web console for the user who runs it, on this machine alone."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.console.serving import Served

DEFAULT_PORT = 0
ProjectsOption = Annotated[
    list[Path] | None,
    typer.Option("--projects", help="a folder with flow projects that can be deployed; may be repeated"),
]


def console(
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes a free one")
    ] = DEFAULT_PORT,
    open_: Annotated[bool, typer.Option("--open", help="open it in the browser")] = False,
    projects: ProjectsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Open the web console: queues, messages, dead letters, flows. It ends with Ctrl-C.

    The printed address works once, for you, within five minutes; Enter prints another.
    """
    from penstock.cli.ending_signals import on_ending
    from penstock.cli.needing import needs_extra

    with needs_extra("console"):
        from penstock.console.serving import Served, Wanted, folder

    served = Served(Wanted(port=port, projects=tuple(projects or ())))
    with on_ending(lambda *_: served.stop()):
        served.run(lambda: _tell(served, as_json, folder() if open_ else None))


def _tell(served: Served, as_json: bool, folder: Path | None) -> None:
    if as_json:
        _facts(served)
    else:
        print(f"The console runs at {served.link()}", flush=True)
        print("This address works once. Enter prints another one; Ctrl-C ends the console.", flush=True)
    if folder is not None:
        _open(served, folder)
    threading.Thread(target=_more, args=(served, as_json), daemon=True).start()


def _more(served: Served, as_json: bool) -> None:
    """Print another address for every line that is typed."""
    for _ in sys.stdin:
        if as_json:
            _facts(served)
        else:
            print(served.link(), flush=True)


def _facts(served: Served) -> None:
    """Print one line of JSON: where the console is, and an address that works once."""
    from penstock.cli.printing import show_json_line

    show_json_line({"address": served.link(), "port": served.port})
    sys.stdout.flush()


def _open(served: Served, folder: Path) -> None:
    """Open the browser by a private file: other users can read the arguments of programs."""
    import os
    import webbrowser
    from html import escape

    path = folder / "open.html"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<meta http-equiv="refresh" content="0; url={escape(served.link())}">')
    if not webbrowser.open(path.as_uri()):
        print("No browser could be opened; use the address above.", file=sys.stderr)
