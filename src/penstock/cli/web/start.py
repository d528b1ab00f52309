"""`penstock web start`: the console for a team, with logins; in the foreground or in the background."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.background import let_go, start_in_background
from penstock.cli.connecting import JsonOption
from penstock.cli.console import ProjectsOption

if TYPE_CHECKING:
    from penstock.console.serving import Served

PORT = 8470


def start(
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes a free one")] = PORT,
    address: Annotated[
        str, typer.Option("--address", help="listen here; others than 127.0.0.1 need TLS")
    ] = "127.0.0.1",
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="PEM file with the certificate chain")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="PEM file with its private key")] = None,
    behind_proxy: Annotated[bool, typer.Option("--behind-proxy", help="a proxy in front does TLS")] = False,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="a host name that browsers use; may be repeated")
    ] = None,
    projects: ProjectsOption = None,
    background: Annotated[bool, typer.Option("--background", "-b", help="come back when it runs")] = False,
    as_json: JsonOption = False,
) -> None:
    """Serve the web console for all queue managers and brokers of this home.

    People log in as users of `penstock user` and may do what the queue managers allow them. Run it as an
    administrator of the queue managers.
    """
    from penstock.cli.ending_signals import on_ending
    from penstock.cli.needing import needs_extra

    with needs_extra("console"):
        from penstock.console.process import running
        from penstock.console.serving import Served, Wanted, listen

    own = tuple(projects or ())
    wanted = Wanted(address, port, True, certificate, key, behind_proxy, tuple(name or ()), own)
    if background:
        if port:
            listen(wanted).close()  # errors of the address are reported here
        start_in_background(_words(wanted, as_json))
        return
    served = Served(wanted)
    with running(served.address), on_ending(lambda *_: served.stop()):
        served.run(lambda: _tell(served, as_json))


def _words(wanted: object, as_json: bool) -> list[str]:
    from penstock.console.serving import Wanted

    assert isinstance(wanted, Wanted)
    words = ["web", "start", "--port", str(wanted.port), "--address", wanted.address]
    words += ["--certificate", str(wanted.certificate)] if wanted.certificate else []
    words += ["--key", str(wanted.key)] if wanted.key else []
    words += ["--behind-proxy"] if wanted.behind_proxy else []
    words += [word for name in wanted.names for word in ("--name", name)]
    words += [word for folder in wanted.projects for word in ("--projects", str(folder.resolve()))]
    return [*words, *(["--json"] if as_json else [])]


def _tell(served: Served, as_json: bool) -> None:
    import os

    from penstock.cli.printing import show_json_line
    from penstock.cli.service_notice import ready
    from penstock.console.serving import folder

    if as_json:
        show_json_line({"address": served.address, "process": os.getpid()})
    else:
        print(f"The console runs at {served.address} in process {os.getpid()}.")
        print("People log in with their password of `penstock user`.")
    ready(f"the console runs at {served.address}")
    let_go(folder() / "web.log")
