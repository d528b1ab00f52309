"""Flows that every engine must give the same results for: inputs, steps, and the queues to compare.

A `Case` is played on a queue manager by an engine, which is a function that runs one flow until its queues
are empty, with a clock, ids and random numbers that are given (`fixed`). What is compared is everything but
what names the process and the moment: bodies, ids, descriptors, properties, backout counts.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from penstock.cli import demo_orders
from penstock.esql.database.data_sources import DataSources
from penstock.flow.aggregation.on_queues import ATTRIBUTES, define_missing
from penstock.flow.loading import compiled_flow
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.running.listener import listener_for
from penstock.model.constants import MQFMT_DEAD_LETTER_HEADER, MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from penstock.model.message import Descriptor
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.runs import flow_queries, fused
from penstock.spark.runs.aggregation_timers import Timers
from penstock.spark.runs.flow_work import fixed_sources
from penstock.spark.runs.spark_run import SparkRun, of_query
from tests.spark import HOME
from tests.uncompiled import ROOT
from tests.unit.tree.swift_messages import MT543

EXAMPLES = ROOT / "examples"
ORDERS = Path(str(files("penstock.examples"))) / "orders"
SEED = 7
OWN = (
    "user_id",
    "accounting_token",
    "appl_identity_data",
    "put_appl_type",
    "put_appl_name",
    "appl_origin_data",
)
GIVEN_UP_AT = "penstock.time"  # each engine runs at its own time
DLH_BYTES, DLH_COMMON = 172, 124  # behind the common part: who put it, and when

Engine = Callable[[str, str, dict[str, Any]], None]  # project, flow, what is fixed


@dataclass
class Case:
    """One or more flows, what they are given, and where their results are."""

    project: Callable[[Path], Path]  # makes the project in a folder, or says where it is
    script: str
    fill: Callable[[Any], None]
    flows: list[tuple[str, float]]  # in this order, each with how far its clock is ahead
    queues: list[str]
    fixed_ids: bool = True  # ids that are made depend on nothing but the message
    ordered: bool = False  # the order of the results counts too, within each group
    home: Callable[[Path], None] = field(default=lambda home: None)  # what a home must have


def play(case: Case, qm: Any, run: Engine, folder: Path) -> dict[str, list[Any]]:
    """Play a case; return what is on its queues then, which are empty again."""
    failed = [reply.text for reply in qm.mqsc(case.script) if reply.failed]
    assert not failed, failed
    project = case.project(folder)
    case.fill(qm)
    began = time.time()
    for flow, ahead in case.flows:
        run(str(project), flow, {"seed": SEED, "now": began + ahead})
    found = {queue: _taken(qm, queue, case.fixed_ids) for queue in case.queues}
    key: Callable[[Any], Any] = (lambda row: dict(row[3])["group_id"]) if case.ordered else repr
    return {queue: sorted(rows, key=key) for queue, rows in found.items()}


def _taken(qm: Any, queue: str, fixed_ids: bool) -> list[Any]:
    found = []
    while messages := qm.get_many(queue, 1000):
        found += [_facts(each, fixed_ids) for each in messages]
    return found


def _facts(message: Any, fixed_ids: bool) -> tuple[Any, ...]:
    own = message.descriptor
    header = {name: getattr(own, name) for name in own.__slots__ if name not in OWN}
    body = message.body
    if own.format == MQFMT_DEAD_LETTER_HEADER.strip():
        body = body[:DLH_COMMON] + body[DLH_BYTES:]
    ids = (message.msg_id, message.correl_id) if fixed_ids else ()
    kept = (message.persistent, message.priority, message.backout_count, message.expiry is None)
    said = {name: value for name, value in (message.properties or {}).items() if name != GIVEN_UP_AT}
    return body, ids, kept, sorted(header.items()), sorted(said.items())


def differences(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> list[str]:
    """Return what differs, in lines that can be read: rows that only one engine has made, by queue."""
    lines = []
    for queue, wanted in expected.items():
        for word, rows, others in (("only found", found, expected), ("only expected", expected, found)):
            left = [repr(row) for row in others[queue]]
            for row in map(repr, rows[queue]):
                if row in left:
                    left.remove(row)
                else:
                    lines.append(f"{queue} {word}: {row}")
        if not lines and found[queue] != wanted:
            lines.append(f"{queue} has another order: {found[queue]} instead of {wanted}")
    return lines


# -- the inline engine ------------------------------------------------------------------------


class Reseeding:
    """What runs a message, with the numbers begun anew for each: as Spark's tasks do."""

    def __init__(self, inner: Any, chance: random.Random) -> None:
        self.inner = inner
        self.chance = chance

    def run_all(self, messages: list[Any]) -> None:
        for message in messages:
            self.chance.seed(f"{SEED} {message.msg_id.hex()}")
            self.inner.run(message)


