"""Clause 1: comments, continuation lines, several commands on a line."""

from __future__ import annotations


def test_comment_lines_are_no_commands(mqsc):
    assert mqsc("* a comment\n   * another\n\n") == []


def test_plus_and_minus_continue_a_command(mqsc, engine):
    replies = mqsc("DEFINE +\n   QLOCAL(A) +\n* ALTDATE(2020-01-01) +\n   DESCR('one-\ntwo')")
    assert [reply.id for reply in replies] == ["AMQ8006I"]
    assert engine.objects.find("QUEUE", "A").attributes["DESCR"] == "onetwo"


def test_semicolon_separates_commands(mqsc):
    replies = mqsc("PING QMGR; PING QMGR")
    assert [(reply.id, reply.command) for reply in replies] == [("AMQ8415I", 1), ("AMQ8415I", 2)]


def test_end_stops_the_script(mqsc):
    assert len(mqsc("PING QMGR\nEND\nPING QMGR")) == 1


def test_replies_know_their_command_line_and_source(mqsc):
    (reply,) = mqsc("* c\n\nPING +\n QMGR")
    assert (reply.command, reply.line, reply.source) == (1, 3, "PING QMGR")
