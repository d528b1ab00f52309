"""A client channel definition table (CCDT) in IBM's JSON format: which channels lead to which queue managers.

`read_table` checks the whole file before it is used and names every key that it does not know. `Choices` are
the channels for one queue-manager name (QM1, or *GROUP for any member of a group), in the order of MQ's
CLNTWGHT and AFFINITY. It opens no sockets: `connection_pool` and `aio.dialling` dial. The binary form
(AMQCLCHL.TAB) is not read.
"""

from __future__ import annotations

import json
import random
import threading
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from penstock.client.address import PORT_DEFAULT, Address
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

TABLE_BYTES_MAX = 16 * 1024 * 1024
CHANNELS_MAX = 10_000
WEIGHT_MAX = 99
PREFERRED, NONE = "preferred", "none"
RECONNECT: dict[str, bool | str | None] = {"no": False, "yes": True, "queueManager": "qmgr", "disabled": None}

# Every key of IBM's format. A dictionary is an object; STORED keys are read and have no effect.
TEXT, NUMBER, STORED = "text", "number", "stored"
CONNECTION: dict[str, Any] = {"host": TEXT, "port": NUMBER}
KEYS: dict[str, Any] = {
    "name": TEXT,
    "type": TEXT,
    "clientConnection": {"connection": [CONNECTION], "queueManager": TEXT},
    "connectionManagement": {
        "affinity": TEXT,
        "clientWeight": NUMBER,
        "defaultReconnect": TEXT,
        "disconnectInterval": STORED,
        "heartInterval": STORED,
        "heartbeatInterval": STORED,
        "keepAliveInterval": STORED,
        "localAddress": STORED,
        "sharingConversations": STORED,
    },
    "transmissionSecurity": {
        "cipherSpecification": TEXT,
        "certificatePeerName": TEXT,
        "certificateLabel": STORED,
    },
    "compression": STORED,
    "exits": STORED,
    "general": STORED,
    "timestamps": STORED,
}


@dataclass(frozen=True)
class Definition:
    """One client channel of a table."""

    name: str
    qmgr: str
    hosts: tuple[tuple[str, int], ...]
    weight: int = 0
    affinity: str = PREFERRED
    reconnect: bool | str | None = False  # None: a program cannot ask for reconnection either
    options: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> Address:
        """Return where this channel leads."""
        options = dict(self.options)
        return Address(self.hosts, self.qmgr, self.name, "cipher" in options, options)


@dataclass(eq=False)
class Choices:
    """The channels of a table for one name, and the order that a process prefers."""

    definitions: tuple[Definition, ...]
    any_member: bool  # *GROUP or blank: the queue manager's own name is not checked
    find: Callable[[str], Choices | None] | None = None  # the channels for a name, from the file as it is now
    randomness: random.Random = field(default_factory=random.Random)
    _preferred: list[Definition] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.Lock)

    def order(self) -> list[Definition]:
        """Return the channels in the order in which a new connection tries them.

        Channels of weight 0 come first, by name; the others at random by weight. With AFFINITY(PREFERRED) a
        process keeps the order that it has drawn; with NONE, for any of them, each connection draws anew.
        """
        if any(each.affinity == NONE for each in self.definitions):
            return drawn(self.definitions, self.randomness)
        with self._lock:
            if not self._preferred:
                self._preferred = drawn(self.definitions, self.randomness)
            return list(self._preferred)

    def failed(self, definition: Definition) -> None:
        """Move a channel that did not work behind the others of its process; weight 0 keeps its place."""
        with self._lock:
            if definition.weight and definition in self._preferred:
                self._preferred.remove(definition)
                self._preferred.append(definition)

    @property
    def reconnect(self) -> bool | str | None:
        """Return the DEFRECON of the first channel: True, "qmgr", False, or None when it is disabled."""
        return self.definitions[0].reconnect


def drawn(definitions: Iterable[Definition], randomness: random.Random) -> list[Definition]:
    """Return channels in a random order by weight, those of weight 0 first, by name."""
    definitions = list(definitions)
    order = sorted((each for each in definitions if not each.weight), key=lambda each: each.name)
    rest = [each for each in definitions if each.weight]
    while rest:
        chosen = randomness.choices(range(len(rest)), [each.weight for each in rest])[0]
        order.append(rest.pop(chosen))
    return order


@dataclass(eq=False)
class Table:
    """All channels of a file."""

    source: str
    definitions: tuple[Definition, ...]
    origin: Table | None = None  # the table of the file, when certificates were added to it
    _choices: dict[str, Choices] = field(default_factory=dict)

    def choices(self, name: str) -> Choices:
        """Return the channels for a name; 2058 with the names that the table has when there are none."""
        found = self._choices.get(name)
        if found is None:
            wanted = name.removeprefix("*")
            matching = tuple(each for each in self.definitions if each.qmgr == wanted)
            if not matching:
                raise self._unknown(name)
            found = self._choices.setdefault(name, Choices(matching, name.startswith("*") or not name))
        return found

    def _unknown(self, name: str) -> MQError:
        names = sorted({each.qmgr or "(blank)" for each in self.definitions})
        return error(
            mq.MQRC_Q_MGR_NAME_ERROR,
            f"{self.source} has no channel for queue manager {name or '(blank)'}; it has {', '.join(names)}."
            " *NAME accepts any queue manager that a channel with queueManager NAME leads to",
        )