def inline(connect: Callable[[], Any]) -> Engine:
    """Return the inline engine on a queue manager."""

    def run(project: str, flow: str, fixed: dict[str, Any]) -> None:
        compiled = compiled_flow(project, flow, {})
        for label, node in compiled.driven.items():
            sources = fixed_sources(fixed)
            with connect() as qm:
                listener: Any = listener_for(compiled, label, lambda qm=qm: qm, sources=sources)
                if isinstance(node, MQInput):
                    listener._trying = Reseeding(listener._trying, sources["randomness"])
                listener.run(threading.Event(), until_empty=True)
        compiled.project.databases.close()

    return run


def spark_run(broker: Any, project: str, flow: str, fixed: dict[str, Any], url: str = "") -> SparkRun:
    """Return what Spark is told to run a flow on a broker until its queues are empty."""
    return SparkRun(
        project,
        flow,
        url or broker.name,
        until_empty=True,
        batch_rows=25,
        checkpoint=str(broker.checkpoint),
        options={"home": str(broker.home)},
        fixed=fixed,
    )


# -- what Spark calls, without Spark ----------------------------------------------------------


def without_spark(given: Callable[[str, str, dict[str, Any]], SparkRun]) -> Engine:
    """Return an engine that does what driver and tasks do, in this process: quick, and it can be debugged."""

    def run(project: str, flow: str, fixed: dict[str, Any]) -> None:
        told = given(project, flow, fixed)
        compiled = told.compiled()
        place = queue_manager_of(told.source_options())
        place.do(lambda qm: define_missing(qm, compiled.state_queues))
        for label in compiled.inputs:
            for _ in batches_of(*of_query(told, compiled, label)):
                pass
        timers = Timers(compiled, place, fixed_sources(fixed))
        timers.start()
        timers.finish()

    return run


def batches_of(options: dict[str, str], arguments: dict[str, Any]) -> Iterator[None]:
    """Run the batches of a query one by one, until there is nothing for one."""
    work = {"work": flow_queries.WORK, "arguments": json.dumps(arguments)}
    stream, sink = fused.FusedStream({**options, **work}, None), fused.FusedSink(options)  # type: ignore[arg-type]
    start = stream.initialOffset()
    while (end := stream.latestOffset(start, stream.getDefaultReadLimit())) != start:
        manifests: list[Any] = []
        for part in stream.partitions(start, end):
            for row in stream.read(part):
                told = dict(zip(re.findall(r"(\w+) (?:string|long|int)", fused.MANIFEST), row, strict=True))
                names = ("flow", "n", "epoch", "slice", "attempt", "rows")
                prepared = fused.Prepared(**{name: told[name] for name in names})
                manifests.append(fused.Manifests([prepared], told["slices"]))
        sink.commit(manifests, 0)
        start = end
        yield


# -- the cases --------------------------------------------------------------------------------


def _put(qm: Any, queue: str, bodies: list[bytes], first: int = 1, **more: Any) -> None:
    for number, body in enumerate(bodies, first):
        given = {"persistent": number % 4 > 0, "priority": number % 3, "correl_id": b"%024d" % number, **more}
        qm.put(queue, body, msg_id=b"%-20s%04d" % (queue.encode()[:20], number), **given)


def _orders(qm: Any) -> None:
    bodies = [demo_orders.order(number) for number in range(1, 81)]
    bodies += [b"this is no XML", b"<Order/>", b"", b"<Order><Customer><Id>1</Id></Customer></Order>"]
    _put(qm, "ORDERS.IN", bodies, reply_to="REPLIES", properties={"colour": "red", "size": 5})


def _damages(qm: Any) -> None:
    for garage in ("BODYWORK", "GLASS"):
        bodies = [b'{"dents": %d, "windows": %d}' % (number, number % 3) for number in range(20)]
        _put(qm, f"REPAIRS.{garage}", bodies, reply_to="REPAIRS.QUOTED")


