"""Actions on structures and data sets: BACKUP, RECOVER, RESET, ALTER SMDS, START and STOP SMDSCONN; RECAUTO.

Called by `host.group_commands` outside the engine. A backup and a recovery announce a turn first, which every
active member takes up. What a recovery brings back is in `structure_recovery`. Invariant: a structure becomes
ACTIVE only when every message of it can be read.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing import structures
from penstock.share.message_journal import BACKUP_BYTES
from penstock.share.repository import ACTIVE, FAILED, INRECOVER
from penstock.share.structure_backup import back_up
from penstock.share.structure_recovery import StructureRecovery
from penstock.store.body_reference import IN_DATA_SET

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.share.backup_catalogue import BackupCatalogue
    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility
    from penstock.share.repository import Repository, StructureState
    from penstock.share.structure_turns import StructureTurns

logger = logging.getLogger(__name__)

BACKUP_SECONDS = 60.0  # between backups that a long message journal asks for


class StructureActions:
    """What operators do with structures, at one member."""

    def __init__(
        self,
        facility: Facility,
        repository: Repository,
        catalogue: BackupCatalogue,
        bodies: Bodies,
        turns: StructureTurns,
        folder: Path,
    ) -> None:
        self._facility, self._repository, self._catalogue = facility, repository, catalogue
        self._bodies, self._turns, self._folder = bodies, turns, folder
        self._tried: set[tuple[str, float]] = set()  # automatic recoveries, by structure and failure
        self._backed_up_at = 0.0  # by itself

    def act(self, verb: str, kind: str, name: str, options: dict[str, str]) -> list[str]:
        """Carry out one action and return its messages."""
        structure = name if kind == "CFSTRUCT" else options.get("CFSTRUCT", "")
        state = self._repository.structures().get(structure)
        if state is None:
            raise error(mq.MQRC_CF_STRUC_ERROR, f"structure {structure} is not defined", object=structure)
        if kind == "CFSTRUCT":
            if verb == "BACKUP":
                ignored = ["EXCLINT has no effect: every message is written"] if "EXCLINT" in options else []
                return [*ignored, *self._back_up(structure)]
            if verb == "RECOVER":
                return self._recover(state, options.get("TYPE", "NORMAL"))
            self._repository.set_structure(structure, FAILED, rebuild=True)
            return [f"CSQE104I Structure {structure} now has STATUS(FAILED)"]
        if verb in ("START", "STOP"):
            return self._connect(verb, name, structure)
        return self._change_data_set(verb, name, structure, options)

    # -- backup --------------------------------------------------------------------------------

    def _back_up(self, structure: str) -> list[str]:
        values = self._attributes(structure)
        if values["RECOVER"] != "YES":
            text = f"structure {structure} has RECOVER(NO): it has no persistent messages to back up"
            raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, text, object=structure)
        began = time.time()
        path = (
            self._folder
            / f"{structure}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(began))}-{began % 1:.3f}.cfb"
        )
        turn = self._catalogue.announce_backup(structure, self._facility.name, began, str(path))
        try:
            self._turns.wait_for_all(turn)
            size, messages = back_up(self._facility, self._bodies, structure, path)
        except MQError:
            self._catalogue.backup_failed(turn)
            raise
        self._catalogue.backup_ended(turn, size, messages)
        return [
            f"CSQE120I Backup of structure {structure} started",
            f"CSQE121I Backup of structure {structure} completed: {messages} messages in {path}",
        ]

    def back_up_if_long(self, journal_bytes: int) -> None:
        """Back up the structure whose backup is the oldest, if this member's journal has become long."""
        now = time.monotonic()
        if journal_bytes < BACKUP_BYTES or now < self._backed_up_at + BACKUP_SECONDS:
            return
        self._backed_up_at = now
        if (structure := self._catalogue.oldest_backed_up()) is None:
            return
        try:
            texts = self._back_up(structure)
        except MQError as failure:
            texts = [f"CSQE122E Structure {structure} is not backed up: {failure}"]
        self._tell(texts)

    def _tell(self, texts: Iterable[str]) -> None:
        for text in texts:
            number, _, words = text.partition(" ")
            self._facility.notices(number, words)

    # -- recovery --------------------------------------------------------------------------------

    def _recover(self, state: StructureState, kind: str) -> list[str]:
        structure = state.name
        failed = [
            each.member
            for each in self._repository.data_sets()
            if each.structure == structure and each.status == FAILED
        ]
        if state.state == INRECOVER:
            text = f"structure {structure} is being recovered"
            raise error(mq.MQRC_CF_STRUC_IN_USE, text, object=structure)
        if state.state != FAILED and not failed:
            text = f"structure {structure} has not failed: there is nothing to recover"
            raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, text, object=structure)
        turn = self._catalogue.announce_recovery(structure)
        try:
            self._turns.wait_for_all(turn)
            text = self._purge(structure) if kind == "PURGE" else self._restore(state, failed)
        except BaseException:
            self._repository.set_structure(structure, FAILED)
            raise
        now = time.time()
        for each in self._repository.data_sets():
            if each.structure == structure:
                self._repository.set_data_set(
                    structure, each.member, status="RECOVERED", access="ENABLED", recovered_at=now
                )
        self._repository.set_structure(structure, ACTIVE)
        return [text, f"CSQE131I Recovery of structure {structure} completed"]

    def _purge(self, structure: str) -> str:
        queues = "queue in (select id from queue where structure = %s)"
        elsewhere = f"place > 0 and place <> {IN_DATA_SET}"  # maps of data sets are built anew
        gone = self._facility.execute(
            f"with a as (delete from p where {queues} returning place, seq, body),"
            f" b as (delete from n where {queues} returning place, seq, body),"
            f" c as (delete from claim where {queues}), d as (insert into released"
            f" select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from a where {elsewhere}"
            " union all"
            f" select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from b where {elsewhere})"
            " select (select count(*) from a) + (select count(*) from b)",
            (structure,) * 3,
        )
        self._catalogue.forget_backups(structure)
        return f"CSQE132I Structure {structure} purged: {gone[0][0]} messages removed"

    def _restore(self, state: StructureState, failed: list[str]) -> str:
        """Bring back what was lost; nothing is changed unless all of it can be."""
        structure = state.name
        if self._attributes(structure)["RECOVER"] != "YES":
            text = f"structure {structure} has RECOVER(NO): RECOVER CFSTRUCT TYPE(PURGE) empties it"
            raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, text, object=structure)
        numbers = {each.name: each.number for each in self._facility.members()}
        return StructureRecovery(
            self._facility,
            self._catalogue,
            self._bodies,
            structure,
            [numbers[member] for member in failed if member in numbers],
            state.rebuild,
        ).run()

    def recover_failed(self) -> None:
        """Recover failed structures with RECAUTO(YES), at the active member with the lowest number."""
        failed = [each for each in self._bodies.states.values() if each.state == FAILED]
        if not failed:
            return
        active = [each.number for each in self._facility.members() if each.state == "active"]
        if not active or min(active) != self._facility.member:
            return
        for each in failed:
            key = each.name, each.failed_at or 0.0
            if key in self._tried or not structures.recovers_itself(self._attributes(each.name)):
                continue
            self._tried.add(key)
            self._recover_automatically(each.name)

    def _recover_automatically(self, structure: str) -> None:
        try:
            state = self._repository.structures()[structure]  # an operator may have been quicker
            if state.state == FAILED:
                self._tell(self._recover(state, "NORMAL"))
        except MQError as failure:
            if self._repository.structures()[structure].state == FAILED:
                self._facility.notices("CSQE133E", f"Structure {structure} is not recovered: {failure}")

    # -- data sets ---------------------------------------------------------------------------------

    def _change_data_set(self, verb: str, member: str, structure: str, options: dict[str, str]) -> list[str]:
        changes: dict[str, Any] = {}
        if verb == "ALTER":
            columns = {"DSBUFS": "dsbufs", "DSEXPAND": "dsexpand"}
            if (count := options.get("DSBUFS", "DEFAULT").upper()) != "DEFAULT" and not count.isdigit():
                raise error(
                    mq.MQRCCF_ATTR_VALUE_ERROR, f"DSBUFS({count}): a number from 1 to 9999 or DEFAULT"
                )
        else:
            columns = {"ACCESS": "access", "STATUS": "status"}
        for option, column in columns.items():
            if option in options:
                changes[column] = options[option]
        if not changes:
            raise error(mq.MQRCCF_PARM_MISSING, f"{verb} SMDS needs {' or '.join(columns)}")
        if changes.get("status") == FAILED:
            changes["failed_at"] = time.time()
        self._repository.set_data_set(structure, member, **changes)
        if changes.get("status") == FAILED:
            self._repository.set_structure(structure, FAILED)
        data_sets = self._bodies.data_sets(structure)
        if data_sets is not None and changes.get("access") == "ENABLED":
            data_sets.reopen()
        number = "CSQE242I" if "access" in changes else "CSQE241I"
        shown = " ".join(f"{option}({options[option]})" for option in columns if option in options)
        return [f"{number} SMDS({member}) CFSTRUCT({structure}) now has {shown}"]

    def _connect(self, verb: str, member: str, structure: str) -> list[str]:
        data_sets = self._bodies.data_sets(structure)
        if data_sets is None:
            raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, f"structure {structure} has no data sets")
        if verb == "STOP":
            data_sets.stop(member)
            return [f"CSQE247I SMDSCONN({member}) CFSTRUCT({structure}) is stopped"]
        data_sets.start(member)
        return [f"CSQE246I SMDSCONN({member}) CFSTRUCT({structure}) is opened again"]

    def _attributes(self, structure: str) -> Any:
        values = self._bodies.attributes_of(structure)
        if values is None:
            raise error(mq.MQRC_CF_STRUC_ERROR, f"structure {structure} is not defined", object=structure)
        return values
