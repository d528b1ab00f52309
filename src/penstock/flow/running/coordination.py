"""One transaction over queues and databases: the queue manager decides, databases follow.

At the end of a unit the databases prepare their part. Then the queue manager commits, and the same unit puts
a record of the decision to SYSTEM.BROKER.XA.QUEUE. Then the databases commit, and the record is removed.
Whoever finds a prepared part of a dead flow looks for the record: if it exists, the part is committed,
otherwise rolled back. A temporary queue shows that a flow lives; the queue manager deletes it with the flow's
connection, after everything that was sent on it, so no other instance decides a unit that is still being
decided. A database without two phases (SQLite) is the last agent: it commits just before the queue manager,
and after a crash between the two its part is done again.
"""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, Any

from penstock.esql.database.in_doubt import has_two_phases, in_doubt, resolve
from penstock.flow.failing import CANNOT_BE_HANDLED
from penstock.flow.running.reporting import named, report
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.esql.database.databases import Databases
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow

logger = logging.getLogger(__name__)
RECORDS = "SYSTEM.BROKER.XA.QUEUE"
MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"
LIVING = "SYSTEM.BROKER.XA.*"


class Coordination:
    """The coordinator of one instance: it names units, ends them, and resolves those of dead flows."""

    def __init__(self, qm: BlockingQueueManager, databases: Databases, sources: Iterable[str]) -> None:
        qm.mqsc(f"DEFINE QLOCAL({RECORDS}) DEFPSIST(YES) NOREPLACE")
        self.qm = qm
        self.databases = databases.coordinated(self._name)
        self.sources = sorted(sources)
        self.alive = qm.open(MODEL, mq.MQOO_INPUT_EXCLUSIVE, dynamic_name=LIVING)
        self.beginning = f"penstock:{_qmid(qm)}:"
        self._stem = f"{self.beginning}{self.alive.name}:"
        self._units = 0
        self._unit = ""
        self._prepared: list[str] = []
        self._done: list[bytes] = []  # records of units that are done everywhere

    def _name(self, source: str) -> str:
        """Name this unit's part of a data source."""
        return f"{self._stem}{self._units}:{hashlib.sha256(source.encode()).hexdigest()[:16]}"

    def prepare(self) -> None:
        """Prepare the databases; a failure undoes the unit everywhere."""
        self._unit = f"{self._stem}{self._units}"
        self._units += 1
        self._prepared = self.databases.prepare_all()
        last = self._last_agent()
        if self._prepared:
            self._record(self._unit, self._prepared)
        self._forget_done()
        if last:
            self.databases.commit_one(last)

    def commit(self) -> None:
        """Commit at the queue manager, then at the databases."""
        try:
            self.qm.commit()
        except MQError as failure:
            if failure.reason in CANNOT_BE_HANDLED:
                self.databases.abandon_all()  # it may have committed: the record will show
            raise
        self._done.clear()  # a unit that is backed out leaves their records to the next
        if self._prepared:
            self._follow(self._unit)

    def _last_agent(self) -> str:
        names = self.databases.last_agents()
        if len(names) > 1:
            raise error(
                mq.PSRC_FLOW_IN_DOUBT,
                f"data sources {', '.join(names)} have no commit in two phases; a unit may hold one such",
            )
        return names[0] if names else ""

    def _record(self, unit: str, sources: list[str]) -> None:
        body = json.dumps({"unit": unit, "sources": sources}).encode()
        self.qm.put(RECORDS, body, persistent=True, correl_id=_mark(unit), options=mq.MQPMO_SYNCPOINT)

    def _follow(self, unit: str) -> None:
        """Commit the databases after the queue manager's decision."""
        try:
            self.databases.commit_all()
        except MQError as failure:
            self.databases.abandon_all()
            raise error(
                mq.PSRC_FLOW_IN_DOUBT,
                f"unit {unit} is committed; its part in a database is not yet: {failure}",
            ) from failure
        self._done.append(_mark(unit))

    def _forget_done(self) -> None:
        """Remove the records of earlier completed units, in the unit that is about to commit."""
        for mark in self._done:
            self.qm.get(RECORDS, correl_id=mark)

    def close(self) -> None:
        """Clean up, as far as the connection still allows it."""
        try:
            self.qm.begin()
            self._forget_done()
            self.qm.commit()
            self._done.clear()
            self.alive.close()
        except MQError as failure:  # the next one to start resolves the rest
            report(logging.INFO, "flow_coordination_left", failure.detail, **named(failure))

    # -- after a crash ---------------------------------------------------------------------

    def recover(self) -> int:
        """Resolve what dead flows have left prepared; return how many parts."""
        resolved = 0
        orphans = self._orphans()  # before the parts are listed, so that no dead flow is missed
        for source in self.sources:
            engine = self.databases.engine(source)
            if not has_two_phases(engine):
                logger.warning(
                    "flow_last_agent source=%s: it has no commit in two phases; a crash at the wrong moment"
                    " repeats its part of a unit",
                    source,
                )
                continue
            for name in in_doubt(engine, self.beginning):
                resolved += self._resolve(engine, name)
        for mark in orphans:
            self.qm.get(RECORDS, correl_id=mark)
        return resolved

    def _resolve(self, engine: Any, name: str) -> bool:
        unit = name.rpartition(":")[0]
        if self._lives(unit):
            return False
        commit = self._recorded(unit)
        resolve(engine, name, commit)
        logger.warning("flow_unit_resolved unit=%s outcome=%s", name, "committed" if commit else "undone")
        return True

    def _lives(self, unit: str) -> bool:
        """Return whether the flow that started a unit still has its connection."""
        try:
            self.qm.open(unit.split(":")[-2], mq.MQOO_INQUIRE).close()
        except MQError as failure:
            if failure.reason != mq.MQRC_UNKNOWN_OBJECT_NAME:
                raise
            return False
        return True

    def _recorded(self, unit: str) -> bool:
        with self.qm.open(RECORDS, mq.MQOO_BROWSE) as handle:
            found = handle.get(options=mq.MQGMO_BROWSE_FIRST, correl_id=_mark(unit), quiet=True)
        return found is not None

    def _orphans(self) -> list[bytes]:
        """Return the records of dead flows whose data sources are all known here."""
        known = set(self.sources)
        return [
            mark
            for facts, mark in list(self._records())
            if set(facts["sources"]) <= known and not self._lives(facts["unit"])
        ]

    def _records(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        for message in self.qm.browse(RECORDS):
            yield json.loads(message.body or b""), message.correl_id


def coordination_for(flow: CompiledFlow, qm: BlockingQueueManager, databases: Databases) -> Coordination:
    """Return the coordinator of a flow, with everything in doubt resolved."""
    named = (node.properties().get("data_source", "") for node in flow.flat.nodes.values())
    made = Coordination(qm, databases, {name for name in named if name})
    made.recover()
    return made


def _mark(unit: str) -> bytes:
    """Return the correlation id of a unit's record."""
    return hashlib.sha256(unit.encode()).digest()[: len(NO_ID)]


def _qmid(qm: BlockingQueueManager) -> str:
    with qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR) as handle:
        return str(handle.inquire("QMID")["QMID"]).strip()
