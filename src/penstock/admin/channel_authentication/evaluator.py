"""Decides who may connect through a channel, and as which user.

`ChannelAuthentication.decide` follows MQ's order: blocked addresses, the given password (whose user is
adopted first), the best mapping rule, the required password, blocked users. The listener, DISPLAY CHLAUTH
MATCH(RUNCHECK) and `penstock explain-access` all call it, under the engine's lock. Invariant: an
administrator connects only by a password, a rule, or the channel's MCAUSER, never by a mere claim.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from penstock.admin.channel_authentication.addresses import Address
from penstock.admin.channel_authentication.distinguished_names import parse_name
from penstock.admin.channel_authentication.rule import Client
from penstock.admin.channel_authentication.rule_index import RuleIndex
from penstock.admin.connection_authentication import Verdict, needs_password, settings, stricter
from penstock.model import constants as mq
from penstock.qmgr.channels.auto_definition import model_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.admin.channel_authentication.distinguished_names import Pairs
    from penstock.admin.channel_authentication.rule import Rule
    from penstock.admin.connection_authentication import Settings
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.objects import Objects

BLOCKED, BLOCKED_USER = "AMQ9777E", "AMQ9776E"
WRONG_PASSWORD, NO_PASSWORD = "AMQ5534E", "AMQ5540E"
ASSERTED, PASSWORD, CHANNEL, RULE = "asserted", "password", "channel", "rule"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a client may connect, as which user, and why."""

    allowed: bool
    user: str  # the resulting user (MCAUSER)
    text: str
    rule: Rule | None = None  # the mapping rule that was used
    blocked_by: Rule | None = None
    warnings: tuple[Rule, ...] = ()  # rules with WARN(YES) that would have kept the client out
    check_client: str = "NONE"  # CHCKCLNT in force
    proof: str = ASSERTED  # how the user's name was determined
    log_id: str = ""  # of the error log's entry about a refusal
    delay: float = 0.0  # seconds to wait before the refusal is sent

    @property
    def reason(self) -> int:
        """The reason code for the client: 2035 or 0."""
        return 0 if self.allowed else mq.MQRC_NOT_AUTHORIZED


@dataclass(slots=True)
class _Knock:
    """Facts about a client during the decision."""

    client: Client
    asked: Settings
    verdict: Verdict | None
    user: str = ""
    proof: str = ASSERTED
    check: str = "NONE"
    rule: Rule | None = None
    administrator: bool = False
    warnings: list[Rule] = field(default_factory=list)

    def refuse(self, text: str, log_id: str, blocked_by: Rule | None = None, delay: float = 0.0) -> Decision:
        return replace(self.decision(False, text), log_id=log_id, blocked_by=blocked_by, delay=delay)

    def decision(self, allowed: bool, text: str) -> Decision:
        warned = tuple(self.warnings)
        return Decision(allowed, self.user, text, self.rule, None, warned, self.check, self.proof)


