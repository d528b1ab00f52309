"""`penstock user add`: a new user, with groups and a password."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.user.user_options import JsonOption, PasswordFile, UserArgument


def add(
    user: UserArgument,
    group: Annotated[list[str] | None, typer.Option("--group", "-g", help="a group; may be repeated")] = None,
    password_file: PasswordFile = "",
    no_password: Annotated[
        bool, typer.Option("--no-password", help="the user is only mapped to, and cannot log in by himself")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a user; the command prompts for the password. Running queue managers know the user at once."""
    from penstock.cli.printing import show_json
    from penstock.cli.user.user_options import ask_password, facts, users_path
    from penstock.host.users.users_file import User, changing_users, check_groups, check_new

    path = users_path()
    check_new(path, user)
    groups = check_groups(group or [])
    made = User(user, groups, None if no_password else ask_password(password_file))
    with changing_users(path) as users:
        users[user] = made
    if as_json:
        show_json(facts(made))
    else:
        print(f"User {user} added" + (f" to {', '.join(sorted(groups))}." if groups else "."))
