"""Clause 2: what each kind of rule does."""

from __future__ import annotations

import pytest

from penstock.admin.channel_authentication.evaluator import ChannelAuthentication


def test_blockaddr_comes_before_everything(knock, rules, engine):
    rules("SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('10.1.2.*','192.168.0.1-9')")
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.1.2.3') USERSRC(CHANNEL)")
    assert knock().blocked_by.kind == "BLOCKADDR"
    assert knock(address="192.168.0.9").log_id == "AMQ9777E"
    assert knock(address="192.168.0.10").allowed
    evaluator = ChannelAuthentication(engine.objects, lambda user: False)
    assert "10.1.2.4 is blocked" in evaluator.address_refused("10.1.2.4").text
    assert evaluator.address_refused("10.1.3.4") is None


def test_blockaddr_shrinks_when_an_address_is_removed(knock, rules):
    rules("SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('10.*','11.*')")
    rules("SET CHLAUTH(*) TYPE(BLOCKADDR) ADDRLIST('10.*') ACTION(REMOVE)")
    assert knock().allowed
    assert not knock(address="11.0.0.1").allowed


def test_blockuser_is_about_the_user_that_comes_out(knock, rules):
    rules("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('bob','eve')")
    assert knock().blocked_by.kind == "BLOCKUSER"
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') MCAUSER('app')")
    assert knock().user == "app"
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('ann') MCAUSER('eve')")
    assert not knock(user="ann").allowed


def test_blockuser_of_a_channel_takes_the_place_of_the_general_one(knock, rules, right):
    rules("SET CHLAUTH(C) TYPE(BLOCKUSER) USERLIST('nobody')")
    assert knock(user="mqm", verdict=right("mqm")).allowed
    rules("SET CHLAUTH(C) TYPE(BLOCKUSER) ACTION(REMOVEALL)")
    assert not knock(user="mqm", verdict=right("mqm")).allowed


def test_addressmap_maps_blocks_and_lets_through(knock, rules):
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.1.*') MCAUSER('app')")
    assert (knock().user, knock().proof) == ("app", "rule")
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.1.*') USERSRC(NOACCESS) ACTION(REPLACE)")
    assert not knock().allowed
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.1.*') USERSRC(CHANNEL) ACTION(REPLACE)")
    assert knock().user == "bob"


def test_usermap_maps_the_client_user(knock, rules):
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') MCAUSER('app')")
    assert knock().user == "app"
    assert knock(user="ann").user == "ann"


def test_sslpeermap_maps_the_certificate(knock, rules):
    rules("SET CHLAUTH(C) TYPE(SSLPEERMAP) SSLPEER('CN=app1,O=Acme') SSLCERTI('CN=Our CA') MCAUSER('app')")
    assert knock(peer="CN=App1,OU=X,O=ACME", issuer="CN=Our CA,O=Acme").user == "app"
    assert knock(peer="CN=app1,O=Acme", issuer="CN=Their CA").user == "bob"
    assert knock(peer="CN=app2,O=Acme", issuer="CN=Our CA").user == "bob"
    assert knock().user == "bob"


def test_qmgrmap_is_stored_and_does_nothing_to_clients(knock, rules):
    rules("SET CHLAUTH(C) TYPE(QMGRMAP) QMNAME(QM2) USERSRC(NOACCESS)")
    assert knock().allowed


def test_the_channels_mcauser_is_used_for_whoever_comes(knock, rules):
    rules("ALTER CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('app')")
    assert (knock().user, knock().proof) == ("app", "channel")
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') MCAUSER('other')")
    assert knock().user == "other"


def test_warn_lets_in_and_tells(knock, rules):
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) WARN(YES)")
    decision = knock()
    assert decision.allowed
    assert [rule.profile for rule in decision.warnings] == ["C"]


def test_warn_lets_the_next_rule_name_the_user(knock, rules):
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') USERSRC(NOACCESS) WARN(YES)")
    rules("SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') MCAUSER('app')")
    decision = knock()
    assert (decision.user, len(decision.warnings)) == ("app", 1)


def test_decision_a_closing_rule_behind_a_warning_one_closes(knock, rules):
    rules("SET CHLAUTH(C) TYPE(USERMAP) CLNTUSER('bob') USERSRC(NOACCESS) WARN(YES)")
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    decision = knock()
    assert not decision.allowed
    assert len(decision.warnings) == 1


@pytest.mark.parametrize("kind", ["BLOCKADDR) ADDRLIST('10.*'", "BLOCKUSER) USERLIST('bob'"])
def test_blocks_can_warn_too(knock, rules, kind):
    rules(f"SET CHLAUTH(*) TYPE({kind}) WARN(YES) ACTION(REPLACE)")
    decision = knock()
    assert decision.allowed
    assert len(decision.warnings) == 1
