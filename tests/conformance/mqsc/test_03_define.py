"""Clause 3: DEFINE fills in what is missing from LIKE or the SYSTEM.DEFAULT object."""

from __future__ import annotations

import pytest

from penstock.qmgr.catalogue.channels import CHANNEL_TYPES

NEEDED = {"CONNAME": ("SDR", "RQSTR", "CLUSSDR", "CLNTCONN"), "XMITQ": ("SDR", "SVR")}
KINDS = {
    "QLOCAL(A)": "AMQ8006I",
    "QALIAS(A)": "AMQ8006I",
    "QREMOTE(A)": "AMQ8006I",
    "QMODEL(A)": "AMQ8006I",
    "PROCESS(A)": "AMQ8010I",
    "NAMELIST(A)": "AMQ8552I",
    "CHANNEL(A) CHLTYPE(SVRCONN)": "AMQ8014I",
    "LISTENER(A) TRPTYPE(TCP)": "AMQ8626I",
    "TOPIC(A) TOPICSTR(A)": "AMQ8690I",
    "SUB(A) TOPICSTR(A) DEST(Q)": "AMQ8094I",
    "AUTHINFO(A) AUTHTYPE(IDPWOS)": "AMQ8563I",
    "SERVICE(A)": "AMQ8625I",
    "COMMINFO(A)": "AMQ8858I",
}


@pytest.mark.parametrize(("what", "number"), KINDS.items())
def test_each_kind_is_created_and_not_twice(mqsc, what, number):
    assert [reply.id for reply in mqsc(f"DEFINE {what}")] == [number]
    (again,) = mqsc(f"DEFINE {what}")
    assert (again.id, again.failed, again.reason) == ("AMQ8150E", True, 2100)
    assert [reply.id for reply in mqsc(f"DEFINE {what} REPLACE")] == [number]


@pytest.mark.parametrize("channel", CHANNEL_TYPES)
def test_each_channel_type_is_created(mqsc, channel):
    needed = "".join(f" {name}(X)" for name, types in NEEDED.items() if channel in types)
    assert mqsc(f"DEFINE CHANNEL(C) CHLTYPE({channel}){needed}")[0].id == "AMQ8014I"


@pytest.mark.parametrize(
    ("channel", "attribute"), [(each, name) for name, types in NEEDED.items() for each in types]
)
def test_a_channel_needs_its_address_and_its_transmission_queue(mqsc, engine, channel, attribute):
    others = "".join(
        f" {name}(X)" for name, types in NEEDED.items() if channel in types and name != attribute
    )
    wanted = {"CONNAME": 4061, "XMITQ": 4045}[attribute]
    refused = f"DEFINE CHANNEL(C) CHLTYPE({channel}){others}"
    for script in (refused, f"{refused} {attribute}(' ')"):
        (reply,) = mqsc(script)
        assert (reply.failed, reply.reason, attribute in reply.text) == (True, wanted, True)
    assert engine.objects.find("CHANNEL", "C") is engine.objects.find("CLNTCONN", "C") is None

    assert not mqsc(f"{refused} {attribute}(X)")[0].failed
    alter = f"ALTER CHANNEL(C) CHLTYPE({channel})"
    assert mqsc(f"{alter} {attribute}(' ')")[0].reason == wanted
    assert not mqsc(f"{alter} DESCR('x')\nDEFINE CHANNEL(D) CHLTYPE({channel}) LIKE(C)")[-1].failed
    assert mqsc(f"DEFINE CHANNEL(C) CHLTYPE({channel}){others} REPLACE")[0].reason == wanted


def test_the_object_that_new_channels_copy_gives_them_what_they_need(mqsc):
    blank = mqsc("ALTER CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) CONNAME(' ')")[0]
    given = mqsc("ALTER CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X)")[0]
    assert [blank.failed, given.failed] == [False, False]
    assert mqsc("DEFINE CHANNEL(C) CHLTYPE(SDR)")[0].id == "AMQ8014I"


def test_missing_attributes_come_from_the_default_object(mqsc, engine):
    mqsc("ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(77)\nDEFINE QLOCAL(A)")
    assert engine.objects.find("QUEUE", "A").attributes["MAXDEPTH"] == 77


def test_missing_attributes_come_from_like(mqsc, engine):
    mqsc("DEFINE QLOCAL(A) MAXDEPTH(5) DESCR('model')\nDEFINE QLOCAL(B) LIKE(A) MAXDEPTH(6)")
    values = engine.objects.find("QUEUE", "B").attributes
    assert (values["MAXDEPTH"], values["DESCR"]) == (6, "model")


def test_like_needs_an_object_of_the_same_kind(mqsc):
    replies = mqsc("DEFINE QALIAS(A)\nDEFINE QLOCAL(B) LIKE(A)\nDEFINE QLOCAL(B) LIKE(NONE)")
    assert [reply.id for reply in replies[1:]] == ["AMQ8147E", "AMQ8147E"]


