"""INSERT, UPDATE and DELETE, and what they leave in SQLCODE and SQLSTATE."""

from __future__ import annotations

from decimal import Decimal

import pytest

from penstock.esql.database.databases import Databases, Table
from penstock.esql.runtime.values.types import Bits
from penstock.model.errors import MQError
from tests.conformance.esql_database.conftest import Said
from tests.conformance.esql_database.test_01_select import CUSTOMER, ID, ORDERS, TOTAL, rows


def test_insert_with_columns(shop: Databases, said: Said) -> None:
    shop.insert(said, ORDERS, ("Id", "CUSTOMER"), (5, None))

    assert rows(shop.select(said, ORDERS, ("=", ID, ("value", 0)), (5,), ("CUSTOMER", "TOTAL"))) == [
        {"CUSTOMER": None, "TOTAL": None}
    ]


def test_update_with_columns_parameters_and_nulls(shop: Databases, said: Said) -> None:
    new_total = ("+", TOTAL, ("value", 0))

    shop.update(
        said,
        ORDERS,
        ("TOTAL", "CUSTOMER"),
        (new_total, ("value", 1)),
        ("=", ID, ("value", 2)),
        (Decimal("0.25"), None, 1),
    )

    assert said.sqlcode == 0
    assert rows(shop.select(said, ORDERS, ("=", ID, ("value", 0)), (1,), ("TOTAL", "CUSTOMER"))) == [
        {"TOTAL": Decimal("10.75"), "CUSTOMER": None}
    ]


def test_update_and_delete_of_no_row_say_so(shop: Databases, said: Said) -> None:
    shop.update(said, ORDERS, ("CUSTOMER",), (("value", 0),), ("=", ID, ("value", 1)), ("x", 99))
    assert (said.sqlcode, said.sqlstate) == (100, "02000")

    shop.delete(said, ORDERS, ("=", ID, ("value", 0)), (99,))
    assert (said.sqlcode, said.sqlstate) == (100, "02000")


def test_delete(shop: Databases, said: Said) -> None:
    shop.delete(said, ORDERS, ("is null", CUSTOMER))
    assert len(shop.select(said, ORDERS)) == 3
    shop.delete(said, ORDERS)
    assert shop.select(said, ORDERS) == []


def test_a_failed_statement_leaves_the_unit_usable(shop: Databases, said: Said) -> None:
    shop.insert(said, ORDERS, ("ID",), (5,))

    with pytest.raises(MQError) as raised:
        shop.insert(said, ORDERS, ("ID",), (5,))

    assert raised.value.fields["sqlstate"] == "D23505"
    assert raised.value.detail
    assert said.sqlstate == "D23505"
    assert said.sqlcode == -1
    assert said.sqlerrortext
    shop.insert(said, ORDERS, ("ID",), (6,))
    shop.commit(said)
    assert len(shop.select(said, ORDERS)) == 6


def test_errors_that_are_not_thrown_are_only_said(shop: Databases, said: Said) -> None:
    said.throws_database_errors = False

    shop.insert(said, ORDERS, ("ID",), (1,))
    assert said.sqlstate == "D23505"
    assert shop.select(said, Table(None, None, "NOTHING")) == []
    assert said.sqlstate == "D42S02"

    shop.select(said, ORDERS)
    assert (said.sqlcode, said.sqlstate, said.sqlerrortext) == (0, "00000", "")


@pytest.mark.parametrize("value", [Bits("01")])
def test_types_that_no_database_takes(shop: Databases, said: Said, value: object) -> None:
    with pytest.raises(MQError) as raised:
        shop.insert(said, ORDERS, ("CUSTOMER",), (value,))
    assert raised.value.fields["sqlstate"] == "S42000"


def test_the_number_of_values_has_to_fit(shop: Databases, said: Said) -> None:
    with pytest.raises(MQError) as raised:
        shop.insert(said, ORDERS, (), (1, 2))
    assert raised.value.fields["sqlstate"] == "D21S01"
