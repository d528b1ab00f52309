"""Clause 11: a syntax error shows its place and the right way, and the next command runs."""

from __future__ import annotations


def test_the_caret_stands_under_the_word(printed):
    lines = printed("DEFINE QLOCAL(A) MAXDEPHT(5)\nPING QMGR").split("\n")[4:]
    assert lines[:6] == [
        "     1 : DEFINE QLOCAL(A) MAXDEPHT(5)",
        "                          ^^^^^^^^",
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "DEFINE QLOCAL(A) MAXDEPHT",
        "MAXDEPHT is not an attribute of QLOCAL: did you mean MAXDEPTH?",
        "AMQ8427I: Valid syntax for the MQSC command:",
    ]
    assert lines[6].startswith("DEFINE QLOCAL( q_name )")
    assert "AMQ8415I: Ping Penstock Queue Manager command complete." in lines


def test_the_line_with_the_fault_is_shown_again_when_others_follow(printed):
    lines = printed("DEFINE QLOCAL(A) +\n   GET(NEVER) +\n   PUT(ENABLED)").split("\n")[4:]
    assert lines[3:5] == ["       :    GET(NEVER) +", "                ^^^^^"]


def test_the_place_is_in_the_reply(mqsc):
    first = mqsc("* c\nDEFINE QLOCAL(A) +\n   GET(NEVER)")[0]
    assert (first.line, first.column, first.failed) == (3, 8, True)


def test_an_unknown_command_lists_the_known_ones(mqsc):
    first, second = mqsc("DEFIEN QLOCAL(A)")
    assert "did you mean DEFINE?" in first.text
    assert (second.id, second.failed) == ("AMQ8426I", False)
    assert "DISPLAY" in second.text


def test_syntax_of_a_channel_is_that_of_its_type(mqsc):
    _, valid = mqsc("DEFINE CHANNEL(C) CHLTYPE(SVRCONN) XMITQ(Q)")
    assert "SHARECNV" in valid.text
    assert "XMITQ" not in valid.text


def test_a_bad_command_changes_nothing(mqsc, engine):
    mqsc(
        "DEFINE QLOCAL(A) DESCR('x') FROB\nALTER QMGR DEADQ(X) FROB\n"
        "SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST(a) FROB"
    )
    assert engine.objects.find("QUEUE", "A") is None
    assert engine.objects.find("QMGR", "QM1").attributes["DEADQ"] == ""
    assert len(engine.objects.all("CHLAUTH")) == 3


def test_trailing_remarks_are_no_comments(mqsc):
    assert mqsc("ALTER QMGR CHLAUTH(DISABLED) * for now")[0].id == "AMQ8405I"