def test_replace_sets_every_attribute_anew(mqsc, engine):
    mqsc("DEFINE QLOCAL(A) MAXDEPTH(5) DESCR('x')\nDEFINE QLOCAL(A) REPLACE DESCR('y')")
    values = engine.objects.find("QUEUE", "A").attributes
    assert (values["MAXDEPTH"], values["DESCR"]) == (5000, "y")


def test_replace_keeps_id_and_creation(mqsc, engine):
    mqsc("DEFINE QLOCAL(A)")
    before = engine.objects.find("QUEUE", "A").id
    mqsc("DEFINE QLOCAL(A) REPLACE")
    assert engine.objects.find("QUEUE", "A").id == before


@pytest.mark.parametrize(
    "script",
    [
        "DEFINE QLOCAL(A)\nDEFINE QALIAS(A) REPLACE",
        "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME(X) XMITQ(X)\nDEFINE CHANNEL(A) CHLTYPE(RCVR) REPLACE",
    ],
)
def test_replace_does_not_change_the_type(mqsc, script):
    reply = mqsc(script)[-1]
    assert (reply.id, reply.reason) == ("AMQ8151E", 2043)


def test_the_four_kinds_of_queue_share_their_names(mqsc):
    assert mqsc("DEFINE QLOCAL(A)\nDEFINE QREMOTE(A)")[-1].id == "AMQ8150E"


def test_a_client_channel_may_have_the_name_of_a_server_channel(mqsc):
    replies = mqsc("DEFINE CHANNEL(A) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(A) CHLTYPE(CLNTCONN) CONNAME(X)")
    assert [reply.id for reply in replies] == ["AMQ8014I", "AMQ8014I"]


def test_flags_and_their_opposites(mqsc, engine):
    mqsc("DEFINE QLOCAL(A) NOSHARE TRIGGER NOHARDENBO")
    values = engine.objects.find("QUEUE", "A").attributes
    assert (values["SHARE"], values["TRIGGER"], values["HARDENBO"]) == ("NO", "YES", "NO")


def test_alias_of_an_attribute_is_stored_under_its_name(mqsc, engine):
    mqsc("DEFINE QALIAS(A) TARGQ(B)")
    assert engine.objects.find("QUEUE", "A").attributes["TARGET"] == "B"


def test_cluster_and_cluster_namelist_exclude_each_other(mqsc):
    assert mqsc("DEFINE QLOCAL(A) CLUSTER(C) CLUSNL(N)")[0].id == "AMQ8432E"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("DEFINE CHANNEL(A)", "needs CHLTYPE"),
        ("DEFINE AUTHINFO(A)", "needs AUTHTYPE"),
        ("DEFINE QLOCAL", "needs a name"),
        ("DEFINE QLOCAL()", "needs a name"),
        (f"DEFINE QLOCAL({'A' * 49})", "allowed are 48"),
        ("DEFINE QLOCAL('A B')", "not allowed in a name"),
        ("DEFINE CHANNEL(A) CHLTYPE(SDR) SHARECNV(1)", "only of CLNTCONN, SVRCONN"),
        ("DEFINE QLOCAL(A) CURDEPTH(1)", "displayed but not set"),
        ("DEFINE QLOCAL(A) MAXDEPTH", "needs a value"),
        ("DEFINE QLOCAL(A) SHARE(YES)", "takes no value"),
        ("DEFINE QLOCAL(A) SHARE NOSHARE", "given twice"),
        ("DEFINE QLOCAL(A) MAXDEPTH(1000000000)", "from 0 to 999999999"),
        ("DEFINE QLOCAL(A) GET(ENABLDE)", "did you mean ENABLED?"),
        ("DEFINE QLOCAL(A) MAXDEPHT(5)", "did you mean MAXDEPTH?"),
        ("DEFINE TOPIC(A) NPMGDLV(ALL)", "did you mean NPMSGDLV?"),
    ],
)
def test_what_is_wrong_is_said(mqsc, engine, command, words):
    first = mqsc(command)[0]
    assert first.id == "AMQ8405I"
    assert words in first.text
    assert engine.objects.find("QUEUE", "A") is None


def test_a_topic_may_be_said_to_be_local(mqsc):
    for command, number in (
        ("DEFINE TOPIC(T) TOPICSTR(T)", 8690),
        ("ALTER TOPIC(T)", 8691),
        ("DELETE TOPIC(T)", 8692),
    ):
        assert mqsc(f"{command} TYPE(LOCAL)")[0].id == f"AMQ{number}I"
    assert mqsc("DEFINE TOPIC(T) TOPICSTR(T) TYPE(CLUSTER)")[0].id == "AMQ8405I"
