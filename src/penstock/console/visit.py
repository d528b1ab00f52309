"""A visit: one request of one person, as pages and acts see it; and the page that comes of it.

Pages ask for parameters and connections here and return a `Page`. While its template is rendered, live values
register themselves, so that the same rendering answers a browser that asks for new numbers only.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from penstock.console.people import BROKEN, RUNNING, check_known, queue_managers
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.audit import Audit
    from penstock.console.jobs import Jobs
    from penstock.console.listening import Listening
    from penstock.console.projects import Projects
    from penstock.console.sampler import Sampler
    from penstock.console.sessions import Session
    from penstock.console.stepping import Runs
    from penstock.model.status import QueueFigures

NUMBER_MAX = 1 << 53
LIST_SECONDS = 1.0  # that a list of queues is used again


@dataclass
class World:
    """What all visits share."""

    sampler: Sampler
    audit: Audit
    jobs: Jobs
    runs: Runs
    projects: Projects
    listening: Listening


@dataclass
class Page:
    """What a page shows: a template with its data, and the command that shows the same."""

    template: str
    title: str
    data: dict[str, Any] = field(default_factory=dict)
    command: str = ""
    trail: tuple[tuple[str, str], ...] = ()  # names and links of the pages above
    status: int = 200


@dataclass
class Download:
    """A file that a page offers."""

    name: str
    content: bytes
    kind: str = "application/x-ndjson"


@dataclass
class Away:
    """Another page to go to."""

    to: str


@dataclass
class Visit:
    """One request; `form` is empty unless it is a post."""

    session: Session
    world: World
    path: str
    query: dict[str, str]
    address: str
    form: dict[str, list[str]] = field(default_factory=dict)
    live: dict[str, str] = field(default_factory=dict)
    shape: list[str] = field(default_factory=list)

    @property
    def shape_digest(self) -> str:
        """What changes when rows of the page come or go."""
        return hashlib.sha256("\n".join(self.shape).encode()).hexdigest()[:16]

    def text(self, name: str, default: str = "") -> str:
        """Return a parameter, from the form or the address."""
        if name in self.form:
            return self.form[name][0]
        return self.query.get(name, default)

    def number(self, name: str, default: int = 0) -> int:
        """Return a parameter that is a number; 2046 for anything else."""
        given = self.text(name)
        if not given:
            return default
        try:
            found = int(given)
        except ValueError:
            found = NUMBER_MAX
        if abs(found) >= NUMBER_MAX:
            raise error(mq.MQRC_OPTIONS_ERROR, f"{name} is a number, not {given[:40]}")
        return found

    def all(self, name: str) -> list[str]:
        """Return all values of a parameter of the form."""
        return self.form.get(name, [])

    def qmgr_name(self) -> str:
        """Return the queue manager that is meant: `qm`, else the first one that runs."""
        given = self.text("qm")
        if given:
            return check_known(given)
        known = queue_managers()
        if not known:
            raise error(mq.MQRC_Q_MGR_NAME_ERROR, "there is no queue manager: `penstock qmgr create QM1`")
        running = [name for name, state in known.items() if state == RUNNING]
        return (running or list(known))[0]

    def qm(self, name: str = "") -> ClientQueueManager:
        """Return the person's connection to a queue manager."""
        return self.session.connections.to(name or self.qmgr_name())

    def asked(self, name: str, ask: Any) -> Any:
        """Call `ask` with a connection; once more when the connection proves to be broken."""
        try:
            return ask(self.qm(name))
        except MQError as failure:
            if failure.reason not in BROKEN:
                raise
            self.session.connections.drop(name)
            return ask(self.qm(name))

    def queues(self, name: str) -> list[QueueFigures]:
        """Return the queues that the person may display; a list of a second ago will do."""
        found: list[QueueFigures] = self.session.kept(
            ("queues", name), LIST_SECONDS, lambda: self.asked(name, lambda qm: qm.queues())
        )
        return found

    def link(self, path: str = "", **changes: Any) -> str:
        """Return an address: of this page with other parameters, or of another page."""
        given = dict(self.query) if not path else {}
        given |= {name: str(value) for name, value in changes.items()}
        words = urlencode({name: value for name, value in given.items() if value != ""})
        return (path or self.path) + ("?" + words if words else "")

    def did(self, act: str, **facts: Any) -> None:
        """Write what the person did to the audit log."""
        self.world.audit.note(self.session.user, self.address, act, **facts)

    def say(self, text: str, kind: str = "ok") -> None:
        """Have the next page show a note."""
        self.session.notes.append((kind, text))


def command(*words: str) -> str:
    """Return a command line as a shell reads it."""
    return shlex.join(["penstock", *words])
