"""SELECT from tables: conditions that the database does, columns, types."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from penstock import tree
from penstock.esql.database.databases import Databases, Table
from penstock.model.errors import MQError
from tests.conformance.esql_database.conftest import Said

ORDERS = Table(None, None, "ORDERS")
ID, CUSTOMER, TOTAL = ("column", "ID"), ("column", "Customer"), ("column", "total")


def rows(found: list[tree.Reference]) -> list[dict[str, Any]]:
    return [{each.name: each.value for each in row} for row in found]


def ids(shop: Databases, said: Said, condition: tuple[Any, ...], *values: Any) -> list[int]:
    return sorted(row["ID"] for row in rows(shop.select(said, ORDERS, condition, values, ("ID",))))


def test_columns_are_named_as_the_program_spells_them(shop: Databases, said: Said) -> None:
    found = shop.select(said, ORDERS, ("=", ID, ("value", 0)), (1,), ("Id", "CUSTOMER"))

    assert rows(found) == [{"Id": 1, "CUSTOMER": "Ada"}]
    assert found[0].read(tree.Path("CUSTOMER")) == "Ada"


def test_without_columns_all_come_as_the_database_names_them(shop: Databases, said: Said) -> None:
    found = rows(shop.select(said, ORDERS, ("=", ID, ("value", 0)), (3,)))

    assert [*found[0]] == ["id", "customer", "total", "weight", "placed", "at", "changed", "paid", "picture"]
    assert found[0]["customer"] == "Cyd"
    assert found[0]["total"] is None


def test_the_data_source_may_be_named(shop: Databases, said: Said) -> None:
    assert len(shop.select(said, Table("SHOP", None, "orders"))) == 4
    assert said.sqlcode == 0
    assert said.sqlstate == "00000"


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        (("=", ID, ("value", 0)), (2,), [2]),
        (("=", ("value", 0), ID), ("2",), [2]),
        (("<>", ID, ("value", 0)), (2,), [1, 3, 4]),
        ((">=", TOTAL, ("value", 0)), (Decimal("10.50"),), [1, 2]),
        (("<", TOTAL, ("value", 0)), (10,), [4]),
        (("=", TOTAL, ("value", 0)), (None,), []),
        (("<>", CUSTOMER, ("value", 0)), ("Ada",), [2, 3]),
        (("is null", CUSTOMER), (), [4]),
        (("is not null", TOTAL), (), [1, 2, 4]),
        (("like", CUSTOMER, ("value", 0), "\\"), ("%d%",), [1, 3]),
        (("like", CUSTOMER, ("value", 0), "\\"), ("B%",), []),
        (("like", CUSTOMER, ("value", 0), "\\"), ("a\\_a",), []),
        (("in", ID, ("value", 0), ("value", 1)), (1, 4), [1, 4]),
        (("not", ("in", CUSTOMER, ("value", 0))), ("Ada",), [2, 3]),
        (("not", ("in", CUSTOMER, ("value", 0), ("value", 1))), ("Ada", None), []),
        (("between", ID, ("value", 0), ("value", 1)), (2, 3), [2, 3]),
        (("and", (">", ID, ("value", 0)), ("<", ID, ("value", 1))), (1, 4), [2, 3]),
        (("or", ("=", ID, ("value", 0)), ("is null", TOTAL)), (1,), [1, 3]),
        (("=", ("call", "UPPER", CUSTOMER), ("value", 0)), ("BEN",), [2]),
        (("=", ("call", "COALESCE", CUSTOMER, ("value", 0)), ("value", 1)), ("x", "x"), [4]),
        (("=", ("call", "LENGTH", ("call", "TRIM", CUSTOMER)), ("value", 0)), (3,), [1, 2, 3]),
        (("=", ("+", ID, ("value", 0)), ("value", 1)), (1, 3), [2]),
        (("=", ("/", ID, ("value", 0)), ("value", 1)), (2, 1), [2, 3]),
        (("=", ("||", CUSTOMER, ("value", 0)), ("value", 1)), ("!", "Ada!"), [1]),
        ((">", ("negative", ID), ("value", 0)), (-2,), [1]),
        (("=", CUSTOMER, ("value", 0)), ("x' or '1'='1",), []),
    ],
)
def test_condition(
    shop: Databases, said: Said, condition: tuple[Any, ...], values: tuple[Any, ...], expected: list[int]
) -> None:
    assert ids(shop, said, condition, *values) == expected


def test_types_both_ways(shop: Databases, said: Said) -> None:
    written = (
        9,
        "é",
        Decimal("12.30"),
        0.1,
        date(2024, 2, 29),
        time(10, 11, 12),
        datetime(2024, 2, 29, 10, 11, 12, 500000),
        True,
        b"\0\xff",
    )

    shop.insert(said, ORDERS, (), written)
    found = rows(shop.select(said, ORDERS, ("=", ID, ("value", 0)), (9,)))[0]

    assert tuple(found.values()) == written
    assert [type(value) for value in found.values()] == [type(value) for value in written]


def test_text_becomes_what_a_column_of_dates_wants(shop: Databases, said: Said) -> None:
    shop.insert(said, ORDERS, ("ID", "PLACED", "CHANGED"), (8, "2024-02-29", "2024-02-29 10:11:12"))

    found = shop.select(
        said, ORDERS, ("=", ("column", "PLACED"), ("value", 0)), ("2024-02-29",), ("CHANGED",)
    )

    assert rows(found) == [{"CHANGED": datetime(2024, 2, 29, 10, 11, 12)}]


def test_a_missing_table_or_column_has_its_state(shop: Databases, said: Said) -> None:
    with pytest.raises(MQError) as table:
        shop.select(said, Table(None, None, "NOTHING"))
    with pytest.raises(MQError) as column:
        shop.select(said, ORDERS, None, (), ("NOTHING",))

    assert table.value.fields["sqlstate"] == "D42S02"
    assert column.value.fields["sqlstate"] == "D42S22"


def test_an_unknown_data_source_has_its_code(said: Said) -> None:
    with pytest.raises(MQError) as raised:
        Databases({}).select(said, Table("NOWHERE", None, "T"))
    assert raised.value.reason == 8230


def test_tables_of_a_schema(shop: Databases, said: Said, database_url: str) -> None:
    if database_url.startswith("sqlite"):
        assert len(shop.select(said, Table(None, "OLDNAME", "ORDERS"))) == 4
        return
    shop.passthru(said, None, "create schema if not exists sales")
    shop.passthru(said, None, "create table sales.items (sku text)")
    shop.insert(said, Table("SHOP", "SALES", "ITEMS"), ("SKU",), ("a1",))
    assert rows(shop.select(said, Table("SHOP", "SALES", "ITEMS"))) == [{"sku": "a1"}]
