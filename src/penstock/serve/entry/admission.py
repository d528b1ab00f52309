"""Who gets in: from a hello to a user, or to a refusal that the error log explains.

Puts the parts together: the channel's definition, TLS, channel authentication, passwords. What rules mean
is decided in `admin`; this module asks in MQ's order, for the slow parts (host names, passwords, groups) in
threads. Invariant: a client of the network that has not proved who it is learns nothing from a refusal, and
every refusal is logged with its cause.
"""

from __future__ import annotations

import functools
import pwd
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from penstock.admin.channel_authentication.evaluator import ASSERTED
from penstock.admin.connection_authentication import CLIENT, LOCAL
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.serve.channels import number_of
from penstock.serve.entry import auto_definition, tls
from penstock.serve.entry.access import checked_password
from penstock.serve.entry.peer import host_name_of
from penstock.serve.entry.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.admin.channel_authentication.evaluator import Decision
    from penstock.admin.connection_authentication import Verdict
    from penstock.protocol.hello import Greeting
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.access import ServerAccess
    from penstock.serve.link import Link

LOCAL_HEARTBEAT_SECONDS = 0


@dataclass(slots=True)
class Identity:
    """The identity of a link's client, and its channel's settings."""

    user: str
    channel: str
    application: str
    process: int
    heartbeat: int
    idle_seconds: int
    share_max: int
    message_max: int
    token: bytes = b""
    refusals: set[str] = field(default_factory=set)  # authority refusals that the error log has


@dataclass(frozen=True, slots=True)
class Fault:
    """The errors of a hello, whoever sent it."""

    reason: int
    text: str
    log_id: str


async def admit(link: Link, hello: Greeting) -> Identity:
    """Return the admitted client; raise 2035 or another refusal."""
    link.commands_only = hello.facts.get("commands_only") is True
    if link.server.stopping and not (link.peer.local and link.commands_only):
        raise error(mq.MQRC_Q_MGR_QUIESCING, "the queue manager is stopping")
    return await (_admit_local(link, hello) if link.peer.local else _admit_client(link, hello))


async def _admit_local(link: Link, hello: Greeting) -> Identity:
    """Admit a process of this machine as its operating-system user."""
    server = link.server
    fault = _wrong_name(link, hello)
    if fault is not None:
        raise error(fault.reason, fault.text)
    user = await _local_user(link)
    asserted = hello.text("user") or user
    verdict = await _verdict(link, hello, asserted, LOCAL)
    decision = await _asked(link, user, server.access.local, user, verdict, link.commands_only)
    if not decision.allowed:
        raise await refuse(link, decision.text, decision.log_id, "", delay=decision.delay)
    _remember(link, hello, verdict)
    user = await _acted_for(link, hello, decision.user)
    server.channels.replace(hello.facts.get("replaces"), user)
    return Identity(
        user,
        "",
        hello.text("application"),
        link.peer.process,
        LOCAL_HEARTBEAT_SECONDS,
        0,
        protocol.CONVERSATIONS_MAX,
        protocol.FRAME_BYTES_MAX,
    )


async def _acted_for(link: Link, hello: Greeting, user: str) -> str:
    """Return whose connection it is: an administrator's may be another user's, with that one's authority."""
    other = hello.text("act_as")
    if not other or other == user:
        return user
    access = link.server.access
    if not access.host.people.administrator_by(user):
        text = f"{user} is no administrator and cannot act as {other}"
        raise await refuse(link, text, "AMQ9777E", "", delay=access.failure_delay)
    if not access.knows(other):
        await _learn(link, other)
    return other


async def _admit_client(link: Link, hello: Greeting) -> Identity:
    """Admit a network client.

    The errors of a hello are sent only to clients that may know them. For all others every check runs as
        if there were no error, so that neither the answer nor its timing reveals them.
    """
    server = link.server
    channel = hello.text("channel")
    fault = _wrong_name(link, hello) or _wrong_channel(link, channel)
    if fault is not None and link.reveals:
        raise await refuse(link, fault.text, fault.log_id, channel, fault.reason)
    host = await host_name_of(link.peer, server.loop) if server.access.wants_host_names else ""
    user = hello.text("user")
    verdict = await _verdict(link, hello, user, CLIENT)
    decision = await _asked(link, "", server.access.client, link.peer, channel, host, user, verdict)
    for rule in decision.warnings:
        server.error_log.write(
            "AMQ9782W", f"{link.peer} would not have got in by channel {channel}: {rule} (WARN(YES))."
        )
    if fault is not None:
        known = decision.allowed and _may_know(link, fault, verdict, decision)
        raise await refuse(link, fault.text, fault.log_id, channel, fault.reason, may_know=known)
    if not decision.allowed:
        raise await refuse(link, decision.text, decision.log_id, channel, delay=decision.delay)
    _remember(link, hello, verdict)
    server.channels.replace(hello.facts.get("replaces"), decision.user)
    definition = _definition(link, channel, decision.user)
    server.channels.enter(link, definition)
    return _identity(link, hello, definition, decision.user)


