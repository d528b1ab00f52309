"""`penstock context remove`: forgets a named address."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.context import contexts


def remove(name: Annotated[str, typer.Argument(help="the context")], as_json: JsonOption = False) -> None:
    """Forget a context."""
    found, used = contexts.read()
    contexts.known(found, name)
    del found[name]
    contexts.write(found, "" if used == name else used)
    contexts.tell(as_json, f"{name} is forgotten.", name=name)
