"""Lines to commands, commands to tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.admin.mqsc_lexer import (
    COMMAND_LENGTH_MAX,
    COMMAND_LINES_MAX,
    READ_AT_ONCE,
    TOKENS_MAX,
    CommandText,
    Remark,
    read_commands,
    tokens,
)
from penstock.admin.mqsc_parser import parse
from penstock.admin.runner import script_lines
from penstock.admin.syntax import SyntaxFault


def commands(*lines: str) -> list[str]:
    return [each.text.strip() for each in read_commands(lines) if isinstance(each, CommandText)]


def test_a_line_is_a_command():
    assert commands("PING QMGR", "PING QMGR") == ["PING QMGR", "PING QMGR"]


def test_plus_goes_on_at_the_next_first_letter():
    assert commands("DEFINE QLOCAL(A) DESCR('one +", "    two')") == ["DEFINE QLOCAL(A) DESCR('one two')"]


def test_minus_goes_on_in_column_one():
    assert commands("DESCR('one-", "  two')") == ["DESCR('one  two')"]


def test_comments_and_blank_lines_may_stand_between_continued_lines():
    assert commands("ALTER QMGR +", "*  ALTDATE(2020-10-12) +", "", "   DEADQ(D)") == ["ALTER QMGR DEADQ(D)"]


def test_a_comment_may_be_indented():
    assert commands("   * PING QMGR") == []
    assert [type(each) for each in read_commands(["* a", "", "PING QMGR"])] == [Remark, Remark, CommandText]


def test_semicolons_end_commands():
    assert commands("PING QMGR; PING QMGR;", ";", "PING QMGR ;") == ["PING QMGR"] * 3


def test_a_semicolon_in_quotes_ends_nothing():
    assert commands("ALTER QMGR DESCR('a;b')", "DESCR('a +", "  ;b')") == [
        "ALTER QMGR DESCR('a;b')",
        "DESCR('a ;b')",
    ]


def test_an_open_continuation_at_the_end_is_a_command():
    assert commands("PING QMGR +") == ["PING QMGR"]
    assert commands("+", "PING +", "QMGR") == ["PING QMGR"]


def test_line_ends_of_windows_are_blanks():
    assert commands("PING +\r\n", "QMGR\r\n") == ["PING QMGR"]


@pytest.mark.parametrize("last", ["PING QMGR\x1a", "PING QMGR\r\n\x1a", "PING QMGR\r\n\x1a\r\n"])
def test_the_byte_with_which_dos_ends_a_file_is_no_command(last):
    assert commands(*last.splitlines(keepends=True)) == ["PING QMGR"]


def test_places_lead_back_to_the_line_read():
    (command,) = [
        each
        for each in read_commands(["DEFINE QLOCAL(A) +", "   MAXDEPTH(X)"])
        if isinstance(each, CommandText)
    ]
    line, column = command.place(command.text.index("MAXDEPTH"))
    assert (line.number, column) == (2, 3)


def test_tokens_are_words_quoted_texts_and_marks():
    found = [(each.kind, each.text) for each in tokens("DEF QL ('it''s','') X")]
    assert found == [
        ("word", "DEF"),
        ("word", "QL"),
        ("(", "("),
        ("quoted", "it's"),
        (",", ","),
        ("quoted", ""),
        (")", ")"),
        ("word", "X"),
        ("end", ""),
    ]


def test_double_quotes_hold_single_ones():
    assert [each.text for each in tokens('"it\'s ""so"""')][:1] == ['it\'s "so"']


def test_a_quote_that_never_closes_is_a_fault_where_it_opens():
    with pytest.raises(SyntaxFault) as caught:
        list(tokens("A('b"))
    assert caught.value.start == 2


def test_an_endless_command_is_refused_and_not_kept():
    lines = ["X" * 1000 + "+"] * 2000
    (command,) = [each for each in read_commands(lines) if isinstance(each, CommandText)]
    assert len(command.text) < COMMAND_LENGTH_MAX + 2000
    with pytest.raises(SyntaxFault, match="at most"):
        parse(command)


@pytest.mark.parametrize("line", ["+", "X+", "* comment", "", "'+"])
def test_no_more_is_kept_of_an_endless_command_than_a_command_may_have(line):
    """Lines without a letter count too: two million of them took a gigabyte."""
    lines = ["PING QMGR +", *[line] * 50_000]
    (command,) = [each for each in read_commands(lines) if isinstance(each, CommandText)]
    assert command.too_long == (len(command.lines) > COMMAND_LINES_MAX)
    assert max(map(len, (command.lines, command.pieces, command.origins))) <= COMMAND_LINES_MAX + 2
    with pytest.raises(SyntaxFault, match="at most"):
        parse(command)


def test_a_word_longer_than_a_command_is_refused_and_not_kept():
    (command,) = read_commands(["A" * 3_000_000])
    assert len(command.text) == COMMAND_LENGTH_MAX + 1
    with pytest.raises(SyntaxFault, match="at most"):
        parse(command)


def test_a_command_of_too_many_words_is_refused_before_they_are_all_read():
    with pytest.raises(SyntaxFault, match=f"at most {TOKENS_MAX} words"):
        parse(next(read_commands(["DISPLAY QLOCAL(" + "(" * 250_000])))


@pytest.mark.parametrize(
    "text", ["+\n" * 5000, "*\n" * 5000, "\n" * 5000, ";" * 5000, "X;" * 5000, "X\n" * 5000]
)
def test_a_long_script_lets_others_in_all_the_time(text):
    """Whoever runs the script may let others in at each piece, and one comes every hundred lines at least."""
    read = 0
    pieces = 0

    def counted():
        nonlocal read
        for line in script_lines(text):
            read += 1
            yield line

    for _ in read_commands(counted()):
        pieces += 1
        assert read <= (pieces + 1) * READ_AT_ONCE
    assert pieces >= 5000 // READ_AT_ONCE


def test_only_line_feeds_end_lines():
    assert list(script_lines("a\rb\n\nc\x0bd\n")) == ["a\rb", "", "c\x0bd"]
    assert list(script_lines("")) == []
    assert list(script_lines("\n\nx")) == ["", "", "x"]


@given(st.lists(st.text(alphabet="AB ();,'\"+-*x", max_size=12), max_size=6))
def test_any_text_gives_commands_or_a_fault(lines):
    for each in read_commands(lines):
        if isinstance(each, CommandText):
            try:
                found = list(tokens(each.text))
            except SyntaxFault as fault:
                each.place(fault.start)
            else:
                assert found[-1].kind == "end"
                for token in found:
                    each.place(token.start)
