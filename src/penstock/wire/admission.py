"""Who gets in: from a hello to a user, or to a refusal that the error log explains.

Puts the parts together: the channel's definition, TLS, channel authentication, passwords. What rules mean
is decided in `admin`; this module asks in MQ's order and does the slow parts (host names, password
hashes) in a worker. Invariant: the client of a network is told 2035 and no more, the error log all.
"""

from __future__ import annotations

import asyncio
import pwd
import socket
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError, error
from penstock.wire import protocol, tls
from penstock.wire.channels import number_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.admin.channel_authentication.evaluator import Decision
    from penstock.qmgr.objects import Definition
    from penstock.wire.hello import Greeting
    from penstock.wire.link import Link

LOCAL_HEARTBEAT_SECONDS = 0
HOST_NAME_SECONDS = 2.0


@dataclass(slots=True)
class Identity:
    """Who a link's client is, and what its channel allows."""

    user: str
    administrator: bool
    channel: str
    application: str
    process: int
    heartbeat: int
    idle_seconds: int
    share_max: int
    message_max: int
    token: bytes = b""


async def admit(link: Link, hello: Greeting) -> Identity:
    """Return who comes in; raise 2035 or what else keeps the client out."""
    wanted = hello.text("qmgr").strip()
    name = link.server.engine.name
    if wanted not in ("", "*", name) and not wanted.startswith("*"):
        raise error(2058, f"this is queue manager {name}, not {wanted}")
    link.commands_only = hello.facts.get("commands_only") is True
    if link.server.stopping and not (link.peer.local and link.commands_only):
        raise error(2161, f"queue manager {name} is stopping")
    return await (_admit_local(link, hello) if link.peer.local else _admit_client(link, hello))


async def _admit_local(link: Link, hello: Greeting) -> Identity:
    """Let a process of this machine in as its operating-system user."""
    server = link.server
    user = await _local_user(link)
    password = hello.facts.get("password")
    about = (user, hello.text("user"), password, link.commands_only)
    decision = await _asked(link, user, password, server.access.local, *about)
    if not decision.allowed:
        if decision.delay:
            await asyncio.sleep(decision.delay)
        raise refused(link, decision.text, decision.log_id, "")
    server.channels.replace(hello.facts.get("replaces"), decision.user)
    return Identity(
        decision.user,
        server.access.is_administrator(decision.user),
        "",
        hello.text("application"),
        link.peer.process,
        LOCAL_HEARTBEAT_SECONDS,
        0,
        protocol.CONVERSATIONS_MAX,
        protocol.FRAME_BYTES_MAX,
    )


async def _admit_client(link: Link, hello: Greeting) -> Identity:
    server = link.server
    channel = hello.text("channel")
    try:
        definition = server.channels.definition(channel)
    except MQError as failure:
        raise refused(link, failure.detail, "AMQ9519E", channel, failure.reason) from failure
    problem = tls.refusal(definition, link.peer)
    if problem:
        raise refused(link, problem, "AMQ9639E", channel, 2393)
    host = await _host_name(link) if server.access.wants_host_names else ""
    password = hello.facts.get("password")
    user = hello.text("user")
    about = (link.peer, channel, host, user, password)
    decision = await _asked(link, "", password, server.access.client, *about)
    for rule in decision.warnings:
        server.error_log.write(
            "AMQ9782W", f"{link.peer} would not have got in by channel {channel}: {rule} (WARN(YES))."
        )
    if not decision.allowed:
        if decision.delay:
            await asyncio.sleep(decision.delay)
        raise refused(link, decision.text, decision.log_id, channel)
    server.channels.replace(hello.facts.get("replaces"), decision.user)
    server.channels.enter(link, definition)
    return _identity(link, hello, definition, decision.user)


async def _asked(
    link: Link, known: str, password: Any, question: Callable[..., Decision], *about: Any
) -> Decision:
    """Ask about a client, and again when the groups of the user that comes out have to be learned first.

    `known` is the user that will be looked at, where that is known before. In a worker when a password has
    to be checked, which is slow on purpose, or the system asked for groups.
    """
    server = link.server

    async def ask() -> Decision:
        if password is None:
            return question(*about)
        return await server.loop.run_in_executor(server.readers, question, *about)

    if known and not server.access.knows(known):
        await _learn(link, known)  # or the question would wait for it, and everybody for the question
    decision = await ask()
    user = decision.user
    if not decision.allowed or server.access.knows(user):
        return decision  # a group can only keep more people out: administrators have to prove who they are
    if user != known and await _learn(link, user):
        return await ask()
    return replace(decision, allowed=False, text=f"the operating system does not tell the groups of {user}")


async def _learn(link: Link, user: str) -> bool:
    """Have the operating system tell a user's groups, in a thread that nobody else needs."""
    access = link.server.access
    return bool(await link.server.loop.run_in_executor(access.askers, access.learn, user))


def _identity(link: Link, hello: Greeting, definition: Definition, user: str) -> Identity:
    share = number_of(definition, "SHARECNV")
    heartbeat = number_of(definition, "HBINT")
    wanted = hello.number("heartbeat", heartbeat)
    return Identity(
        user,
        link.server.access.is_administrator(user),
        definition.name,
        hello.text("application"),
        hello.number("process"),
        min(wanted, heartbeat),
        number_of(definition, "DISCINT"),
        max(1, min(share, hello.number("sharing", share))),
        number_of(definition, "MAXMSGL"),
    )


def refused(link: Link, text: str, log_id: str, channel: str, reason: int = 2035) -> MQError:
    """Log why a client does not get in, and return the little that it is told."""
    where = f" by channel {channel}" if channel else ""
    link.server.error_log.write(
        log_id or "AMQ9777E",
        f"{link.peer} was not let in{where}: {text}.",
        action="If that was right there is nothing to do; else see `penstock explain-access`.",
    )
    return error(reason, "see the queue manager's error log for the reason")


async def _host_name(link: Link) -> str:
    """Return the client's host name, or nothing when nobody tells it in time."""
    lookup = link.server.loop.getnameinfo((link.peer.address, link.peer.port), socket.NI_NAMEREQD)
    try:
        return (await asyncio.wait_for(lookup, HOST_NAME_SECONDS))[0]
    except (TimeoutError, OSError):
        return ""


async def _local_user(link: Link) -> str:
    """Return whom the operating system takes the other end of a local socket for."""
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
