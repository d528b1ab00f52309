"""RECOVER CFSTRUCT TYPE(NORMAL): brings back what a structure has lost, or refuses and changes nothing.

A failed data set has lost bodies: they are read from what is left of it, or from backups and the members'
message journals. A structure that failed itself (RESET CFSTRUCT) may have lost messages: those that backup
and journals say it should hold are put back. Called by `structure_actions`, when every member has released
the structure. Order of reading: rows, outcomes, journals; so a get that goes on meanwhile is seen.
Invariant: a message that the facility still has is never made again.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing.offload_rules import WHOLE_BYTES_MAX
from penstock.qmgr.sharing.wishes import Row
from penstock.share.structure_backup import slices, still_there
from penstock.share.structure_history import History, Key
from penstock.store._checksum import crc32c
from penstock.store.body_reference import IN_DATA_SET, IN_TABLE, BodyReference, decode_reference

if TYPE_CHECKING:
    from penstock.share.backup_catalogue import BackupCatalogue
    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility

logger = logging.getLogger(__name__)

ROWS = 500  # that are read at once
OF_DATA_SET = (
    f"place = {IN_DATA_SET} and queue in (select id from queue where structure = %s)"
    " and get_byte(body, 1) + 256 * get_byte(body, 2) = %s"
)


class StructureRecovery:
    """One recovery of one structure."""

    def __init__(
        self,
        facility: Facility,
        catalogue: BackupCatalogue,
        bodies: Bodies,
        structure: str,
        failed: list[int],
        rebuild: bool,
    ) -> None:
        self._facility, self._catalogue, self._bodies = facility, catalogue, bodies
        self._structure = structure
        self._failed = frozenset(failed)  # members whose data sets have failed
        self._rebuild = rebuild  # messages may be missing, not only bodies
        self._present: set[Key] = set()
        self._lost: dict[Key, tuple[int, int, bytes]] = {}  # queue, lane and reference
        self._found: dict[Key, bytes] = {}

    def run(self) -> str:
        """Recover; return what was done."""
        self._scan()
        history, why = self._history()
        for key, (_, _, reference) in list(self._lost.items()):
            body = history.body(key, reference)
            wanted = decode_reference(reference)
            if body is not None and (len(body), crc32c(body)) == (wanted.length, wanted.checksum):
                self._found[key] = body
        missing = len(self._lost.keys() - self._found.keys())
        if missing or (self._rebuild and why):
            text = (
                f"{missing} messages of structure {self._structure} are in no backup or message journal that"
                f" {self._facility.name} can read"
                if missing
                else f"the messages of structure {self._structure} cannot be compared with its backup"
            )
            text += f"{f': {why}' if why else ''}; or empty it with TYPE(PURGE)"
            raise error(mq.MQRC_CF_STRUC_FAILED, text, object=self._structure, missing=missing)
        returned = history.missing(self._present) if self._rebuild else []
        self._put_back(history, returned)
        dropped = self._drop_others()
        return (
            f"CSQE130I Recovery of structure {self._structure}: {len(self._found)} restored,"
            f" {len(returned)} returned, {dropped} dropped"
        )

    def _scan(self) -> None:
        columns = (
            "queue, lane, seq, true, expires_at, place, backouts, head, case when place > 0 then body end"
        )
        for values in slices(self._facility, self._structure, columns, ROWS):
            row = Row(*values)
            key = row.seq, crc32c(row.head)
            self._present.add(key)
            if row.place != IN_DATA_SET:
                continue
            reference = row.body
            if decode_reference(reference).member not in self._failed:
                continue
            self._lost[key] = row.queue, row.lane, reference
            self._bodies.load([row])  # the data set may be readable still
            if row.failure is None:
                self._found[key] = row.body
            elif not still_there(self._facility, row):
                del self._lost[key]

    def _history(self) -> tuple[History, str]:
        """Return what backup and journals have, and why it is not all; empty if it is."""
        outcomes: dict[str, dict[int, Any]] = {}
        for member, number, failed, seqs in self._facility.execute(
            "select m.name, o.unit, o.failed, o.seqs from outcome o join member m on m.id = o.member"
            " where o.unit < 0 and o.state = 'C'"
        ):
            outcomes.setdefault(member, {})[number] = failed or [], seqs or []
        queues = [
            row[0]
            for row in self._facility.execute("select id from queue where structure = %s", (self._structure,))
        ]
        history = History(queues, (reference for _, _, reference in self._lost.values()))
        turn, why = self._add_backup(history)
        by_member: dict[str, list[Path]] = {}
        for member, path, gap in self._catalogue.segments(turn):
            if gap:
                why = why or f"the message journal of {member} has a gap"
            if Path(path).exists():
                by_member.setdefault(member, []).append(Path(path))
            else:
                why = why or f"segment {path} of {member} cannot be read here"
        for member, paths in by_member.items():
            try:
                history.add_segments(paths, outcomes.get(member, {}))
            except MQError as failure:
                why = why or failure.detail
        return history, why

    def _add_backup(self, history: History) -> tuple[int, str]:
        """Add the newest backup that can be read; return its turn."""
        backups = self._catalogue.backups(self._structure)
        for turn, path in backups:
            try:
                history.add_backup(Path(path))
            except MQError as failure:
                logger.warning("backup_not_read path=%s cause=%s", path, failure)
                continue
            return turn, ""
        names = ", ".join(path for _, path in backups)
        return 0, f"no backup can be read ({names})" if backups else "there is no backup"

    # -- changes -------------------------------------------------------------------------------

    def _put_back(self, history: History, returned: list[Key]) -> None:
        with self._facility.connect() as connection, connection.transaction():
            for key, body in self._found.items():
                self._put_body_back(connection, key, body)
            if returned:  # an older copy of PostgreSQL may have drawn fewer places
                connection.execute(
                    "select setval('place', greatest(%s, (select last_value from place)))", (returned[-1][0],)
                )
            taken = {seq for seq, _ in self._present}
            for key in returned:
                kept = history.message(key)
                seq = kept.seq
                if seq in taken:  # another message got this place in the meantime
                    seq = connection.execute("select nextval('place')").fetchone()[0]
                place, data = self._stored(connection, seq, len(kept.head), kept.body)
                connection.execute(
                    "insert into p values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    (
                        *(kept.queue, kept.lane, seq, kept.key, kept.expires_at),
                        *(place, kept.backouts, kept.head, data),
                    ),
                )

    def _put_body_back(self, connection: Any, key: Key, body: bytes) -> None:
        queue, lane, _ = self._lost[key]
        row = queue, lane, key[0]
        found = connection.execute(
            "select length(head) from p where queue = %s and lane = %s and seq = %s for update", row
        ).fetchone()
        if found is None:
            return  # it was got meanwhile
        place, data = self._stored(connection, key[0], found[0], body)
        connection.execute(
            "update p set place = %s, body = %s where queue = %s and lane = %s and seq = %s",
            (place, data, *row),
        )

    def _stored(self, connection: Any, seq: int, head: int, body: bytes) -> tuple[int, bytes]:
        """Return place and content of a row: the body, or a reference if it is too large for one."""
        if head + len(body) <= WHOLE_BYTES_MAX:
            return 0, body
        facility = self._facility
        number = self._bodies.states[self._structure].number
        reference = BodyReference(
            *(IN_TABLE, facility.member, len(body), crc32c(body), -seq, facility.incarnation),
            structure=number,
        )
        connection.execute(
            "insert into body values (%s, %s, %s, %s)", (facility.member, facility.incarnation, -seq, body)
        )
        return IN_TABLE, reference.encode()

    def _drop_others(self) -> int:
        """Remove the non-persistent messages that a failed data set has lost."""
        dropped = 0
        for member in self._failed:
            rows = self._facility.execute(
                f"with gone as (delete from n where {OF_DATA_SET} returning 1) select count(*) from gone",
                (self._structure, member),
            )
            dropped += int(rows[0][0])
        return dropped
