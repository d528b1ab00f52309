"""The shared message data sets of one structure at one member: its own for writing, all for reading.

Opens the member's own data set, rebuilds its space map from the references in the structure unless a clean
close saved it, and frees what the group has released. So what a killed member wrote for a unit that never
ended is free again. Every other member's data set is read through a reader. Called by `bodies` in the threads
of pipes. Not here: which bodies are offloaded.
Invariants: released space is collected and the map rebuilt in one snapshot, so no page is freed twice. A data
set is closed and its released space collected under one lock: else a page of the next map could be freed.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.qmgr.sharing import structures
from penstock.share.body_buffers import BodyBuffers
from penstock.share.data_set_messages import text_of
from penstock.share.reference_rows import REFERENCES, stream, structure_in, which
from penstock.share.repository import FAILED
from penstock.store.body_reference import IN_DATA_SET, decode_reference
from penstock.store.data_set_header import DataSetIdentity, not_available
from penstock.store.failures import file_failure
from penstock.store.shared_data_set import SharedDataSet, open_data_set
from penstock.store.shared_data_set_reader import SharedDataSetReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.qmgr.catalogue.attributes import Value
    from penstock.share.facility import Facility
    from penstock.share.repository import Repository
    from penstock.store.body_reference import BodyReference

RELEASED_AT_ONCE = 10_000
_MINE = f"{structure_in('extents')} = %s and get_byte(extents, 0) = {IN_DATA_SET}"


class DataSets:
    """The data sets of one structure."""

    def __init__(
        self,
        facility: Facility,
        repository: Repository,
        structure: str,
        number: int,
        values: Mapping[str, Value],
    ) -> None:
        self.structure, self.number, self.values = structure, number, values
        self.buffers = BodyBuffers(int(str(values["DSBUFS"])), structures.block_bytes(values))
        self.is_suspended: set[str] = set()  # owners whose data sets gave errors
        self.disabled: set[str] = set()  # owners whose data sets RESET SMDS ACCESS(DISABLED) closed
        self.stopped: set[str] = set()  # owners whose data sets STOP SMDSCONN keeps closed here
        self._facility, self._repository = facility, repository
        self._lock = threading.Lock()
        self._own: SharedDataSet | None = None
        self._readers: dict[str, SharedDataSetReader] = {}
        self._is_stopped = False

    @property
    def own(self) -> SharedDataSet | None:
        """The member's own data set, if it is open."""
        return self._own

    def path_of(self, member: str) -> Path:
        """Return where a member's data set is."""
        return Path(str(self.values["DSGROUP"]).replace("*", member, 1))

    def apply(self, values: Mapping[str, Value], expand: str = "DEFAULT", buffers: str = "DEFAULT") -> None:
        """Take over changed attributes; those of the data set come before those of the structure."""
        self.values = values
        count = int(str(values["DSBUFS"])) if buffers == "DEFAULT" else int(buffers)
        self.buffers.resize(count, structures.block_bytes(values))
        if self._own is not None:
            wanted = str(values["DSEXPAND"]) if expand == "DEFAULT" else expand
            if (wanted == "YES") != self._own.expansion.is_allowed:
                self._own.expansion.allow(wanted == "YES")

    def write(self, body: bytes) -> BodyReference:
        """Write a body into this member's data set; durable after `sync`."""
        self._check_access(self._facility.name)
        data_set = self._opened()
        self.buffers.begin(len(body))
        try:
            try:
                reference = data_set.write(body)
            except MQError:
                if not self.collect():
                    raise
                reference = data_set.write(body)
        finally:
            self.buffers.end(len(body))
        self.buffers.save((reference.incarnation, reference.number), body)
        return reference

    def sync(self) -> None:
        """Return when what was written is on disk."""
        if self._own is not None:
            try:
                self._own.sync()
            except MQError as failure:
                self._fail(failure)
                raise

    def read(self, reference: BodyReference, owner: str, is_own: bool) -> bytes:
        """Return a body; 2561 if its data set cannot be read."""
        if is_own and (found := self.buffers.take((reference.incarnation, reference.number))) is not None:
            return found
        self._check_access(owner)
        self.buffers.begin(reference.length)
        try:
            body = self._reader(owner).read(reference)
        finally:
            self.buffers.end(reference.length)
        assert body is not None
        return body

    def free(self, reference: BodyReference) -> None:
        """Give space back that no row refers to."""
        self.buffers.forget((reference.incarnation, reference.number))
        own = self._own
        if own is not None and not own.needs_rebuild:
            own.release(reference.extents)

    def collect(self) -> int:
        """Free what the group has released; return how many bodies there were."""
        with self._lock:
            if self._own is None:
                return 0
            rows = self._facility.execute(
                f"delete from released where ctid = any(array(select ctid from released where member = %s"
                f" and {_MINE} limit {RELEASED_AT_ONCE})) returning extents",
                (self._facility.member, self.number),
            )
            for (extents,) in rows:
                self.free(decode_reference(extents))
            return len(rows)

    def resume(self) -> None:
        """Open the member's own data set of an earlier life, before anything is written."""
        owner = self._facility.name
        if self._own is None and owner not in self.stopped | self.disabled and self.path_of(owner).exists():
            self._opened()

    def close(self) -> None:
        """Save the space map and close."""
        with self._lock:
            if self._own is not None:
                self._own.close()
                self._own = None
            for reader in self._readers.values():
                reader.close()

    def abandon(self) -> None:
        """Close without saving anything."""
        with self._lock:
            if self._own is not None:
                self._own.abandon()
                self._own = None

    def reads(self, owner: str) -> bool:
        """Return whether another member's data set has been read here."""
        return owner in self._readers

    def stop(self, owner: str) -> None:
        """Keep a data set closed at this member until `start`; of its own the space map is saved."""
        self.stopped.add(owner)
        with self._facility.between_rounds(), self._lock:
            if owner == self._facility.name and self._own is not None:
                self._own.close()
                self._own = None
            if (reader := self._readers.pop(owner, None)) is not None:
                reader.close()

    def start(self, owner: str) -> None:
        """Let a data set be opened again."""
        self.stopped.discard(owner)
        self.reopen()

    def reopen(self) -> None:
        """Forget errors: the next call opens data sets again (START SMDSCONN, RESET SMDS)."""
        self.is_suspended.clear()
        for reader in self._readers.values():
            reader.forget()

    def _check_access(self, owner: str) -> None:
        if owner in self.disabled:
            raise not_available(self.path_of(owner), "it has ACCESS(DISABLED): RESET SMDS ACCESS(ENABLED)")
        if owner in self.stopped:
            raise not_available(self.path_of(owner), "its connection is stopped here: START SMDSCONN")

    def _reader(self, owner: str) -> SharedDataSetReader:
        with self._lock:
            return self._readers.setdefault(owner, SharedDataSetReader(self.path_of(owner)))

    def _opened(self) -> SharedDataSet:
        with self._lock:
            if self._own is None:
                try:
                    self._own = self._open()
                except OSError as refused:  # by the shared folder: that is no loss of the facility
                    raise file_failure(refused, "opening", self.path_of(self._facility.name)) from refused
                except MQError as failure:
                    self._fail(failure)
                    raise
            return self._own

    def _fail(self, failure: MQError) -> None:
        """Record for the group that this data set is damaged or missing; its structure fails with it."""
        if failure.reason != mq.MQRC_DATA_SET_NOT_AVAILABLE:
            return
        now = time.time()
        owner = self._facility.name
        self._repository.set_data_set(self.structure, owner, status="FAILED", failed_at=now)
        self._repository.set_structure(self.structure, FAILED)
        self._notify("status", {"status": "FAILED"})

    def _open(self) -> SharedDataSet:
        facility = self._facility
        path = self.path_of(facility.name)
        if not path.exists() and self._count():
            raise not_available(path, "it is missing, and messages have their bodies in it")
        try:
            data_set = self._open_file(path)
        except MQError:
            if self._count():
                raise
            path.replace(path.with_name(f"{path.name}.damaged"))  # no message needs it
            data_set = self._open_file(path)
        try:
            self._prepare(data_set)
        except BaseException:
            data_set.abandon()
            raise
        return data_set

    def _prepare(self, data_set: SharedDataSet) -> None:
        """Build the space map if no clean close saved it, and show the group that the data set is in use."""
        data_set.structure = self.number
        if data_set.is_new:
            self._announce("NEW")
        if data_set.needs_rebuild:
            self._notify("rebuilding", {})
            with self._facility.connect() as connection:
                count = data_set.rebuild(self._references(connection))
            self._notify("rebuilt", {"count": count})
        data_set.expansion.allow(self.values["DSEXPAND"] == "YES")
        self._announce("ACTIVE")

    def _open_file(self, path: Path) -> SharedDataSet:
        facility = self._facility
        return open_data_set(
            path,
            DataSetIdentity(facility.group.name, self.structure, facility.name),
            block_bytes=structures.block_bytes(self.values),
            incarnation=facility.incarnation,
            member=facility.member,
            notify=self._notify,
        )

    def _count(self) -> int:
        """Return how many messages have their bodies in this member's data set."""
        mine = which(IN_DATA_SET, self._facility.member, self.number)
        return int(self._facility.execute(f"select count(*) from ({REFERENCES}) x", mine)[0][0])

    def _announce(self, status: str) -> None:
        self._repository.set_data_set(self.structure, self._facility.name, status=status)
        self._notify("status", {"status": status})

    def _references(self, connection: Any) -> Iterator[bytes]:
        """Yield the references to this data set, and drop what was released, in one snapshot."""
        member, number = self._facility.member, self.number
        with connection.transaction():
            connection.execute("set transaction isolation level repeatable read")
            connection.execute(f"delete from released where member = %s and {_MINE}", (member, number))
            yield from stream(connection, which(IN_DATA_SET, member, number))

    def _notify(self, event: str, fields: Mapping[str, int | str]) -> None:
        number, text = text_of(
            event, fields, self._facility.name, self.structure, self.path_of(self._facility.name)
        )
        self._facility.notices(number, text)
