"""`penstock demo --shared`: two queue managers serve one shared queue, and one of them is killed.

Starts a PostgreSQL of its own, two members of a group as processes, and a crowd of clients that move
numbered messages from one shared queue to another, each in a unit of work. One member is killed with `kill
-9` on the way; its clients go on at the other one. Then every number is counted. Exit 1 unless each came
out exactly once.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tools.own_command import own_command, run_own_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

GROUP, MEMBERS = "DEMO", ("QM1", "QM2")
SOURCE, TARGET = "WORK.IN", "WORK.OUT"
DEFINITIONS = f"""
DEFINE CFSTRUCT(WORK) RECOVER(YES)
DEFINE QLOCAL({SOURCE}) QSGDISP(SHARED) CFSTRUCT(WORK) DEFPSIST(YES) MAXDEPTH(1000000)
DEFINE QLOCAL({TARGET}) QSGDISP(SHARED) CFSTRUCT(WORK) DEFPSIST(YES) MAXDEPTH(1000000)
"""
CLIENTS_A_MEMBER = 4
PUT_AT_ONCE = 100
KILLED_SHARE = 3  # the first member is killed after one in this many messages
START_SECONDS = 60.0
RUN_SECONDS = 150.0  # before a run that makes no progress is given up
WAIT_SECONDS = 1.0  # of a client's get
POLL_SECONDS = 0.25


def run(console: Console, messages: int) -> bool:
    """Run the demo; return whether every message came out exactly once."""
    folder = Path(tempfile.mkdtemp(prefix="penstock-shared-"))
    folder.chmod(0o755)  # a server that may not run as root looks into it as another user
    before = os.environ.get("PENSTOCK_HOME")
    os.environ["PENSTOCK_HOME"] = str(folder / "home")
    try:
        with _server(console, folder) as url, _members(console, url) as processes:
            return _run(console, processes, messages)
    finally:
        if before is None:
            os.environ.pop("PENSTOCK_HOME", None)
        else:
            os.environ["PENSTOCK_HOME"] = before
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _server(console: Console, folder: Path) -> Iterator[str]:
    """Run a PostgreSQL for the demo."""
    from penstock.tools.own_postgresql import own_postgresql

    console.print("[bold]1.[/] A PostgreSQL of its own, as the facility of the group")
    with own_postgresql(folder, "the demo") as server:
        yield server.url


@contextmanager
def _members(console: Console, url: str) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Run two members of a group, each in a process."""
    console.print(f"[bold]2.[/] Queue managers {' and '.join(MEMBERS)} join group {GROUP}")
    _command("qsg", "create", GROUP, "--facility", url)
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name in MEMBERS:
            _command("qmgr", "create", name)
            _command("qsg", "join", GROUP, name)
            processes[name] = subprocess.Popen(
                own_command("qmgr", "start", name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        for name in MEMBERS:
            _connected(name).disconnect()
        yield processes
    finally:
        for process in processes.values():
            if process.poll() is None:
                process.terminate()
        for process in processes.values():
            process.wait(START_SECONDS)


def _command(*words: str) -> None:
    done = run_own_command(*words)
    if done.returncode:
        raise error(mq.MQRC_ENVIRONMENT_ERROR, f"penstock {' '.join(words)}: {done.stderr or done.stdout}")


def _connected(name: str) -> Any:
    """Connect to a member that is starting."""
    import penstock

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return penstock.connect(name)
        except MQError:
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS)


def _run(console: Console, processes: dict[str, subprocess.Popen[bytes]], messages: int) -> bool:
    with _connected(MEMBERS[1]) as qm:
        for reply in qm.mqsc(DEFINITIONS):
            if reply.failed:
                raise error(mq.MQRC_ENVIRONMENT_ERROR, f"{reply.id}: {reply.text}")
        console.print(f"[bold]3.[/] {messages:,} numbered persistent messages on shared queue {SOURCE}")
        for start in range(0, messages, PUT_AT_ONCE):
            numbers = range(start, min(start + PUT_AT_ONCE, messages))
            qm.put_many(SOURCE, [b"%d" % number for number in numbers], persistent=True)
    crowd = Crowd()
    count = CLIENTS_A_MEMBER * len(MEMBERS)
    console.print(f"[bold]4.[/] {count} clients move them to {TARGET}; {MEMBERS[0]} is killed on the way")
    crowd.start()
    killed = _watch(console, crowd, processes, messages)
    crowd.stop()
    return _count(console, messages, killed)


class Crowd:
    """Clients that move messages in units of work, and change to the other member when theirs dies."""

    def __init__(self) -> None:
        self.moved = dict.fromkeys(MEMBERS, 0)
        self.clients = dict.fromkeys(MEMBERS, 0)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        homes = [name for name in MEMBERS for _ in range(CLIENTS_A_MEMBER)]
        self._threads = [threading.Thread(target=self._client, args=(name,), daemon=True) for name in homes]

    def start(self) -> None:
        """Let them begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let them end after their current unit."""
        self._ended.set()
        for thread in self._threads:
            thread.join(RUN_SECONDS)

    def _client(self, name: str) -> None:
        while not self._ended.is_set():
            try:
                self._serve(name)
            except MQError:
                name = MEMBERS[1 - MEMBERS.index(name)]  # the other one serves the same queues
                time.sleep(POLL_SECONDS)

    def _serve(self, name: str) -> None:
        import penstock

        with penstock.connect(name) as qm:
            self._note(self.clients, name, 1)
            try:
                while not self._ended.is_set():
                    with qm.unit_of_work():
                        message = qm.get(SOURCE, wait=WAIT_SECONDS)
                        if message is not None:
                            qm.put(TARGET, message.body or b"", persistent=True)
                    if message is not None:
                        self._note(self.moved, name, 1)
            finally:
                self._note(self.clients, name, -1)

    def _note(self, counts: dict[str, int], name: str, change: int) -> None:
        with self._lock:
            counts[name] += change


def _watch(
    console: Console, crowd: Crowd, processes: dict[str, subprocess.Popen[bytes]], messages: int
) -> int:
    """Show progress, kill the first member, wait for the rest; return how many were through at the kill."""
    from rich.live import Live

    killed = -1
    deadline = time.monotonic() + RUN_SECONDS
    with Live(_table(crowd, killed), console=console, refresh_per_second=4) as live:
        while time.monotonic() < deadline:
            done = sum(crowd.moved.values())
            if killed < 0 and done >= messages // KILLED_SHARE:
                processes[MEMBERS[0]].send_signal(signal.SIGKILL)
                processes[MEMBERS[0]].wait()
                killed = done
            live.update(_table(crowd, killed))
            if killed >= 0 and not _waiting(done, messages):
                break
            time.sleep(POLL_SECONDS)
        live.update(_table(crowd, killed))
    console.print(f"   kill -9 of {MEMBERS[0]} after {max(killed, 0):,} messages", style="dim")
    return killed


def _waiting(done: int, messages: int) -> bool:
    """Return whether messages are left to move; a unit whose answer was lost is not in `done`."""
    if done < messages - CLIENTS_A_MEMBER:
        return True
    with _connected(MEMBERS[1]) as qm:
        (reply,) = qm.mqsc(f"DISPLAY QLOCAL({TARGET}) CURDEPTH")
        return int(reply.attributes["CURDEPTH"]) < messages


def _table(crowd: Crowd, killed: int) -> Any:
    from rich.table import Table

    table = Table("member", "state", "clients", "moved")
    for name in MEMBERS:
        state = "killed" if killed >= 0 and name == MEMBERS[0] else "running"
        table.add_row(name, state, str(crowd.clients[name]), f"{crowd.moved[name]:,}")
    return table


def _count(console: Console, messages: int, killed: int) -> bool:
    """Take everything out at the member that is left, and count each number."""
    import penstock

    found: dict[bytes, int] = {}
    left = 0
    with penstock.connect(MEMBERS[1]) as qm:
        while (message := qm.get(TARGET)) is not None:
            number = message.body or b""
            found[number] = found.get(number, 0) + 1
        while qm.get(SOURCE) is not None:
            left += 1
    lost = sum(1 for number in range(messages) if b"%d" % number not in found) - left
    doubled = sum(times - 1 for times in found.values())
    console.print(f"[bold]5.[/] {len(found):,} of {messages:,} messages came out at {MEMBERS[1]}")
    console.print(f"   lost {lost}, doubled {doubled}, left behind {left}")
    return killed >= 0 and len(found) == messages and not (lost or doubled or left)
