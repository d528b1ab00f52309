"""Units of work: each thread has its own; PostgreSQL has two phases."""

from __future__ import annotations

import threading

import pytest

from penstock.esql.database.databases import Databases
from penstock.model.errors import MQError
from tests.conformance.esql_database.conftest import Said
from tests.conformance.esql_database.test_01_select import ORDERS


def count(databases: Databases, said: Said) -> int:
    return len(databases.select(said, ORDERS))


def test_rollback_undoes(shop: Databases, said: Said) -> None:
    shop.insert(said, ORDERS, ("ID",), (5,))
    shop.rollback(said)

    assert count(shop, said) == 4


def test_commit_keeps_and_others_see_it_only_then(shop: Databases, said: Said, database_url: str) -> None:
    other = Databases({"SHOP": database_url}, default="SHOP")
    shop.insert(said, ORDERS, ("ID",), (5,))
    assert count(other, Said()) == 4
    other.rollback_all()

    shop.commit(said, "SHOP")

    assert count(other, Said()) == 5
    other.close()


def test_a_thread_has_a_unit_of_its_own(shop: Databases, said: Said) -> None:
    seen: list[int] = []

    def look() -> None:
        seen.append(count(shop, Said()))
        shop.rollback_all()
        shop.connection().close()

    shop.insert(said, ORDERS, ("ID",), (5,))
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

    assert seen == [4]
    assert count(shop, said) == 5


def test_two_phases_survive_the_one_who_prepared(shop: Databases, said: Said, database_url: str) -> None:
    coordinated = Databases({"SHOP": database_url}, default="SHOP", two_phases=True)
    if database_url.startswith("sqlite"):
        with pytest.raises(MQError) as raised:
            coordinated.insert(said, ORDERS, ("ID",), (5,))
        assert raised.value.fields["sqlstate"] == "D0A000"
        return
    coordinated.connection().begin("penstock-test-1")
    coordinated.insert(said, ORDERS, ("ID",), (5,))
    coordinated.prepare_all()
    assert count(shop, said) == 4

    coordinated.commit_all()

    shop.rollback_all()
    assert count(shop, said) == 5
    coordinated.close()


def test_what_was_not_prepared_cannot_be(shop: Databases, said: Said) -> None:
    shop.insert(said, ORDERS, ("ID",), (5,))
    with pytest.raises(MQError) as raised:
        shop.prepare_all()
    assert raised.value.fields["sqlstate"] == "D25000"