def read_table(path: Path) -> Table:
    """Read a table; 2278 names the first thing in it that cannot be used."""
    try:
        if path.stat().st_size > TABLE_BYTES_MAX:
            raise bad(str(path), f"it has more than {TABLE_BYTES_MAX} bytes")
        data = path.read_bytes()
    except OSError as failure:
        raise bad(str(path), failure.strerror or str(failure)) from failure
    return parse_table(data, str(path))


def parse_table(data: bytes, source: str) -> Table:
    """Read the contents of a table."""
    if data[:4].strip()[:1] not in (b"{", b""):
        raise bad(source, "it is not JSON; the binary form (AMQCLCHL.TAB) is not read: write the JSON form")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as failure:
        raise bad(source, f"it is not JSON: {failure}") from failure
    _check_keys(content, {"channel": []}, "the table", source)
    channels = content.get("channel")
    if not isinstance(channels, list) or not channels:
        raise bad(source, '"channel" must be a list of channels')
    if len(channels) > CHANNELS_MAX:
        raise bad(source, f"it has more than {CHANNELS_MAX} channels")
    return Table(source, tuple(_definition(each, f"channel[{n}]", source) for n, each in enumerate(channels)))


def _definition(content: Any, where: str, source: str) -> Definition:
    _check(content, KEYS, where, source)
    name, kind = content.get("name", ""), content.get("type", "")
    if not name:
        raise bad(source, f"{where} has no name")
    where = f"{where} ({name})"
    if kind != "clientConnection":
        raise bad(source, f'{where}: type must be "clientConnection", not {kind!r}')
    _check_exits(content.get("exits"), where, source)
    client = content.get("clientConnection", {})
    management = content.get("connectionManagement", {})
    hosts = tuple(
        (each.get("host", ""), each.get("port", PORT_DEFAULT)) for each in client.get("connection", ())
    )
    if not hosts or not all(host and 0 < port < 65536 for host, port in hosts):
        raise bad(source, f"{where}: clientConnection.connection needs a host and a port from 1 to 65535")
    weight = management.get("clientWeight", 0)
    if not 0 <= weight <= WEIGHT_MAX:
        raise bad(source, f"{where}: clientWeight is from 0 to {WEIGHT_MAX}, not {weight}")
    affinity = management.get("affinity", PREFERRED)
    reconnect = management.get("defaultReconnect", "no")
    _one_of(affinity, (PREFERRED, NONE), f"{where}: affinity", source)
    _one_of(reconnect, RECONNECT, f"{where}: defaultReconnect", source)
    security = content.get("transmissionSecurity", {})
    options = {"cipher": security.get("cipherSpecification"), "peer": security.get("certificatePeerName")}
    given = tuple((key, value) for key, value in options.items() if value)
    return Definition(
        name, client.get("queueManager", ""), hosts, weight, affinity, RECONNECT[reconnect], given
    )


def _check(content: Any, keys: dict[str, Any], where: str, source: str) -> None:
    """Check the keys of an object and the types of their values, and those of objects in it."""
    _check_keys(content, keys, where, source)
    for key, value in content.items():
        kind, inner = keys[key], f"{where}.{key}"
        if isinstance(kind, dict):
            _check(value, kind, inner, source)
        elif isinstance(kind, list):
            if not isinstance(value, list):
                raise bad(source, f"{inner} must be a list")
            for n, each in enumerate(value):
                _check(each, kind[0], f"{inner}[{n}]", source)
        elif kind == TEXT and not isinstance(value, str):
            raise bad(source, f"{inner} must be text, not {json.dumps(value)}")
        elif kind == NUMBER and (isinstance(value, bool) or not isinstance(value, int)):
            raise bad(source, f"{inner} must be a whole number, not {json.dumps(value)}")


def _check_keys(content: Any, keys: dict[str, Any], where: str, source: str) -> None:
    if not isinstance(content, dict):
        raise bad(source, f"{where} must be an object")
    unknown = sorted(content.keys() - keys.keys())
    if unknown:
        near = get_close_matches(unknown[0], keys, 1)
        hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(sorted(keys))}"
        raise bad(source, f"{where} has unknown keys: {', '.join(unknown)}; {hint}")


def _check_exits(content: Any, where: str, source: str) -> None:
    """Refuse exits: programs that change what is sent cannot be left out silently."""
    named = sorted(key for key, value in content.items() if value) if isinstance(content, dict) else content
    if named:
        raise bad(source, f"{where}: exits are not run; remove exits")


def _one_of(value: str, allowed: Iterable[str], where: str, source: str) -> None:
    if value not in allowed:
        raise bad(source, f"{where} is one of {', '.join(allowed)}, not {value}")


def bad(source: str, why: str) -> MQError:
    """Return 2278 for a definition that cannot be used."""
    return error(mq.MQRC_CLIENT_CONN_ERROR, f"{source} cannot be used: {why}")
