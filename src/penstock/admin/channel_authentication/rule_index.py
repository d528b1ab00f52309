"""All channel authentication rules, indexed so that a connect checks only the relevant ones.

By channel profile, then by kind, then by identity (user, certificate) and address. It observes the registry
of objects, so SET CHLAUTH changes it rule by rule and a restart fills it once. There are often very many
rules about users: each is read when a client of that name first connects. Called by `evaluator`, under the
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

CHANNELS_KEPT = 1000  # channel names whose profiles are cached

Place = AddressIndex[Rule]


class RuleIndex:
    """The rules of one queue manager."""

    def __init__(self, objects: Objects) -> None:
        """Read the existing rules, and follow every change from now on."""
        self._rules: dict[str, Rule] = {}
        self._profiles: StarIndex[_Profile] = StarIndex()
        self._addresses: Place = AddressIndex()  # of BLOCKADDR
        self._remembered: dict[str, list[_Profile]] = {}
        self._with_hosts = 0
        objects.observe("CHLAUTH", self)

    def added(self, definition: Definition) -> None:
        """Add a rule that was set."""
        if definition.attributes["TYPE"] == "USERMAP":
            self._with_hosts += _may_name_host(definition)
            self._profile(str(definition.attributes["CHLAUTH"])).add_user(definition)
            return
        rule = self._rules[definition.name] = rule_of(definition)
        self._with_hosts += _names_host(rule)
        if rule.kind == "BLOCKADDR":
            for text in rule.listed:
                self._addresses.add(stored_address(text), rule)
            return
        self._profile(rule.profile).add(rule)

    def _profile(self, name: str) -> _Profile:
        found = self._profiles.get(name)
        if found is None:
            self._remembered.clear()
            found = self._profiles.ensure(name, lambda: _Profile(name))
        return found

    def removed(self, definition: Definition) -> None:
        """Drop a rule that was removed, or is about to be replaced."""
        if definition.attributes["TYPE"] == "USERMAP":
            self._with_hosts -= _may_name_host(definition)
            name = str(definition.attributes["CHLAUTH"])
            self._profile(name).remove_user(definition)
            self._forget_empty(name)
            return
        rule = self._rules.pop(definition.name)
        self._with_hosts -= _names_host(rule)
        if rule.kind == "BLOCKADDR":
            for text in rule.listed:
                self._addresses.remove(stored_address(text), rule)
            return
        self._profile(rule.profile).remove(rule)
        self._forget_empty(rule.profile)

    def _forget_empty(self, name: str) -> None:
        if not self._profile(name).count:
            self._profiles.remove(name)
            self._remembered.clear()

    @property
    def names_hosts(self) -> bool:
        """Whether any rule uses host names, so that a client's may be needed."""
        return self._with_hosts > 0

    def address_block(self, address: Address) -> Rule | None:
        """Return the BLOCKADDR rule that blocks an address."""
        return next(self._addresses.matching(address), None)

    def user_block(self, channel: str) -> Rule | None:
        """Return the BLOCKUSER rule of a channel: the one of the most specific profile that has any."""
        return next((each.user_block for each in self._profiles_of(channel) if each.user_block), None)

    def candidates(self, client: Client) -> Iterator[Rule]:
        """Yield the mapping rules that match a client, the best first."""
        for profile in self._profiles_of(client.channel):
            for each in (
                profile.by_peer(client),
                profile.by_qmgr(client),
                profile.by_user(client),
                profile.by_address(client),
            ):
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

    __slots__ = ("addresses", "count", "peers", "qmgrs", "specificity", "user_block", "users")

    def __init__(self, profile: str) -> None:
        self.specificity = (star_specificity(profile), profile)
        self.count = 0
        self.user_block: Rule | None = None
        self.addresses: Place = AddressIndex()
        self.users: StarIndex[_Users] = StarIndex()
        self.peers = _Peers()
        self.qmgrs: list[Rule] = []  # QMGRMAP: as many as there are partners

    def add(self, rule: Rule) -> None:
        self.count += 1
        if rule.kind == "BLOCKUSER":
            self.user_block = rule
        elif rule.kind == "ADDRESSMAP":
            self.addresses.add(rule.address, rule)
        elif rule.kind == "SSLPEERMAP":
            self.peers.add(rule)
        elif rule.kind == "QMGRMAP":
            self.qmgrs.append(rule)

    def add_user(self, definition: Definition) -> None:
        self.count += 1
        self.users.ensure(str(definition.attributes.get("CLNTUSER", "")), _Users).add(definition)

    def remove(self, rule: Rule) -> None:
        self.count -= 1
        if rule.kind == "BLOCKUSER":
            self.user_block = None
        elif rule.kind == "ADDRESSMAP":
            self.addresses.remove(rule.address, rule)
        elif rule.kind == "SSLPEERMAP":
            self.peers.remove(rule)
        elif rule.kind == "QMGRMAP":
            self.qmgrs.remove(rule)

    def remove_user(self, definition: Definition) -> None:
        self.count -= 1
        pattern = str(definition.attributes.get("CLNTUSER", ""))
        users = self.users.ensure(pattern, _Users)
        users.remove(definition)
        if not users:
            self.users.remove(pattern)

    def by_qmgr(self, client: Client) -> Iterator[Rule]:
        if client.qmgr:
            yield from (rule for rule in self.qmgrs if rule.matches(client))

    def by_address(self, client: Client) -> Iterator[Rule]:
        return self.addresses.matching(client.address)

    def by_user(self, client: Client) -> Iterator[Rule]:
        if client.user:
            for _, users in self.users.matching(client.user):
                yield from users.place().matching(client.address)

    def by_peer(self, client: Client) -> Iterator[Rule]:
        if client.peer is not None:
            for place in self.peers.places(client.peer):
                for rule in place.matching(client.address):
                    if rule.names(client):
                        yield rule


class _Users:
    """The USERMAP rules of one CLNTUSER: records until the first use, then rules by address."""

    __slots__ = ("_place", "_rules", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[Definition] = []
        self._rules: dict[str, Rule] = {}
        self._place: Place | None = None

    def __bool__(self) -> bool:
        return bool(self._waiting or self._rules)

    def add(self, definition: Definition) -> None:
        self._waiting.append(definition)

    def remove(self, definition: Definition) -> None:
        rule = self._rules.pop(definition.name, None)
        if rule is None:
            self._waiting = [each for each in self._waiting if each.name != definition.name]
        elif self._place is not None:
            self._place.remove(rule.address, rule)

    def place(self) -> Place:
        """Return the rules by address, after reading the pending ones."""
        if self._place is None:
            self._place = AddressIndex()
        for definition in self._waiting:
            rule = self._rules[definition.name] = rule_of(definition)
            self._place.add(rule.address, rule)
        self._waiting.clear()
        return self._place


class _Peers:
    """SSLPEERMAP rules by the most significant attribute of their pattern."""

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


def _may_name_host(definition: Definition) -> bool:
    """Return whether a record's address may be a host name: an IP address has letters only beside colons."""
    text = str(definition.attributes.get("ADDRESS", ""))
    return ":" not in text and any(letter.isalpha() for letter in text)
