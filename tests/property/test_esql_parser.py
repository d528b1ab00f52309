# ruff: noqa: E501
"""Random programs parse and survive the printer; random text never stops the parser or the checker.

Programs come from a small grammar of texts. Soup is made of the language's own tokens, or of the
identity corpus with tokens removed, doubled and exchanged, which is what a person's mistakes look like.
"""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.esql.checker.check import check
from penstock.esql.lexer import tokenise
from penstock.esql.parser.program import parse, parse_expression
from penstock.esql.printer.expressions import show_expression
from penstock.esql.printer.statements import show_program
from penstock.esql.source import Source

CORPUS = (Path(__file__).parents[1] / "unit" / "esql" / "identity.esql").read_text(encoding="utf-8")
SNIPPETS = [block for block in CORPUS.split("\n\n") if block.strip()]

# A grammar of texts
NAMES = st.sampled_from(
    ["a", "b", "Total", "set", "value", "name", "type", "date", '"my name"', "größe", "count", "X", "list"]
)
LITERALS = st.sampled_from(
    ["1", "2.5", "1e3", "0x1F", "'x'", "'it''s'", "''", "X'0A'", "B'01'", "NULL", "TRUE", "UNKNOWN", "DATE '2024-01-31'",
     "INTERVAL '1' DAY", "INTERVAL '1-6' YEAR TO MONTH", "DECIMAL '1.5'", "CURRENT_TIMESTAMP"]
)  # fmt: skip
BINARY = st.sampled_from(["+", "-", "*", "/", "||", "AND", "OR", "=", "<>", "<", ">=", "+", "||", "AND"])


def paths(inner):
    index = st.one_of(
        st.sampled_from(["", "", "[]", "[<]", "[>]", "[LAST]"]),
        inner.map(lambda e: f"[{e}]"),
        inner.map(lambda e: f"[<{e}]"),
    )
    name = st.one_of(
        NAMES,
        NAMES.map(lambda n: f"ns:{n}"),
        NAMES.map(lambda n: f"*:{n}"),
        st.just("*"),
        inner.map(lambda e: f"{{{e}}}"),
    )
    kind = st.sampled_from(["", "", "(XMLNSC.Attribute)", "(0x03000000)"])
    step = st.tuples(kind, name, index).map("".join)
    return st.tuples(
        st.sampled_from(["InputRoot", "OutputRoot.XMLNSC", "ref"]), st.lists(step, max_size=3)
    ).map(lambda parts: ".".join([parts[0], *parts[1]]))


def compound(inner):
    pair = st.tuples(inner, inner)
    templates = [
        st.tuples(inner, BINARY, inner).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        st.lists(st.one_of(LITERALS, NAMES), min_size=2, max_size=5).map(" || ".join),
        inner.map(lambda e: f"NOT ({e})"),
        inner.map(lambda e: f"- ({e})"),
        inner.map(lambda e: f"({e}) IS NOT NULL"),
        pair.map(lambda p: f"(({p[0]}) - ({p[1]})) DAY TO SECOND"),
        pair.map(lambda p: f"({p[0]}) NOT IN ({p[1]}, 1)"),
        pair.map(lambda p: f"CASE WHEN {p[0]} THEN {p[1]} ELSE 0 END"),
        pair.map(lambda p: f"CASE {p[0]} WHEN {p[1]} THEN 1 END"),
        inner.map(lambda e: f"CAST({e} AS DECIMAL(5, 2) FORMAT '0.0' DEFAULT 0)"),
        pair.map(lambda p: f"SUBSTRING({p[0]} FROM {p[1]} FOR 2)"),
        pair.map(lambda p: f"TRIM(LEADING {p[0]} FROM {p[1]})"),
        pair.map(lambda p: f"f({p[0]}, {p[1]})"),
        pair.map(lambda p: f"ROW({p[0]} AS a, {p[1]} AS b.c)"),
        inner.map(lambda e: f"LIST{{{e}, 2}}"),
        pair.map(lambda p: f"THE(SELECT ITEM {p[0]} FROM x.y[] AS T WHERE {p[1]})"),
        pair.map(
            lambda p: f"(SELECT {p[0]} AS q.(XML.Attribute)r, T.* FROM x.y[] AS T, T.z[] AS U WHERE {p[1]})"
        ),
        paths(inner),
    ]
    return st.one_of(*templates)


EXPRESSIONS = st.recursive(st.one_of(LITERALS, NAMES), compound, max_leaves=12)


def blocks(inner):
    body = st.lists(inner, max_size=3).map(" ".join)
    return st.one_of(
        st.tuples(EXPRESSIONS, body, body).map(lambda p: f"IF {p[0]} THEN {p[1]} ELSE {p[2]} END IF;"),
        st.tuples(EXPRESSIONS, body).map(lambda p: f"CASE {p[0]} WHEN 1 THEN {p[1]} END CASE;"),
        st.tuples(EXPRESSIONS, body).map(lambda p: f"l1: WHILE {p[0]} DO {p[1]} LEAVE l1; END WHILE l1;"),
        st.tuples(EXPRESSIONS, body).map(lambda p: f"REPEAT {p[1]} UNTIL {p[0]} END REPEAT;"),
        body.map(lambda b: f"FOR r AS x.y[] DO {b} END FOR;"),
        body.map(lambda b: f"BEGIN ATOMIC {b} END;"),
        body.map(lambda b: f"DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'D%' BEGIN {b} END;"),
    )


