"""One channel authentication rule, read from its CHLAUTH record: which clients it matches, and its effect.

`Rule.matches` and `Rule.rank` define the meaning of a rule; `rule_index` only finds the same answer faster.
Called by `rule_index` and `evaluator`. Invariant: of two rules that match one client, the one with the
greater rank is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.admin.channel_authentication.addresses import (
    EVERYWHERE,
    HOST,
    Address,
    AddressPattern,
    address_pattern,
)
from penstock.admin.channel_authentication.distinguished_names import (
    Pairs,
    name_matches,
    name_specificity,
    parse_name,
)
from penstock.admin.channel_authentication.star_patterns import star_matches, star_specificity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.qmgr.objects import Definition

# Maps from the weakest to the strongest: a certificate is more specific than a name, a name than an address.
STRENGTH = {"ADDRESSMAP": 0, "USERMAP": 1, "QMGRMAP": 1, "SSLPEERMAP": 2}
ADMINISTRATORS = "*MQADMIN"


@dataclass(frozen=True, slots=True)
class Client:
    """A connecting client or queue manager: its channel, address, claimed name and certificate."""

    channel: str
    address: Address
    user: str = ""
    peer: Pairs | None = None  # of its certificate; None without one
    issuer: Pairs = ()
    qmgr: str = ""  # of a message channel; a client has a user instead


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One CHLAUTH record. Compared by identity: a changed record is another rule."""

    name: str
    profile: str
    kind: str
    address: AddressPattern
    user: str  # CLNTUSER
    peer: Pairs
    issuer: Pairs
    source: str  # USERSRC
    mcauser: str
    check_client: str  # CHCKCLNT
    warn: bool
    listed: frozenset[str]  # USERLIST or ADDRLIST
    attributes: dict[str, Any]
    qmgr: str = ""  # QMNAME

    def matches(self, client: Client) -> bool:
        """Return whether a mapping rule matches a client."""
        if not star_matches(self.profile, client.channel) or not self.address.matches(client.address):
            return False
        if self.kind == "USERMAP":
            return bool(client.user) and star_matches(self.user, client.user)
        if self.kind == "QMGRMAP":
            return bool(client.qmgr) and star_matches(self.qmgr, client.qmgr)
        if self.kind == "SSLPEERMAP":
            return self.names(client)
        return self.kind == "ADDRESSMAP"

    def names(self, client: Client) -> bool:
        """Return whether SSLPEER and SSLCERTI match the client's certificate."""
        if client.peer is None:
            return False
        return name_matches(self.peer, client.peer) and name_matches(self.issuer, client.issuer)

    @property
    def rank(self) -> tuple[Any, ...]:
        """The order of matching rules: the channel, then the identity, then the address."""
        identity: tuple[Any, ...] = ()
        if self.kind == "USERMAP":
            identity = star_specificity(self.user)
        elif self.kind == "QMGRMAP":
            identity = star_specificity(self.qmgr)
        elif self.kind == "SSLPEERMAP":
            identity = (name_specificity(self.peer), bool(self.issuer), name_specificity(self.issuer))
        strength = STRENGTH[self.kind]
        return (
            star_specificity(self.profile),
            self.profile,
            strength,
            identity,
            self.address.specificity,
            self.name,
        )

    def blocks_user(self, user: str, administrator: bool) -> bool:
        """Return whether a BLOCKUSER rule blocks a user."""
        return user in self.listed or (administrator and ADMINISTRATORS in self.listed)

    def __str__(self) -> str:
        keys = (
            "SSLPEER",
            "SSLCERTI",
            "CLNTUSER",
            "QMNAME",
            "ADDRESS",
            "USERLIST",
            "ADDRLIST",
            "USERSRC",
            "MCAUSER",
        )
        shown = [f"CHLAUTH({self.profile})", f"TYPE({self.kind})"]
        for key in keys:
            value = self.attributes.get(key)
            if value:
                shown.append(f"{key}({','.join(value) if isinstance(value, tuple) else value})")
        return " ".join(shown)


def rule_of(definition: Definition) -> Rule:
    """Return the rule in a CHLAUTH record."""
    values = definition.attributes
    listed = values.get("USERLIST") or values.get("ADDRLIST") or ()
    return Rule(
        definition.name,
        str(values["CHLAUTH"]),
        str(values["TYPE"]),
        stored_address(str(values.get("ADDRESS", ""))),
        str(values.get("CLNTUSER", "")),
        _stored_name(str(values.get("SSLPEER", ""))),
        _stored_name(str(values.get("SSLCERTI", ""))),
        str(values.get("USERSRC", "MAP")),
        str(values.get("MCAUSER", "")),
        str(values.get("CHCKCLNT", "ASQMGR")),
        values.get("WARN") == "YES",
        frozenset(listed) if isinstance(listed, tuple) else frozenset(),
        values,
        str(values.get("QMNAME", "")),
    )


def fault_in(values: Mapping[str, Any]) -> str:
    """Return the error in the patterns of a rule that is to be stored; empty if they are right."""
    try:
        for text in values.get("ADDRLIST") or ():
            if EVERYWHERE < address_pattern(text).kind <= HOST:
                return f"ADDRLIST takes IP addresses, with ranges and *, but no host name such as {text!r}"
        address_pattern(str(values.get("ADDRESS", "")))
        parse_name(str(values.get("SSLPEER", "")))
        parse_name(str(values.get("SSLCERTI", "")))
    except ValueError as fault:
        return str(fault)
    return ""


def stored_address(text: str) -> AddressPattern:
    """Return a stored pattern; an invalid one, stored unchecked, matches no address."""
    try:
        return address_pattern(text)
    except ValueError:
        return AddressPattern(HOST, host=text.lower())


def _stored_name(text: str) -> Pairs:
    try:
        return parse_name(text)
    except ValueError:
        return (("CN", text.lower()),)
