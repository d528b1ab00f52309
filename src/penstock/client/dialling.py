"""From an address to a greeted link: sockets, TLS, hello and welcome; blocking.

Each host of an address is tried in turn. What the queue manager said no with is raised as it was; a host that
does not exist is 2538, a queue manager of this machine that does not run 2059.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import struct
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.client._link import ClientLink
from penstock.client._stream import Stream
from penstock.client.balancing import balancing_of
from penstock.host import local_socket
from penstock.host.folders.folder import existing_folder
from penstock.host.folders.folder_lock import state_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import failures, hello
from penstock.protocol import numbers as protocol
from penstock.protocol.heartbeat import keep_alive, silence_max

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.client.address import Address
    from penstock.client.balancing import Balancing
    from penstock.client.channel_table import Choices, Definition
    from penstock.host.folders.folder import Folder
    from penstock.protocol.hello import Greeting

CONNECT_SECONDS = 30.0
OF_OTHERS = (
    mq.MQRC_Q_MGR_NAME_ERROR,
    mq.PSRC_FOLDER_READ_ONLY,
)  # not in our home, or a home that is closed to us
TRY_NEXT = (
    mq.MQRC_CONNECTION_BROKEN,
    mq.MQRC_Q_MGR_NOT_AVAILABLE,
    mq.MQRC_SSL_INITIALIZATION_ERROR,
    mq.MQRC_Q_MGR_QUIESCING,
    mq.MQRC_Q_MGR_STOPPING,
    mq.MQRC_CHANNEL_NOT_AVAILABLE,
    mq.MQRC_HOST_NOT_AVAILABLE,
)  # another host of the list may do better
OTHER_MEMBER = (
    *TRY_NEXT,
    mq.MQRC_Q_MGR_NAME_ERROR,
    mq.MQRC_UNKNOWN_CHANNEL_NAME,
)  # of several hosts or channels, another one may lead to the queue manager


@dataclass(frozen=True)
class Target:
    """Where to connect and as which user; two equal ones may share a socket."""

    address: Address | None  # None for a queue manager of this machine
    qmgr: str
    home: str = ""
    user: str = ""
    password: str | None = field(default=None, repr=False)
    application: str = ""
    timeout: float = CONNECT_SECONDS
    commands_only: bool = False
    act_as: str = ""
    choices: Choices | None = None  # channels of a table, one of which gives the address
    moves: bool = False  # the queue manager may send the client to another one of the hosts
    sent_to: str = ""  # the queue manager that it was sent to
    balancing: Balancing | None = None  # of a client that moves: when it may be interrupted for that
    connection_tag: str = ""  # connections with the same one move together


class Attempts:
    """What became of the hosts or channels that were tried, for the error when none of them works."""

    def __init__(self) -> None:
        self._failures: list[tuple[str, MQError]] = []

    def add(self, what: str, failure: MQError) -> None:
        """Remember a failure; raise it if no other host or channel can do better."""
        if failure.reason not in OTHER_MEMBER:
            raise failure
        self._failures.append((what, failure))

    def failed(self) -> MQError:
        """Return one error for all; its reason is one that trying again can mend, if there is one."""
        failures = [each for _, each in self._failures]
        last = next((each for each in reversed(failures) if each.reason in TRY_NEXT), failures[-1])
        if len(self._failures) == 1:
            return last
        lines = "; ".join(f"{what}: {each.reason} {each.detail}" for what, each in self._failures)
        text = f"none of {len(failures)} connections worked: {lines}"
        return error(last.reason, text, reasons=[each.reason for each in failures])


def candidates(target: Target) -> Iterator[tuple[Definition | None, Target]]:
    """Yield the targets to try for one connection, in order: one for each channel of a table."""
    if target.choices is None:
        yield None, target
        return
    for each in target.choices.order():
        qmgr = "" if target.choices.any_member else each.qmgr
        yield each, replace(target, address=each.address, qmgr=qmgr, choices=None)


def current(target: Target) -> Target:
    """Return a target with the channels that its table has now; as it was when they cannot be read."""
    choices = found_now(target, target.qmgr)
    return target if choices is None else replace(target, choices=choices)


def found_now(target: Target, name: str) -> Choices | None:
    """Return the channels that the table of a target has now for a name; None without any."""
    find = target.choices.find if target.choices is not None else None
    if find is None:
        return None
    try:
        found = find(name)
    except MQError:
        return None
    if found is not None:
        found.find = find
    return found


def each_host(target: Target, sent_to: str) -> Iterator[Target]:
    """Yield a target for each single host, to find the queue manager that a client was sent to.

    Channels of a table that name this queue manager come first.
    """
    named = found_now(target, sent_to)
    of_name = () if named is None else candidates(replace(target, qmgr=sent_to, choices=named))
    tried = set()
    for _, each in (*of_name, *candidates(target)):
        for host in each.address.hosts if each.address is not None else ():
            if host not in tried:
                tried.add(host)
                yield replace(each, address=replace(each.address, hosts=(host,)), sent_to=sent_to)


def movable(target: Target, balancing: Balancing | None, connection_tag: str) -> Target:
    """Return the target of a client that reconnects to any host: it may be sent to another one of several."""
    choices = target.choices
    addresses = [target.address] if choices is None else [each.address for each in choices.definitions]
    hosts = {host for each in addresses if each is not None for host in each.hosts}
    if len(hosts) < 2:
        return target
    if balancing is None:
        balancing = balancing_of(application_of(target))
    return replace(target, moves=True, balancing=balancing, connection_tag=connection_tag)


def waits_for_replies(target: Target) -> bool:
    """Return whether a client is moved only when it has got the replies to its requests."""
    return target.balancing is not None and target.balancing.type == "REQREP"


def channel_failed(target: Target, definition: Definition, failure: MQError, attempts: Attempts) -> None:
    """Remember that a channel of a table did not work; raise the failure if no other can do better."""
    assert target.choices is not None
    target.choices.failed(definition)
    attempts.add(f"channel {definition.name}", failure)


def dial(target: Target, replaces: bytes = b"") -> ClientLink:
    """Return a greeted link to the first host that takes us; `replaces` is the token of one that broke."""
    facts = facts_of(target, replaces)
    if target.address is None:
        return _greeted(_local(target), target, facts)
    attempts = Attempts()
    for host, port in target.address.hosts:
        try:
            return _greeted(_remote(target, host, port), target, facts)
        except MQError as failure:
            attempts.add(f"{host}({port})", failure)
    raise attempts.failed()


def is_known_here(name: str, home: str | os.PathLike[str] | None) -> bool:
    """Return whether a queue manager of this machine has a name: of our home, or one that lets a group in."""
    try:
        existing_folder(name, home or None)
    except MQError as failure:
        return failure.reason not in OF_OTHERS or local_socket.shared_folder(name).is_dir()
    return True


def _local(target: Target) -> socket.socket:
    return connect_locally(target.qmgr, target.home, target.timeout)


def connect_locally(name: str, home: str, timeout: float) -> socket.socket:
    """Connect to a queue manager of this machine: of our own home, or another user's that lets a group in."""
    try:
        folder = existing_folder(name, home or None)
    except MQError as failure:
        found = _connect_as_member(name, timeout) if failure.reason in OF_OTHERS else None
        if found is None:
            raise
        return found
    try:
        return local_socket.connect(folder.path, timeout)
    except OSError as failure:
        raise not_running(folder, failure) from failure


