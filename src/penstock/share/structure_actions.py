"""Actions on structures and data sets: BACKUP, RECOVER, RESET, ALTER SMDS, START and STOP SMDSCONN; RECAUTO.

Called by `host.group_commands` outside the engine. A recovery restores bodies that a failed data set has
lost from the newest backup; messages themselves are in PostgreSQL, which has backups of its own. Invariant:
a recovery never makes a message that the facility does not have, so nothing is doubled; a structure becomes
ACTIVE only when every message of it can be read.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing import structures
from penstock.share.repository import ACTIVE, FAILED, INRECOVER
from penstock.share.structure_backup import back_up, read_backup
from penstock.store._checksum import crc32c
from penstock.store.body_reference import IN_DATA_SET, IN_TABLE, BodyReference

if TYPE_CHECKING:
    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility
    from penstock.share.repository import DataSetState, Repository

logger = logging.getLogger(__name__)

OF_DATA_SET = (
    f"place = {IN_DATA_SET} and queue in (select id from queue where structure = %s)"
    " and get_byte(body, 1) + 256 * get_byte(body, 2) = %s"
)


class StructureActions:
    """What operators do with structures, at one member."""

    def __init__(self, facility: Facility, repository: Repository, bodies: Bodies, folder: Path) -> None:
        self._facility, self._repository, self._bodies, self._folder = facility, repository, bodies, folder
        self._tried: set[tuple[str, float]] = set()  # automatic recoveries, by structure and failure

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
                return self._recover(structure, state.state, options.get("TYPE", "NORMAL"))
            self._repository.set_structure(structure, FAILED)
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
        member = self._facility.name
        self._facility.execute(
            "insert into backup(structure, member, state, began, path) values (%s, %s, 'ACTIVE', %s, %s)",
            (structure, member, began, str(path)),
        )
        key = (structure, member, began)
        try:
            file = back_up(self._facility, self._bodies, structure, path)
        except MQError:
            self._facility.execute(
                "update backup set state = 'FAILED', failed_at = %s where structure = %s and member = %s"
                " and began = %s",
                (time.time(), *key),
            )
            raise
        self._facility.execute(
            "update backup set state = 'NONE', ended = %s, bytes = %s, messages = %s where structure = %s"
            " and member = %s and began = %s",
            (time.time(), file.bytes, file.messages, *key),
        )
        return [
            f"CSQE120I Backup of structure {structure} started",
            f"CSQE121I Backup of structure {structure} completed: {file.messages} messages in {path}",
        ]

    # -- recovery --------------------------------------------------------------------------------

    def _recover(self, structure: str, state: str, kind: str) -> list[str]:
        failed = [
            each
            for each in self._repository.data_sets()
            if each.structure == structure and each.status == FAILED
        ]
        if state != FAILED and not failed:
            text = f"structure {structure} has not failed: there is nothing to recover"
            raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, text, object=structure)
        self._repository.set_structure(structure, INRECOVER)
        try:
            texts = self._purge(structure) if kind == "PURGE" else self._restore(structure, failed)
        except BaseException:
            self._repository.set_structure(structure, FAILED)
            raise
        now = time.time()
        for each in self._repository.data_sets():
            if each.structure == structure:
                self._repository.set_data_set(
                    structure, each.member, status="RECOVERED", access="ENABLED", recovered_at=now
                )
        self._bodies.forget(structure)
        self._repository.set_structure(structure, ACTIVE)
        return [*texts, f"CSQE131I Recovery of structure {structure} completed"]

    def _purge(self, structure: str) -> list[str]:
        queues = "queue in (select id from queue where structure = %s)"
        gone = self._facility.execute(
            f"with a as (delete from p where {queues} returning seq),"
            f" b as (delete from n where {queues} returning seq), c as (delete from claim where {queues})"
            " select (select count(*) from a) + (select count(*) from b)",
            (structure,) * 3,
        )
        data_sets = self._bodies.data_sets(structure)
        if data_sets is not None:
            data_sets.abandon()
            data_sets.path_of(self._facility.name).unlink(missing_ok=True)
        return [f"CSQE132I Structure {structure} purged: {gone[0][0]} messages removed"]

    def _restore(self, structure: str, failed: list[DataSetState]) -> list[str]:
        """Bring back what failed data sets have lost; nothing is changed unless all of it can be."""
        if self._attributes(structure)["RECOVER"] != "YES":
            text = f"structure {structure} has RECOVER(NO): RECOVER CFSTRUCT TYPE(PURGE) empties it"
            raise error(mq.MQRC_FUNCTION_NOT_SUPPORTED, text, object=structure)
        numbers = {each.name: each.number for each in self._facility.members()}
        lost: set[int] = set()
        for each in failed:
            rows = self._facility.execute(
                f"select seq from p where {OF_DATA_SET}", (structure, numbers[each.member])
            )
            lost |= {row[0] for row in rows}
        found = self._from_backup(structure, lost) if lost else {}
        if missing := lost - found.keys():
            text = (
                f"{len(missing)} messages of structure {structure} are in no backup that"
                f" {self._facility.name} can read: run RECOVER CFSTRUCT where the newest backup is,"
                " or with TYPE(PURGE)"
            )
            raise error(mq.MQRC_CF_STRUC_FAILED, text, object=structure, missing=len(missing))
        self._put_back(structure, found)
        dropped = 0
        for each in failed:
            rows = self._facility.execute(
                f"with gone as (delete from n where {OF_DATA_SET} returning 1) select count(*) from gone",
                (structure, numbers[each.member]),
            )
            dropped += int(rows[0][0])
        return [f"CSQE130I Recovery of structure {structure}: {len(found)} restored, {dropped} dropped"]

    def _from_backup(self, structure: str, lost: set[int]) -> dict[int, bytes]:
        rows = self._facility.execute(
            "select path from backup where structure = %s and ended is not null order by began desc",
            (structure,),
        )
        found: dict[int, bytes] = {}
        for (path,) in rows:
            if not Path(path).exists():
                continue
            for _, _, seq, _, _, _, body, _ in read_backup(Path(path)):
                if seq in lost:
                    found.setdefault(seq, body)
            if lost <= found.keys():
                break
        return found

    def _put_back(self, structure: str, found: dict[int, bytes]) -> None:
        facility = self._facility
        number = self._repository.structures()[structure].number
        with facility.connect() as connection, connection.transaction():
            for seq, body in found.items():
                reference = BodyReference(
                    IN_TABLE,
                    facility.member,
                    len(body),
                    crc32c(body),
                    -seq,
                    facility.incarnation,
                    structure=number,
                )
                connection.execute(
                    "insert into body values (%s, %s, %s, %s)",
                    (facility.member, facility.incarnation, -seq, body),
                )
                connection.execute(
                    "update p set place = %s, body = %s where seq = %s", (IN_TABLE, reference.encode(), seq)
                )
        logger.info("bodies_restored count=%s", len(found))

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
            try:
                for text in self._recover(each.name, each.state, "NORMAL"):
                    number, _, words = text.partition(" ")
                    self._facility.notices(number, words)
            except MQError as failure:
                self._facility.notices("CSQE133E", f"Structure {each.name} is not recovered: {failure}")

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
            raise error(
                mq.MQRC_FUNCTION_NOT_SUPPORTED,
                "STOP SMDSCONN is refused: a connection to a data set cannot be held closed;"
                " RESET SMDS ACCESS(DISABLED) keeps all members from it",
            )
        data_sets.reopen()
        return [f"CSQE246I SMDSCONN({member}) CFSTRUCT({structure}) is opened again"]

    def _attributes(self, structure: str) -> Any:
        values = self._bodies.attributes_of(structure)
        if values is None:
            raise error(mq.MQRC_CF_STRUC_ERROR, f"structure {structure} is not defined", object=structure)
        return values
