"""Clause 4: what passwords have to do with who comes in by a channel."""

from __future__ import annotations

import pytest

from penstock.admin.connection_authentication import Verdict, authenticate, settings

AUTHINFO = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"


@pytest.fixture(autouse=True)
def connauth(rules):
    def ask(options: str) -> None:
        rules(f"ALTER AUTHINFO({AUTHINFO}) AUTHTYPE(IDPWOS) {options}\nALTER QMGR CONNAUTH({AUTHINFO})")

    ask("CHCKCLNT(OPTIONAL)")
    return ask


def test_the_password_names_the_user(knock, right):
    decision = knock(user="ann", verdict=right("bob"))
    assert (decision.user, decision.proof) == ("bob", "password")


def test_the_adopted_user_is_mapped(knock, rules, right):
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') MCAUSER('app')")
    assert knock(user="ann", verdict=right("bob")).user == "app"
    assert knock(user="bob", verdict=right("ann")).user == "ann"


def test_decision_the_adopted_user_beats_the_channels_mcauser(knock, rules, right):
    rules("ALTER CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('app')")
    assert knock(verdict=right("bob")).user == "bob"


def test_without_adopting_the_client_keeps_its_name(knock, connauth, right):
    connauth("ADOPTCTX(NO)")
    assert knock(user="ann", verdict=right("bob")).user == "ann"


def test_decision_anothers_password_makes_nobody_an_administrator(knock, connauth, rules, right):
    connauth("ADOPTCTX(NO)")
    rules("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('nobody')")
    assert not knock(user="mqm", verdict=right("bob")).allowed
    assert knock(user="mqm", verdict=right("mqm")).allowed


def test_a_wrong_password_is_refused_after_a_delay(knock, wrong):
    decision = knock(verdict=wrong("bob"))
    assert (decision.allowed, decision.log_id, decision.delay) == (False, "AMQ5534E", 1.0)


@pytest.mark.parametrize(
    ("check", "user", "without"),
    [
        ("NONE", "bob", True),
        ("OPTIONAL", "bob", True),
        ("REQDADM", "bob", True),
        ("REQUIRED", "bob", False),
        ("REQDADM", "mqm", False),
    ],
)
def test_what_is_asked_for(knock, connauth, rules, check, user, without):
    rules("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('nobody')")
    connauth(f"CHCKCLNT({check})")
    decision = knock(user=user)
    assert (decision.allowed, decision.check_client) == (without, check)


def test_reqdadm_asks_a_mapped_administrator_for_a_password(knock, connauth, rules, right):
    rules("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('nobody')")
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') MCAUSER('mqm')")
    connauth("CHCKCLNT(REQDADM)")
    assert knock().log_id == "AMQ5540E"
    assert knock(verdict=right("bob")).user == "mqm"


def test_a_rule_can_ask_for_more(knock, rules, right):
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)")
    assert not knock().allowed
    assert knock(verdict=right("bob")).allowed


def test_decision_a_rule_cannot_ask_for_less(knock, connauth, rules):
    connauth("CHCKCLNT(REQUIRED)")
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQDADM)")
    assert (knock().allowed, knock().check_client) == (False, "REQUIRED")


class Everybody:
    def verify(self, user: str, password: str) -> bool:
        return password == "secret"


def test_verdicts(engine, connauth):
    asked = settings(engine.objects)
    assert authenticate(asked, Everybody(), "bob", "secret") == Verdict(
        "bob", True, True, "the password of bob is right"
    )
    refusal = authenticate(asked, Everybody(), "bob", "guess")
    assert (refusal.good, refusal.delay) == (False, 1.0)
    assert "guess" not in refusal.text


def test_a_password_is_not_looked_at_when_nobody_asks(engine, connauth):
    connauth("CHCKCLNT(NONE)")
    verdict = authenticate(settings(engine.objects), Everybody(), "bob", "guess")
    assert (verdict.checked, verdict.good) == (False, True)


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ("DEFINE AUTHINFO(L) AUTHTYPE(IDPWLDAP) CONNAME('ldap(389)')", "IDPWOS) only"),
        ("DEFINE NAMELIST(L)", "not defined"),
    ],
)
def test_what_cannot_be_checked_is_refused_and_says_why(engine, rules, knock, definition, words):
    rules(f"{definition}\nALTER QMGR CONNAUTH(L)")
    verdict = authenticate(settings(engine.objects), Everybody(), "bob", "secret")
    assert not verdict.good
    assert words in verdict.text
    assert words in knock(verdict=verdict).text
    assert words in knock().text