SIMPLE = st.one_of(
    EXPRESSIONS.map(lambda e: f"SET OutputRoot.x = {e};"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda p: f"DECLARE {p[0]} CHARACTER {p[1]};"),
    EXPRESSIONS.map(lambda e: f"RETURN {e};"),
    EXPRESSIONS.map(lambda e: f"CALL p({e}) INTO x;"),
    EXPRESSIONS.map(lambda e: f"THROW USER EXCEPTION MESSAGE 2951 VALUES({e});"),
    EXPRESSIONS.map(lambda e: f"PROPAGATE TO TERMINAL {e} DELETE NONE;"),
    EXPRESSIONS.map(lambda e: f"CREATE LASTCHILD OF OutputRoot AS r NAME 'x' VALUE {e};"),
    EXPRESSIONS.map(lambda e: f"UPDATE Database.T SET a = {e} WHERE T.b = 1;"),
)
STATEMENTS = st.recursive(SIMPLE, blocks, max_leaves=6)
TOKENS = sorted(
    set(re.findall(r"[\w]+|'[^']*'|\"[^\"]*\"|<>|<=|>=|\|\||[^\s\w]", CORPUS))
    | {"/*", "*/", "--", "!", "'", '"'}
)


def check_findings(text):
    """Parse and check a text that may be anything; every finding lies inside it."""
    checked = check([Source("soup", text)])[0]
    for found in (*checked.errors, *checked.warnings):
        assert 0 <= found.at <= len(text)
        assert found.line >= 1
        assert found.message
    show_program(checked.parsed.program)
    return checked


@given(EXPRESSIONS)
def test_a_random_expression_survives_the_printer(text):
    value, findings = parse_expression(text)
    assert findings == (), text

    printed = show_expression(value)

    assert parse_expression(printed) == (value, ()), printed


@given(st.lists(STATEMENTS, min_size=1, max_size=4))
def test_a_random_program_survives_the_printer_and_the_checker(statements):
    text = (
        "CREATE COMPUTE MODULE m CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
        + "\n".join(statements)
        + "\nEND; END MODULE;"
    )
    parsed = parse(Source("program", text))
    assert [found.text for found in parsed.findings] == [], text

    printed = show_program(parsed.program)

    assert parse(Source("printed", printed)).program == parsed.program, printed
    check_findings(text)


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
@settings(max_examples=300)
def test_token_soup_is_reported_and_nothing_else(tokens):
    check_findings(" ".join(tokens))


@given(st.text(max_size=200))
def test_any_text_is_reported_and_nothing_else(text):
    check_findings(text)


@given(st.sampled_from(SNIPPETS), st.data())
@settings(max_examples=300)
def test_damaged_programs_are_reported_and_nothing_else(snippet, data):
    tokens = tokenise(Source("t", snippet))
    words = list(tokens.texts)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, max(len(words) - 1, 0)))
        action = data.draw(st.sampled_from(["remove", "double", "exchange", "insert"]))
        if action == "remove":
            del words[place : place + 1]
        elif action == "double":
            words[place:place] = words[place : place + 1]
        elif action == "exchange":
            words[place : place + 2] = reversed(words[place : place + 2])
        else:
            words.insert(place, data.draw(st.sampled_from(TOKENS)))
    check_findings("CREATE PROCEDURE p() BEGIN " + "\n".join(words) + " END;")


@given(st.one_of(st.text(max_size=100), st.lists(st.sampled_from(TOKENS), max_size=40).map(" ".join)))
def test_tokens_comments_and_blanks_are_the_whole_text(text):
    tokens = tokenise(Source("t", text))
    spans = [(at, at + len(piece)) for at, piece in zip(tokens.starts, tokens.texts, strict=True)]
    spans = sorted(spans + [(comment.at, comment.end) for comment in tokens.comments])

    end = 0
    for start, stop in spans:
        assert start >= end
        assert not text[end:start].strip("\ufeff\u200b\x00\x1a \t\r\n\f\v").strip()
        end = stop
    assert end == len(text)


@given(
    st.integers(0, 400),
    st.sampled_from(
        ["(", "IF a THEN ", "BEGIN ", "f(", "a.b[", "SELECT ", "CASE WHEN ", "NOT ", "- ", "{", "x: LOOP "]
    ),
)
def test_depth_is_limited_without_a_crash(depth, opening):
    check_findings("CREATE PROCEDURE p() BEGIN SET a = " + opening * depth + ";")
    check_findings("CREATE PROCEDURE p() BEGIN " + opening * depth)
