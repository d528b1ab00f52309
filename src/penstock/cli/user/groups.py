"""`penstock user groups`: which groups a user is in."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.user.user_options import JsonOption, UserArgument


def groups(
    user: UserArgument,
    group: Annotated[
        list[str] | None, typer.Option("--group", "-g", help="the groups from now on; may be repeated")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="take the user out of all groups")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a user's groups, or set them; running queue managers use the change within a second."""
    from penstock.cli.printing import show_json
    from penstock.cli.user.user_options import facts, users_path
    from penstock.host.users.users_file import User, changing_users, check_groups, known_user, read_users

    path = users_path()
    if group or none:
        wanted = check_groups(group or [])
        with changing_users(path) as users:
            before = known_user(users, user)
            found = users[user] = User(user, wanted, before.password)
    else:
        found = known_user(read_users(path), user)
    if as_json:
        show_json(facts(found))
    else:
        print(" ".join(sorted(found.groups)))
