"""Members of a queue-sharing group as servers in processes of their own, for tests of what needs a server."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

import penstock
from penstock.host.queue_sharing import group_membership_file
from penstock.qmgr.sharing.group import Group
from penstock.share import group_administration
from tests.channel_pairs import run
from tests.patience import until
from tests.ports import free_port
from tests.served import Served

_numbers = itertools.count(1)


class GroupServers:
    """Members QM1 and QM2, and OUT, which is in no group."""

    def __init__(self, url: str, home: Path) -> None:
        self.group = Group(f"S{os.getpid() % 100:02d}{next(_numbers) % 10}", url, member_timeout=5.0)
        self.url = url
        group_administration.create(self.group)
        self.served = {name: Served(home, name, "") for name in ("QM1", "QM2", "OUT")}
        self.ports = {name: free_port() for name in self.served}
        for name in ("QM1", "QM2"):
            group_membership_file.join(self.served[name].folder / "qm.ini", self.group)
        self.admins: dict[str, Any] = {}
        for name in self.served:
            self.start(name)

    def start(self, name: str) -> None:
        """Start a queue manager and connect to it."""
        self.served[name].start(self.ports[name])
        self.admins[name] = self.served[name].local()

    def kill(self, name: str) -> None:
        """Kill a queue manager at once."""
        self.served[name].kill()
        self._forget(name)

    def _forget(self, name: str) -> None:
        admin = self.admins.pop(name, None)
        if admin is not None:
            with suppress(penstock.MQError):  # its server is gone
                admin.close()

    def link(self, name: str, sender: str = "") -> None:
        """Define shared channel N from the group to OUT, and remote queue N.R with target N.T."""
        run(
            self.admins["OUT"],
            f"DEFINE QLOCAL({name}.T) MAXDEPTH(900000)\nDEFINE CHANNEL({name}) CHLTYPE(RCVR)",
        )
        run(
            self.admins["QM1"],
            "DEFINE CFSTRUCT(APPL1) RECOVER(YES) OFFLOAD(DB2)\n"
            f"DEFINE QLOCAL({name}.X) QSGDISP(SHARED) CFSTRUCT(APPL1) USAGE(XMITQ) DEFPSIST(YES)"
            f" TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA({name})",
        )
        until(lambda: not self.admins["QM2"].mqsc(f"DISPLAY QLOCAL({name}.X)")[0].failed)
        for member in ("QM1", "QM2"):
            run(
                self.admins[member],
                f"DEFINE QREMOTE({name}.R) RNAME({name}.T) RQMNAME(OUT) XMITQ({name}.X)\n"
                f"DEFINE CHANNEL({name}) CHLTYPE(SDR) XMITQ({name}.X) SHORTTMR(1)"
                f" CONNAME('127.0.0.1({self.ports['OUT']})') {sender}",
            )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return rows of the facility's tables."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"set search_path to {self.group.schema}")  # type: ignore[arg-type]
            return connection.execute(statement).fetchall()  # type: ignore[arg-type]

    def close(self) -> None:
        """Stop everything and remove the group."""
        for name, served in self.served.items():
            self._forget(name)
            served.stop()
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"drop schema if exists {self.group.schema} cascade")  # type: ignore[arg-type]


@contextmanager
def group_servers(url: str, home: Path) -> Iterator[GroupServers]:
    """Give a running group and OUT."""
    servers = GroupServers(url, home)
    try:
        yield servers
    finally:
        servers.close()
