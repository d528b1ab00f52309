"""Stored procedures and functions."""

from __future__ import annotations

import pytest

from penstock.esql.database.databases import Databases
from penstock.model.errors import MQError
from tests.conformance.esql_database.conftest import Said
from tests.conformance.esql_database.test_01_select import rows

PROCEDURES = """
create or replace procedure add_tax(in amount numeric, inout total numeric, out note text) language plpgsql as
$$ begin total := total + amount; note := 'done'; end $$;
create or replace function twice(a integer) returns integer language sql as $$ select 2 * a $$;
create or replace function early(last integer) returns table (id integer, customer text) language sql as
$$ select id, customer from orders where id <= last order by id $$;
create or replace procedure listing(inout rows refcursor) language plpgsql as
$$ begin open rows for select id from orders order by id; end $$
"""


@pytest.fixture
def procedures(shop: Databases, said: Said, database_url: str) -> Databases:
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite has no stored procedures")
    shop.passthru(said, None, PROCEDURES)
    return shop


def test_out_and_inout_values(procedures: Databases, said: Said) -> None:
    outs, sets, _ = procedures.call(said, "ADD_TAX", None, [5, 10, None], ("IN", "INOUT", "OUT"))

    assert [str(value) for value in outs] == ["15", "done"]
    assert sets == []


def test_a_function_returns_its_value(procedures: Databases, said: Said) -> None:
    assert procedures.call(said, "public.twice", None, [21], ("IN",))[2] == 42
    assert procedures.call(said, "twice", "PUBLIC", [21], ("IN",))[2] == 42
    assert procedures.call(said, "%.twice", None, [21], ("IN",))[2] == 42


def test_result_sets(procedures: Databases, said: Said) -> None:
    _, sets, _ = procedures.call(said, "early", None, [2], ("IN",), 1)

    assert rows(sets[0]) == [{"id": 1, "customer": "Ada"}, {"id": 2, "customer": "ben"}]


def test_a_cursor_is_a_result_set(procedures: Databases, said: Said) -> None:
    _, sets, _ = procedures.call(said, "listing", None, ["c1"], ("INOUT",), 1)

    assert rows(sets[0]) == [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]


def test_an_unknown_procedure(procedures: Databases, said: Said) -> None:
    with pytest.raises(MQError) as raised:
        procedures.call(said, "nothing", None, [], ())
    assert raised.value.fields["sqlstate"] == "D42883"


def test_sqlite_says_that_it_has_none(shop: Databases, said: Said, database_url: str) -> None:
    if not database_url.startswith("sqlite"):
        pytest.skip("about SQLite")
    with pytest.raises(MQError) as raised:
        shop.call(said, "p", None, [], ())
    assert raised.value.fields["sqlstate"] == "D0A000"