def _definition(link: Link, channel: str, user: str) -> Definition:
    """Return the channel of a client that may connect; with CHAD it is defined if it was not."""
    found = link.server.channels.definition(channel)
    if found.name != channel:
        made = auto_definition.define(link.server, channel, "SVRCONN", user, link.peer)
        if made is None:
            raise error(mq.MQRC_UNKNOWN_CHANNEL_NAME, f"channel {channel} cannot be defined", channel=channel)
        return made
    return found


def _wrong_name(link: Link, hello: Greeting) -> Fault | None:
    """Return the error in the name of the requested queue manager."""
    wanted = hello.text("qmgr").strip()
    name = link.server.engine.name
    if wanted in ("", name) or wanted.startswith("*"):
        return None
    return Fault(mq.MQRC_Q_MGR_NAME_ERROR, f"this is queue manager {name}, not {wanted}", "AMQ9510E")


def _wrong_channel(link: Link, channel: str) -> Fault | None:
    """Return the error of the requested channel, or of its TLS."""
    try:
        definition = link.server.channels.definition(channel)
    except MQError as failure:
        return Fault(failure.reason, failure.detail, "AMQ9519E")
    problem = tls.refusal(definition, link.peer)
    return Fault(mq.MQRC_SSL_INITIALIZATION_ERROR, problem, "AMQ9639E") if problem else None


def _may_know(link: Link, fault: Fault, verdict: Verdict | None, decision: Decision) -> bool:
    """Return whether an admitted client may get the errors of its hello.

    By a password or a certificate it has proved who it is. Whom a rule or MCAUSER names may know of what it
    would see anyway if it came in: the queue manager's name, and that the channel is stopped.
    """
    certified = link.peer.tls is not None and bool(link.peer.tls.peer)
    proved = certified or (verdict is not None and verdict.checked and verdict.good)
    return proved or (
        fault.reason in (mq.MQRC_Q_MGR_NAME_ERROR, mq.MQRC_CHANNEL_NOT_AVAILABLE)
        and decision.proof != ASSERTED
    )


async def _verdict(link: Link, hello: Greeting, user: str, kind: str) -> Verdict | None:
    """Have the password checked that came with a hello, if one did; raise 2035 when too many wait."""
    password = hello.facts.get("password")
    if password is None:
        return None
    access: ServerAccess = link.server.access
    check = functools.partial(access.verdict, user, checked_password(password), kind)
    if access.remembers(user, password):
        return check()
    verdict = await access.passwords.run(link.peer.origin, access.expects(user, password), check)
    if verdict is None:
        text = "too many passwords of its address wait to be checked, and some were wrong"
        raise await refuse(link, text, "AMQ5534E", hello.text("channel"), delay=access.failure_delay)
    return verdict


def _remember(link: Link, hello: Greeting, verdict: Verdict | None) -> None:
    """Make the next login with this password quick."""
    if verdict is not None and verdict.checked:
        link.server.access.remember(verdict.user, hello.text("password"))


async def _asked(link: Link, known: str, question: Callable[..., Decision], *about: Any) -> Decision:
    """Ask about a client, and again when the groups of the user that comes out have to be learned first.

    `known` is the user that will be looked at, where that is known before.
    """
    access = link.server.access
    if known and not access.knows(known):
        await _learn(link, known)  # otherwise the check would wait for it, and everybody for the check
    decision = question(*about)
    user = decision.user
    if not decision.allowed or access.knows(user):
        return decision  # a group can only keep more people out: administrators have to prove who they are
    if user != known and await _learn(link, user):
        return question(*about)
    return replace(decision, allowed=False, text=f"the operating system does not list the groups of {user}")


async def _learn(link: Link, user: str) -> bool:
    """Read a user's groups from the operating system, in a dedicated thread."""
    access = link.server.access
    return bool(await link.server.loop.run_in_executor(access.askers, access.learn, user))


def _identity(link: Link, hello: Greeting, definition: Definition, user: str) -> Identity:
    share = number_of(definition, "SHARECNV")
    heartbeat = number_of(definition, "HBINT")
    wanted = hello.number("heartbeat", heartbeat)
    return Identity(
        user,
        definition.name,
        hello.text("application"),
        hello.number("process"),
        min(wanted, heartbeat),
        number_of(definition, "DISCINT"),
        max(1, min(share, hello.number("sharing", share))),
        number_of(definition, "MAXMSGL"),
    )


async def _local_user(link: Link) -> str:
    """Return the operating-system user of the other end of a local socket."""
    server, number = link.server, link.peer.local_user
    name: str | None = server.access.name_of(number)
    if name is None:
        name = await server.loop.run_in_executor(server.access.askers, user_name, number)
        server.access.note_name(number, name)
    return name


def user_name(number: int) -> str:
    """Return the name of an operating-system user; its number when it has none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
