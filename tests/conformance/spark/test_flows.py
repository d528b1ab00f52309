"""Flows on Spark: the same results as inline, failures by the rules of the queue, archives, replays."""

from __future__ import annotations

import base64
import json
import shutil
import threading
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from penstock.cli import demo_orders
from penstock.cli.main import application
from penstock.flow import CompiledFlow, Project
from penstock.flow.running.queue_listener import QueueListener
from penstock.model.errors import MQError
from penstock.spark import replay
from penstock.spark.runs import flow_job
from penstock.spark.runs.run_checks import check
from penstock.spark.runs.spark_run import JOB, SparkRun
from penstock.spark.starting import resident
from tests.patience import until
from tests.spark import Broker, finish, marks

pytestmark = marks
ORDERS = Path(str(files("penstock.examples"))) / "orders"
DEFINITIONS = """
DEFINE QLOCAL(ORDERS.IN) DEFPSIST(YES) BOTHRESH(2) BOQNAME(ORDERS.BACKOUT)
DEFINE QLOCAL(ORDERS.BACKOUT)
DEFINE QLOCAL(BILLING)
DEFINE QLOCAL(WAREHOUSE)
DEFINE QLOCAL(REJECTED)
"""
QUEUES = (*demo_orders.QUEUES, "ORDERS.BACKOUT", "ORDERS.IN")
FAILING = """
from penstock.flow import Flow, nodes

flow = Flow("orders")
start = flow.add(nodes.MQInput("ORDERS.IN", domain="XMLNSC"))
compute = flow.add(nodes.Compute("esql/orders.esql", module="Bill"))
out = flow.add(nodes.MQOutput("BILLING"))
start.out >> compute.in_
compute.out >> out.in_
"""


def define(broker: Broker) -> None:
    with broker.local() as qm:
        assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))


def put_orders(broker: Broker, numbers: range) -> None:
    with broker.local() as qm:
        for number in numbers:
            qm.put(
                "ORDERS.IN",
                demo_orders.order(number),
                persistent=True,
                correl_id=b"%024d" % number,
                priority=number % 3,
                reply_to="REPLIES",
            )


def spark_run(broker: Broker, project: Path = ORDERS, **given: Any) -> SparkRun:
    return SparkRun(
        str(project),
        "orders",
        broker.name,
        until_empty=True,
        checkpoint=str(broker.checkpoint),
        options={"home": str(broker.home)},
        **given,
    )


def taken(broker: Broker) -> dict[str, list[Any]]:
    """Take everything off the queues; what differs from run to run (put time, new ids) left out."""
    found = {}
    with broker.local() as qm:
        for queue in QUEUES:
            messages = qm.get_many(queue, 10_000)
            found[queue] = sorted(
                (each.correl_id, each.body, each.msg_id, each.priority, each.persistent, each.descriptor)
                for each in messages
            )
    return found


def run_inline(broker: Broker, project: Path) -> None:
    with broker.local() as qm:
        loaded = Project(project)
        listener = QueueListener(CompiledFlow(loaded.flow("orders"), loaded), "MQInput", qm)
        listener.run(threading.Event(), until_empty=True)


