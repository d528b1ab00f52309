"""Clause 3: which of several rules is used."""

from __future__ import annotations

import pytest

from penstock.admin.channel_authentication.evaluator import ChannelAuthentication

PEER = {"peer": "SERIALNUMBER=7,CN=app1,OU=Sales,OU=Europe,O=Acme,C=GB", "issuer": "CN=CA,O=Acme"}


def ssl(pattern: str, profile: str = "C") -> str:
    return f"SET CHLAUTH('{profile}') TYPE(SSLPEERMAP) SSLPEER('{pattern}')"


def user(pattern: str, profile: str = "C") -> str:
    return f"SET CHLAUTH('{profile}') TYPE(USERMAP) CLNTUSER('{pattern}')"


def address(pattern: str, profile: str = "C") -> str:
    return f"SET CHLAUTH('{profile}') TYPE(ADDRESSMAP) ADDRESS('{pattern}')"


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        (address("*", "C"), ssl("CN=app1", "*")),  # the channel comes before everything
        (address("*", "C"), address("10.1.2.3", "C*")),
        (address("*", "C*"), address("10.1.2.3", "*")),
        (ssl("O=Acme"), user("bob")),  # then the kind
        (user("*"), address("10.1.2.3")),
        (ssl("CN=*"), ssl("OU=Sales,O=Acme,C=GB")),  # the more telling attribute
        (ssl("SERIALNUMBER=7"), ssl("CN=app1,OU=Sales,OU=Europe,O=Acme,C=GB")),
        (ssl("CN=app1,O=Acme"), ssl("CN=app1")),  # more of them
        (ssl("CN=app1"), ssl("CN=app*,O=Acme")),  # the same attributes, without a star
        (ssl("OU=Sales,OU=Europe"), ssl("OU=Sales")),
        (ssl("CN=app1") + " SSLCERTI('CN=CA')", ssl("CN=app1")),
        (ssl("CN=app1") + " ADDRESS('10.*')", ssl("CN=app1")),
        (user("bob"), user("b*")),
        (user("bo*"), user("b*")),
        (user("bob") + " ADDRESS('10.*')", user("bob")),
        (user("bob"), user("b*") + " ADDRESS('10.1.2.3')"),
        (address("10.1.2.3"), address("10.1.2.1-9")),
        (address("10.1.2.2-4"), address("10.1.2.1-9")),
        (address("10.1-2.2.3"), address("10.1.2.*")),
        (address("10.1.2.*"), address("10.1.*")),
        (address("10.*"), address("host.example.com")),
        (address("host.example.com"), address("*.example.com")),
        (address("*.example.com"), address("*.com")),
        (address("*.com"), address("*")),
        (user("bob") + " ADDRESS('*')", user("bob")),
    ],
)
@pytest.mark.parametrize("winner_first", [True, False])
def test_more_specific_rule_wins(knock, rules, winner, loser, winner_first):
    commands = [f"{winner} MCAUSER('winner')", f"{loser} MCAUSER('loser')"]
    for command in commands if winner_first else reversed(commands):
        rules(command)
    assert knock(host="host.example.com", **PEER).user == "winner"


@pytest.mark.parametrize("address_given", ["2001:DB8::7", "2001:0db8:0:0:0:0:0:7"])
@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("2001:db8::7", "2001:db8::1-9"),
        ("2001:db8::1-9", "2001:db8:*"),
        ("2001:db8:*", "2001:*:*:*:*:*:*:*"),
    ],
)
def test_ipv6(knock, rules, address_given, winner, loser):
    rules(f"{address(loser)} MCAUSER('loser')\n{address(winner)} MCAUSER('winner')")
    assert knock(address=address_given).user == "winner"


def test_ipv4_in_ipv6_clothes_is_ipv4(knock, rules):
    rules(f"{address('10.1.*')} MCAUSER('app')")
    assert knock(address="::ffff:10.1.2.3").user == "app"


def test_host_names_match_whatever_their_case(knock, rules):
    rules(f"{address('*.Example.COM')} MCAUSER('app')")
    assert knock(host="Host.example.com.").user == "app"
    assert knock(host="").user == "bob"


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("OU=Sales,OU=Europe", True),
        ("OU=Europe", True),
        ("OU=Europe,OU=Sales", False),
        ("OU=Sales,OU=Sales", False),
        ("CN=APP1", True),
        ('CN="app1"; O=Acme', True),
        ("CN=app1, O=Acme, ST=x", False),
        ("CN=*1", True),
        ("CN=*p*", True),
        ("*", True),
    ],
)
def test_decision_names_match_by_attribute_and_order(knock, rules, pattern, fits):
    rules(ssl(pattern) + " MCAUSER('app')")
    assert (knock(**PEER).user == "app") is fits


def test_host_names_are_asked_for_only_when_a_rule_names_one_and_revdns_is_on(engine, rules):
    evaluator = ChannelAuthentication(engine.objects, lambda user: False)
    assert not evaluator.wants_host_names
    rules("SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('host.example.com') USERSRC(MAP) MCAUSER('app')")
    assert evaluator.wants_host_names
    rules("ALTER QMGR REVDNS(DISABLED)")
    assert not evaluator.wants_host_names
