"""Distribution lists: one message for several queues, with a reason for each (MQOR, MQPMR, MQRR)."""

from __future__ import annotations

import copy

import pytest

import penstock
from penstock.model import constants as mq

ID = b"c" * 24


@pytest.fixture
def queues(run):
    run("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
    run("DEFINE QLOCAL(FULL) MAXDEPTH(0)\nDEFINE QLOCAL(OFF) PUT(DISABLED)")


@pytest.mark.parametrize("persistent", [True, False])
def test_each_queue_has_the_message_with_an_id_of_its_own(qm, queues, persistent):
    receipts = qm.put_list(["A", "B"], b"one", persistent=persistent, priority=4, properties={"k": 1})
    got = [qm.get("A"), qm.get("B")]
    assert [m.msg_id for m in got] == [r.msg_id for r in receipts]
    assert got[0].msg_id != got[1].msg_id
    assert {(m.body, m.persistent, m.priority, m.properties["k"]) for m in got} == {
        (b"one", persistent, 4, 1)
    }


def test_a_destination_may_have_fields_of_its_own(qm, queues):
    own = {"queue": "B", "msg_id": b"m" * 24, "correl_id": ID}
    qm.put_list(["A", own], "one", correl_id=b"x" * 24)
    first, second = qm.get("A"), qm.get("B")
    assert (first.correl_id, second.correl_id, second.msg_id) == (b"x" * 24, ID, b"m" * 24)


def test_a_given_message_id_is_that_of_all(qm, queues):
    assert {r.msg_id for r in qm.put_list(["A", "B"], b"one", msg_id=ID)} == {ID}


def test_a_destination_may_be_at_another_queue_manager(qm, queues, run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    qm.put_list(["A", ("Q", "QM2"), {"queue": "R", "qmgr": "QM2"}], b"one")
    assert [m.format for m in qm.get_many("QM2", 9)] == [mq.MQFMT_XMIT_Q_HEADER] * 2


def test_those_that_fail_leave_the_others_and_are_told_one_by_one(qm, queues, fails):
    with fails(2136) as caught:
        qm.put_list(["A", "FULL", "NONE", "OFF", "B"], b"one")
    failure = copy.copy(caught.value)  # as pickling does
    assert failure.comp == 1
    assert failure.fields["reasons"] == [0, 2053, 2085, 2051, 0]
    assert failure.fields["destinations"] == ["A", "FULL", "NONE", "OFF", "B"]
    assert failure.fields["msg_ids"] == [qm.get("A").msg_id, None, None, None, qm.get("B").msg_id]


def test_all_failing_alike_is_their_reason_and_otherwise_2136(qm, queues, fails):
    with fails(2053) as caught:
        qm.put_list(["FULL", "FULL"], b"one")
    assert (caught.value.comp, caught.value.fields["reasons"]) == (2, [2053, 2053])
    with fails(2136) as caught:
        qm.put_list(["FULL", "OFF"], b"one")
    assert (caught.value.comp, caught.value.fields["reasons"]) == (2, [2053, 2051])


def test_a_list_is_in_the_unit_of_work(qm, queues, fails):
    qm.begin()
    with fails(2136):
        qm.put_list(["A", "FULL", "B"], b"one", persistent=True)
    assert qm.mqsc("DISPLAY QLOCAL(A) CURDEPTH")[0].attributes["CURDEPTH"] == 1
    qm.backout()
    assert (qm.get("A"), qm.get("B")) == (None, None)
    with qm.unit_of_work():
        qm.put_list(["A", "B"], b"two")
    assert (qm.get("A").body, qm.get("B").body) == (b"two", b"two")


def test_authority_is_asked_for_each_queue(qm, queues, fails, penstock_home):
    from tests.conformance.access.authority_steps import add_users, grant, let_in

    add_users(penstock_home, bob="")
    let_in(qm, "PRINCIPAL('bob')")
    grant(qm, "PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT)")
    with penstock.embed("QM1", user="bob") as bob, fails(2136) as caught:
        bob.put_list(["A", "B"], b"one")
    assert caught.value.fields["reasons"] == [0, 2035]
    assert qm.get("B") is None


@pytest.mark.parametrize(
    ("destinations", "reason"),
    [([], 2154), ("AB", 2085), ([5], 2085), ([{"queue": "A", "color": 1}], 2046), ([{"qmgr": "QM1"}], 2085)],
)
def test_what_is_no_list_is_refused_before_anything_is_put(qm, queues, fails, destinations, reason):
    with fails(reason):
        qm.put_list(destinations, b"one")
    assert qm.get("A") is None


def test_groups_need_a_group_id_for_each_queue(qm, queues, fails):
    with fails(2258):
        qm.put_list(["A", "B"], b"one", flags=mq.MQMF_MSG_IN_GROUP)
    own = [{"queue": name, "group_id": name.encode() * 24} for name in ("A", "B")]
    qm.put_list(own, b"one", flags=mq.MQMF_MSG_IN_GROUP, seq_number=1)
    assert (qm.get("A").descriptor.group_id, qm.get("B").descriptor.group_id) == (b"A" * 24, b"B" * 24)


def test_the_queue_manager_says_that_it_has_distribution_lists(qm):
    assert qm.mqsc("DISPLAY QMGR DISTL")[0].attributes["DISTL"] == "YES"
