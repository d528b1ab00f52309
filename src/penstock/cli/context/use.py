"""`penstock context use`: commands without a queue manager's name take this one from now on."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.context import contexts


def use(
    name: Annotated[str, typer.Argument(help="the context; without it none is used")] = "",
    as_json: JsonOption = False,
) -> None:
    """Use a context from now on, or none."""
    found, _ = contexts.read()
    if name:
        contexts.known(found, name)
    contexts.write(found, name)
    text = f"{name} is in use: {found[name].address}" if name else "No context is in use."
    contexts.tell(as_json, text, name=name, in_use=bool(name))
