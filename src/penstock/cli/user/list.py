"""`penstock user list`: all users of this home."""

from __future__ import annotations

from penstock.cli.user.user_options import JsonOption

COLUMNS = ("user", "groups", "password")


def list_(as_json: JsonOption = False) -> None:
    """List the users: name, groups, and whether they have a password."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.cli.user.user_options import facts, users_path
    from penstock.host.users.users_file import read_users

    users = read_users(users_path())
    if as_json:
        show_json([facts(users[name]) for name in sorted(users)])
        return
    rows = [
        (name, " ".join(sorted(users[name].groups)), "yes" if users[name].password else "no")
        for name in sorted(users)
    ]
    show_columns(COLUMNS, rows)
