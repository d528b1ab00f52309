"""ESQL programs that use tables, from the text to the database and back."""

from __future__ import annotations

import pytest

from penstock.esql.database.databases import Databases
from penstock.model.errors import MQError
from tests.conformance.esql.programs import out, run


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "SET OutputRoot.XMLNSC.r.o[] = SELECT O.ID, O.CUSTOMER FROM Database.ORDERS AS O WHERE O.ID < 3;",
            "<o><ID>1</ID><CUSTOMER>Ada</CUSTOMER></o><o><ID>2</ID><CUSTOMER>ben</CUSTOMER></o>",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o = THE (SELECT ITEM O.CUSTOMER FROM Database.ORDERS AS O "
            "WHERE O.ID = CAST(InputRoot.XMLNSC.o.n AS INTEGER) - 4);",
            "<o>Ada</o>",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o[] = SELECT ITEM O.ID FROM Database.SHOP.{'main'}.{'orders'} AS O "
            "WHERE O.ID > 1 AND SUBSTRING(O.CUSTOMER FROM 2 FOR 1) = 'y';",
            "<o>3</o>",
        ),
        ("SET OutputRoot.XMLNSC.r.o = SELECT COUNT(*) FROM Database.ORDERS AS O;", "<o>4</o>"),
        (
            "SET OutputRoot.XMLNSC.r.o[] = SELECT ITEM O.ID FROM Database.ORDERS AS O WHERE O.ID > 2.6;",
            "<o>3</o><o>4</o>",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o[] = SELECT ITEM O.ID FROM Database.ORDERS AS O WHERE O.ID = DECIMAL '2.2';",
            "",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o[] = SELECT ITEM O.ID FROM Database.ORDERS AS O WHERE O.ID * 1.5 > 5;",
            "<o>4</o>",
        ),
        ("SET OutputRoot.XMLNSC.r.o = SELECT SUM(O.TOTAL) FROM Database.ORDERS AS O;", "<o>35.75</o>"),
        (
            "DELETE FROM Database.ORDERS AS O WHERE O.CUSTOMER IS NULL;"
            "UPDATE Database.ORDERS AS O SET CUSTOMER = 'x' || O.CUSTOMER WHERE O.ID = 1;"
            "INSERT INTO Database.ORDERS (ID, CUSTOMER) VALUES (7, InputRoot.XMLNSC.o.t);"
            "SET OutputRoot.XMLNSC.r.o[] = SELECT ITEM O.CUSTOMER FROM Database.ORDERS AS O WHERE O.ID IN (1, 4, 7);",
            "<o>xAda</o><o>text</o>",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o[] = PASSTHRU('select customer from orders where id = ?' VALUES (1));",
            "<o><customer>Ada</customer></o>",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o[] = PASSTHRU('select id from orders where id = ?', 2);",
            "<o><id>2</id></o>",
        ),
        (
            "BEGIN DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'D%' SET OutputRoot.XMLNSC.r.o = SQLSTATE;"
            "INSERT INTO Database.ORDERS (ID) VALUES (1); END;",
            "<o>D23505</o>",
        ),
        (
            "UPDATE Database.ORDERS AS O SET CUSTOMER = NULL WHERE O.ID = 99; SET OutputRoot.XMLNSC.r.o = SQLCODE;",
            "<o>100</o>",
        ),
        (
            "DELETE FROM Database.ORDERS AS O WHERE O.ID > 1 AND SUBSTRING(O.CUSTOMER FROM 2 FOR 1) = 'y';"
            "SET OutputRoot.XMLNSC.r.o[] = SELECT ITEM O.ID FROM Database.ORDERS AS O;",
            "<o>1</o><o>2</o><o>4</o>",
        ),
        (
            "UPDATE Database.ORDERS AS O SET CUSTOMER = SUBSTRING(O.CUSTOMER FROM 1 FOR 1), TOTAL = O.ID * 2 "
            "WHERE O.CUSTOMER IS NOT NULL AND LEFT(O.CUSTOMER, 1) <> 'b';"
            "SET OutputRoot.XMLNSC.r.o[] = SELECT O.CUSTOMER AS c, CAST(O.TOTAL AS INTEGER) AS t "
            "FROM Database.ORDERS AS O WHERE O.ID = 1;"
            "SET OutputRoot.XMLNSC.r.p[] = SELECT ITEM O.CUSTOMER FROM Database.ORDERS AS O WHERE O.ID = 2;",
            "<o><c>A</c><t>2</t></o><p>ben</p>",
        ),
        (
            "UPDATE Database.ORDERS AS O SET CUSTOMER = NULL WHERE REPLICATE(O.CUSTOMER, 2) = 'zz';"
            "SET OutputRoot.XMLNSC.r.o = SQLCODE;",
            "<o>100</o>",
        ),
        (
            "DELETE FROM Database.ORDERS; ROLLBACK; "
            "SET OutputRoot.XMLNSC.r.o = SELECT COUNT(*) FROM Database.ORDERS AS O;",
            "<o>4</o>",
        ),
        (
            "SET OutputRoot.XMLNSC.r.o[] = SELECT A.ID AS a, B.ID AS b FROM Database.ORDERS AS A, Database.ORDERS AS B "
            "WHERE A.ID = 1 AND B.ID = A.ID + 1;",
            "<o><a>1</a><b>2</b></o>",
        ),
    ],
)
def test_program(shop: Databases, database_url: str, body: str, expected: str) -> None:
    if not database_url.startswith("sqlite"):
        body = body.replace("{'main'}", "{'public'}")

    assert out(body, databases=shop) == expected


def test_a_value_that_looks_like_sql_stays_a_value(shop: Databases) -> None:
    body = "DELETE FROM Database.ORDERS AS O WHERE O.CUSTOMER = InputRoot.XMLNSC.o.who;"

    run(body, b"<o><who>x' OR '1'='1</who></o>", databases=shop)

    assert (
        out("SET OutputRoot.XMLNSC.r.o = SELECT COUNT(*) FROM Database.ORDERS AS O;", databases=shop)
        == "<o>4</o>"
    )


def test_an_error_carries_the_databases_state(shop: Databases) -> None:
    with pytest.raises(MQError) as raised:
        run("INSERT INTO Database.NOTHING (A) VALUES (1);", databases=shop)
    assert raised.value.fields["sqlstate"] == "D42S02"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("SET Environment.r[] = PASSTHRU(NULL);", 8203),
        ("SET Environment.r[] = PASSTHRU(5);", 8203),
        ("INSERT INTO Database.ORDERS (ID, PICTURE) VALUES (57, 'abc');", 8205),
    ],
)
def test_what_no_driver_takes_is_an_error_of_esql(shop: Databases, body: str, reason: int) -> None:
    with pytest.raises(MQError) as raised:
        run(body, databases=shop)
    assert (raised.value.reason, raised.value.fields["line"]) == (reason, 6)
