"""Authority records (AUTHREC) of one queue manager: who may do what with which object.

A user has what the most specific matching profile grants to the user and to each of the user's groups.
Administrators may do everything. `Authority` observes the registry, so SET AUTHREC takes effect at once.
Verbs check through `UserPermissions` (`qmgr.authorization` defines what they need), commands through
`command_authority`, people through `penstock explain-access`. Called under the engine's lock.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from penstock.model.names import is_profile_generic, profile_matches, profile_specificity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.qmgr.objects import Definition, Objects

CLASS = "@class"  # the profile about making objects of a type
FOUND_KEPT = 10_000  # cached answers


class People(Protocol):
    """The source of users: their groups, and who administers the queue manager."""

    def groups(self, user: str) -> frozenset[str]:
        """Return the groups of a user."""

    def administrator_by(self, user: str) -> str:
        """Return why a user is an administrator; empty if the user is not."""


@dataclass(frozen=True, slots=True)
class Record:
    """One AUTHREC."""

    profile: str
    object_type: str
    entity_type: str  # PRINCIPAL or GROUP
    entity: str
    words: frozenset[str]

    def __str__(self) -> str:
        words = ",".join(sorted(self.words)) or "NONE"
        whom = f"{self.entity_type}({self.entity})"
        return f"PROFILE({self.profile}) OBJTYPE({self.object_type}) {whom} AUTHLIST({words})"


@dataclass(frozen=True, slots=True)
class Grant:
    """Whether a user may do something, and the record that grants it."""

    allowed: bool
    text: str
    missing: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()  # all that are about the user and the object
    administrator: bool = False


class Authority:
    """The authority records of one queue manager."""

    def __init__(self, objects: Objects, people: People) -> None:
        """Read the existing records, and follow every change from now on."""
        self.people = people
        self.generation = 0
        self._by_entity: dict[tuple[str, str, str], _Profiles] = {}
        self._found: dict[tuple[str, frozenset[str], str, str], tuple[Record, ...]] = {}
        objects.observe("AUTHREC", self)

    def added(self, definition: Definition) -> None:
        """Add a record that was set."""
        record = _record(definition)
        self._profiles(record).add(record)
        self.refresh()

    def removed(self, definition: Definition) -> None:
        """Drop a record that was removed, or is about to be replaced."""
        record = _record(definition)
        self._profiles(record).remove(record)
        self.refresh()

    def refresh(self) -> None:
        """Forget cached answers."""
        self.generation += 1
        self._found.clear()

    def check(
        self, user: str, groups: frozenset[str], object_type: str, name: str, needed: Iterable[str]
    ) -> Grant:
        """Return whether a user in some groups may do everything needed with an object, and why."""
        records = self.records(user, groups, object_type, name)
        have = frozenset[str]().union(*(record.words for record in records))
        missing = tuple(word for word in dict.fromkeys(needed) if word not in have)
        if not missing:
            return Grant(True, f"granted by {'; '.join(map(str, records))}", (), records)
        lacking = f"user {user} lacks {', '.join(missing)} for {object_type} {name}"
        if not records:
            return Grant(False, f"{lacking}: no authority record is about both", missing)
        return Grant(False, f"{lacking}: there is only {'; '.join(map(str, records))}", missing, records)

    def records(self, user: str, groups: frozenset[str], object_type: str, name: str) -> tuple[Record, ...]:
        """Return the records that apply to a user and an object: the most specific one of each entity."""
        key = (user, groups, object_type, name)
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= FOUND_KEPT:
                self._found.clear()
            found = self._found[key] = tuple(self._look_up(user, groups, object_type, name))
        return found

    def _look_up(self, user: str, groups: frozenset[str], object_type: str, name: str) -> Iterator[Record]:
        entities = [("PRINCIPAL", user), *(("GROUP", group) for group in sorted(groups))]
        for entity_type, entity in entities:
            profiles = self._by_entity.get((object_type, entity_type, entity))
            record = profiles.best(name) if profiles is not None else None
            if record is not None:
                yield record

    def _profiles(self, record: Record) -> _Profiles:
        key = (record.object_type, record.entity_type, record.entity)
        return self._by_entity.setdefault(key, _Profiles())


class UserPermissions:
    """The permissions of one user, evaluated each time: groups and records may have changed."""

    __slots__ = ("_authority", "user")

    def __init__(self, authority: Authority, user: str) -> None:
        self._authority = authority
        self.user = user

    def of(self, user: str) -> UserPermissions:
        """Return the permissions of another user."""
        return UserPermissions(self._authority, user)

    @property
    def administrator(self) -> bool:
        """Whether the user may do everything."""
        return bool(self._authority.people.administrator_by(self.user))

    def refusal(self, object_type: str, name: str, needed: tuple[str, ...]) -> str:
        """Return why the user may not do everything needed with an object; empty if allowed."""
        grant = self.grant(object_type, name, needed)
        return "" if grant.allowed else grant.text

    def grant(self, object_type: str, name: str, needed: Iterable[str]) -> Grant:
        """Return whether the user may do everything needed with an object, and what grants it."""
        people = self._authority.people
        by = people.administrator_by(self.user)
        if by:
            return Grant(True, f"{self.user} is an administrator: {by}", administrator=True)
        return self._authority.check(self.user, people.groups(self.user), object_type, name, needed)


class _Profiles:
    """The records of one user or group for one type of object: exact names, then generic ones."""

    __slots__ = ("exact", "generic")

    def __init__(self) -> None:
        self.exact: dict[str, Record] = {}
        self.generic: list[Record] = []  # the most specific last

    def add(self, record: Record) -> None:
        if is_profile_generic(record.profile):
            insort(self.generic, record, key=_specificity)
        else:
            self.exact[record.profile] = record

    def remove(self, record: Record) -> None:
        if is_profile_generic(record.profile):
            self.generic.remove(record)
        else:
            del self.exact[record.profile]

    def best(self, name: str) -> Record | None:
        found = self.exact.get(name)
        if found is not None or name == CLASS:
            return found
        return next((each for each in reversed(self.generic) if profile_matches(each.profile, name)), None)


def _specificity(record: Record) -> tuple[tuple[tuple[int, ...], int], str]:
    return profile_specificity(record.profile), record.profile


def _record(definition: Definition) -> Record:
    values = definition.attributes
    listed = values.get("AUTHLIST")
    return Record(
        str(values["PROFILE"]),
        str(values["OBJTYPE"]),
        str(values["ENTTYPE"]),
        str(values["ENTITY"]),
        frozenset(listed) if isinstance(listed, tuple) else frozenset(),
    )
