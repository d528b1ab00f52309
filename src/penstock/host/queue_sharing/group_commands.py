"""A queue-sharing group as the commands of one member see it (`admin.group.Group`).

Definitions go to the facility's repository, and those of other members are copied from it when it changes
and at each start. Displays and actions of structures ask `share`. Made by `host.sharing` when the queue
manager joins. Lock order: the gate is never held while the facility is asked.
"""

from __future__ import annotations

import logging
import threading
import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from penstock.admin.group import GroupObject, MemberAnswer
from penstock.host.queue_sharing.group_scope import GroupScope
from penstock.host.queue_sharing.group_triggers import GroupTriggers
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr import definitions
from penstock.qmgr.objects import Definition, namespace_of
from penstock.qmgr.sharing import structures
from penstock.qmgr.sharing.shared_queue import SHARED_IDS, SharedQueue
from penstock.share import structure_status
from penstock.share.backup_catalogue import BackupCatalogue
from penstock.share.bodies import Bodies
from penstock.share.message_journal import MessageJournal
from penstock.share.orphaned_bodies import OrphanedBodies
from penstock.share.repository import OBJECTS_WAKE, Repository
from penstock.share.structure_actions import StructureActions
from penstock.share.structure_turns import StructureTurns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.admin.machinery import Request
    from penstock.host.queue_sharing.sharing import GroupMembership
    from penstock.model.status import Row
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.share.repository import StoredObject

logger = logging.getLogger(__name__)

STRUCTURE_IDS = SHARED_IDS * 2  # above those of shared queues
COLLECT_SECONDS = 1.0
START_SECONDS = (0.1, 0.5, 2.0)  # between tries to read the group before programs come


