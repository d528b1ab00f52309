"""`penstock user password`: a new password for a user."""

from __future__ import annotations

from penstock.cli.user.user_options import JsonOption, PasswordFile, UserArgument


def password(user: UserArgument, password_file: PasswordFile = "", as_json: JsonOption = False) -> None:
    """Change a user's password; the old one is no longer accepted, also in running queue managers."""
    from penstock.cli.printing import show_json
    from penstock.cli.user.user_options import ask_password, facts, users_path
    from penstock.host.users.users_file import User, changing_users, known_user, read_users

    path = users_path()
    known_user(read_users(path), user)
    hashed = ask_password(password_file)
    with changing_users(path) as users:
        changed = users[user] = User(user, known_user(users, user).groups, hashed)
    if as_json:
        show_json(facts(changed))
    else:
        print(f"The password of {user} is changed.")
