"""Commands by name: a table says where each one is, and only what was asked for is imported.

A command line that names a command at once gets an app with that one alone: the others, with what they import
and all their options, would cost more time than most commands take. Everything else (help, completion, a
name that does not exist) sees all of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def gather(app: typer.Typer, table: Mapping[str, str], words: Sequence[str] = ()) -> typer.Typer:
    """Add commands to an app: the one that the first word names, or all. Returns the app.

    A place in the table is "module:name" below `penstock.cli`: a function, an app, or a function named
    `application` that makes an app of the words behind.
    """
    chosen = words[:1] if words and words[0] in table else table
    for name in chosen:
        module, _, what = table[name].partition(":")
        found = getattr(import_module(f"penstock.cli.{module}"), what)
        if what == "application":
            found = found(words[1:])
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app
