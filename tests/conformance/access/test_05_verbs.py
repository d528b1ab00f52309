"""Clause 5: what authority each verb needs."""

from __future__ import annotations

import pytest

import penstock
from penstock import Open
from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf
from tests.conformance.access.authority_steps import add_users, grant, let_in, refused

DEFINITIONS = """
DEFINE QLOCAL(A) DEFPSIST(NO)
DEFINE QLOCAL(B)
DEFINE QALIAS(ALIAS) TARGET(A)
DEFINE QLOCAL(XQ) USAGE(XMITQ)
DEFINE QREMOTE(REMOTE) RNAME(FAR) RQMNAME(QM2) XMITQ(XQ)
DEFINE TOPIC(T) TOPICSTR('t')
DEFINE QALIAS(TOPICALIAS) TARGET(T) TARGTYPE(TOPIC)
DEFINE QMODEL(PERM) DEFTYPE(PERMDYN)
DEFINE PROCESS(P)
"""


@pytest.fixture
def qm(penstock_home):
    with penstock.embed("QM1", create=True) as qm:
        assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))
        add_users(penstock_home, bob="sales")
        let_in(qm, "PRINCIPAL('bob')")
        yield qm


@pytest.fixture
def bob(qm):
    with penstock.embed("QM1", user="bob") as bob:
        yield bob


def may(qm, words: str, name: str = "A", kind: str = "QUEUE") -> None:
    grant(qm, f"PROFILE('{name}') OBJTYPE({kind}) PRINCIPAL('bob') AUTHADD({words})")


def test_connect(qm):
    with refused() as found:
        penstock.embed("QM1", user="eve")
    assert "user eve lacks CONNECT for QMGR self" in str(found[0])


def test_the_embedding_program_and_administrators_may_everything(qm, penstock_home):
    add_users(penstock_home, boss="mqm")
    with penstock.embed("QM1", user="boss") as boss:
        boss.put("A", b"x")
        assert boss.get("A").body == b"x"
        assert boss.export()


def test_put_and_get_by_name(qm, bob):
    with refused() as found:
        bob.put("A", b"x")
    assert found[0].fields["user"] == "bob"
    may(qm, "PUT")
    bob.put("A", b"x")
    bob.put("A", b"x", priority=3)
    with refused():
        bob.get("A")
    with refused():
        bob.get("A", wait=0.01)
    may(qm, "GET")
    assert bob.get("A").body == b"x"
    assert bob.get_many("A", 5)[0].body == b"x"


def test_taking_authority_away_counts_at_the_next_put(qm, bob):
    may(qm, "PUT,GET")
    bob.put("A", b"x")
    qm.mqsc("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHRMV(PUT)")
    with refused():
        bob.put("A", b"x")
    with refused():
        bob.put_many("A", [b"x"])
    assert bob.get("A").body == b"x"


def test_an_unknown_queue_is_unknown_first(bob):
    with pytest.raises(penstock.MQError) as failure:
        bob.put("NOWHERE", b"")
    assert failure.value.reason == 2085


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (Open.INPUT_SHARED, "GET"),
        (Open.INPUT_EXCLUSIVE, "GET"),
        (Open.BROWSE, "BROWSE"),
        (Open.OUTPUT, "PUT"),
        (Open.INQUIRE, "INQ"),
        (Open.SET, "SET"),
        (Open.OUTPUT | Open.PASS_IDENTITY_CONTEXT, "PUT,PASSID"),
        (Open.OUTPUT | Open.PASS_ALL_CONTEXT, "PUT,PASSALL"),
    ],
)
def test_each_open_option_needs_its_authority(qm, bob, options, word):
    with refused() as found:
        bob.open("A", options)
    assert word.split(",")[-1] in str(found[0])
    may(qm, word)
    bob.open("A", options).close()


@pytest.mark.parametrize(
    ("options", "word"),
    [(Open.SET_IDENTITY_CONTEXT, "SETID"), (Open.SET_ALL_CONTEXT, "SETALL")],
)
def test_decision_setting_context_is_a_matter_of_queue_and_queue_manager(qm, bob, options, word):
    may(qm, f"PUT,{word}")
    with refused() as found:
        bob.open("A", Open.OUTPUT | options)
    assert f"{word} for QMGR" in str(found[0])
    may(qm, word, "self", "QMGR")
    bob.open("A", Open.OUTPUT | options).close()


def test_put_with_context_needs_its_authority(qm, bob):
    may(qm, "PUT")
    with refused():
        bob.put("A", b"", options=mq.MQPMO_SET_ALL_CONTEXT, user_id="boss")
    may(qm, "SETALL")
    may(qm, "SETALL", "self", "QMGR")
    bob.put("A", b"", options=mq.MQPMO_SET_ALL_CONTEXT, user_id="boss")


def test_a_handle_keeps_what_it_was_opened_for(qm, bob):
    may(qm, "PUT")
    with bob.open("A", Open.OUTPUT) as handle:
        qm.mqsc("DELETE AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('bob')")
        handle.put(b"still")
    with refused():
        bob.open("A", Open.OUTPUT)


def test_opening_without_options_takes_what_is_allowed(qm, bob):
    may(qm, "PUT,BROWSE")
    with bob.open("A") as handle:
        handle.put(b"x")
        with pytest.raises(penstock.MQError) as failure:
            handle.get()
        assert failure.value.reason == 2037
    with refused():
        bob.open("B")


def test_alternate_user(qm, bob, penstock_home):
    grant(qm, "PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)")
    options = Open.OUTPUT | Open.ALTERNATE_USER_AUTHORITY
    with refused() as found:
        bob.open("A", options, alternate_user="ann")
    assert "ALTUSR" in str(found[0])
    may(qm, "ALTUSR", "self", "QMGR")
    bob.open("A", options, alternate_user="ann").close()
    may(qm, "PUT", "B")
    with refused():
        bob.open("B", options, alternate_user="ann")


