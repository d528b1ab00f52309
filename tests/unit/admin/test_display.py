"""The two columns of DISPLAY."""

from __future__ import annotations

from penstock.admin.display import layout


def shown(**attributes) -> list[str]:
    return list(layout(attributes))


def test_two_fields_share_a_line_and_the_second_begins_at_column_44():
    (line,) = shown(QUEUE="A", TYPE="QLOCAL")
    assert line == "   QUEUE(A)                                TYPE(QLOCAL)"
    assert line.index("TYPE") == 43


def test_a_field_of_37_characters_shares_its_line():
    (line,) = shown(LISTENER="SYSTEM.DEFAULT.LISTENER.TCP", CONTROL="MANUAL")
    assert line == "   LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)   CONTROL(MANUAL)"


def test_a_field_of_38_characters_stands_alone():
    assert shown(QUEUE="SYSTEM.DEFAULT.INITIATION.QUEUE", TYPE="QLOCAL", GET="ENABLED") == [
        "   QUEUE(SYSTEM.DEFAULT.INITIATION.QUEUE)",
        "   TYPE(QLOCAL)                            GET(ENABLED)",
    ]


def test_a_long_second_field_begins_a_line():
    assert shown(MCAST="DISABLED", COMMINFO="SYSTEM.DEFAULT.COMMINFO.MULTICAST", USEDLQ="YES") == [
        "   MCAST(DISABLED)",
        "   COMMINFO(SYSTEM.DEFAULT.COMMINFO.MULTICAST)",
        "   USEDLQ(YES)",
    ]


def test_a_list_begins_a_line_and_shares_it():
    assert shown(CUSTOM="", USERLIST=("*MQADMIN",), WARN="NO") == [
        "   CUSTOM( )",
        "   USERLIST(*MQADMIN)                      WARN(NO)",
    ]


def test_blanks_flags_numbers_and_lists():
    assert shown(DESCR="", SHARE="YES", TRIGGER="NO", COMPHDR=("NONE", "SYSTEM"), MAXDEPTH=0) == [
        "   DESCR( )                                SHARE",
        "   NOTRIGGER                               COMPHDR(NONE,SYSTEM)",
        "   MAXDEPTH(0)",
    ]


def test_an_empty_list_is_a_blank():
    assert shown(NAMELIST="N", NAMES=()) == ["   NAMELIST(N)", "   NAMES( )"]


def test_a_connection_is_named_by_three_lines():
    assert shown(CONN="AB", EXTCONN="414D5143514D31202020202020202020", TYPE="CONN", PID=1, TID=2) == [
        "   CONN(AB)",
        "   EXTCONN(414D5143514D31202020202020202020)",
        "   TYPE(CONN)",
        "   PID(1)                                  TID(2)",
    ]


def test_a_status_is_current_or_saved():
    assert shown(CHANNEL="A", CURRENT="CURRENT") == ["   CHANNEL(A)                              CURRENT"]
    assert shown(CHANNEL="A", CURRENT="SAVED") == ["   CHANNEL(A)                              SAVED"]
