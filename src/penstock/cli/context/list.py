"""`penstock context list`: the named addresses."""

from __future__ import annotations

from dataclasses import asdict

from penstock.cli.connecting import JsonOption
from penstock.cli.context import contexts

COLUMNS = ("name", "in_use", "address", "user", "password_file")


def list_(as_json: JsonOption = False) -> None:
    """List the contexts, and which one is in use."""
    from penstock.cli.printing import show_columns, show_json

    found, used = contexts.read()
    rows = [{"name": name, "in_use": name == used, **asdict(each)} for name, each in found.items()]
    if as_json:
        show_json(rows)
        return
    show_columns(COLUMNS, [[_text(row[column]) for column in COLUMNS] for row in rows])


def _text(value: object) -> object:
    return ("yes" if value else "") if isinstance(value, bool) else value