def test_an_alias_counts_by_its_own_name(qm, bob):
    may(qm, "PUT", "ALIAS")
    bob.put("ALIAS", b"x")
    with refused():
        bob.put("A", b"x")


def test_a_remote_definition_counts_by_its_own_name(qm, bob):
    with refused():
        bob.put("REMOTE", b"x")
    may(qm, "PUT", "REMOTE")
    bob.put("REMOTE", b"x")


@pytest.mark.parametrize(("name", "kind"), [("QM2", "RQMNAME"), ("XQ", "QUEUE")])
def test_decision_another_queue_manager_by_its_name_or_its_transmission_queue(qm, bob, name, kind):
    qm.mqsc("ALTER QMGR DEFXMITQ(XQ)")
    with refused():
        bob.open("FAR", Open.OUTPUT, qmgr="QM2")
    may(qm, "PUT", name, kind)
    bob.open("FAR", Open.OUTPUT, qmgr="QM2").close()


def test_decision_a_transmission_queue_itself_needs_setall(qm, bob):
    may(qm, "PUT", "XQ")
    with refused():
        bob.open("XQ", Open.OUTPUT)
    may(qm, "SETALL", "XQ")
    may(qm, "SETALL", "self", "QMGR")
    bob.open("XQ", Open.OUTPUT).close()


def test_decision_a_topic_alias_needs_put_and_pub(qm, bob):
    may(qm, "PUT", "TOPICALIAS")
    with refused() as found:
        bob.open("TOPICALIAS", Open.OUTPUT)
    assert "PUB for TOPIC T" in str(found[0])
    may(qm, "PUB", "T", "TOPIC")
    bob.open("TOPICALIAS", Open.OUTPUT).close()


def test_other_objects(qm, bob):
    with refused():
        bob.open("P", Open.INQUIRE, object_type=mq.MQOT_PROCESS)
    may(qm, "INQ", "P", "PROCESS")
    bob.open("P", Open.INQUIRE, object_type=mq.MQOT_PROCESS).close()
    with refused():
        bob.open("", Open.INQUIRE, object_type=mq.MQOT_Q_MGR)
    may(qm, "INQ", "self", "QMGR")
    bob.open("", Open.INQUIRE, object_type=mq.MQOT_Q_MGR).close()
    with refused():
        bob.open("T", Open.OUTPUT, object_type=mq.MQOT_TOPIC)
    may(qm, "PUB", "T", "TOPIC")
    bob.open("T", Open.OUTPUT, object_type=mq.MQOT_TOPIC).close()


def test_a_model_queue_needs_dsp_and_its_creator_has_all(qm, bob):
    name = "SYSTEM.DEFAULT.MODEL.QUEUE"
    may(qm, "GET", name)
    with refused() as found:
        bob.open(name, Open.INPUT_EXCLUSIVE)
    assert "DSP" in str(found[0])
    may(qm, "DSP", name)
    with bob.open(name, Open.INPUT_EXCLUSIVE, dynamic_name="BOB.*") as handle:
        bob.put(handle.name, b"x")
        assert handle.get().body == b"x"
        let_in(qm, "PRINCIPAL('ann')")
        with penstock.embed("QM1", user="ann") as ann, refused():
            ann.put(handle.name, b"x")


def test_the_creators_record_goes_with_a_permanent_queue(qm, bob):
    may(qm, "GET,PUT,DSP", "PERM")
    bob.open("PERM", Open.OUTPUT, dynamic_name="BOB.ONE").close()
    bob.put("BOB.ONE", b"x")
    let_in(qm, "PRINCIPAL('ann')")
    grant(qm, "PROFILE('BOB.**') OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)")
    with penstock.embed("QM1", user="ann") as ann:
        handle = ann.open("BOB.ONE", Open.OUTPUT)
        with refused():
            handle.close(penstock.Close.DELETE_PURGE)
    bob.open("BOB.ONE", Open.OUTPUT).close(penstock.Close.DELETE_PURGE)
    shown = qm.mqsc("DISPLAY AUTHREC PROFILE('BOB.ONE') OBJTYPE(QUEUE) MATCH(EXACT)")
    assert shown[0].failed


def test_flows_need_system_authority(qm, bob):
    with refused():
        bob.batches.listing()
    may(qm, "SYSTEM", "self", "QMGR")
    assert bob.batches.listing() == []


def test_what_reads_everything_is_for_administrators(qm, bob, tmp_path):
    for call in (bob.export, bob.checkpoint, lambda: bob.backup(tmp_path / "copy"), bob.status, bob.prepared):
        with refused():
            call()


def test_refusals_are_events_when_asked_for(qm, bob):
    qm.mqsc("ALTER QMGR AUTHOREV(ENABLED)")
    with refused():
        penstock.embed("QM1", user="eve")
    with refused():
        bob.open("A", Open.OUTPUT)
    with refused():
        bob.put("A", b"")
    bob.mqsc("DELETE QLOCAL(A)")
    told = [decode_pcf(msg.body) for msg in qm.get_many("SYSTEM.ADMIN.QMGR.EVENT", 10)]
    told = [event for event in told if event.reason == 2035]
    qualifiers = [
        parameter.value
        for event in told
        for parameter in event.parameters
        if parameter.id == mq.MQIACF_REASON_QUALIFIER
    ]
    assert qualifiers == [
        mq.MQRQ_CONN_NOT_AUTHORIZED,
        mq.MQRQ_OPEN_NOT_AUTHORIZED,
        mq.MQRQ_OPEN_NOT_AUTHORIZED,
        mq.MQRQ_CMD_NOT_AUTHORIZED,
    ]
