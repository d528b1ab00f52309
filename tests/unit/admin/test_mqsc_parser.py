"""The shape of commands."""

from __future__ import annotations

import pytest

from penstock.admin.mqsc_lexer import CommandText, read_commands
from penstock.admin.mqsc_parser import Command, Parameters, parse
from penstock.admin.syntax import SyntaxFault, valid_syntax


def parsed(text: str) -> Command:
    (source,) = [each for each in read_commands([text]) if isinstance(each, CommandText)]
    return parse(source)


def test_verb_object_name_and_parameters():
    command = parsed("define qlocal (a.b) DESCR('as it is') share")
    assert (command.verb, command.noun, command.object_name) == ("DEFINE", "QLOCAL", "A.B")
    assert [(each.name, each.values and each.values[0].text) for each in command.parameters] == [
        ("DESCR", "as it is"),
        ("SHARE", None),
    ]


@pytest.mark.parametrize(
    ("text", "verb", "noun"),
    [
        ("DEF QL(A)", "DEFINE", "QLOCAL"),
        ("ALT QR(A)", "ALTER", "QREMOTE"),
        ("DEL QA(A)", "DELETE", "QALIAS"),
        ("DIS Q(A)", "DISPLAY", "QUEUE"),
        ("DIS QS(A)", "DISPLAY", "QSTATUS"),
        ("DIS CHS(A)", "DISPLAY", "CHSTATUS"),
        ("DEF QM(A)", "DEFINE", "QMODEL"),
        ("DEF CHL(A)", "DEFINE", "CHANNEL"),
        ("DEF PRO(A)", "DEFINE", "PROCESS"),
        ("DEF NL(A)", "DEFINE", "NAMELIST"),
        ("STA LSTR(A)", "START", "LISTENER"),
        ("STO CHL(A)", "STOP", "CHANNEL"),
        ("REF SECURITY", "REFRESH", "SECURITY"),
    ],
)
def test_short_forms(text, verb, noun):
    command = parsed(text)
    assert (command.verb, command.noun) == (verb, noun)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("FROB QL(A)", 0, "not an MQSC command"),
        ("DEFINE", 6, "needs an object"),
        ("DEFINE QLOACL(A)", 7, "not an MQSC command"),
        ("DEFINE QLOCAL(A", 13, "never closed"),
        ("DEFINE QLOCAL(A))", 16, "not expected"),
        ("DEFINE QLOCAL(A) 'x'", 17, "parentheses"),
        ("DEFINE CHANNEL(A) CONNAME(host(1414))", 30, "must be quoted"),
        ("CLEAR QMGR", 6, "not an MQSC command"),
    ],
)
def test_faults_have_their_place(text, place, words):
    with pytest.raises(SyntaxFault, match=words) as caught:
        parsed(text)
    assert caught.value.start == place


def test_a_near_word_is_the_hint():
    with pytest.raises(SyntaxFault) as caught:
        parsed("DEFINE QLOACL(A)")
    assert caught.value.hint == "did you mean QLOCAL?"


def test_a_parameter_given_twice_is_a_fault():
    with pytest.raises(SyntaxFault, match="given twice"):
        Parameters(parsed("DEFINE QLOCAL(A) GET(ENABLED) GET(DISABLED)"))


def test_what_nobody_takes_is_a_fault():
    parameters = Parameters(parsed("PING QMGR NOW"))
    with pytest.raises(SyntaxFault, match="NOW"):
        parameters.end()


def test_options_are_checked_as_they_are_taken():
    parameters = Parameters(parsed("RESET CHANNEL(A) SEQNUM(0) IGNSTATE(PERHAPS) ALL(1)"))
    with pytest.raises(SyntaxFault, match="from 1 to"):
        parameters.take_number("SEQNUM", 1, 1, 9)
    with pytest.raises(SyntaxFault, match="NO, YES"):
        parameters.take_keyword("IGNSTATE", ("NO", "YES"))
    with pytest.raises(SyntaxFault, match="no value"):
        parameters.take_word("ALL")
    assert parameters.take("MISSING") is None


def test_the_syntax_that_is_shown_has_every_attribute():
    text = valid_syntax("DEFINE", "CHANNEL", "SVRCONN")
    assert "SHARECNV( integer )" in text
    assert "XMITQ" not in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert valid_syntax("DISPLAY", "QUEUE").startswith("DISPLAY QUEUE( q_name )")
    assert valid_syntax("PING", "QMGR") == "PING QMGR"
