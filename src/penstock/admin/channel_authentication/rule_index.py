"""All channel authentication rules, arranged so that a connect looks only at those that may be about it.

By channel profile, then by kind, then by who (user, certificate) and where from. It observes the registry of
objects, so SET CHLAUTH changes it rule by rule and a restart fills it once. Called by `evaluator`, under the
engine's lock. Invariant: `candidates` yields the rules that `Rule.matches` accepts, the greatest rank first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.channel_authentication.address_index import AddressIndex
from penstock.admin.channel_authentication.addresses import EVERYWHERE, HOST
from penstock.admin.channel_authentication.distinguished_names import most_telling
from penstock.admin.channel_authentication.rule import Rule, rule_of, stored_address
from penstock.admin.channel_authentication.star_patterns import StarIndex, star_specificity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.admin.channel_authentication.addresses import Address
    from penstock.admin.channel_authentication.distinguished_names import Pairs
    from penstock.admin.channel_authentication.rule import Client
    from penstock.qmgr.objects import Definition, Objects

CHANNELS_KEPT = 1000  # channel names whose profiles are remembered

Place = AddressIndex[Rule]


class RuleIndex:
    """The rules of one queue manager."""

    def __init__(self, objects: Objects) -> None:
        """Take in the rules that there are, and follow every change from now on."""
        self._rules: dict[str, Rule] = {}
        self._profiles: StarIndex[_Profile] = StarIndex()
        self._addresses: Place = AddressIndex()  # of BLOCKADDR
        self._remembered: dict[str, list[_Profile]] = {}
        self._with_hosts = 0
        objects.observe("CHLAUTH", self)

    def added(self, definition: Definition) -> None:
        """Take in a rule that was set."""
        rule = self._rules[definition.name] = rule_of(definition)
        self._with_hosts += _names_host(rule)
        if rule.kind == "BLOCKADDR":
            for text in rule.listed:
                self._addresses.add(stored_address(text), rule)
            return
        if self._profiles.get(rule.profile) is None:
            self._remembered.clear()
        self._profiles.ensure(rule.profile, lambda: _Profile(rule.profile)).add(rule)

    def removed(self, definition: Definition) -> None:
        """Let a rule go that was removed, or is about to be replaced."""
        rule = self._rules.pop(definition.name)
        self._with_hosts -= _names_host(rule)
        if rule.kind == "BLOCKADDR":
            for text in rule.listed:
                self._addresses.remove(stored_address(text), rule)
            return
        profile = self._profiles.get(rule.profile)
        assert profile is not None
        profile.remove(rule)
        if not profile.count:
            self._profiles.remove(rule.profile)
            self._remembered.clear()

    @property
    def names_hosts(self) -> bool:
        """Whether any rule is about host names, so that a client's may be needed."""
        return self._with_hosts > 0

    def address_block(self, address: Address) -> Rule | None:
        """Return the BLOCKADDR rule that keeps an address out."""
        return next(self._addresses.matching(address), None)

    def user_block(self, channel: str) -> Rule | None:
        """Return the BLOCKUSER rule of a channel: the one of the most specific profile that has any."""
        return next((each.user_block for each in self._profiles_of(channel) if each.user_block), None)

    def candidates(self, client: Client) -> Iterator[Rule]:
        """Yield the mapping rules that match a client, the one to use first."""
        for profile in self._profiles_of(client.channel):
            for each in (profile.by_peer(client), profile.by_user(client), profile.by_address(client)):
                found = list(each)
                if len(found) > 1:
                    found.sort(key=lambda rule: rule.rank, reverse=True)
                yield from found

    def _profiles_of(self, channel: str) -> list[_Profile]:
        found = self._remembered.get(channel)
        if found is None:
            matching = (profile for _, profile in self._profiles.matching(channel))
            found = sorted(matching, key=lambda each: each.specificity, reverse=True)
            if len(self._remembered) >= CHANNELS_KEPT:
                self._remembered.clear()
            self._remembered[channel] = found
        return found


class _Profile:
    """The rules of one channel profile."""

    __slots__ = ("addresses", "count", "peers", "specificity", "user_block", "users")

    def __init__(self, profile: str) -> None:
        self.specificity = (star_specificity(profile), profile)
        self.count = 0
        self.user_block: Rule | None = None
        self.addresses: Place = AddressIndex()
        self.users: StarIndex[Place] = StarIndex()
        self.peers = _Peers()

    def add(self, rule: Rule) -> None:
        self.count += 1
        if rule.kind == "BLOCKUSER":
            self.user_block = rule
        elif rule.kind == "ADDRESSMAP":
            self.addresses.add(rule.address, rule)
        elif rule.kind == "USERMAP":
            self.users.ensure(rule.user, AddressIndex).add(rule.address, rule)
        elif rule.kind == "SSLPEERMAP":
            self.peers.add(rule)

    def remove(self, rule: Rule) -> None:
        self.count -= 1
        if rule.kind == "BLOCKUSER":
            self.user_block = None
        elif rule.kind == "ADDRESSMAP":
            self.addresses.remove(rule.address, rule)
        elif rule.kind == "USERMAP":
            _take_out(self.users, rule.user, rule)
        elif rule.kind == "SSLPEERMAP":
            self.peers.remove(rule)

    def by_address(self, client: Client) -> Iterator[Rule]:
        return self.addresses.matching(client.address)

    def by_user(self, client: Client) -> Iterator[Rule]:
        if client.user:
            for _, place in self.users.matching(client.user):
                yield from place.matching(client.address)

    def by_peer(self, client: Client) -> Iterator[Rule]:
        if client.peer is not None:
            for place in self.peers.places(client.peer):
                for rule in place.matching(client.address):
                    if rule.names(client):
                        yield rule


class _Peers:
    """SSLPEERMAP rules by the most telling attribute of their pattern."""

    __slots__ = ("anybody", "by_kind")

    def __init__(self) -> None:
        self.anybody: Place = AddressIndex()
        self.by_kind: dict[str, StarIndex[Place]] = {}

    def add(self, rule: Rule) -> None:
        key = most_telling(rule.peer)
        if key is None:
            self.anybody.add(rule.address, rule)
        else:
            index = self.by_kind.setdefault(key[0], StarIndex())
            index.ensure(key[1], AddressIndex).add(rule.address, rule)

    def remove(self, rule: Rule) -> None:
        key = most_telling(rule.peer)
        if key is None:
            self.anybody.remove(rule.address, rule)
        else:
            _take_out(self.by_kind[key[0]], key[1], rule)

    def places(self, peer: Pairs) -> Iterable[Place]:
        found = {id(self.anybody): self.anybody}
        for kind, value in peer:
            index = self.by_kind.get(kind)
            if index is not None:
                found.update((id(place), place) for _, place in index.matching(value))
        return found.values()


def _take_out(index: StarIndex[Place], pattern: str, rule: Rule) -> None:
    place = index.ensure(pattern, AddressIndex)
    place.remove(rule.address, rule)
    if not place:
        index.remove(pattern)


def _names_host(rule: Rule) -> bool:
    return EVERYWHERE < rule.address.kind <= HOST
