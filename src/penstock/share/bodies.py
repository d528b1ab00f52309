"""Bodies of large messages outside their rows: which are offloaded, where to, and how they come back.

`facility` calls `store` before a round, `load` after one that gave rows, and `failed` for a round that did
not commit, in the threads of pipes. The rules are in `qmgr.sharing.offload_rules`; data sets, objects and
the table `body` are the places. Each row says where its body is, so OFFLOAD may change at any moment.
Invariant: a body is durable at its place before its row is sent, and a damaged one is never returned.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing import offload_rules, structures
from penstock.share.data_sets import DataSets
from penstock.share.object_bodies import ObjectBodies
from penstock.share.reference_rows import structure_in
from penstock.share.repository import ACTIVE
from penstock.store._checksum import crc32c
from penstock.store.body_reference import (
    IN_DATA_SET,
    IN_OBJECT,
    IN_TABLE,
    BodyReference,
    decode_reference,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.sharing.wishes import Put, Row
    from penstock.share.facility import Facility
    from penstock.share.repository import Repository, StructureState

logger = logging.getLogger(__name__)

PLACES = {"DB2": IN_TABLE, "SMDS": IN_DATA_SET, "OBJECT": IN_OBJECT}
RELEASED = f"""select ctid::text, seq, extents from released where member = any(%s)
    and get_byte(extents, 0) <> {IN_DATA_SET} and {structure_in("extents")} <> all(%s::int[]) limit 1000"""
COLLECTED = """delete from released using unnest(%s::tid[], %s::bigint[]) as u(place, number)
    where released.ctid = u.place and released.seq = u.number"""


class Bodies:
    """The offloaded bodies of all structures, at one member."""

    def __init__(
        self,
        facility: Facility,
        repository: Repository,
        attributes_of: Callable[[str], Mapping[str, Value] | None],
    ) -> None:
        self.states: dict[str, StructureState] = {}  # of structures, as last read
        self._facility, self._repository = facility, repository
        self.attributes_of = attributes_of
        self._lock = threading.Lock()
        self._data_sets: dict[str, DataSets] = {}
        self._objects: dict[str, ObjectBodies] = {}
        self._owners: dict[int, str] = {}
        self._count = 0
        self._counted: Any = None  # the figures that `_since` is added to
        self._since: dict[str, int] = {}  # bytes that this member put since then

    # -- rounds --------------------------------------------------------------------------------

    def store(self, puts: list[Put]) -> None:
        """Offload the bodies that the rules choose; a put that cannot be stored gets its failure."""
        touched: set[DataSets] = set()
        for put in puts:
            values = self.attributes_of(put.structure)
            if values is None:
                continue  # a queue without a structure's definition: its bodies stay in their rows
            try:
                self._store(put, values, touched)
            except MQError as failure:
                put.failure = failure
        for data_sets in touched:
            self._sync(data_sets, puts)

    def load(self, rows: list[Row]) -> None:
        """Replace references by bodies; a row whose body cannot be read gets the failure."""
        for row in rows:
            try:
                row.body = self._read(decode_reference(row.body))
            except MQError as failure:
                row.failure = failure
            except ValueError as damage:
                row.failure = error(mq.MQRC_DATA_SET_NOT_AVAILABLE, f"message {row.seq}: {damage}")

    def failed(self, puts: list[Put]) -> None:
        """Free what a round had stored that was not committed; objects a moment later, by `collect`.

        What cannot be freed now is an orphan when this life of the member has ended.
        """
        objects = [put.body for put in puts if put.place == IN_OBJECT]
        try:
            if objects:
                statement = "insert into released select %s, 0, unnest(%s)"
                self._facility.execute(statement, (self._facility.member, objects))
            for put in puts:
                if put.place and put.place != IN_OBJECT:
                    self._free(decode_reference(put.body))
        except MQError as failure:
            logger.info("bodies_not_freed cause=%s", failure)

    # -- life ----------------------------------------------------------------------------------

    def open_own(self) -> None:
        """Open this member's data sets of earlier lives, so that their space is counted and collected."""
        for state in list(self.states.values()):
            if state.state == ACTIVE and (data_sets := self.data_sets(state.name)) is not None:
                try:
                    data_sets.resume()
                except (MQError, OSError) as failure:
                    logger.info("data_set_not_opened structure=%s cause=%s", state.name, failure)

    def collect(self) -> int:
        """Free what the group has released of this member's bodies; return how many there were."""
        freed = sum(each.collect() for each in list(self._data_sets.values()))
        return freed + self.collect_of([self._facility.member])

    def collect_of(self, members: list[int]) -> int:
        """Free what the group has released of members' rows and objects; return how many there were."""
        freed = 0
        away: list[int] = []  # structures whose object store cannot be reached: the next time
        while True:
            rows = self._facility.execute(RELEASED, (members, away))
            known = len(away)
            done = self._free_released(rows, away)
            if done:
                self._facility.execute(COLLECTED, tuple(map(list, zip(*done, strict=True))))
            freed += len(done)
            if len(away) == known:
                return freed

    def _free_released(self, rows: list[tuple[Any, ...]], away: list[int]) -> list[tuple[str, int]]:
        """Free bodies; return the rows that are done with, and add structures that are away."""
        done: list[tuple[str, int]] = []
        for place, seq, extents in rows:
            reference = decode_reference(extents)
            if reference.structure in away:
                continue
            try:
                self._free(reference)
                done.append((place, seq))
            except MQError as failure:
                logger.info("body_not_freed structure=%s cause=%s", reference.structure, failure)
                away.append(reference.structure)
        return done

    def begin_life(self) -> None:
        """Close the data sets that an earlier life opened: its units may have left space behind."""
        for each in list(self._data_sets.values()):
            each.abandon()

    def close(self) -> None:
        """Save the space maps and close the data sets."""
        for each in self._data_sets.values():
            try:
                each.collect()
                each.close()
            except MQError as failure:
                logger.warning("data_set_not_saved structure=%s cause=%s", each.structure, failure)

    def abandon(self) -> None:
        """Release everything, as a crash would."""
        for each in self._data_sets.values():
            each.abandon()

    def data_sets(self, structure: str) -> DataSets | None:
        """Return the data sets of a structure that has some."""
        values = self.attributes_of(structure)
        if values is None or not str(values.get("DSGROUP", "")).startswith("/"):
            return None
        with self._lock:
            found = self._data_sets.get(structure)
            if found is None:
                number = self._number_of(structure)
                found = DataSets(self._facility, self._repository, structure, number, values)
                self._data_sets[structure] = found
            return found

    def objects(self, structure: str) -> ObjectBodies | None:
        """Return the objects of a structure that has some."""
        values = self.attributes_of(structure)
        if values is None or "://" not in str(values.get("DSGROUP", "")):
            return None
        return self._objects_of(structure, values)

    def forget(self, structure: str) -> None:
        """Close the data sets of a structure that is deleted or was emptied."""
        with self._lock:
            found = self._data_sets.pop(structure, None)
            self._objects.pop(structure, None)
        if found is not None:
            found.abandon()

    def percent(self, structure: str, values: Mapping[str, Value]) -> float:
        """Return how full a structure is: as last counted, and what this member put since."""
        figures = self._facility.figures
        if figures is not self._counted:
            self._counted, self._since = figures, {}
        found = self._facility.structure_figures().get(structure)
        used = self._since.get(structure, 0)
        if found is not None:
            whole = found.messages - found.offloaded
            used += found.bytes + whole * offload_rules.ENTRY_BYTES
            used += found.offloaded * (offload_rules.OFFLOADED_COST_BYTES - offload_rules.ENTRY_BYTES)
        return offload_rules.percent_full(used, structures.size_of(values))

    def check(self, structure: str) -> None:
        """Raise 2373 for a structure that has failed, 2346 for one that is being recovered."""
        state = self.states.get(structure)
        if state is None or state.state == ACTIVE:
            return
        if state.state == "INRECOVER":
            raise error(
                mq.MQRC_CF_STRUC_IN_USE, f"structure {structure} is being recovered", object=structure
            )
        text = f"structure {structure} has failed: RECOVER CFSTRUCT({structure})"
        raise error(mq.MQRC_CF_STRUC_FAILED, text, object=structure)

    # -- one body ------------------------------------------------------------------------------

    def _store(self, put: Put, values: Mapping[str, Value], touched: set[DataSets]) -> None:
        self.check(put.structure)
        self._check_level(put, values)
        length = len(put.head) + len(put.body)
        percent = self.percent(put.structure, values)
        if percent >= 100:
            text = f"structure {put.structure} is full: SIZE({values['SIZE']})"
            raise error(mq.MQRC_STORAGE_MEDIUM_FULL, text, object=put.structure)
        offloaded = offload_rules.is_offloaded(length, percent, structures.rules_of(values))
        if offloaded and len(put.body) >= offload_rules.OFFLOADED_BYTES_MIN:
            reference = self._write(put, values, touched)
            put.place, put.whole, put.body = reference.kind, put.body, reference.encode()
        cost = offload_rules.cost_bytes(length, bool(put.place))
        self._since[put.structure] = self._since.get(put.structure, 0) + cost

    def _check_level(self, put: Put, values: Mapping[str, Value]) -> None:
        level = int(str(values["CFLEVEL"]))
        if put.persistent and values["RECOVER"] == "NO":
            text = f"structure {put.structure} has RECOVER(NO): it stores no persistent messages"
            raise error(mq.MQRC_PERSISTENT_NOT_ALLOWED, text, object=put.structure)
        if (
            len(put.head) + len(put.body) > offload_rules.WHOLE_BYTES_MAX
            and level < structures.LARGE_LEVEL_MIN
        ):
            text = f"a message over 63 KB needs CFLEVEL({structures.LARGE_LEVEL_MIN}) of {put.structure}"
            raise error(mq.MQRC_WRONG_CF_LEVEL, text, object=put.structure)

    def _write(self, put: Put, values: Mapping[str, Value], touched: set[DataSets]) -> BodyReference:
        place = PLACES.get(str(values["OFFLOAD"]), IN_TABLE)
        if place == IN_DATA_SET:
            data_sets = self.data_sets(put.structure)
            assert data_sets is not None
            touched.add(data_sets)
            return data_sets.write(put.body)
        if place == IN_OBJECT:
            return self._objects_of(put.structure, values).write(put.body)
        return self._write_row(put)

    def _write_row(self, put: Put) -> BodyReference:
        facility = self._facility
        with self._lock:
            self._count += 1
            count = self._count
        number = self._number_of(put.structure)
        reference = BodyReference(
            IN_TABLE,
            facility.member,
            len(put.body),
            crc32c(put.body),
            count,
            facility.incarnation,
            structure=number,
        )
        facility.execute(
            "insert into body values (%s, %s, %s, %s)",
            (facility.member, facility.incarnation, count, put.body),
        )
        return reference

    def _read(self, reference: BodyReference) -> bytes:
        owner = self._owner(reference.member)
        structure = self._structure(reference.structure)
        if reference.kind == IN_DATA_SET:
            data_sets = self.data_sets(structure)
            if data_sets is None:
                raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, f"structure {structure} has no DSGROUP any more")
            try:
                return data_sets.read(reference, owner, reference.member == self._facility.member)
            except MQError:
                data_sets.is_suspended.add(owner)
                raise
        if reference.kind == IN_OBJECT:
            values = self.attributes_of(structure) or {}
            return self._objects_of(structure, values).read(reference, owner)
        return self._read_row(reference)

    def _read_row(self, reference: BodyReference) -> bytes:
        rows = self._facility.execute(
            "select data from body where member = %s and incarnation = %s and number = %s",
            (reference.member, reference.incarnation, reference.number),
        )
        if not rows or (len(rows[0][0]), crc32c(rows[0][0])) != (reference.length, reference.checksum):
            raise error(mq.MQRC_DATA_SET_NOT_AVAILABLE, f"body {reference.number} is missing or damaged")
        return bytes(rows[0][0])

    def _free(self, reference: BodyReference) -> None:
        if reference.kind == IN_TABLE:
            self._facility.execute(
                "delete from body where member = %s and incarnation = %s and number = %s",
                (reference.member, reference.incarnation, reference.number),
            )
            return
        structure = self._structure(reference.structure)
        if reference.kind == IN_OBJECT:
            values = self.attributes_of(structure) or {}
            self._objects_of(structure, values).free(reference, self._owner(reference.member))
        elif (data_sets := self._data_sets.get(structure)) is not None:
            data_sets.free(reference)

    def _sync(self, data_sets: DataSets, puts: Iterable[Put]) -> None:
        try:
            data_sets.sync()
        except MQError as failure:
            for put in puts:
                if put.place == IN_DATA_SET and put.structure == data_sets.structure:
                    put.failure = failure

    # -- names and numbers -----------------------------------------------------------------------

    def _objects_of(self, structure: str, values: Mapping[str, Value]) -> ObjectBodies:
        address = str(values.get("DSGROUP", ""))
        with self._lock:
            found = self._objects.get(structure)
            if found is None:
                found = ObjectBodies(self._facility, structure, self._number_of(structure), address)
                self._objects[structure] = found
            return found

    def _number_of(self, structure: str) -> int:
        if structure not in self.states:
            self.states = self._repository.structures()
        found = self.states.get(structure)
        if found is None:
            raise error(mq.MQRC_CF_STRUC_ERROR, f"structure {structure} is not defined", object=structure)
        return found.number

    def _structure(self, number: int) -> str:
        for _ in range(2):
            for state in self.states.values():
                if state.number == number:
                    return state.name
            self.states = self._repository.structures()
        raise error(mq.MQRC_CF_STRUC_ERROR, f"the group has no structure with number {number}")

    def _owner(self, member: int) -> str:
        if member not in self._owners:
            self._owners = dict(self._facility.execute("select id, name from member"))  # left ones, too
        return self._owners.get(member, "")
