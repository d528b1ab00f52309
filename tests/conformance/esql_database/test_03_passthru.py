"""PASSTHRU: SQL of the program's own, with question marks as parameters."""

from __future__ import annotations

from decimal import Decimal

import pytest

from penstock.esql.database.databases import Databases
from penstock.esql.database.parameter_markers import with_markers
from penstock.model.errors import MQError
from tests.conformance.esql_database.conftest import Said
from tests.conformance.esql_database.test_01_select import rows


def test_rows_come_back_with_their_column_names(shop: Databases, said: Said) -> None:
    sql = "select customer as who, id from orders where id > ? and customer like 'C%' order by id"

    found = shop.passthru(said, "SHOP", sql, (1,))

    assert rows(found) == [{"who": "Cyd", "id": 3}]


def test_statements_without_rows(shop: Databases, said: Said) -> None:
    assert shop.passthru(said, None, "update orders set customer = ? where id = ?", ("?", 1)) == []
    assert rows(shop.passthru(said, None, "select customer from orders where id = 1")) == [{"customer": "?"}]


def test_question_marks_in_quotes_and_comments_are_text(shop: Databases, said: Said) -> None:
    sql = "select '?' as a, 'it''s 100%' as b /* ? */ from orders where id = ? -- ?"

    assert rows(shop.passthru(said, None, sql, (1,))) == [{"a": "?", "b": "it's 100%"}]


def test_the_number_of_markers_has_to_fit(shop: Databases, said: Said) -> None:
    with pytest.raises(MQError) as raised:
        shop.passthru(said, None, "select ?", ())
    assert raised.value.fields["sqlstate"] == "D07001"


def test_bad_sql_has_the_databases_own_state_and_words(
    shop: Databases, said: Said, database_url: str
) -> None:
    with pytest.raises(MQError) as raised:
        shop.passthru(said, None, "selekt 1")

    assert raised.value.fields["sqlstate"] == ("D42000" if database_url.startswith("sqlite") else "D42601")
    assert "syntax error" in said.sqlerrortext


def test_a_table_made_by_passthru_is_seen(shop: Databases, said: Said) -> None:
    from penstock.esql.database.databases import Table

    shop.passthru(said, None, "create table extra (price decimal(10, 2))")
    shop.insert(said, Table(None, None, "EXTRA"), (), (Decimal("1.50"),))
    shop.passthru(said, None, "alter table extra add column note varchar(10)")

    found = rows(shop.select(said, Table(None, None, "EXTRA")))

    assert found == [{"price": Decimal("1.50"), "note": None}] or found == [
        {"price": Decimal("1.5"), "note": None}
    ]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("a = ?", "a = %s"),
        ("a = '?' and \"?\" = ?", "a = '?' and \"?\" = %s"),
        ("a % ?", "a %% %s"),
        ("$x$ ? $x$ ?", "$x$ ? $x$ %s"),
    ],
)
def test_markers(sql: str, expected: str) -> None:
    assert with_markers(sql, "format") == (expected, 1)
    assert with_markers(sql, "qmark") == (sql, 1)
