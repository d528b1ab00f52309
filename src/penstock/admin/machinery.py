"""What runs beside the engine (channels, listeners, services ...), as commands see it: a registry.

Whoever runs something registers it by kind, channels also by their CHLTYPE; START, STOP, PING, RESET,
RESOLVE, SUSPEND, RESUME and REFRESH find it there. A `Request` is such a command, whatever words it was
written in: `commands/` makes one of MQSC, and any other interface can make one too. Nothing here runs
anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from penstock.admin import command_authority, replies
from penstock.admin.context import NotRunning
from penstock.model import constants as mq
from penstock.model.status import ListenerStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import Row
    from penstock.qmgr.objects import Definition

EMBEDDED = "channels, listeners and services run only where `penstock qmgr start` runs the queue manager"
DEFAULT_LISTENER = "SYSTEM.DEFAULT.LISTENER.TCP"
CLIENT_CHANNELS = ("SVRCONN", "CLNTCONN")
ONLY_STARTED = "message channels run only in a started queue manager (`penstock qmgr start`)"
DEFINED = ("CHANNEL", "LISTENER", "SERVICE")  # kinds whose commands name an object
ACCEPTED = {
    ("START", "CHANNEL"): ("AMQ8018I", "Start Penstock channel accepted."),
    ("START", "CHINIT"): ("AMQ8024I", "Penstock channel initiator started."),
    ("START", "LISTENER"): ("AMQ8021I", "Request to start Penstock listener accepted."),
    ("START", "SERVICE"): ("AMQ8733I", "Request to start Penstock service accepted."),
    ("STOP", "CHANNEL"): ("AMQ8019I", "Stop Penstock channel accepted."),
    ("STOP", "LISTENER"): ("AMQ8706I", "Request to stop Penstock listener accepted."),
    ("STOP", "SERVICE"): ("AMQ8735I", "Request to stop Penstock service accepted."),
    ("STOP", "CONN"): ("AMQ8457I", "Penstock connection stopped."),
    ("PING", "CHANNEL"): ("AMQ8020I", "Ping Penstock channel complete."),
    ("RESET", "CHANNEL"): ("AMQ8023I", "Penstock channel reset."),
    ("RESET", "CLUSTER"): ("AMQ8732I", "Reset cluster accepted."),
    ("RESOLVE", "CHANNEL"): ("AMQ8025I", "Penstock channel resolved."),
    ("REFRESH", "CLUSTER"): ("AMQ8731I", "Refresh cluster accepted."),
    ("SUSPEND", "QMGR"): ("AMQ8557I", "Suspend queue manager accepted."),
    ("RESUME", "QMGR"): ("AMQ8558I", "Resume queue manager accepted."),
}


@dataclass(frozen=True, slots=True)
class Request:
    """A command for something that runs: the action and its subject."""

    verb: str
    kind: str
    name: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


class Machinery(Protocol):
    """One kind of thing that runs. Called with the engine held, in any thread."""

    @property
    def verbs(self) -> frozenset[str]:
        """The actions that it supports."""

    def command(self, request: Request) -> Iterable[Reply | Pause]:
        """Do it, or accept it to be done soon; an MQError is a refusal. Without replies it is "accepted".

        What takes its time outside the engine is an iterator that yields `Await`.
        """

    def status(self) -> Iterable[Row]:
        """Return a row for everything of this kind that runs."""


class Runtime:
    """The machinery of one queue manager."""

    def __init__(self, why: str = EMBEDDED) -> None:
        self._why = why  # no machinery exists for the command
        self._machinery: dict[tuple[str, str], Machinery] = {}

    def add(self, kind: str, machinery: Machinery, subtype: str = "") -> None:
        """Register what runs things of a kind, or of one of its subtypes (CHLTYPE)."""
        self._machinery[kind, subtype] = machinery

    def find(self, kind: str, subtype: str = "") -> Machinery | None:
        """Return what runs things of a kind and subtype, if anything does."""
        return self._machinery.get((kind, subtype)) or self._machinery.get((kind, ""))

    def command(self, request: Request, subtype: str = "") -> Iterable[Reply | Pause]:
        """Have a command carried out; NotRunning when there is nothing that could.

        What does not run is stopped already, so STOP with IGNSTATE(YES) is fine.
        """
        machinery = self.find(request.kind, subtype)
        if machinery is not None and request.verb in machinery.verbs:
            return machinery.command(request)
        if request.verb == "STOP" and request.options.get("IGNSTATE") == "YES":
            return ()
        kind, name = request.kind, request.name
        what = {"CONN": "connection"}.get(kind, kind.lower())
        raise NotRunning(
            mq.MQRC_Q_MGR_NOT_AVAILABLE,
            f"{what} {name} not available: {self._why}",
            {"object": name, "kind": kind},
        )

    def status(self, kind: str) -> Iterable[Row]:
        """Return a row for everything of a kind that runs, whatever its subtype."""
        found = {id(each): each for (of, _), each in self._machinery.items() if of == kind}
        return chain.from_iterable(each.status() for each in found.values())


def carry_out(context: Context, request: Request) -> Iterator[Reply | Pause]:
    """Find the object that a command names, ask what runs it, and answer."""
    command_authority.check(context, request.verb, request.kind, request.name)
    definition = None
    if request.kind in DEFINED:
        definition = _definition(request, context)
        if definition is None and not _runs_undefined(request, context):
            yield _unknown(request)
            return
    if refusal := _not_run(request, definition, context):
        yield refusal
        return
    subtype = definition.subtype if definition is not None else ""
    answers = context.runtime.command(request, subtype)
    yield from answers or (replies.accepted(*ACCEPTED[request.verb, request.kind]),)


def _definition(request: Request, context: Context) -> Definition | None:
    objects = context.engine.objects
    found = objects.find(request.kind, request.name)
    if found is None and request.kind == "CHANNEL":
        found = context.engine.clusters.members_part.definition(request.name)  # defined automatically
    return objects.find("CLNTCONN", request.name) if found is None and request.kind == "CHANNEL" else found


def _runs_undefined(request: Request, context: Context) -> bool:
    """Return whether a listener needs no definition, or runs although its definition was deleted."""
    if request.kind != "LISTENER":
        return False
    if request.verb == "START":
        return request.name == DEFAULT_LISTENER
    running = context.runtime.status("LISTENER")
    return any(isinstance(each, ListenerStatus) and each.listener == request.name for each in running)


def _unknown(request: Request) -> Reply:
    if request.kind == "CHANNEL" and request.verb not in ("START", "STOP"):
        return replies.failed("AMQ8227E", f"Channel {request.name} not found.", mq.MQRCCF_CHANNEL_NOT_FOUND)
    return replies.not_found(request.name)


def _not_run(request: Request, definition: Definition | None, context: Context) -> Reply | None:
    """Return the answer to a command for a kind that nothing runs here; None if there is machinery for it."""
    if request.kind == "CHINIT" and context.runtime.find("CHINIT") is None:
        return replies.not_supported(f"{request.verb} CHINIT", ONLY_STARTED)
    if definition is None or request.kind != "CHANNEL" or definition.subtype in CLIENT_CHANNELS:
        return None
    if context.runtime.find("CHANNEL", definition.subtype) is not None:
        return None
    if request.verb == "STOP" and request.options.get("IGNSTATE") == "YES":
        return None  # what does not run is stopped already
    text = f"{ONLY_STARTED}{_waiting(definition, context)}"
    return replies.not_supported(f"{request.verb} CHANNEL({definition.name})", text)


def _waiting(definition: Definition, context: Context) -> str:
    """Return where messages wait for a channel that nothing runs, and how many; "" for a receiving one."""
    name = str(definition.attributes.get("XMITQ", ""))
    if not name:
        return ""
    queue = context.engine.objects.find("QUEUE", name)
    count = ""
    if queue is not None and queue.kind == "QLOCAL":
        count = f" (now {context.engine.queue_status(name, context.now).curdepth})"
    return f"; messages stay on transmission queue {name}{count}"