FAILING_FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("orders")
start = flow.add(nodes.MQInput("ORDERS.IN", domain="XMLNSC"))
compute = flow.add(nodes.Compute("esql/orders.esql", module="Bill"))
out = flow.add(nodes.MQOutput("BILLING"))
start.out >> compute.in_
compute.out >> out.in_
"""
CHANCE_FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("chance")
start = flow.add(nodes.MQInput("CHANCE.IN", domain="XMLNSC"))
compute = flow.add(nodes.Compute("esql/chance.esql", module="Chance"))
out = flow.add(nodes.MQOutput("CHANCE.OUT", new_msg_id=True, persistence="asQdef"))
told = flow.add(nodes.Publication(topic="chance/told", retain=True))
start.out >> compute.in_
compute.out >> out.in_
compute.out >> told.in_
"""
CHANCE_ESQL = """
CREATE COMPUTE MODULE Chance
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.XMLNSC.Case.Id = UUIDASCHAR;
    SET OutputRoot.XMLNSC.Case.Dice = RAND();
    SET OutputRoot.XMLNSC.Case.Year = EXTRACT(YEAR FROM CURRENT_GMTTIMESTAMP);
    IF CAST(InputRoot.XMLNSC.Case.Number AS INTEGER) = 3 THEN
      THROW USER EXCEPTION MESSAGE 3001 VALUES('three is too many');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""
LOOKUP_FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("lookup")
orders = flow.add(nodes.MQInput("SHOP.IN", domain="XMLNSC"))
customer = flow.add(
    nodes.DatabaseRetrieve(
        "SAMESHOP",
        query=[("customer.id", "=", "Body.Order.Customer")],
        data={"customer.name": "OutputRoot.XMLNSC.Order.Name"},
    )
)
done = flow.add(nodes.MQOutput("SHOP.OUT"))
unknown = flow.add(nodes.MQOutput("SHOP.UNKNOWN"))
orders.out >> customer.in_
customer.out >> done.in_
customer.keyNotFound >> unknown.in_
"""
TRIPS_FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("trips")
arrive = flow.add(nodes.MQInput("AIRLINE.IN", domain="XMLNSC"))
begin = flow.add(nodes.AggregateControl("TRIP", timeout=10))
arrive.out >> begin.in_
for folder, queue in (("FLIGHT", "FLIGHTS"), ("HOTEL", "HOTELS"), ("TAXI", "TAXIS")):
    ask = flow.add(nodes.Compute(module=f"Ask{folder.title()}"))
    send = flow.add(
        nodes.MQOutput(
            f"AIRLINE.{queue}", request=True, reply_to="AIRLINE.REPLIES", new_msg_id=True, name=f"To {folder}"
        )
    )
    note = flow.add(nodes.AggregateRequest(folder), name=f"Expect {folder}")
    begin.out >> ask.in_
    ask.out >> send.in_
    send.out >> note.in_
"""


def _written(flow: str, esql: Path | str) -> Callable[[Path], Path]:
    """Return what writes a project of one flow, with ESQL that is given or copied."""

    def make(folder: Path) -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "flows").mkdir(parents=True)
        (folder / "flows" / "one.py").write_text(flow)
        if isinstance(esql, Path):
            shutil.copytree(esql, folder / "esql")
        else:
            (folder / "esql").mkdir()
            (folder / "esql" / "chance.esql").write_text(esql)
        return folder

    return make


def _airline(folder: Path) -> Path:
    if not folder.exists():
        shutil.copytree(EXAMPLES / "airline", folder)
        (folder / "flows" / "trips.py").write_text(TRIPS_FLOW)
        suppliers = (folder / "flows" / "suppliers.py").read_text()
        some = suppliers.replace('("HOTELS", "PriceHotel"), ', "").replace(
            'Flow("suppliers")', 'Flow("some")'
        )
        (folder / "flows" / "some.py").write_text(some)
    return folder


def _quotes(folder: Path) -> Path:
    """The example without its way for quotes that nobody wants: to know that, it publishes at once."""
    if not folder.exists():
        shutil.copytree(EXAMPLES / "quotes", folder)
        path = folder / "flows" / "quotes.py"
        path.write_text("\n".join(line for line in path.read_text().splitlines() if "nobody" not in line))
    return folder


def put_trips(count: int) -> Callable[[Any], None]:
    def fill(qm: Any) -> None:
        trip = "<Reservation><Passenger>P{0}</Passenger><City>C{0}</City><Nights>{0}</Nights></Reservation>"
        bodies = [trip.format(number).encode() for number in range(1, count + 1)]
        _put(qm, "AIRLINE.IN", bodies, persistent=True)
        _put(qm, "AIRLINE.REPLIES", [b"<Offer><Price>1</Price></Offer>", b"no offer"], first=9000)

    return fill


def _shop(home: Path) -> None:
    path = HOME / "same-shop.db"
    HOME.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.executescript((EXAMPLES / "enrichment" / "tables.sql").read_text())
    DataSources(home).add("SAMESHOP", f"sqlite:///{path}")


def _host_records(qm: Any) -> None:
    records = [
        number.to_bytes(4, "big") + f"C{number}".ljust(12).encode("cp037") + bytes.fromhex("000012345c")
        for number in range(1, 30)
    ]
    _put(qm, "CONVERT.HOST", [*records, b"short"], descriptor=Descriptor(ccsid=37, encoding=785))


def _script(name: str, file: str = "queues.mqsc", *more: str) -> str:
    lines = (EXAMPLES / name / file).read_text().splitlines()
    made = [
        line if "REPLACE" in line or not line.startswith("DEFINE") else f"{line} REPLACE" for line in lines
    ]
    return "\n".join([*made, *more])


GROUPS_FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("groups")
start = flow.add(nodes.MQInput("GROUPS.IN", logical_order=True, all_available=True))
out = flow.add(nodes.MQOutput("GROUPS.OUT"))
start.out >> out.in_
"""


