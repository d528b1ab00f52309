"""Shared by the commands about users: the file, the options for a password, the prompt.

A password is typed twice without being shown, or read from a file or standard input; never from the command
line, where others could see it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from penstock.host.users.passwords import Hashed
    from penstock.host.users.users_file import User

UserArgument = Annotated[str, typer.Argument(metavar="USER", help="the user's name, at most 12 characters")]
PasswordFile = Annotated[
    str, typer.Option("--password-file", help="read the password from this file; - is standard input")
]
JsonOption = Annotated[bool, typer.Option("--json", help="answer in JSON")]


def users_path() -> Path:
    """Return the users file of this home."""
    from penstock.host.users.users_file import NAME
    from penstock.store.home import penstock_home

    return penstock_home() / NAME


def ask_password(file: str) -> Hashed:
    """Return the hashed password from a file, from standard input, or typed now."""
    from penstock.host.users.passwords import check_password, hash_password

    if file:
        text = sys.stdin.readline() if file == "-" else Path(file).read_text(encoding="utf-8")
        return hash_password(check_password(text.removesuffix("\n").removesuffix("\r")))
    if not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask at: give --password-file FILE, or - for input")
    typed = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return hash_password(check_password(str(typed)))


def facts(user: User) -> dict[str, object]:
    """Return the public facts about a user."""
    return {"name": user.name, "groups": sorted(user.groups), "password": user.password is not None}
