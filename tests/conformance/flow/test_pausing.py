"""What cannot be reached pauses a flow: no message is counted as failed, and it goes on by itself."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.esql.database.data_sources import DataSources
from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.broker.logs import LogFormatter
from penstock.flow.running import http_listener
from penstock.flow.running.inline import InlineRun
from penstock.model import constants as mq
from penstock.model.errors import MQError
from tests.conformance.access.authority_steps import add_users, let_in
from tests.conformance.flow import shop
from tests.conformance.flow.http_client import ask, listening
from tests.flow_fixtures import bodies
from tests.flow_station import Station
from tests.patience import until
from tests.ports import LOOPBACK, free_port

AUDIT = """
CREATE DATABASE MODULE Audit
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    INSERT INTO Database.audit(id, note) VALUES (CAST(Root.XMLNSC.Order.Id AS INTEGER), 'seen');
    RETURN TRUE;
  END;
END MODULE;
CREATE COMPUTE MODULE Look
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    SET OutputRoot.XMLNSC.Order.Name = THE(SELECT ITEM C.name FROM Database.customer AS C WHERE C.id = 1);
    RETURN TRUE;
  END;
END MODULE;
"""
ORDERS = [b"<Order><Id>%d</Id></Order>" % number for number in range(20)]


@pytest.fixture
def away(tmp_path: Path, penstock_home: Path) -> Path:
    """The folder of the data source SHOP, which does not exist yet."""
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "audit.esql").write_text(AUDIT)
    DataSources(penstock_home).add("SHOP", url_of(tmp_path / "disk"))
    return tmp_path / "disk"


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder}/shop.db"


def come_back(folder: Path) -> None:
    """Let the database be reached, with all its tables at once."""
    aside = folder.with_name("aside")
    aside.mkdir()
    shop.create(url_of(aside))
    aside.rename(folder)


def audited(node: Node, **options: Any) -> Flow:
    """A flow with a database node whose failures would all have somewhere to go."""
    flow = Flow("audited")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC", **options))
    guard = flow.add(nodes.TryCatch())
    work, out = flow.add(node), flow.add(nodes.MQOutput("OUT"))
    failed, caught = flow.add(nodes.MQOutput("FAILED")), flow.add(nodes.MQOutput("CAUGHT"))
    start.out >> guard.in_
    guard.try_ >> work.in_
    guard.catch >> caught.in_
    work.out >> out.in_
    work.failure >> failed.in_
    start.failure >> failed.in_
    start.catch >> caught.in_
    return flow


@contextmanager
def running(flow: Flow, folder: Path, qm: Any, **options: Any) -> Iterator[InlineRun]:
    """Run a flow in threads of this process until the block ends."""
    project = Project(folder)
    made = InlineRun(CompiledFlow(flow, project), lambda: Kept(qm), **options)
    made.start()
    try:
        yield made
        made.stop()
        assert until(lambda: made.join_for(1.0))
    finally:
        made.stop()
        until(lambda: not made.running)
        project.databases.close()


class Kept:
    """A queue manager that the test goes on with after this user has closed it."""

    def __init__(self, qm: Any) -> None:
        self._qm = qm

    def __getattr__(self, name: str) -> Any:
        return getattr(self._qm, name)

    def close(self) -> None:
        pass


LOOK_UP = {"module": "Look", "data_source": "SHOP"}
WRITE = {"module": "Audit", "data_source": "SHOP"}


@pytest.mark.parametrize(
    "node",
    [lambda: nodes.Database(**WRITE), lambda: nodes.Compute(**LOOK_UP)],
    ids=["one by one", "in batches"],
)
def test_messages_wait_for_a_database_and_none_is_counted_as_failed(
    qm: penstock.QueueManager, tmp_path: Path, away: Path, node: Callable[[], Node]
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    for body in ORDERS:
        qm.put("IN", body, persistent=True)
    with running(audited(node()), tmp_path, qm, instances=2) as made:
        until(lambda: "unable to open" in made.waits_for())
        assert "8312" in made.waits_for()
        assert not any(message.backout_count for message in qm.browse("IN"))
        come_back(away)
        until(lambda: made.figures()["messages"] == len(ORDERS) and not made.waits_for())
        figures = made.figures()
    assert (figures["failed"], figures["given_up"], figures["messages"]) == (0, 0, 20)
    assert len(bodies(qm, "OUT")) == 20
    for queue in ("BACKOUT", "FAILED", "CAUGHT", "IN"):
        assert bodies(qm, queue) == []


def test_the_log_of_a_pause_has_what_an_exception_says_only_as_data(
    qm: penstock.QueueManager, tmp_path: Path, away: Path, caplog: pytest.LogCaptureFixture
) -> None:
    qm.put("IN", ORDERS[0], persistent=True)
    with running(audited(nodes.Database(**WRITE)), tmp_path, qm) as made:
        until(made.waits_for)
    (paused,) = [each for each in caplog.records if "flow_paused" in each.getMessage()]
    line = LogFormatter().format(paused)
    assert "unable to open" not in line
    assert {"flow=audited", "reason=8312"} <= set(line.split())
    assert "unable to open" in LogFormatter(with_data=True).format(paused)


def test_a_run_until_the_queue_is_empty_ends_and_the_message_stays_as_it_was(
    qm: penstock.QueueManager, run: Callable[..., Any], away: Path
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    qm.put("IN", ORDERS[0], persistent=True)
    for _ in range(3):
        with pytest.raises(MQError) as raised:
            run(audited(nodes.Database(**WRITE)))
        assert raised.value.reason == 8312
    assert [message.backout_count for message in qm.browse("IN")] == [0]
    assert bodies(qm, "BACKOUT") == []


def test_a_message_got_outside_a_unit_is_held_until_the_database_is_back(
    qm: penstock.QueueManager, tmp_path: Path, away: Path
) -> None:
    qm.put("IN", ORDERS[0])
    with running(audited(nodes.Database(**WRITE), transaction="no"), tmp_path, qm) as made:
        until(made.waits_for)
        come_back(away)
        until(lambda: made.figures()["messages"])
        assert made.figures()["lost"] == 0
    assert bodies(qm, "OUT") == ORDERS[:1]


def test_a_file_waits_for_a_database(qm: penstock.QueueManager, tmp_path: Path, away: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "order.xml").write_bytes(ORDERS[0])
    flow = Flow("files")
    start = flow.add(nodes.FileInput("in", domain="XMLNSC", retries=0, polling=0.1))
    audit, out = flow.add(nodes.Database(**WRITE)), flow.add(nodes.MQOutput("OUT"))
    start.out >> audit.in_
    audit.out >> out.in_
    with running(flow, tmp_path, qm) as made:
        until(made.waits_for)
        come_back(away)
        until(lambda: made.figures()["messages"])
        assert made.figures()["failed"] == 0
    assert bodies(qm, "OUT") == ORDERS[:1]
    assert not (tmp_path / "in" / "mqsibackout").exists()


def test_a_flow_told_to_stop_in_a_pause_ends_in_order(
    qm: penstock.QueueManager, tmp_path: Path, away: Path
) -> None:
    qm.put("IN", ORDERS[0], persistent=True)
    with running(audited(nodes.Database(**WRITE)), tmp_path, qm) as made:
        until(made.waits_for)
    assert made.failure is None
    assert bodies(qm, "IN") == ORDERS[:1]


def test_a_locked_database_is_waited_for(
    qm: penstock.QueueManager, tmp_path: Path, away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.esql.database.engines.SQLITE_WAIT_SECONDS", 0.05)
    come_back(away)
    qm.put("IN", ORDERS[0], persistent=True)
    with shop.connected(url_of(away)) as other:
        other.exec_driver_sql("INSERT INTO audit VALUES (99, 'held')")
        with running(audited(nodes.Database(**WRITE)), tmp_path, qm) as made:
            until(lambda: "is locked" in made.waits_for())
            other.rollback()
            until(lambda: made.figures()["messages"])
            assert made.figures()["failed"] == 0
    assert bodies(qm, "OUT") == ORDERS[:1]


def test_a_postgresql_that_restarts_is_waited_for(
    qm: penstock.QueueManager, tmp_path: Path, penstock_home: Path
) -> None:
    from tests.postgresql import restartable_server

    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "audit.esql").write_text(AUDIT)
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    with restartable_server() as server:
        DataSources(penstock_home).add("SHOP", server.url)
        shop.create(server.url)
        qm.put("IN", ORDERS[0], persistent=True)
        with running(audited(nodes.Database(**WRITE)), tmp_path, qm) as made:
            until(lambda: made.figures()["messages"] == 1)
            server.stop()
            qm.put("IN", ORDERS[1], persistent=True)
            until(made.waits_for)
            server.start()
            until(lambda: made.figures()["messages"] == 2)
            assert made.figures()["failed"] == 0
        assert shop.rows(server.url, "SELECT id FROM audit ORDER BY id") == [(0,), (1,)]
    assert bodies(qm, "OUT") == ORDERS[:2]


# -- services --------------------------------------------------------------------------------


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers every request."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: Any) -> None:
        pass


def asking(port: int, **options: Any) -> Flow:
    flow = Flow("asking")
    start, out = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT"))
    ask = flow.add(nodes.HTTPRequest(f"http://{LOOPBACK}:{port}/", **options))
    start.out >> ask.in_
    ask.out >> out.in_
    return flow


def test_a_service_that_takes_no_connection_is_waited_for_where_the_node_asks_for_it(
    qm: penstock.QueueManager, tmp_path: Path
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    port = free_port()
    with running(asking(port, unreachable="pause"), tmp_path, qm) as made:
        until(made.waits_for)
        with http.server.HTTPServer((LOOPBACK, port), Answers) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            until(lambda: made.figures()["messages"])
            server.shutdown()
        assert made.figures()["failed"] == 0
    assert bodies(qm, "OUT") == [b"ok"]
    assert bodies(qm, "BACKOUT") == []


class Redirects(Answers):
    """Takes every request, and names a server that takes no connection."""

    dead = 0
    seen = 0

    def do_POST(self) -> None:
        type(self).seen += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(303)
        self.send_header("Location", f"http://{LOOPBACK}:{self.dead}/")
        self.send_header("Content-Length", "0")
        self.end_headers()


def test_a_request_that_was_redirected_to_a_dead_server_is_not_sent_again(
    qm: penstock.QueueManager, tmp_path: Path
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    port, Redirects.dead, Redirects.seen = free_port(), free_port(), 0
    with http.server.HTTPServer((LOOPBACK, port), Redirects) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        flow = asking(port, unreachable="pause", follow_redirects=True)
        with running(flow, tmp_path, qm) as made:
            until(lambda: made.figures()["given_up"] or made.waits_for())
            assert made.waits_for() == ""
        server.shutdown()
    assert Redirects.seen == 1
    assert bodies(qm, "BACKOUT") == [b"x"]


def test_by_default_it_is_the_failure_of_the_message(
    qm: penstock.QueueManager, run: Callable[..., Any]
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    qm.put("IN", b"x", persistent=True)
    run(asking(free_port()))
    assert bodies(qm, "BACKOUT") == [b"x"]


def test_unreachable_has_two_values() -> None:
    assert "unreachable 'wait' is not one of fail, pause" in list(
        nodes.HTTPRequest(unreachable="wait").check()
    )


# -- inputs ----------------------------------------------------------------------------------


def two_inputs() -> Flow:
    flow = Flow("two")
    first, second = (
        flow.add(nodes.MQInput("IN", name="first")),
        flow.add(nodes.MQInput("OUT2", name="second")),
    )
    out = flow.add(nodes.MQOutput("OUT"))
    first.out >> out.in_
    second.out >> out.in_
    return flow


def test_only_the_input_whose_queue_gives_no_messages_waits(
    qm: penstock.QueueManager, tmp_path: Path
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) GET(DISABLED)")
    qm.put("IN", b"later")
    with running(two_inputs(), tmp_path, qm) as made:
        until(lambda: "2016" in made.waits_for())
        qm.put("OUT2", b"now")
        assert until(lambda: qm.get("OUT")).body == b"now"
        assert made.running
        qm.mqsc("ALTER QLOCAL(IN) GET(ENABLED)")
        assert until(lambda: qm.get("OUT")).body == b"later"
        qm.mqsc("ALTER QLOCAL(IN) GET(DISABLED)")  # while it waits for messages
        until(lambda: "2016" in made.waits_for())
        qm.mqsc("ALTER QLOCAL(IN) GET(ENABLED)")
        until(lambda: not made.waits_for())


def test_until_empty_the_other_inputs_are_emptied_and_the_reason_is_raised(
    qm: penstock.QueueManager, tmp_path: Path
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) GET(DISABLED)")
    for number in range(300):
        qm.put("OUT2", b"%d" % number)
    made = InlineRun(CompiledFlow(two_inputs(), Project(tmp_path)), lambda: Kept(qm), until_empty=True)
    made.start()
    with pytest.raises(MQError) as raised:
        until(lambda: made.join_for(1.0))
    assert raised.value.reason == 2016
    assert len(bodies(qm, "OUT")) == 300


# -- the queue manager -----------------------------------------------------------------------


@pytest.mark.installed
def test_a_queue_manager_that_is_killed_is_waited_for_and_the_message_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    station = Station(tmp_path)
    station.start()
    try:
        held, seen = threading.Event(), []

        class Slow(Node):
            """Waits at its first message until the queue manager is gone."""

            def process(self, assembly: Any, at: Any) -> None:
                seen.append(assembly.invocation.source.backout_count)
                if len(seen) == 1:
                    held.wait(60)
                at.send("out", assembly)

        flow = Flow("slow")
        start, slow, out = (
            flow.add(nodes.MQInput("IN")),
            flow.add(Slow()),
            flow.add(nodes.MQOutput("OUT")),
        )
        start.out >> slow.in_
        slow.out >> out.in_
        made = InlineRun(CompiledFlow(flow, Project(tmp_path)), station.connect, batch=1)
        with station.connect() as qm:
            qm.mqsc("DEFINE QLOCAL(BACKOUT)")
            qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
            qm.put("IN", b"x", persistent=True)
        made.start()
        until(lambda: seen)
        station.stop(kill=True)
        held.set()
        until(made.waits_for)
        station.start()
        with station.connect() as qm:
            assert until(lambda: qm.get("OUT")).body == b"x"
            assert qm.get("BACKOUT") is None
        until(lambda: not made.waits_for())
        assert seen == [0, 0]
        made.stop()
        assert until(lambda: made.join_for(1.0))
        assert made.figures()["messages"] == 1
    finally:
        station.stop()


@pytest.mark.installed
def test_an_idle_http_flow_comes_back_to_its_queue_manager_without_a_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(http_listener, "ANSWERED_SECONDS", 0.0)  # every request finds the flow idle
    station, port = Station(tmp_path), free_port()
    flow = Flow("serving")
    start, out = flow.add(nodes.HTTPInput("/", port=port)), flow.add(nodes.MQOutput("OUT"))
    start.out >> out.in_
    out.out >> flow.add(nodes.HTTPReply()).in_
    made = InlineRun(CompiledFlow(flow, Project(tmp_path)), station.connect)
    station.start()
    try:
        made.start()
        until(lambda: made.ready)
        assert ask(port, "/", b"one")[0] == 200
        station.stop(kill=True)
        station.start()
        assert ask(port, "/", b"two")[0] == 200
        station.stop()
        statuses: list[int] = []
        client = threading.Thread(target=lambda: statuses.append(ask(port, "/", b"three")[0]))
        client.start()
        until(made.waits_for)  # the request waits with the flow
        station.start()
        client.join(60)
        assert statuses == [200]
        until(lambda: not made.waits_for())
        with station.connect() as qm:
            assert bodies(qm, "OUT")[-1] == b"three"
        made.stop()
        assert until(lambda: made.join_for(1.0))
    finally:
        made.stop()
        station.stop()


@pytest.mark.installed
def test_an_input_waits_for_its_queue_when_another_program_was_quicker_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    station, others, calls = Station(tmp_path), [], []

    def connect() -> Any:
        calls.append(1)
        made = station.connect()
        if len(calls) > 1 and not others:  # the first connection after the restart
            others.append(station.connect())
            others[0].open("IN", mq.MQOO_INPUT_EXCLUSIVE)
        return made

    flow = Flow("copying")
    start, out = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT"))
    start.out >> out.in_
    made = InlineRun(CompiledFlow(flow, Project(tmp_path)), connect)
    station.start()
    try:
        made.start()
        until(lambda: made.ready)
        station.stop(kill=True)
        station.start()
        until(lambda: "2042" in made.waits_for() or made.failure)
        assert made.failure is None
        others[0].close()
        with station.connect() as qm:
            qm.put("IN", b"x")
            assert until(lambda: qm.get("OUT")).body == b"x"
        made.stop()
        assert until(lambda: made.join_for(1.0))
    finally:
        made.stop()
        station.stop()


def test_an_http_flow_needs_no_authority_to_inquire(
    qm: penstock.QueueManager, tmp_path: Path, penstock_home: Path
) -> None:
    add_users(penstock_home, bob="")
    let_in(qm, "PRINCIPAL('bob')")
    port = free_port()
    flow = Flow("serving")
    flow.add(nodes.HTTPInput("/", port=port)).out >> flow.add(nodes.HTTPReply()).in_
    with penstock.embed(qm.name, user="bob") as bob:
        with pytest.raises(MQError) as refused:
            bob.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR)
        assert refused.value.reason == 2035
        with running(flow, tmp_path, bob) as made:
            until(lambda: made.ready)
            listener = made._listeners["HTTPInput.0"]
            before = listener._answered_at
            until(lambda: listener._answered_at > before or made.failure)
            assert made.failure is None
            assert ask(port, "/", b"one")[0] == 200


def test_a_client_is_told_that_a_database_is_not_available(
    qm: penstock.QueueManager, tmp_path: Path, away: Path
) -> None:
    port = free_port()
    flow = Flow("serving")
    start = flow.add(nodes.HTTPInput("/", port=port, domain="XMLNSC"))
    audit = flow.add(nodes.Database(**WRITE))
    start.out >> audit.in_
    audit.out >> flow.add(nodes.HTTPReply()).in_
    with listening(qm, flow, folder=tmp_path):
        status, _, body = ask(port, "/", ORDERS[0])
        assert (status, body.startswith(b"the service is not available; reference ")) == (503, True)
        come_back(away)
        assert ask(port, "/", ORDERS[0])[0] == 200


# -- Spark -----------------------------------------------------------------------------------

LOOKING = """
from penstock.flow import Flow, nodes

flow = Flow("looking")
start = flow.add(nodes.MQInput("IN", domain="XMLNSC"), name="start")
look = flow.add(nodes.Compute(module="Look", data_source="SHOP"))
out = flow.add(nodes.MQOutput("OUT"))
start.out >> look.in_
look.out >> out.in_
"""


def test_a_task_of_spark_waits_for_a_database(tmp_path: Path, away: Path) -> None:
    from penstock.model.message import Message
    from penstock.spark.runs.flow_work import FlowWork, work_arguments

    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "looking.py").write_text(LOOKING)
    work = FlowWork(work_arguments(str(tmp_path), "looking", "start"))
    found: list[Any] = []

    def task() -> None:
        found.extend(work.outputs([Message(body) for body in ORDERS]))

    thread = threading.Thread(target=task)
    thread.start()
    thread.join(0.5)
    assert thread.is_alive()  # else it has failed
    come_back(away)
    thread.join(60)
    assert [each.message.body.count(b"<Name>Ada") for each in found] == [1] * len(ORDERS)
    assert (work.tally.failed, work.tally.given_up) == (0, 0)
