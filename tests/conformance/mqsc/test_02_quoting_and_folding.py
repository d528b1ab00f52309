"""Clause 2: unquoted words are folded to upper case, quoted ones are kept."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("written", "name"), [("orders", "ORDERS"), ("'orders'", "orders"), ("Orders.In", "ORDERS.IN")]
)
def test_names_fold_unless_quoted(mqsc, engine, written, name):
    mqsc(f"define qlocal({written})")
    assert engine.objects.find("QUEUE", name) is not None


@pytest.mark.parametrize(
    ("written", "value"),
    [("'it''s'", "it's"), ("''", ""), ("' '", ""), ("''''", "'"), ("plain", "PLAIN"), ("'  two  '", "  two")],
)
def test_texts_in_quotes(mqsc, engine, written, value):
    mqsc(f"DEFINE QLOCAL(A) DESCR({written})")
    assert engine.objects.find("QUEUE", "A").attributes["DESCR"] == value


def test_blanks_around_words_and_parentheses_do_not_matter(mqsc, engine):
    mqsc("DEFINE   QLOCAL ( A )MAXDEPTH( 5 )  GET (DISABLED)")
    values = engine.objects.find("QUEUE", "A").attributes
    assert (values["MAXDEPTH"], values["GET"]) == (5, "DISABLED")


def test_several_words_need_quotes(mqsc):
    assert mqsc("DEFINE QLOCAL(A) DESCR(two words)")[0].id == "AMQ8405I"
