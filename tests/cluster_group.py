"""Several real queue managers in one cluster, for tests: processes of their own, defined by plain MQSC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import penstock
from tests.channel_pairs import DEAD, depth, run
from tests.patience import until
from tests.ports import free_port
from tests.served import Served

QUICK = "SHORTTMR(1) SHORTRTY(1000)"


class Group:
    """Queue managers that run, and administrators of all."""

    def __init__(self, home: Path, names: tuple[str, ...]) -> None:
        self.home = home
        self.names = names
        self.served = {name: Served(home, name, DEAD) for name in names}
        self.ports = {name: free_port() for name in names}
        self.admins: dict[str, Any] = {}
        for name in names:
            self.start(name)

    def start(self, name: str) -> None:
        self.served[name].start(self.ports[name])
        self.admins[name] = self.served[name].local()

    def _forget(self, name: str) -> None:
        admin = self.admins.pop(name, None)
        if admin is not None:
            try:
                admin.close()
            except penstock.MQError:
                pass

    def kill(self, name: str) -> None:
        self.served[name].kill()
        self._forget(name)

    def halt(self, name: str) -> None:
        self._forget(name)
        self.served[name].stop()

    def stop(self) -> None:
        for name in self.names:
            self._forget(name)
            self.served[name].stop()

    def address(self, name: str) -> str:
        return f"127.0.0.1({self.ports[name]})"

    def __getitem__(self, name: str) -> Any:
        return self.admins[name]

    def run(self, name: str, script: str) -> list[Any]:
        return run(self.admins[name], script)

    def join(self, name: str, cluster: str, repository: str, full: bool = False, more: str = "") -> None:
        """Have a queue manager join a cluster as IBM's examples do."""
        repos = f"ALTER QMGR REPOS({cluster})\n" if full else ""
        self.run(
            name,
            f"{repos}DEFINE CHANNEL({cluster[:6]}.{name}) CHLTYPE(CLUSRCVR) TRPTYPE(TCP)"
            f" CONNAME('{self.address(name)}') CLUSTER({cluster}) {QUICK} {more} REPLACE\n"
            f"DEFINE CHANNEL({cluster[:6]}.{repository}) CHLTYPE(CLUSSDR) TRPTYPE(TCP)"
            f" CONNAME('{self.address(repository)}') CLUSTER({cluster}) {QUICK} REPLACE",
        )

    def form(self, cluster: str, fulls: int = 2) -> None:
        """Make one cluster of all: the first ones are full repositories."""
        first, second = self.names[:2]
        self.join(first, cluster, second, True)
        self.join(second, cluster, first, True)
        for name in self.names[2:]:
            self.join(name, cluster, first)
        for name in (first, second):
            self.until_knows(name, set(self.names))

    def members(self, name: str) -> dict[str, dict[str, Any]]:
        """Return the members that a queue manager knows, as DISPLAY CLUSQMGR shows them."""
        rows = self[name].mqsc("DISPLAY CLUSQMGR(*) ALL")
        found = [dict(each.attributes) for each in rows if each.attributes]
        return {each["CLUSQMGR"]: each for each in found}

    def until_knows(self, name: str, members: set[str]) -> dict[str, dict[str, Any]]:
        def look() -> Any:
            found = self.members(name)
            return found if members <= found.keys() else None

        found: dict[str, dict[str, Any]] = until(look)
        return found

    def depth(self, name: str, queue: str) -> int:
        return depth(self[name], queue)