def without_ids(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return what was found in a fixed order: batches that overlap have none."""
    return {queue: sorted(((*row[:2], *row[3:]) for row in rows), key=repr) for queue, rows in found.items()}


@pytest.mark.parametrize("project", ["orders", "failing"])
def test_spark_gives_what_the_inline_engine_gives(
    spark: Any, broker: Broker, tmp_path: Path, project: str
) -> None:
    folder = ORDERS if project == "orders" else failing_project(tmp_path / "failing")
    define(broker)

    def put() -> None:
        put_orders(broker, range(1, 120))
        with broker.local() as qm:
            qm.put("ORDERS.IN", b"this is no XML", persistent=True, correl_id=b"x" * 24)

    put()
    run_inline(broker, folder)
    inline = taken(broker)
    put()
    for query in flow_job.start(spark, spark_run(broker, folder, batch_rows=50)).values():
        finish(query)
    on_spark = taken(broker)

    assert without_ids(on_spark) == without_ids(inline)
    assert [] == inline["ORDERS.IN"] == on_spark["ORDERS.IN"]
    bad = inline["REJECTED" if project == "orders" else "ORDERS.BACKOUT"]
    assert b"this is no XML" in [body for _, body, *_ in bad]


def test_a_queue_that_does_not_take_a_message_is_that_message_s_failure_alone(
    spark: Any, broker: Broker, tmp_path: Path
) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "orders.py").write_text(
        "from penstock.flow import Flow, nodes\n"
        'flow = Flow("orders")\n'
        'start = flow.add(nodes.MQInput("ORDERS.IN"))\n'
        'out = flow.add(nodes.MQOutput(destination="reply"))\n'
        "start.out >> out.in_\n"
    )
    define(broker)
    with broker.local() as qm:
        for reply_to in ("BILLING", "NOWHERE", "BILLING"):
            qm.put("ORDERS.IN", reply_to.encode(), reply_to=reply_to, persistent=True)

    (query,) = flow_job.start(spark, spark_run(broker, tmp_path)).values()
    finish(query)

    assert broker.bodies("BILLING") == [b"BILLING"] * 2
    assert broker.bodies("ORDERS.BACKOUT") == [b"NOWHERE"]


def failing_project(folder: Path) -> Path:
    """Make the flow without its filters and its catch: bad orders fail for good."""
    (folder / "flows").mkdir(parents=True)
    (folder / "flows" / "orders.py").write_text(FAILING)
    shutil.copytree(ORDERS / "esql", folder / "esql")
    return folder


def test_a_run_tells_of_its_batches_and_sums_them_up(spark: Any, broker: Broker, tmp_path: Path) -> None:
    define(broker)
    put_orders(broker, range(1, 60))
    with broker.local() as qm:
        qm.put("ORDERS.IN", b"this is no XML", persistent=True)
    told: list[dict[str, Any]] = []

    given = spark_run(broker, failing_project(tmp_path / "failing"), batch_rows=40).arguments()
    facts = flow_job.run(spark, given, told.append, threading.Event())

    assert (facts["messages"], facts["outputs"], facts["batches"]) == (60, 60, 2)
    assert (facts["failed"], facts["given_up"], facts["lost"]) == (2, 1, 0)  # BOTHRESH(2)
    assert [event.get("messages") for event in told] == [None, 40, 60]  # the first tells of the start


def test_a_spark_that_stays_runs_a_flow_and_sees_its_changes(
    spark: Any, broker: Broker, tmp_path: Path, penstock_home: Path
) -> None:
    define(broker)
    folder = tmp_path / "project"
    shutil.copytree(ORDERS, folder)
    staying = threading.Thread(target=resident.Resident(spark, resident.spark_folder()).run)
    staying.start()
    until(lambda: resident.status() is not None)
    try:
        for discount in ("5", "7"):
            esql = folder / "flows" / "orders.py"
            esql.write_text(esql.read_text().replace('"DISCOUNT": 5', f'"DISCOUNT": {discount}'))
            put_orders(broker, range(1, 2))
            resident.request(JOB, spark_run(broker, folder).arguments(), lambda event: None)
        bills = broker.bodies("BILLING")
    finally:
        resident.stop()
        staying.join(60)
    assert [b"<Discount>5</Discount>" in bills[0], b"<Discount>7</Discount>" in bills[1]] == [True, True]


def test_a_flow_that_spark_cannot_promise_is_refused_by_node(
    spark: Any, broker: Broker, tmp_path: Path
) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "orders.py").write_text(
        FAILING.replace('MQOutput("BILLING")', 'MQOutput("BILLING", transaction="no")')
    )
    shutil.copytree(ORDERS / "esql", tmp_path / "esql")
    with pytest.raises(MQError, match="MQOutput: if a batch is run again, its work outside") as raised:
        flow_job.start(spark, spark_run(broker, tmp_path))
    assert raised.value.reason == 8305


def test_a_queue_manager_that_is_named_twice_is_refused(spark: Any, broker: Broker) -> None:
    """By its name and by its address: two queries of one flow would take over from each other."""
    twice = SparkRun(
        str(ORDERS), "orders", broker.address(), also=[broker.name], options={"home": str(broker.home)}
    )
    with pytest.raises(MQError, match="are the same queue manager: name it once") as raised:
        flow_job.start(spark, twice)
    assert (raised.value.reason, broker.flows()) == (8405, {})


def test_a_cluster_needs_an_address(broker: Broker) -> None:
    project = Project(ORDERS)
    flow = CompiledFlow(project.flow("orders"), project)
    with pytest.raises(MQError, match="give an mq:// address"):
        check(flow, "QM1", "spark://host:7077")
    check(flow, "mq://host:1414/QM1", "spark://host:7077")


def test_what_cannot_be_compared_is_refused_before_the_replay(spark: Any, tmp_path: Path) -> None:
    """A year of messages first, and a wrong name after it, would be a day lost."""
    given = {"project": str(ORDERS), "flow": "orders", "input": "MQInput", "set": {}}
    given |= {"archive": archive(tmp_path / "archive", "json", range(1, 3)), "target": str(tmp_path / "now")}

    with pytest.raises(MQError, match="PATH_NOT_FOUND") as missing:
        replay.job(spark, {**given, "compare": str(tmp_path / "nothing")}, print, None)
    with pytest.raises(MQError, match="outputs on queues cannot be compared"):
        replay.job(spark, {**given, "target": "queues", "compare": str(tmp_path)}, print, None)

    assert missing.value.reason == 8408
    assert not (tmp_path / "now").exists()


def test_a_run_that_fails_says_so_in_one_line(spark: Any, broker: Broker) -> None:
    """The broker has no queue ORDERS.IN."""
    with pytest.raises(MQError) as caught:
        flow_job.run(spark, spark_run(broker).arguments(), print, threading.Event())

    assert caught.value.reason == 2085
    assert "Traceback" not in str(caught.value)


def test_a_run_that_fails_holds_no_message(spark: Any, broker: Broker, tmp_path: Path) -> None:
    """Whoever removes the message that cannot be worked has to see it; the next run does the others once."""
    define(broker)
    project = tmp_path / "shop"
    shutil.copytree(ORDERS, project)
    (project / "flows" / "orders.py").write_text(FAILING)
    put_orders(broker, range(1, 3))
    with broker.local() as qm:
        qm.mqsc("ALTER QLOCAL(ORDERS.IN) BOTHRESH(0) BOQNAME(' ')")
        qm.mqsc("ALTER QMGR DEADQ(' ')")
        poison = qm.put("ORDERS.IN", b"<broken", persistent=True)
    given = spark_run(broker, project).arguments()
    with pytest.raises(MQError, match="8303"):
        flow_job.run(spark, given, print, threading.Event())

    assert [state["rows"] for state in broker.flows().values()] == [0]
    with broker.local() as qm:
        assert qm.get("ORDERS.IN", msg_id=poison.msg_id) is not None
    assert flow_job.run(spark, given, print, threading.Event())["outputs"] == 2
    found = taken(broker)
    assert (len(found["BILLING"]), len(found["ORDERS.IN"])) == (2, 0)


def archive(folder: Path, form: str, numbers: range) -> str:
    """Write orders as an archive of a form; return its path."""
    bodies = [demo_orders.order(number) for number in numbers]
    if form == "files":
        folder.mkdir()
        for number, body in zip(numbers, bodies, strict=True):
            (folder / f"{number}.xml").write_bytes(body)
        return str(folder)
    if form == "json":
        path = folder.with_suffix(".jsonl")
        lines = [{"body": body.decode()} for body in bodies[::2]]
        lines += [{"body_base64": base64.b64encode(body).decode()} for body in bodies[1::2]]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder.with_suffix(".parquet")
    pq.write_table(pa.table({"body": pa.array(bodies, pa.binary())}), path)
    return str(path)


def test_a_line_that_is_no_message_is_shown_and_the_run_can_be_repeated(spark: Any, tmp_path: Path) -> None:
    path = Path(archive(tmp_path / "archive", "json", range(1, 3)))
    lines, target = path.read_text(), str(tmp_path / "run")
    given = {"project": str(ORDERS), "flow": "orders", "input": "MQInput", "set": {}, "target": target}
    path.write_text(f"{lines}$ penstock browse IN\n")
    with pytest.raises(MQError, match="a line that is no message in JSON: \\$ penstock browse IN") as caught:
        replay.job(spark, {**given, "archive": str(path)}, print, None)
    path.write_text(lines)

    replay.check_paths(str(path), target)
    assert replay.job(spark, {**given, "archive": str(path)}, print, None)["messages"] == 2
    assert caught.value.reason == 8405


REPLAYED = {"messages": 40, "failed": 0, "outputs": 40, "queues": {"BILLING": 20, "WAREHOUSE": 20}}


@pytest.mark.parametrize("form", ["files", "parquet"])
def test_an_archive_of_every_form_is_replayed(spark: Any, tmp_path: Path, form: str) -> None:
    path = archive(tmp_path / "archive", form, range(1, 41))
    work = {"project": str(ORDERS), "flow": "orders", "input": "MQInput"}

    assert replay.replay(spark, work, path, str(tmp_path / "first")) == REPLAYED


def test_an_archive_is_replayed_and_a_changed_flow_shows(spark: Any, tmp_path: Path) -> None:
    path = archive(tmp_path / "archive", "json", range(1, 41))
    work = {"project": str(ORDERS), "flow": "orders", "input": "MQInput"}

    first = replay.replay(spark, work, path, str(tmp_path / "first"))
    again = replay.replay(spark, work, path, str(tmp_path / "again"))
    other = {**work, "set": {"DISCOUNT": "50"}}
    replay.replay(spark, other, path, str(tmp_path / "other"))

    assert first == again == REPLAYED
    same = replay.compare(spark, str(tmp_path / "first"), str(tmp_path / "again"))
    assert (same["same"], same["changed"], same["only_before"], same["only_now"]) == (40, 0, 0, 0)
    differing = replay.compare(spark, str(tmp_path / "first"), str(tmp_path / "other"))
    assert (differing["same"], differing["changed"]) == (20, 20)
    assert "<Discount>5</Discount>" in differing["samples"][0]["before"]
    assert "<Discount>50</Discount>" in differing["samples"][0]["now"]


def test_a_run_is_an_archive_and_its_failures_are_the_exit_code(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `penstock replay --to runs/first` has written is Parquet, though its name does not say so."""
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    bodies = [demo_orders.order(number) for number in range(1, 7)] + [b"no XML", b"<Order"]
    project = failing_project(tmp_path / "project")
    path = tmp_path / "archive.jsonl"
    path.write_text("".join(json.dumps({"body": body.decode()}) + "\n" for body in bodies))

    def run(source: Path, target: str, *options: str) -> tuple[int, Any]:
        words = ["--from", str(source), "--flow", "orders", "--project", str(project), "--json", *options]
        words += ["--to", str(tmp_path / target), "--master", "local[2]"]
        done = CliRunner().invoke(application(), ["replay", *words])
        return done.exit_code, json.loads(done.stdout)

    code, facts = run(path, "first")
    assert (code, facts["messages"], facts["failed"], facts["queues"]["FAILED"]) == (3, 8, 2, 2)
    code, facts = run(tmp_path / "first", "second", "--allow-failures")
    assert (code, facts["messages"]) == (0, 8)


def test_an_archive_is_replayed_to_queues(spark: Any, broker: Broker, tmp_path: Path) -> None:
    define(broker)
    path = archive(tmp_path / "archive", "json", range(1, 21))
    work = {"project": str(ORDERS), "flow": "orders", "input": "MQInput"}
    replay.replay(spark, work, path, replay.TO_QUEUES, options=broker.options())
    assert len(broker.bodies("BILLING")) == 10
