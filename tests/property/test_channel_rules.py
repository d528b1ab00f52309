"""The index of channel authentication rules gives what trying every rule gives, whatever the rules are.

Rules and clients are drawn from few letters and numbers, so that they meet often; rules come and go
between the questions.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.admin.channel_authentication.address_index import AddressIndex
from penstock.admin.channel_authentication.addresses import Address, address_pattern
from penstock.admin.channel_authentication.distinguished_names import parse_name
from penstock.admin.channel_authentication.rule import Client, rule_of
from penstock.admin.channel_authentication.rule_index import RuleIndex
from penstock.admin.channel_authentication.star_patterns import StarIndex, star_matches
from penstock.qmgr.objects import Definition, Objects, channel_rule_name

WORDS = st.text("AB.", min_size=1, max_size=5)
PATTERNS = st.text("AB.*", min_size=1, max_size=5)
IPV4_PART = st.one_of(
    st.integers(0, 3).map(str), st.just("*"), st.sampled_from(["0-1", "1-3", "2-200", "0-255"])
)
IPV6_PART = st.one_of(st.integers(0, 2).map(str), st.just("*"), st.sampled_from(["0-1", "1-ffff", "0-8"]))
ADDRESS_PATTERNS = st.one_of(
    st.sampled_from(["", "*", "1.*", "2:*", "::1", "a.example.com", "*.example.com", "a.*", "*.*"]),
    st.lists(IPV4_PART, min_size=4, max_size=4).map(".".join),
    st.lists(IPV6_PART, min_size=8, max_size=8).map(":".join),
)
ADDRESSES = st.one_of(
    st.lists(st.integers(0, 3).map(str), min_size=4, max_size=4).map(".".join),
    st.lists(st.integers(0, 2).map(str), min_size=8, max_size=8).map(":".join),
    st.sampled_from(["::ffff:1.2.3.0", "not an address", "fe80::1%eth0"]),
)
HOSTS = st.sampled_from(["", "a.example.com", "b.example.com.", "A.EXAMPLE.COM", "a.net"])
VALUES = st.sampled_from(["a", "ab", "b"])
VALUE_PATTERNS = st.sampled_from(["a", "ab", "a*", "*b", "*", "b"])


def names(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(st.sampled_from(["CN", "OU", "O", "C"]), values).map("=".join)
    return st.lists(pair, min_size=1, max_size=4).map(",".join)


RULES = st.one_of(
    st.fixed_dictionaries({"TYPE": st.just("ADDRESSMAP"), "ADDRESS": ADDRESS_PATTERNS}),
    st.fixed_dictionaries({"TYPE": st.just("USERMAP"), "CLNTUSER": PATTERNS, "ADDRESS": ADDRESS_PATTERNS}),
    st.fixed_dictionaries(
        {
            "TYPE": st.just("SSLPEERMAP"),
            "SSLPEER": st.one_of(st.just("*"), names(VALUE_PATTERNS)),
            "SSLCERTI": st.one_of(st.just(""), names(VALUE_PATTERNS)),
            "ADDRESS": ADDRESS_PATTERNS,
        }
    ),
)
PROFILES = st.sampled_from(["A", "A*", "*", "A.B", "A*B", "B*"])
CHANGES = st.lists(st.tuples(st.booleans(), PROFILES, RULES), max_size=40)
CLIENTS = st.builds(
    Client,
    st.sampled_from(["A", "A.B", "AB", "B"]),
    st.builds(Address.of, ADDRESSES, HOSTS),
    st.one_of(st.just(""), WORDS),
    st.one_of(st.none(), names(VALUES).map(parse_name)),
    names(VALUES).map(parse_name),
)


@given(CHANGES, st.lists(CLIENTS, min_size=1, max_size=5))
def test_index_finds_what_trying_every_rule_finds(changes, clients) -> None:
    objects = Objects()
    index = RuleIndex(objects)
    for number, (put, profile, values) in enumerate(changes):
        attributes = {"CHLAUTH": profile, **values}
        definition = Definition("CHLAUTH", channel_rule_name(profile, attributes), attributes, number + 1)
        if put:
            objects.put(definition)
        elif objects.find("CHLAUTH", definition.name) is not None:
            objects.remove(definition)
    rules = [rule_of(definition) for definition in objects.all("CHLAUTH")]
    for client in clients:
        expected = sorted(
            (rule for rule in rules if rule.matches(client)), key=lambda rule: rule.rank, reverse=True
        )
        assert [rule.name for rule in index.candidates(client)] == [rule.name for rule in expected]


@given(CHANGES)
def test_an_emptied_index_holds_nothing(changes) -> None:
    objects = Objects()
    index = RuleIndex(objects)
    for number, (_, profile, values) in enumerate(changes):
        attributes = {"CHLAUTH": profile, **values}
        objects.put(Definition("CHLAUTH", channel_rule_name(profile, attributes), attributes, number + 1))
    for definition in objects.all("CHLAUTH"):
        objects.remove(definition)
    assert not index._rules
    assert not index._profiles
    assert not index.names_hosts


@given(
    st.lists(st.tuples(ADDRESS_PATTERNS, st.booleans()), max_size=30), st.builds(Address.of, ADDRESSES, HOSTS)
)
def test_addresses_are_found_as_by_trying_each(patterns, address) -> None:
    index: AddressIndex[int] = AddressIndex()
    for number, (text, _) in enumerate(patterns):
        index.add(address_pattern(text), number)
    for number, (text, stays) in enumerate(patterns):
        if not stays:
            index.remove(address_pattern(text), number)
    expected = [
        number
        for number, (text, stays) in enumerate(patterns)
        if stays and address_pattern(text).matches(address)
    ]
    assert sorted(index.matching(address)) == expected


@given(st.sets(PATTERNS, max_size=20), st.sets(PATTERNS, max_size=5), WORDS)
def test_patterns_are_found_as_by_trying_each(patterns, removed, name) -> None:
    index: StarIndex[str] = StarIndex()
    for pattern in patterns:
        index.ensure(pattern, lambda pattern=pattern: pattern)
    for pattern in patterns & removed:
        index.remove(pattern)
    expected = {pattern for pattern in patterns - removed if star_matches(pattern, name)}
    found = [pattern for pattern, _ in index.matching(name)]
    assert len(found) == len(set(found))
    assert set(found) == expected