class ChannelAuthentication:
    """Channel authentication of one queue manager."""

    def __init__(self, objects: Objects, is_administrator: Callable[[str], bool]) -> None:
        self._objects = objects
        self._is_administrator = is_administrator
        self.rules = RuleIndex(objects)

    @property
    def enabled(self) -> bool:
        """Whether the queue manager uses its channel authentication rules: CHLAUTH(ENABLED)."""
        return self._qmgr_has("CHLAUTH") != "DISABLED"

    @property
    def wants_host_names(self) -> bool:
        """Whether a rule uses host names, so that the client's is needed.

        With REVDNS(DISABLED) no host name is looked up, and such rules match no client.
        """
        return self.enabled and self.rules.names_hosts and self._qmgr_has("REVDNS") != "DISABLED"

    def _qmgr_has(self, attribute: str) -> Value | None:
        qmgr = next(iter(self._objects.all("QMGR")), None)
        return None if qmgr is None else qmgr.attributes.get(attribute)

    def address_refused(self, address: str) -> Decision | None:
        """Return the refusal of an address in BLOCKADDR, before a byte was read; None if it is allowed."""
        if not self.enabled:
            return None
        block = self.rules.address_block(Address.of(address))
        if block is None or block.warn:
            return None
        return Decision(False, "", f"address {address} is blocked by {block}", None, block, log_id=BLOCKED)

    def decide(
        self,
        channel: str,
        address: str,
        *,
        host: str = "",
        user: str = "",
        peer: str = "",
        issuer: str = "",
        verdict: Verdict | None = None,
    ) -> Decision:
        """Decide about a client of a channel.

        `user` is the client's claim, `peer` and `issuer` the names in its certificate, `verdict` the result
        of `authenticate` for the given password, None if it gave none.
        """
        asked = settings(self._objects)
        adopted = verdict is not None and verdict.checked and verdict.good and asked.adopt
        name = verdict.user if adopted and verdict is not None else user
        client = Client(channel, Address.of(address, host), name, _pairs(peer), _pairs(issuer) or ())
        knock = _Knock(client, asked, verdict)
        self._introduce(knock, adopted, "SVRCONN")
        enabled = self.enabled
        refused = (
            (enabled and self._refused_by_address(knock, address))
            or _refused_by_password(knock)
            or (enabled and self._refused_by_map(knock))
        )
        if refused:
            return refused
        knock.administrator = self._is_administrator(knock.user)
        return (
            _refused_without_password(knock)
            or _refused_by_name(knock)
            or (enabled and self._refused_by_block(knock))
            or knock.decision(True, _welcome(knock))
        )

    def decide_partner(
        self, channel: str, address: str, *, host: str = "", qmgr: str = "", peer: str = "", issuer: str = ""
    ) -> Decision:
        """Decide about a queue manager that dials a message channel, and as which user its messages are put.

        Passwords, USERMAP and BLOCKUSER are for clients alone. A blank user is the queue manager's own: it
        may put everywhere.
        """
        client = Client(channel, Address.of(address, host), "", _pairs(peer), _pairs(issuer) or (), qmgr)
        knock = _Knock(client, settings(self._objects), None)
        self._introduce(knock, False, "RCVR")
        knock.check = "NONE"
        refused = self.enabled and (self._refused_by_address(knock, address) or self._refused_by_map(knock))
        if refused:
            return refused
        who = f"user {knock.user}" if knock.user else "the queue manager's own user"
        return knock.decision(True, f"channel {channel} runs as {who} for queue manager {qmgr}")

    def _introduce(self, knock: _Knock, adopted: bool, kind: str) -> None:
        """Determine the client's user before any rule: by its password, by the channel, or by its claim.

        A channel that defines itself (CHAD) as one of `kind` has the MCAUSER of its model.
        """
        objects, name = self._objects, knock.client.channel
        definition = objects.find("CHANNEL", name) or model_of(objects, name, kind)
        mcauser = str(definition.attributes.get("MCAUSER", "")) if definition is not None else ""
        knock.check = knock.asked.check_client
        if adopted:
            knock.user, knock.proof = knock.client.user, PASSWORD
        elif mcauser:
            knock.user, knock.proof = mcauser, CHANNEL
        else:
            knock.user = knock.client.user
            verdict = knock.verdict
            if verdict is not None and verdict.checked and verdict.good and verdict.user == knock.user:
                knock.proof = PASSWORD

    def _refused_by_address(self, knock: _Knock, address: str) -> Decision | None:
        block = self.rules.address_block(knock.client.address)
        if block is None:
            return None
        if block.warn:
            knock.warnings.append(block)
            return None
        return knock.refuse(f"address {address} is blocked by {block}", BLOCKED, block)

    def _refused_by_map(self, knock: _Knock) -> Decision | None:
        """Apply the best mapping rule; a NOACCESS that only warns is skipped for the next one."""
        for rule in self.rules.candidates(knock.client):
            if rule.source != "NOACCESS":
                knock.rule = rule
                break
            if not rule.warn:
                return knock.refuse(f"channel {knock.client.channel} is closed by {rule}", BLOCKED, rule)
            knock.warnings.append(rule)
        if knock.rule is None:
            return None
        if knock.rule.source == "MAP":
            knock.user, knock.proof = knock.rule.mcauser, RULE
        if knock.rule.check_client != "ASQMGR":
            knock.check = stricter(knock.check, knock.rule.check_client)
        return None

    def _refused_by_block(self, knock: _Knock) -> Decision | None:
        block = self.rules.user_block(knock.client.channel)
        if block is None or not block.blocks_user(knock.user, knock.administrator):
            return None
        if block.warn:
            knock.warnings.append(block)
            return None
        return knock.refuse(f"user {knock.user} is blocked by {block}", BLOCKED_USER, block)


def _refused_by_password(knock: _Knock) -> Decision | None:
    verdict = knock.verdict
    if verdict is None or verdict.good:
        return None
    return knock.refuse(verdict.text, WRONG_PASSWORD, delay=verdict.delay)


def _refused_without_password(knock: _Knock) -> Decision | None:
    verdict = knock.verdict
    if verdict is not None and verdict.checked:
        return None
    if not needs_password(knock.check, knock.administrator):
        return None
    why = f"CHCKCLNT({knock.check}) asks for user and password"
    if verdict is not None or knock.asked.fault:
        why += f", but {knock.asked.fault or (verdict.text if verdict else '')}"
    return knock.refuse(why, NO_PASSWORD, delay=knock.asked.failure_delay)


def _refused_by_name(knock: _Knock) -> Decision | None:
    if not knock.user:
        return knock.refuse("neither the client nor channel nor rule names a user", BLOCKED_USER)
    if knock.administrator and knock.proof == ASSERTED:
        text = f"{knock.user} is an administrator and has to prove it: give user and password"
        return knock.refuse(text, BLOCKED_USER)
    return None


def _welcome(knock: _Knock) -> str:
    by = {
        PASSWORD: "by password",
        CHANNEL: "by MCAUSER of the channel",
        RULE: f"by {knock.rule}",
        ASSERTED: "by the client's word",
    }[knock.proof]
    allowed = f"; allowed by {knock.rule}" if knock.rule is not None and knock.proof != RULE else ""
    return f"channel {knock.client.channel} runs as user {knock.user}, {by}{allowed}"


def _pairs(text: str) -> Pairs | None:
    """Return the attributes of a certificate's name; an unreadable one has none, and no rights."""
    if not text:
        return None
    try:
        return parse_name(text)
    except ValueError:
        return ()