def _connect_as_member(name: str, timeout: float) -> socket.socket | None:
    """Connect by the socket for a group; None when there is none."""
    folder = local_socket.shared_folder(name)
    try:
        if not folder.is_dir():
            return None
        return local_socket.connect(folder, timeout)
    except PermissionError as failure:
        group = local_socket.group_of(folder)
        text = f"queue manager {name} takes programs of this machine whose user is in group {group}"
        raise error(mq.MQRC_NOT_AUTHORIZED, text) from failure
    except OSError as failure:
        raise error(
            mq.MQRC_Q_MGR_NOT_AVAILABLE, f"queue manager {name} does not run: {failure.strerror}"
        ) from failure


def not_running(folder: Folder, failure: OSError) -> MQError:
    """Return 2059 for a queue manager of this machine that takes no connections, with its state."""
    try:
        state, holder = state_of(folder.lock)
    except OSError:  # a folder of another user
        return error(
            mq.MQRC_Q_MGR_NOT_AVAILABLE, f"queue manager {folder.name} does not run: {failure.strerror}"
        )
    why = f"does not run: its state is {state}"
    if holder is not None:
        why = f"takes no connections: {failure.strerror or failure}; {holder} has it"
    return error(mq.MQRC_Q_MGR_NOT_AVAILABLE, f"queue manager {folder.name} {why}", state=state)