class GroupCommands:
    """The group of one member."""

    def __init__(self, membership: GroupMembership) -> None:
        self._membership = membership
        self._host, self._engine = membership.host, membership.engine
        self.facility = membership.facility
        self.repository = Repository(self.facility)
        self.bodies = Bodies(self.facility, self.repository, self.attributes_of)
        self.orphans = OrphanedBodies(self.facility, self.bodies)
        self.catalogue = BackupCatalogue(self.facility)
        folder = self._host.folder.path / "backups"
        self.journal = MessageJournal(folder)
        self.turns = StructureTurns(self.facility, self.repository, self.catalogue, self.bodies, self.journal)
        self.actions = StructureActions(
            self.facility, self.repository, self.catalogue, self.bodies, self.turns, folder
        )
        self._generation = (-1, 0, 0)
        self._refresh_lock = threading.Lock()
        self._own_changes: set[tuple[str, str]] = set()  # by commands here, since a refresh began to read
        self._stop = threading.Event()
        self._changed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="penstock-group", daemon=True)
        membership.wakes[OBJECTS_WAKE] = lambda _text: self._changed.set()
        self.triggers = GroupTriggers(membership, self._changed.set)
        self.scope = GroupScope(membership)

    @property
    def name(self) -> str:
        """The group's name."""
        return str(self._membership.group.name)

    # -- life ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Copy the group's definitions, then follow their changes."""
        self.facility.bodies = self.bodies
        self.facility.journal = self.journal
        self.facility.joined = self.turns.follow
        self._engine.group = self
        for seconds in START_SECONDS:
            try:
                self.refresh()
                break
            except (
                MQError
            ) as failure:  # without the facility the last copy serves, and the thread tries again
                logger.warning("group_not_read cause=%s", failure)
                if not self._membership.connected:
                    break
                time.sleep(seconds)
        self._thread.start()
        self.scope.start()

    def stop(self) -> None:
        """Save the space maps and end; the facility is still there."""
        self._end()
        self.bodies.close()

    def abandon(self) -> None:
        """End without saving anything."""
        self._end()
        self.bodies.abandon()

    def _end(self) -> None:
        self._stop.set()
        self._changed.set()
        self.turns.end()
        self._engine.group = None
        self.scope.end()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._changed.wait(COLLECT_SECONDS)
            self._changed.clear()
            if self._stop.is_set():
                return
            try:
                self.triggers.ask()
                self.refresh()
                self.bodies.open_own()
                self.bodies.collect()
                self.orphans.remove()
                self.actions.recover_failed()
                self.actions.back_up_if_long(self.journal.bytes)
            except MQError as failure:
                logger.info("group_not_read cause=%s", failure)
            except Exception:  # a thread's edge: the next second tries again
                logger.exception("group_failed")

    def must_stop(self) -> bool:
        """Return whether the loss of the facility stops the queue manager (CFCONLOS)."""
        qmgr = self._engine.definition.attributes
        found = self._engine.objects.all("CFSTRUCT")
        return any(not structures.is_tolerant(each.attributes, qmgr) for each in found)

    # -- definitions -----------------------------------------------------------------------------

    def attributes_of(self, structure: str) -> Mapping[str, Value] | None:
        """Return the attributes of a structure."""
        found = self._engine.objects.find("CFSTRUCT", structure)
        return found.attributes if found is not None else None

    def store(self, definition: GroupObject, *, new: bool) -> GroupObject:
        """Keep a definition for all members."""
        kind, name = definition.kind, definition.name
        self.repository.store(kind, name, definition.disposition, definition.attributes, new)
        now = time.time()
        number = 0
        if definition.disposition == "SHARED":
            number = self._number(kind, name, definition.attributes)
            if definition.attributes.get("TRIGGER") == "YES":
                self.facility.execute("update queue set armed = true where name = %s and not armed", (name,))
        return GroupObject(kind, name, definition.disposition, definition.attributes, number, now, now)

    def apply(self, definition: GroupObject) -> None:
        """Put what a command stored for the group in force here. Called with the engine held."""
        self._own_changes.add(_key(definition))
        self._install(definition)

    def _install(self, definition: GroupObject) -> None:
        before = self._engine.objects.find(namespace_of(definition.kind, {}), definition.name)
        created = before.created if before is not None else definition.created
        installed = Definition(
            definition.kind,
            definition.name,
            {key: tuple(v) if isinstance(v, list) else v for key, v in definition.attributes.items()},
            definition.id,
            created,
            definition.altered,
        )
        definitions.copy_of_group(self._engine, installed)
        if isinstance(queue := self._engine.queues.get(installed.name), SharedQueue):
            self._engine.effects.queue_altered(queue, time.time())  # events and trigger

    def remove(self, kind: str, name: str, *, purge: bool) -> None:
        """Remove a definition; 2042 or 2055 if members use it."""
        found = self.repository.find(kind, name)
        if found is not None and found.kind == "QLOCAL" and found.disposition == "SHARED":
            messages, opened = self.repository.queue_use(name)
            if opened:
                raise error(mq.MQRC_OBJECT_IN_USE, f"members have shared queue {name} open", object=name)
            if messages and not purge:
                raise error(
                    mq.MQRC_Q_NOT_EMPTY, f"shared queue {name} holds {messages} messages", object=name
                )
            queue = self._engine.queues.get(name)
            if isinstance(queue, SharedQueue):
                if self.repository.is_claimed(queue.number):
                    detail = f"units of work have messages of shared queue {name}"
                    raise error(mq.MQRC_OBJECT_IN_USE, detail, object=name)
                if messages:
                    self._membership.empty(queue)
        self.repository.remove(kind, name)

    def clear(self, name: str) -> None:
        """Remove the messages of a shared queue; 2042 if a member has it open or holds messages of it."""
        queue = self._engine.queues.get(name)
        assert isinstance(queue, SharedQueue)
        if self.repository.queue_use(name)[1] or self.repository.is_claimed(queue.number):
            detail = f"members have shared queue {name} open, or messages of it in units of work"
            raise error(mq.MQRC_OBJECT_IN_USE, detail, object=name)
        self._membership.empty(queue)

    def drop(self, kind: str, name: str) -> None:
        """Take a shared queue or structure out of force here. Called with the engine held."""
        self._own_changes.add((namespace_of(kind, {}), name))
        found = self._engine.objects.find(namespace_of(kind, {}), name)
        if found is not None:
            definitions.forget_of_group(self._engine, found)
        if kind == "CFSTRUCT":
            self.bodies.forget(name)

    def find(self, kind: str, name: str) -> GroupObject | None:
        """Return a definition, also one that was not copied here."""
        found = self.repository.find(kind, name)
        return _as_group_object(found) if found is not None else None

    def matching(self, kind: str, pattern: str) -> Sequence[GroupObject]:
        """Return the definitions of a kind that match a name."""
        found = [each for each in self.repository.all() if each.kind == kind]
        return [_as_group_object(each) for each in found if fnmatchcase(each.name, pattern)]

    def refresh(self) -> None:
        """Copy what changed in the group since the last time.

        What commands change here meanwhile is younger than what was read, and stays.
        """
        with self._refresh_lock:
            self._own_changes.clear()
            generation = self.repository.generation()
            if generation != self._generation:
                found = self.repository.all()
                numbers = {
                    each.name: self._number(each.kind, each.name, each.attributes)
                    for each in found
                    if each.disposition == "SHARED"
                }
                self._copy(found, numbers)
                self._generation = generation
            self.turns.follow()
            self._apply_data_sets()

    def _copy(self, found: list[StoredObject], numbers: dict[str, int]) -> None:
        with self._host.gate.anyway:
            self._engine.step.begin()
            for each in found:
                if _key(each) not in self._own_changes:
                    self._copy_one(each, numbers.get(each.name, 0))
            kept = {_key(each) for each in found} | self._own_changes
            for space in ("QUEUE", "CFSTRUCT", "PROCESS", "NAMELIST"):
                for definition in list(self._engine.objects.all(space)):
                    if (space, definition.name) not in kept and _is_of_group(definition):
                        self._forget(definition)
            self._engine.step.end()
            copied = self._engine.journal.end
        self._host.settle(copied)  # a restart without the facility has the last copy

    def _copy_one(self, each: StoredObject, number: int) -> None:
        local = self._engine.objects.find(namespace_of(each.kind, {}), each.name)
        if each.disposition == "SHARED":
            if local is not None and not _is_of_group(local):
                self._notice("CSQM051E", f"{each.kind}({each.name}) of the group is not used: it exists here")
                return
            self._install(_as_group_object(each, number))
            return
        values: dict[str, Any] = dict(_as_group_object(each).attributes) | {"QSGDISP": "COPY"}
        if local is not None and local.attributes.get("QSGDISP", "QMGR") != "COPY":
            self._notice("CSQM052I", f"{each.kind}({each.name}) of the group is not copied: it exists here")
            return
        if local is not None and dict(local.attributes) == values:
            return
        try:
            self._engine.define(each.kind, each.name, values, time.time(), replace=True)
        except MQError as refusal:
            self._notice("CSQM053I", f"{each.kind}({each.name}) of the group is not copied: {refusal}")

    def _forget(self, definition: Definition) -> None:
        if definition.attributes.get("QSGDISP") == "COPY":
            try:
                self._engine.delete(definition, time.time())
            except MQError as refusal:
                self._notice("CSQM054I", f"copy {definition.name} is not deleted: {refusal}")
            return
        definitions.forget_of_group(self._engine, definition)
        if definition.kind == "CFSTRUCT":
            self.bodies.forget(definition.name)

    def _number(self, kind: str, name: str, attributes: Mapping[str, Any]) -> int:
        if kind == "CFSTRUCT":
            states = self.bodies.states
            if name not in states:
                states = self.bodies.states = self.repository.structures()
            return STRUCTURE_IDS + states[name].number
        structure = str(attributes.get("CFSTRUCT", ""))
        return int(self.facility.queue_number(name, structure)) + SHARED_IDS

    def _apply_data_sets(self) -> None:
        for each in self.repository.data_sets():
            values = self.attributes_of(each.structure)
            data_sets = self.bodies.data_sets(each.structure) if values is not None else None
            if data_sets is None or values is None:
                continue
            if each.access == "ENABLED":
                data_sets.disabled.discard(each.member)
            else:
                data_sets.disabled.add(each.member)
            if each.member == self.facility.name:
                data_sets.apply(values, each.expand, each.buffers)

    def _notice(self, number: str, text: str) -> None:
        self._host.error_log.write(number, text)

    # -- displays and actions ----------------------------------------------------------------------

    def rows(self, what: str, name: str, structure: str) -> Sequence[Row]:
        """Return the lines of a display."""
        return structure_status.rows(self, what)

    def act(self, request: Request) -> Sequence[str]:
        """Carry out an action on a structure or data set."""
        try:
            texts = self.actions.act(request.verb, request.kind, request.name, dict(request.options))
        finally:
            self.refresh()  # a recovery that is refused has changed the structure's state, too
        return texts

    def send(self, text: str, member: str) -> Sequence[MemberAnswer]:
        """Have a command carried out by a member, or by all that are active (*); return their answers."""
        return self.scope.send(text, member)


def _key(definition: GroupObject | StoredObject) -> tuple[str, str]:
    return namespace_of(definition.kind, {}), definition.name


def _is_of_group(definition: Definition) -> bool:
    return definition.kind == "CFSTRUCT" or definition.attributes.get("QSGDISP") in ("SHARED", "COPY")


def _as_group_object(stored: StoredObject, number: int = 0) -> GroupObject:
    values = {key: tuple(v) if isinstance(v, list) else v for key, v in stored.attributes.items()}
    return GroupObject(
        stored.kind, stored.name, stored.disposition, values, number, stored.created, stored.altered
    )
