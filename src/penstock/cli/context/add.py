"""`penstock context add`: gives an address a name."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.context import contexts


def add(
    name: Annotated[str, typer.Argument(help="its name")],
    address: Annotated[str, typer.Argument(help="a queue manager's name, or an mq:// or mqs:// address")],
    user: Annotated[str, typer.Option("--user", help="your user there")] = "",
    password_file: Annotated[str, typer.Option("--password-file", help="a file with the password")] = "",
    use: Annotated[bool, typer.Option("--use", help="use it from now on")] = False,
    as_json: JsonOption = False,
) -> None:
    """Name an address, or change a name's address. Passwords stay in files of yours."""
    from pathlib import Path

    from penstock.client.address import is_address, parse_address

    if not name.isprintable() or not 0 < len(name) <= contexts.NAME_LENGTH_MAX:
        raise typer.BadParameter(f"a name has 1 to {contexts.NAME_LENGTH_MAX} characters")
    if is_address(address):
        parse_address(address)
    found, used = contexts.read()
    if name not in found and len(found) >= contexts.CONTEXTS_MAX:
        raise typer.BadParameter(f"there are {contexts.CONTEXTS_MAX} contexts already")
    file = str(Path(password_file).expanduser().resolve()) if password_file else ""
    found[name] = contexts.Context(address, user, file)
    contexts.write(found, name if use else used)
    used_now = use or used == name
    contexts.tell(
        as_json, f"{name} is {address}" + (", in use." if used_now else "."), name=name, in_use=used_now
    )