def _groups(qm: Any) -> None:
    """Groups whose messages come in no order, single messages between them, and a group without its last."""
    places = [(group, number) for group in range(5) for number in range(1, 5)]
    random.Random(SEED).shuffle(places)
    for group, number in places:
        if (group, number) != (4, 4):
            flags = MQMF_LAST_MSG_IN_GROUP if number == 4 else MQMF_MSG_IN_GROUP
            given = {"group_id": b"group %18d" % group, "seq_number": number, "flags": flags}
            _put(qm, "GROUPS.IN", [b"%d %d" % (group, number)], 10 * group + number, priority=0, **given)
        if number == 2:
            _put(qm, "GROUPS.IN", [b"alone %d" % group], 100 + group, priority=0)


ORDER_SCRIPT = """
DEFINE QLOCAL(ORDERS.IN) DEFPSIST(YES) BOTHRESH(2) BOQNAME({0}) REPLACE
DEFINE QLOCAL(ORDERS.BACKOUT) REPLACE
DEFINE QLOCAL(BILLING) REPLACE
DEFINE QLOCAL(WAREHOUSE) REPLACE
DEFINE QLOCAL(REJECTED) REPLACE
DEFINE QLOCAL(DEAD) REPLACE
ALTER QMGR DEADQ(DEAD)
"""
ORDER_QUEUES = ["ORDERS.IN", "ORDERS.BACKOUT", "BILLING", "WAREHOUSE", "REJECTED", "DEAD"]
QUOTE = b"<Quote><Kind>%s</Kind><Name>n%d</Name><Price>%d</Price>%s</Quote>"
AIRLINE_QUEUES = [f"AIRLINE.{name}" for name in ("IN", "OUT", "FAILED", "UNKNOWN", "REPLIES", "HOTELS")]
STATE_QUEUES = [
    f"SYSTEM.BROKER.AGGR.{name}" for name in ("CONTROL", "REQUEST", "REPLY", "TIMEOUT", "UNKNOWN")
]
AIRLINE_SCRIPT = "\n".join(  # the state queues too: a client may not define any
    [
        _script("airline", "airline.mqsc"),
        *(f"DEFINE QLOCAL({name}) {ATTRIBUTES} REPLACE" for name in STATE_QUEUES),
    ]
)
CASES = {
    "orders": Case(
        lambda _: ORDERS, ORDER_SCRIPT.format("ORDERS.BACKOUT"), _orders, [("orders", 0)], ORDER_QUEUES
    ),
    "orders that fail": Case(
        _written(FAILING_FLOW, ORDERS / "esql"),
        ORDER_SCRIPT.format("ORDERS.BACKOUT"),
        _orders,
        [("orders", 0)],
        ORDER_QUEUES,
    ),
    "orders to the dead": Case(
        _written(FAILING_FLOW, ORDERS / "esql"),
        ORDER_SCRIPT.format("''"),
        _orders,
        [("orders", 0)],
        ORDER_QUEUES,
    ),
    "clock, ids and chance": Case(
        _written(CHANCE_FLOW, CHANCE_ESQL),
        """DEFINE QLOCAL(CHANCE.IN) BOTHRESH(1) BOQNAME(CHANCE.FAILED) REPLACE
DEFINE QLOCAL(CHANCE.FAILED) REPLACE
DEFINE QLOCAL(CHANCE.OUT) DEFPSIST(YES) REPLACE
DEFINE QLOCAL(CHANCE.TOLD) REPLACE
DEFINE SUB(CHANCE.SUB) TOPICSTR('chance/#') DEST(CHANCE.TOLD) REPLACE""",
        lambda qm: _put(
            qm, "CHANCE.IN", [b"<Case><Number>%d</Number></Case>" % number for number in range(40)]
        ),
        [("chance", 0)],
        ["CHANCE.IN", "CHANCE.OUT", "CHANCE.TOLD", "CHANCE.FAILED", "SYSTEM.RETAINED.PUB.QUEUE"],
    ),
    "lookups": Case(
        _written(LOOKUP_FLOW, ""),
        _script("enrichment"),
        lambda qm: _put(
            qm, "SHOP.IN", [b"<Order><Customer>%d</Customer></Order>" % (number % 4) for number in range(30)]
        ),
        [("lookup", 0)],
        ["SHOP.IN", "SHOP.OUT", "SHOP.UNKNOWN", "SHOP.BACKOUT"],
        home=_shop,
    ),
    "conversion": Case(
        lambda _: EXAMPLES / "conversion",
        _script("conversion", "queues.mqsc", "DEFINE QLOCAL(DEAD) REPLACE", "ALTER QMGR DEADQ(DEAD)"),
        _host_records,
        [("host_to_text", 0), ("text_to_xml", 0), ("xml_to_host", 0)],
        ["CONVERT.HOST", "CONVERT.TEXT", "CONVERT.XML", "CONVERT.DONE", "DEAD"],
    ),
    "swift": Case(
        lambda _: EXAMPLES / "swift",
        _script("swift"),
        lambda qm: _put(
            qm, "SWIFT.IN", [MT543, MT543.replace(b"{2:I543", b"{2:I103"), b"no SWIFT at all"] * 5
        ),
        [("settlements", 0)],
        ["SWIFT.IN", "SWIFT.XML", "SWIFT.OTHER", "SWIFT.WRONG"],
    ),
    "quotes": Case(
        _quotes,
        _script("quotes"),
        lambda qm: _put(
            qm,
            "QUOTES.IN",
            [
                *(QUOTE % (b"fruit", number, number, b"") for number in range(95, 105)),
                QUOTE % (b"metal", 1, 20, b"<Lot>1</Lot><Lot>2</Lot>"),
                b"<Quote><Price>2</Price></Quote>",
            ],
        ),
        [("quotes", 0)],
        ["QUOTES.IN", "QUOTES.BACKOUT", "FRUIT.ALL", "DEAR", "BULK"],
    ),
    "replies": Case(
        lambda _: EXAMPLES / "repairs",
        _script("repairs"),
        _damages,
        [("garages", 0)],
        ["REPAIRS.BODYWORK", "REPAIRS.GLASS", "REPAIRS.QUOTED"],
    ),
    "groups": Case(
        _written(GROUPS_FLOW, ""),
        "DEFINE QLOCAL(GROUPS.IN) REPLACE\nDEFINE QLOCAL(GROUPS.OUT) REPLACE",
        _groups,
        [("groups", 0)],
        ["GROUPS.IN", "GROUPS.OUT"],
        ordered=True,
    ),
    "trips": Case(
        _airline,
        AIRLINE_SCRIPT,
        put_trips(12),
        [("trips", 300), ("suppliers", 0), ("travel", 0), ("travel", 330)],
        [*AIRLINE_QUEUES, *STATE_QUEUES],
        fixed_ids=False,
    ),
    "trips without a hotel": Case(
        _airline,
        AIRLINE_SCRIPT,
        put_trips(6),
        [("trips", 300), ("some", 0), ("travel", 0), ("travel", 330)],
        [*AIRLINE_QUEUES, *STATE_QUEUES],
        fixed_ids=False,
    ),
    "trips that come late": Case(
        _airline,
        AIRLINE_SCRIPT,
        put_trips(6),
        [("trips", -100), ("suppliers", 0), ("travel", 0), ("travel", 20)],
        [*AIRLINE_QUEUES, *STATE_QUEUES],
        fixed_ids=False,
    ),
}
