"""`penstock user remove`: removes a user; the authority records about them stay."""

from __future__ import annotations

from penstock.cli.user.user_options import JsonOption, UserArgument


def remove(user: UserArgument, as_json: JsonOption = False) -> None:
    """Remove a user. Connections that he has stay until they end; authority records stay too."""
    from penstock.cli.printing import show_json
    from penstock.cli.user.user_options import facts, users_path
    from penstock.host.users.users_file import changing_users, known_user

    with changing_users(users_path()) as users:
        gone = known_user(users, user)
        del users[user]
    if as_json:
        show_json(facts(gone))
    else:
        print(f"User {user} removed.")
