"""Tokens, their places, comments, and what is no token."""

import pytest

from penstock.esql.lexer import tokenise
from penstock.esql.source import Source
from penstock.esql.tokens import Kind


def tokens_of(text):
    return tokenise(Source("t", text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("abc", Kind.NAME),
        ("_x1", Kind.NAME),
        ("Größe", Kind.NAME),
        ("x", Kind.NAME),
        ('"a ""b"" c"', Kind.QUOTED),
        ("'it''s'", Kind.STRING),
        ("''", Kind.STRING),
        ("'two\nlines'", Kind.STRING),
        ("123", Kind.NUMBER),
        ("1.5", Kind.NUMBER),
        ("1e10", Kind.NUMBER),
        ("1.5E-3", Kind.NUMBER),
        ("0x1F", Kind.NUMBER),
        ("X'0a0B'", Kind.BLOB),
        ("x''", Kind.BLOB),
        ("b'01'", Kind.BIT),
        ("<>", Kind.SYMBOL),
        ("||", Kind.SYMBOL),
    ],
)
def test_one_token(text, kind):
    tokens = tokens_of(text)

    assert (tokens[0].kind, tokens[0].text, len(tokens)) == (kind, text, 2)
    assert tokens.findings == []


def test_keywords_are_compared_in_capitals_and_quoted_names_never():
    assert tokens_of('set "SET"').words == ["SET", '"', ""]


def test_places_count_from_one_over_all_kinds_of_line_ends():
    tokens = tokens_of("a\r\n  b\n\tc\rd")

    assert [(t.line, t.column) for t in (tokens[i] for i in range(4))] == [(1, 1), (2, 3), (3, 2), (4, 1)]


def test_comments_nest_and_are_kept():
    tokens = tokens_of("a /* x /* y */ z */ b -- rest\nc")

    assert tokens.words == ["A", "B", "C", ""]
    assert [comment.text for comment in tokens.comments] == ["/* x /* y */ z */", "-- rest"]


def test_two_minus_signs_start_a_comment_and_one_does_not():
    assert tokens_of("a - b --c").words == ["A", "-", "B", ""]


@pytest.mark.parametrize(
    ("text", "code", "place", "likely"),
    [
        ("SET a = 'x;", "E102", (1, 9), "a ' inside a text is written ''"),
        ('SET "a = 1;', "E102", (1, 5), 'a " inside a name is written ""'),
        ("a /* b", "E103", (1, 3), ""),
        ("a /* b /* c */ d", "E103", (1, 3), "comments nest: a /* inside a comment needs its own */"),
        ("a != b", "E101", (1, 3), "ESQL writes <> for not equal"),
        ("a % b", "E101", (1, 3), "ESQL has no % operator; use MOD(a, b)"),
        ("a = \u2018x\u2019", "E101", (1, 5), "this is a typographic quote; write '"),
        ("2nd", "E104", (1, 1), 'a name that starts with a digit is written "2nd"'),
        ("X'0A0'", "E105", (1, 1), ""),
        ("X'0G'", "E105", (1, 1), ""),
        ("B'012'", "E105", (1, 1), ""),
    ],
)
def test_what_is_no_token_is_reported_and_reading_goes_on(text, code, place, likely):
    tokens = tokens_of(text + "\nnext")

    found = tokens.findings[0]
    assert (found.code, (found.line, found.column), found.likely) == (code, place, likely)
    assert (code == "E103" and not likely) or tokens.words[-2] == "NEXT"


def test_a_file_that_is_not_utf8_is_read_as_latin_1():
    assert Source.decode("t", b"\xef\xbb\xbfSET").text == "SET"
    assert Source.decode("t", b"-- caf\xe9").text == "-- caf\u00e9"
