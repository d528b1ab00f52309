"""Queues where data people look: options by name, errors at load, browsing streams, dead letters, columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.model.headers import DeadLetterHeader
from penstock.spark.esql_function import penstock_esql
from tests.spark import Broker, finish, marks, running_broker

pytestmark = marks

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "item": {"$ref": "#/$defs/Item"},
    },
    "$defs": {"Item": {"type": "object", "properties": {"price": {"type": "number"}}}},
}
XSD = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="Order"><xs:complexType>'
    '<xs:sequence><xs:element name="Total" type="xs:decimal"/><xs:element name="Code" type="xs:string"'
    ' maxOccurs="unbounded"/></xs:sequence><xs:attribute name="id" type="xs:int"/></xs:complexType>'
    "</xs:element></xs:schema>"
)
COPYBOOK = (
    "       01 REC.\n         05 NUM PIC 9(7).\n         05 NAME PIC X(5).\n         05 AMT PIC 9(3)V99.\n"
)
ESQL = """CREATE COMPUTE MODULE Bill
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
  SET OutputRoot.XMLNSC.Bill.Amount = InputRoot.XMLNSC.Order.Total;
  RETURN InputRoot.XMLNSC.Order.Total <> '0';
END;
END MODULE;
"""


@pytest.fixture(scope="module")
def one_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with running_broker(tmp_path_factory.mktemp("people") / "broker") as running:
        with running.local() as qm:
            qm.mqsc("DEFINE QLOCAL(DEAD)\nALTER QMGR DEADQ(DEAD)\nDEFINE QLOCAL(SMALL) MAXDEPTH(1)")
        yield running


@pytest.fixture
def people(one_broker: Broker) -> Broker:
    with one_broker.local() as qm:
        qm.mqsc("CLEAR QLOCAL(IN)\nCLEAR QLOCAL(OUT)\nCLEAR QLOCAL(DEAD)")
    return one_broker


def refusal(action: Any) -> str:
    """Return the line that an action is refused with: one, with the place of the traceback."""
    with pytest.raises(Exception, match="PYTHON_DATA_SOURCE_ERROR") as caught:
        action()
    line, *more = str(caught.value).strip().splitlines()
    assert [each.strip() for each in more] in ([], ["SQLSTATE: 38000"])
    assert Path(line.rpartition("Traceback: ")[2]).read_text().startswith("Traceback")
    return line


def test_an_unknown_option_is_refused_with_the_nearest(spark: Any, people: Broker) -> None:
    stream = spark.readStream.format("penstock")

    line = refusal(lambda: stream.options(**people.options(queue="IN", maxrow=3)).load())

    assert "8405 PSRC_SPARK_OPTION: there is no option maxrow; did you mean maxRows" in line


def test_a_value_that_cannot_be_is_refused_at_load(spark: Any, people: Broker) -> None:
    stream = spark.readStream.format("penstock")

    line = refusal(lambda: stream.options(**people.options(queue="IN", partitions="-1")).load())

    assert "8405 PSRC_SPARK_OPTION: partitions is a number from 0" in line


def test_a_queue_that_is_not_there_is_refused_at_load(spark: Any, people: Broker) -> None:
    options = people.options(queue="NOWHERE")

    assert "2085 MQRC_UNKNOWN_OBJECT_NAME" in refusal(
        lambda: spark.read.format("penstock").options(**options).load()
    )


def test_a_user_without_authority_is_refused_at_load(spark: Any, people: Broker) -> None:
    options = people.options(queue="IN", url=people.address())
    with people.local() as qm:
        qm.mqsc("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHRMV(GET,BROWSE)")
    try:
        line = refusal(lambda: spark.readStream.format("penstock").options(**options).load())
    finally:
        with people.local() as qm:
            qm.mqsc("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(GET,BROWSE)")
    assert "2035 MQRC_NOT_AUTHORIZED" in line


def test_a_table_and_a_view_read_a_queue(spark: Any, people: Broker, tmp_path: Path) -> None:
    people.put(3)
    given = f"USING penstock OPTIONS (url '{people.name}', home '{people.home}', queue 'IN')"
    spark.sql(f"CREATE TABLE waiting {given}")
    spark.sql(f"CREATE TEMPORARY VIEW seen {given}")
    try:
        assert spark.sql("SELECT count(*) AS n FROM waiting").collect()[0]["n"] == 3
        assert spark.sql("SELECT count(*) AS n FROM seen").collect()[0]["n"] == 3
        spark.sql("INSERT INTO waiting (body, priority) VALUES (CAST('new' AS BINARY), 4)")
        rows = spark.sql("SELECT string(body) AS body FROM waiting WHERE priority = 4").collect()
        assert [row.body for row in rows] == ["new"]
        writer = spark.readStream.table("waiting").writeStream.format("parquet").trigger(availableNow=True)
        paths = {"path": tmp_path / "taken", "checkpointLocation": tmp_path / "checkpoint"}
        finish(writer.options(**{name: str(path) for name, path in paths.items()}).start())
        assert spark.read.parquet(str(tmp_path / "taken")).count() == 4
        assert people.bodies("IN") == []
    finally:
        spark.sql("DROP TABLE waiting")
        spark.catalog.dropTempView("seen")


def test_a_table_that_cannot_work_is_refused(spark: Any, people: Broker) -> None:
    given = f"USING penstock OPTIONS (url '{people.name}', home '{people.home}', queue 'IN'"

    assert "passwordFile" in refusal(lambda: spark.sql(f"CREATE TABLE secret {given}, password 'x')"))
    assert "queue" in refusal(lambda: spark.sql(f"CREATE TABLE wrong {given}, quene 'x')"))
    spark.sql(f"CREATE TABLE listed (body BINARY) {given})")
    try:
        assert "without a list of columns" in refusal(lambda: spark.sql("SELECT * FROM listed").collect())
    finally:
        spark.sql("DROP TABLE listed")


def test_a_browsing_stream_takes_nothing_and_goes_on(spark: Any, people: Broker, tmp_path: Path) -> None:
    def seen() -> list[str]:
        rows = spark.readStream.format("penstock").options(
            **people.options(queue="IN", browse="true", maxRows=2)
        )
        bodies = rows.load().selectExpr("cast(body as string) AS body").writeStream.format("parquet")
        bodies = bodies.option("checkpointLocation", str(tmp_path / "ck")).option(
            "path", str(tmp_path / "out")
        )
        finish(bodies.trigger(availableNow=True).start())
        return sorted(row["body"] for row in spark.read.parquet(str(tmp_path / "out")).collect())

    people.put(3)
    assert seen() == ["000000", "000001", "000002"]
    people.put(2, first=3)
    with people.local() as qm:
        qm.get("IN")  # one that was seen
    assert seen() == [f"{number:06}" for number in range(5)]
    assert len(people.bodies("IN")) == 4


def test_dead_letters_say_why(spark: Any, people: Broker) -> None:
    with people.local() as qm:
        header = DeadLetterHeader(reason=2053, queue="SMALL", qmgr=people.name, format="MQSTR")
        qm.put("DEAD", header.pack() + b"lost", format="MQDEAD")
    rows = spark.read.format("penstock").options(**people.options(deadLetters="true")).load()

    (row,) = rows.select("dead_reason", "dead_name", "dead_queue", "dead_body").collect()

    assert tuple(row) == (2053, "MQRC_Q_FULL", "SMALL", b"lost")


def test_a_journal_is_a_table_of_all_that_went_through(spark: Any, people: Broker, tmp_path: Path) -> None:
    with people.local() as qm:
        qm.put("OUT", b"got already", persistent=True)
        qm.get("OUT")
    source = spark.read.format("penstock")

    rows = source.option("journal", str(people.folder)).option("queue", "OUT").load()
    (row,) = (
        rows.where("body = cast('got already' AS binary)").select("queue", "put_time", "position").collect()
    )
    line = refusal(lambda: source.option("journal", str(tmp_path)).load())

    assert row["queue"] == "OUT"
    assert row["put_time"] is not None
    assert row["position"] > 0
    assert f"8405 PSRC_SPARK_OPTION: journal: {tmp_path} has no log files" in line


@pytest.mark.parametrize(
    ("domain", "file", "text", "body", "data"),
    [
        (
            "JSON",
            "o.json",
            json.dumps(SCHEMA),
            b'{"id":7,"tags":["a","b"],"item":{"price":1.5}}',
            "item.price",
        ),
        ("XMLNSC", "o.xsd", XSD, b'<Order id="5"><Total>12.5</Total><Code>A</Code></Order>', "Total"),
        ("MRM", "o.cpy", COPYBOOK, b"0000123ANN  00250", "AMT"),
    ],
)
def test_a_body_is_columns_by_its_model_and_goes_back(
    spark: Any, people: Broker, tmp_path: Path, domain: str, file: str, text: str, body: bytes, data: str
) -> None:
    (tmp_path / file).write_text(text)
    form = {"domain": domain, "model": str(tmp_path / file)}
    with people.local() as qm:
        qm.put("IN", body)
    rows = spark.read.format("penstock").options(**people.options(queue="IN", **form)).load()

    assert float(rows.selectExpr(f"data.{data} AS it").collect()[0]["it"]) in (1.5, 12.5, 2.5)
    rows.select("data").write.format("penstock").options(**people.options(queue="OUT", **form)).mode(
        "append"
    ).save()

    got = people.bodies()[0]
    assert got == body or json.loads(got) == json.loads(body)


def test_a_body_that_does_not_fit_is_named(spark: Any, people: Broker, tmp_path: Path) -> None:
    (tmp_path / "o.xsd").write_text(XSD)
    with people.local() as qm:
        receipt = qm.put("IN", b"<Order><Total>many</Total></Order>")
    form = {"domain": "XMLNSC", "model": str(tmp_path / "o.xsd")}
    rows = spark.read.format("penstock").options(**people.options(queue="IN", **form)).load()

    with pytest.raises(Exception, match=f"the body of message {receipt.msg_id.hex()} is not Order"):
        rows.select("data").collect()


def test_esql_runs_in_sql(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "bill.esql").write_text(ESQL)
    totals = ["5", "0"]
    rows = spark.createDataFrame(
        [(f"<Order><Total>{total}</Total></Order>",) for total in totals], "body string"
    )

    done = rows.selectExpr(f"cast(penstock_esql(body, '{tmp_path}/bill.esql:Bill') AS string) AS bill")

    assert [row["bill"] for row in done.collect()] == ["<Bill><Amount>5</Amount></Bill>", None]


def test_an_esql_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MQError, match=f"there is no file {tmp_path}/none.esql"):
        penstock_esql(b"<Order/>", f"{tmp_path}/none.esql:Bill")
