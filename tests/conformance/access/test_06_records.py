"""Clause 6: which authority records count."""

from __future__ import annotations

import pytest

import penstock
from tests.conformance.access.authority_steps import add_users, grant, let_in, refused


@pytest.fixture
def qm(penstock_home):
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(A.B.C)\nDEFINE QLOCAL(A.B)\nDEFINE QLOCAL(A)")
        add_users(penstock_home, bob="sales west")
        let_in(qm, "GROUP('sales')")
        yield qm


@pytest.fixture
def bob(qm):
    with penstock.embed("QM1", user="bob") as bob:
        yield bob


def may_put(bob, queue: str) -> bool:
    try:
        bob.put(queue, b"")
    except penstock.NotAuthorized:
        return False
    return True


@pytest.mark.parametrize(
    ("profile", "fits"),
    [
        ("A.B", ["A.B"]),
        ("A.*", ["A.B"]),
        ("A.**", ["A", "A.B", "A.B.C"]),
        ("A.?", ["A.B"]),
        ("**", ["A", "A.B", "A.B.C"]),
        ("*", ["A"]),
        ("A.*.C", ["A.B.C"]),
    ],
)
def test_profiles(qm, bob, profile, fits):
    grant(qm, f"PROFILE('{profile}') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT)")
    assert [queue for queue in ("A", "A.B", "A.B.C") if may_put(bob, queue)] == fits


def test_the_most_specific_profile_of_a_user_counts_alone(qm, bob):
    grant(qm, "PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(PUT)")
    grant(qm, "PROFILE('A.B') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(GET)")
    assert not may_put(bob, "A.B")
    assert bob.get("A.B") is None
    assert may_put(bob, "A.B.C")


def test_groups_and_users_add_up(qm, bob):
    grant(qm, "PROFILE('A.B') OBJTYPE(QUEUE) PRINCIPAL('bob') AUTHADD(GET)")
    grant(qm, "PROFILE('A.**') OBJTYPE(QUEUE) GROUP('west') AUTHADD(PUT)")
    assert may_put(bob, "A.B")
    assert bob.get("A.B") is not None


def test_a_record_of_another_type_does_not_count(qm, bob):
    grant(qm, "PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('bob') AUTHADD(PUB)")
    assert not may_put(bob, "A.B")


def test_a_new_group_counts_without_a_restart(qm, bob, penstock_home):
    grant(qm, "PROFILE('A.B') OBJTYPE(QUEUE) GROUP('east') AUTHADD(PUT,BROWSE)")
    with refused():
        bob.open("A.B", penstock.Open.BROWSE)
    add_users(penstock_home, bob="sales east")
    bob.open("A.B", penstock.Open.BROWSE).close()
    qm.host.housekeeping(0.0)
    assert may_put(bob, "A.B")
    add_users(penstock_home, bob="sales")
    qm.host.housekeeping(0.0)
    assert not may_put(bob, "A.B")


def test_records_survive_a_restart(qm, penstock_home):
    grant(qm, "PROFILE('A.B') OBJTYPE(QUEUE) GROUP('west') AUTHADD(PUT)")
    qm.close()
    with penstock.embed("QM1", user="bob") as bob:
        assert may_put(bob, "A.B")
        assert not may_put(bob, "A")
