"""Clause 10: what is printed, to the byte."""

from __future__ import annotations

import json
import time

from penstock.admin.mqsc import Summary, lines_of, run, run_script, transcript
from tests.unit.admin.engine_double import NOW


def body(text: str) -> list[str]:
    return text.split("\n")[4:]


def test_heading_echo_and_summary(printed):
    assert printed("PING QMGR\n") == (
        "Penstock: messaging and integration for Python people.\n"
        "Starting MQSC for queue manager QM1.\n"
        "\n"
        "\n"
        "     1 : PING QMGR\n"
        "AMQ8415I: Ping Penstock Queue Manager command complete.\n"
        "One MQSC command read.\n"
        "No commands have a syntax error.\n"
        "All valid MQSC commands were processed.\n"
    )


def test_comments_blank_and_continued_lines_are_echoed_without_number(printed):
    assert body(printed("* hello\n\nPING +\n  QMGR\nend\n"))[:6] == [
        "       : * hello",
        "       : ",
        "     1 : PING +",
        "       :   QMGR",
        "AMQ8415I: Ping Penstock Queue Manager command complete.",
        "     2 : end",
    ]


def test_echo_can_be_off(engine):
    text, _ = transcript(engine, "PING QMGR", NOW, echo=False)
    assert " : " not in text


def test_listener_display(printed):
    date = time.strftime("%Y-%m-%d", time.localtime(NOW))
    clock = time.strftime("%H.%M.%S", time.localtime(NOW))
    assert body(printed("DISPLAY LISTENER(*) ALL"))[1:7] == [
        "AMQ8630I: Display listener information details.",
        "   LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)   CONTROL(MANUAL)",
        "   TRPTYPE(TCP)                            PORT(0)",
        "   IPADDR( )                               BACKLOG(0)",
        f"   DESCR( )                                ALTDATE({date})",
        f"   ALTTIME({clock})",
    ]


def test_server_connection_display(printed):
    shown = body(printed("DISPLAY CHANNEL(SYSTEM.DEF.SVRCONN)"))[2:15]
    assert shown[0] == "   CHANNEL(SYSTEM.DEF.SVRCONN)             CHLTYPE(SVRCONN)"
    assert shown[2:] == [
        "   CERTLABL( )                             COMPHDR(NONE)",
        "   COMPMSG(NONE)                           DESCR( )",
        "   DISCINT(0)                              HBINT(300)",
        "   KAINT(AUTO)                             MAXINST(999999999)",
        "   MAXINSTC(999999999)                     MAXMSGL(4194304)",
        "   MCAUSER( )                              MONCHL(QMGR)",
        "   RCVDATA( )                              RCVEXIT( )",
        "   SCYDATA( )                              SCYEXIT( )",
        "   SENDDATA( )                             SENDEXIT( )",
        "   SHARECNV(10)                            SSLCAUTH(REQUIRED)",
        "   SSLCIPH( )                              SSLPEER( )",
    ]


def test_queue_status_display(printed):
    assert body(printed("DISPLAY QSTATUS(SYSTEM.DEAD.LETTER.QUEUE)"))[2:10] == [
        "   QUEUE(SYSTEM.DEAD.LETTER.QUEUE)         TYPE(QUEUE)",
        "   CURDEPTH(0)                             IPPROCS(0)",
        "   LGETDATE( )                             LGETTIME( )",
        "   LPUTDATE( )                             LPUTTIME( )",
        "   MEDIALOG( )                             MONQ(OFF)",
        "   MSGAGE( )                               OPPROCS(0)",
        "   QTIME( , )                              RESERVED(0)",
        "   UNCOM(NO)",
    ]


def test_summary_counts(printed, engine):
    text = printed("PING QMGR\nFROB\nFROB\nDELETE QLOCAL(X)\nDELETE QLOCAL(X)")
    assert text.split("\n")[-4:-1] == [
        "5 MQSC commands read.",
        "2 commands have a syntax error.",
        "2 valid MQSC commands could not be processed.",
    ]
    one = printed("FROB\nDELETE QLOCAL(X)")
    assert one.split("\n")[-3:-1] == [
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert printed("").split("\n")[-4] == "No MQSC commands read."


def test_exit_codes(engine):
    assert transcript(engine, "PING QMGR", NOW)[1] == 0
    assert transcript(engine, "FROB", NOW)[1] == 10
    assert transcript(engine, "DISPLAY CHSTATUS(*)", NOW)[1] == 10


def test_verify_checks_without_doing(engine):
    replies = run(engine, "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MAXDEPTH(X)", NOW, verify=True)
    assert [reply.id for reply in replies] == ["AMQ8405I", "AMQ8427I"]
    assert engine.objects.find("QUEUE", "A") is None


def test_a_display_is_a_stream(engine):
    pieces = run_script(engine, iter(["DISPLAY QUEUE(*)"]), NOW)
    lines = lines_of(pieces, "QM1")
    assert [next(lines) for _ in range(6)][-1] == "AMQ8409I: Display Queue details."
    engine.objects.remove(engine.objects.find("QUEUE", "SYSTEM.RETAINED.PUB.QUEUE"))
    assert "SYSTEM.RETAINED.PUB.QUEUE" not in "".join(lines)


def test_replies_are_data(mqsc):
    for reply in mqsc("DEFINE NAMELIST(N) NAMES(A,B)\nDISPLAY NAMELIST(N)\nFROB"):
        json.dumps(reply.as_data())
    data = mqsc("DELETE QLOCAL(X)")[0].as_data()
    assert (data["id"], data["ok"], data["severity"], data["reason"]) == ("AMQ8147E", False, "E", 2085)


def test_a_summary_is_always_the_end(engine):
    assert list(run_script(engine, [], NOW)) == [Summary(0, 0, 0)]