def _remote(target: Target, host: str, port: int) -> socket.socket:
    assert target.address is not None
    try:
        sock = socket.create_connection((host, port), target.timeout)
        check_other_end(sock)
    except OSError as failure:
        raise error(mq.MQRC_HOST_NOT_AVAILABLE, f"nobody answers at {host}({port}): {failure}") from failure
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if target.address.encrypted:
        from penstock.client.encryption import secure

        return secure(sock, host, target.address)
    if target.password is not None and not is_loopback(sock):
        sock.close()
        raise error(mq.PSRC_TLS_REQUIRED, "a password is not sent over a network in clear: use mqs://")
    return sock


def check_other_end(sock: socket.socket) -> None:
    """Close a socket that is connected to itself, and raise ConnectionRefusedError.

    While no server listens at a port of this machine, the system may give this port to a client that dials
    it. The socket is then both ends of the connection, and keeps the queue manager from listening again.
    """
    if sock.getsockname() == sock.getpeername():
        sock.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )  # the port is free at once
        sock.close()
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))


def is_loopback(sock: socket.socket) -> bool:
    """Return whether what is sent stays on this machine."""
    return ipaddress.ip_address(sock.getpeername()[0].partition("%")[0]).is_loopback


def _greeted(sock: socket.socket, target: Target, facts: dict[str, Any]) -> ClientLink:
    """Send the hello and read the welcome."""
    sock.settimeout(None)
    encrypted = target.address is not None and target.address.encrypted
    stream = Stream(sock, protocol.HELLO_BYTES_MAX, encrypted)
    try:
        stream.out.frame(protocol.HELLO, 0, 0, 0, 0, hello.pack(facts))
        stream.send()
        if not stream.receive(target.timeout):
            raise error(mq.MQRC_CONNECTION_BROKEN, "the queue manager did not answer the greeting in time")
        frame = stream.frame
        if frame.kind == protocol.FAILED:
            raise failures.unpack(frame.payload())
        if frame.kind != protocol.WELCOME:
            raise ValueError("the answer to a greeting is no welcome")
        link = _link(stream, hello.unpack(frame.payload()))
        if target.address is not None:
            keep_alive(sock, link.terms.number("heartbeat"))
        return link
    except (OSError, ValueError) as failure:
        stream.close()
        raise greeting_failed(failure, encrypted) from failure
    except MQError:
        stream.close()
        raise


def greeting_failed(failure: Exception, encrypted: bool) -> MQError:
    """Return 2009 for a connection that broke before the answer to a hello.

    With TLS it is 2393: a queue manager that does not take the client's certificate hangs up, with TLS 1.3
    after the client's part of the handshake.
    """
    text = str(failure) or "no answer in time"
    if encrypted and isinstance(failure, OSError) and not isinstance(failure, TimeoutError):
        hint = "the queue manager may not take the certificate: see its error log"
        return error(mq.MQRC_SSL_INITIALIZATION_ERROR, f"it hung up before the greeting: {text}; {hint}")
    return error(mq.MQRC_CONNECTION_BROKEN, f"the greeting failed: {text}")


def _link(stream: Any, terms: Greeting) -> ClientLink:
    stream.set_frame_max(protocol.FRAME_BYTES_MAX)
    link = ClientLink(stream)
    link.terms = terms
    heartbeat = terms.number("heartbeat")
    if heartbeat:
        link.silence_max = silence_max(heartbeat)
    return link


def application_of(target: Target) -> str:
    """Return the name of the application: as given, else that of the program."""
    return target.application or Path(sys.argv[0] or "python").name


def facts_of(target: Target, replaces: bytes = b"") -> dict[str, Any]:
    """Return the facts that a client sends about itself."""
    facts: dict[str, Any] = {
        "qmgr": "" if target.qmgr.startswith("*") else target.qmgr,  # *NAME: any queue manager
        "application": application_of(target),
        "process": os.getpid(),
        "user": target.user,
    }
    if target.password is not None:
        facts["password"] = target.password
    if target.address is not None:
        facts["channel"] = target.address.channel
    if target.commands_only:
        facts["commands_only"] = True
    if target.act_as:
        facts["act_as"] = target.act_as
    if replaces:
        facts["replaces"] = replaces
    if target.moves:
        facts["moves"] = True
        if target.balancing is not None:
            facts["balancing"] = target.balancing.facts()
        if target.connection_tag:
            facts["connection_tag"] = target.connection_tag
        if target.sent_to:
            facts["sent_to"] = target.sent_to
    return facts
