"""Several queue managers under test: two with message channels, a cluster, a queue-sharing group.

The first one is where most applications are; the others are gone with it. All members of a cluster are full
repositories. A group has a database of its own, which is measured as a part beside the servers.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from penstock.host.folders.folder import folder_of
from penstock.host.queue_sharing import group_membership_file as membership
from penstock.host.starting import create
from penstock.lab.load.queue_server import QMGR, QueueServer
from penstock.lab.load.system_under_test import INSIDE, LOCAL, Subject, connect
from penstock.tools.own_postgresql import own_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.arrangement import Awaited

FAR, HOST = "FAR", "HOST"  # the other end of message channels, or a member; the member between both
CLUSTER = "LAB"
GROUP = "LABG"
AWAIT_SECONDS_MAX = 60.0
LOOK_SECONDS = 0.05
NEEDED_BY = "a test of shared queues"


class Company(NamedTuple):
    """Which queue managers a test needs beside the first one."""

    kind: str = ""  # distributed, cluster or group; nothing for one alone
    members: int = 1  # of a group
    receivers: int = 1  # CLUSRCVR channels of each member of a cluster
    queue_each: bool = False  # a transmission queue for each channel of a cluster
    trusted: bool = False  # whether server applications are inside the process of their queue manager


@contextmanager
def several_under_test(folder: Path, company: Company) -> Iterator[Subject]:
    """Run the queue managers that a test needs; yields the first one. Gone afterwards."""
    home = Path(tempfile.mkdtemp(dir=folder))
    try:
        with ExitStack() as stack:
            if company.kind == "group":
                yield _group(home, company.members, stack)
            elif company.kind == "cluster":
                yield _cluster(home, company, stack)
            else:
                far = Subject(home, _server(home, FAR, stack, trusted=company.trusted))
                yield Subject(home, _server(home, QMGR, stack), others=[far])
    finally:
        shutil.rmtree(home, ignore_errors=True)


def wait_for(subject: Subject, awaited: Awaited) -> None:
    """Wait until a queue manager shows what the roles need."""
    until = time.monotonic() + AWAIT_SECONDS_MAX
    (at,) = (each for each in subject.members if each.name == awaited.at)
    with connect(at.way(LOCAL)) as qm:
        while time.monotonic() < until:
            if sum(bool(reply.attributes) for reply in qm.mqsc(awaited.command)) >= awaited.rows:
                return
            time.sleep(LOOK_SECONDS)
    raise RuntimeError(f"{awaited.at}: {awaited.command} does not show {awaited.rows}")


def _server(home: Path, name: str, stack: ExitStack, *, trusted: bool = False) -> QueueServer:
    server = QueueServer(home, INSIDE if trusted else (), name, trusted=trusted)
    stack.callback(server.stop)
    return server


def _cluster(home: Path, company: Company, stack: ExitStack) -> Subject:
    members = {name: Subject(home, _server(home, name, stack)) for name in (QMGR, HOST, FAR)}
    for name, member in members.items():
        commands = [f"ALTER QMGR REPOS({CLUSTER})"]  # what one knows all know, so steps need no long waits
        commands += ["ALTER QMGR DEFCLXQ(CHANNEL)"] if company.queue_each else []
        for number in range(company.receivers):
            place = f"CONNAME('{member.place}')"
            commands.append(
                f"DEFINE CHANNEL(TO.{name}.{number}) CHLTYPE(CLUSRCVR) {place} CLUSTER({CLUSTER})"
            )
        for other in members.keys() - {name}:
            place = f"CONNAME('{members[other].place}')"
            commands.append(f"DEFINE CHANNEL(TO.{other}.0) CHLTYPE(CLUSSDR) {place} CLUSTER({CLUSTER})")
        member.define(commands)
    first, *others = members.values()
    return Subject(home, first.server, others=others)


def _group(home: Path, count: int, stack: ExitStack) -> Subject:
    for each in (home.parent, home):
        each.chmod(0o755)  # a database server that may not run as root looks into it as another user
    database = stack.enter_context(own_postgresql(home, NEEDED_BY))
    from penstock.share import group_administration as groups

    group = groups.checked(GROUP, database.url)
    groups.create(group)
    members = []
    for number in range(count):
        name = QMGR if number == 0 else f"MEMBER{number}"
        create(name, home)
        membership.join(folder_of(name, home).ini, group)
        server = QueueServer(home, name=name)
        stack.callback(server.stop)
        members.append(server)
    others = [Subject(home, each) for each in members[1:]]
    return Subject(home, members[0], others=others, database=database)
