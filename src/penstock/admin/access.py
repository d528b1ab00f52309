"""Access control of one queue manager: who may connect and do what.

The host makes one for its engine, with `people`, the directory of users and passwords. A server asks
`channels` who may connect, and gives each connection the `permissions` of the resulting user; commands and
`penstock explain-access` use the same parts. Nothing here opens a file or a socket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from penstock.admin import connection_authentication
from penstock.admin.authority import Authority, UserPermissions
from penstock.admin.authority import People as KnownUsers
from penstock.admin.channel_authentication.evaluator import WRONG_PASSWORD, ChannelAuthentication, Decision
from penstock.admin.connection_authentication import CLIENT, Users, Verdict
from penstock.model.limits import USER_ID_LENGTH
from penstock.qmgr.catalogue.authority import authorities_of

if TYPE_CHECKING:
    from penstock.qmgr.objects import Objects


class People(KnownUsers, Users, Protocol):
    """The source of users, their groups and their passwords."""

    owner: str  # of the queue manager's folder

    def may_exist(self, user: str) -> bool:
        """Return whether a user of this name may exist; yes while the system has not answered."""

    def refresh(self) -> None:
        """Forget cached users and groups."""


class Access:
    """Channel authentication, passwords and authority of one queue manager."""

    def __init__(self, objects: Objects, people: People) -> None:
        self._objects = objects
        self.people = people
        self.channels = ChannelAuthentication(objects, lambda user: bool(people.administrator_by(user)))
        self.authority = Authority(objects, people)

    def permissions(self, user: str) -> UserPermissions:
        """Return the permissions of a user, for `Engine.connect`."""
        return UserPermissions(self.authority, user)

    def sender(self, user_id: str) -> UserPermissions:
        """Return the permissions of the user that a message names.

        The field truncates a long name: the truncated name of the folder's owner counts as the owner, unless
        it may be another user's name.
        """
        owner = self.people.owner
        cut = len(owner) > USER_ID_LENGTH and owner[:USER_ID_LENGTH] == user_id
        return self.permissions(owner if cut and not self._may_be_somebody(user_id) else user_id)

    def _may_be_somebody(self, user: str) -> bool:
        records = self._objects.all("AUTHREC")
        named = any(each.attributes["ENTITY"] == user for each in records)
        return named or self.people.may_exist(user)

    def all_authorities(self, entity_type: str, entity: str, object_type: str, name: str) -> frozenset[str]:
        """Return everything that a user with their groups, or a group alone, may do with an object."""
        if entity_type == "PRINCIPAL" and self.people.administrator_by(entity):
            return authorities_of(object_type, ("ALL",))
        user = entity if entity_type == "PRINCIPAL" else ""
        groups = self.people.groups(entity) if user else frozenset((entity,))
        records = self.authority.records(user, groups, object_type, name)
        return frozenset[str]().union(*(record.words for record in records))

    @property
    def failure_delay(self) -> float:
        """Seconds before a refusal is sent: FAILDLAY."""
        return connection_authentication.settings(self._objects).failure_delay

    def authenticate(self, user: str, password: str, kind: str = CLIENT) -> Verdict:
        """Check a password as CONNAUTH requires. Slow on purpose: call it on a thread, outside the gate."""
        asked = connection_authentication.settings(self._objects)
        return connection_authentication.authenticate(asked, self.people, user, password, kind)

    def decide_local(self, user: str, verdict: Verdict | None, commands_only: bool = False) -> Decision:
        """Decide about a local program that runs as a user, and as which user it connects (CHCKLOCL,
        ADOPTCTX).

        The owner of the folder may always run commands: a user who can read and write its files needs no
        password, and an unusable CONNAUTH must be repairable. A wrong password is refused.
        """
        asked = connection_authentication.settings(self._objects)
        administrator = bool(self.people.administrator_by(user))
        refusal = connection_authentication.local_refusal(asked, administrator, verdict)
        unproved = verdict is None or not verdict.checked
        if refusal and commands_only and unproved and user == self.people.owner:
            return Decision(True, user, "")
        if refusal:
            return Decision(False, user, refusal, log_id=WRONG_PASSWORD, delay=asked.failure_delay)
        proved = verdict is not None and verdict.checked and asked.adopt
        return Decision(True, verdict.user if proved and verdict is not None else user, "")

    def refresh(self) -> None:
        """Forget cached users, groups and records: REFRESH SECURITY."""
        self.people.refresh()
        self.authority.refresh()
