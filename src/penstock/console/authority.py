"""Who administers this home: what has no queue manager to decide it, such as brokers and the audit log."""

from __future__ import annotations

from penstock.host.users.user_directory import People, owner_of
from penstock.host.users.users_file import NAME
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.home import penstock_home


def is_administrator(user: str) -> bool:
    """Say whether a user is an administrator: owner of the home, root, or in group mqm."""
    home = penstock_home()
    return bool(People(home / NAME, owner_of(home)).administrator_by(user))


def check_administrator(user: str, what: str) -> None:
    """Raise 2035 unless a user is an administrator."""
    if not is_administrator(user):
        raise error(
            mq.MQRC_NOT_AUTHORIZED,
            f"{user} may not {what}: that is for the home's owner and members of group mqm",
        )
