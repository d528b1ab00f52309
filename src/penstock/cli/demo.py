"""`penstock demo`: shows in half a minute what a queue manager promises, and checks it.

Creates one in a temporary folder, defines queues by MQSC, puts, backs out, commits; then starts a
process that works with persistent messages from several threads, kills it in the middle with `kill -9`,
restarts, and compares the queues with what that process had been told was safe. Exit 1 when any
check fails. The process that is killed is `cli.demo_worker`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import demo_worker

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.host.queue_manager import QueueManager

NAME = "DEMO"
WORK_S = 2.0
START_TIMEOUT_S = 20.0
DEFINITIONS = """
* Two queues whose messages survive a restart, and one for those that are put back too often
DEFINE QLOCAL(ORDERS) DEFPSIST(YES) BOTHRESH(3) BOQNAME(ORDERS.BACKOUT) MAXDEPTH(1000000)
DEFINE QLOCAL(BILLING) DEFPSIST(YES) MAXDEPTH(1000000)
DEFINE QLOCAL(ORDERS.BACKOUT) DEFPSIST(YES)
"""


@dataclass
class Check:
    """One promise, what was found, and whether it was kept."""

    promise: str
    found: str
    kept: bool


@dataclass(frozen=True)
class Confirmed:
    """What the ledger of the killed process says."""

    put: set[str]
    moved: set[str]
    backed_out: int


def demo(
    rounds: Annotated[int, typer.Option(min=1, max=20, help="how often the process is killed")] = 3,
    keep: Annotated[Path | None, typer.Option(help="keep the queue manager in this folder")] = None,
) -> None:
    """Put, get, back out, kill -9, restart: show that nothing is lost or doubled."""
    from rich.console import Console

    console = Console(highlight=False)
    if keep is not None and (keep / NAME).exists():
        raise typer.BadParameter(f"{keep} holds the queue manager of an earlier demo; give another folder")
    with tempfile.TemporaryDirectory(prefix="penstock-demo-") as temporary:
        home = keep or Path(temporary)
        checks = show_units_of_work(console, home)
        checks += show_crashes(console, home, Path(temporary) / "ledger", rounds)
    show_checks(console, checks)
    raise typer.Exit(0 if all(check.kept for check in checks) else 1)


def show_units_of_work(console: Console, home: Path) -> list[Check]:
    """Create the queue manager and its queues; back a unit of work out, and commit one."""
    import penstock

    console.print(f"[bold]1.[/] A queue manager in {home}, and its queues by MQSC")
    with penstock.embed(NAME, create=True, home=home) as qm:
        replies = qm.mqsc(DEFINITIONS)
        for reply in replies:
            console.print(f"   {reply.id}: {reply.text}", style="dim")
        console.print("[bold]2.[/] A unit of work gets an order and is backed out; the next one commits")
        qm.put("ORDERS", b"the first order", persistent=True)
        try:
            with qm.unit_of_work():
                qm.get("ORDERS")
                qm.put("BILLING", b"a bill that must not be sent")
                raise demo_worker.ChangeOfMind
        except demo_worker.ChangeOfMind:
            pass
        checks = [
            Check("all queues are defined", f"{len(replies)} replies", not any(r.failed for r in replies)),
            Check(
                "a backout removes what the unit put",
                f"{depth(qm, 'BILLING')} on BILLING",
                not depth(qm, "BILLING"),
            ),
        ]
        with qm.unit_of_work():
            order = qm.get("ORDERS")
            qm.put("BILLING", b"the first bill")
        again = order is not None and order.body == b"the first order" and order.backout_count == 1
        count = order.backout_count if order else "no message"
        checks.append(Check("a backout puts the message back", f"backout count {count}", again))
        bill = qm.get("BILLING")
        checks.append(Check("a commit delivers", "the bill" if bill else "no bill", bill is not None))
    return checks


def show_crashes(console: Console, home: Path, ledger: Path, rounds: int) -> list[Check]:
    """Kill a working process again and again; compare what it was promised with what is there."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console.print(
        f"[bold]3.[/] {demo_worker.PRODUCERS} threads put persistent messages, one moves them in units of "
        f"work; kill -9 in the middle, {times(rounds, 'time')}"
    )
    checks: list[Check] = []
    columns = (TextColumn("   {task.description:<44}"), BarColumn(30), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=rounds * 2)
        for number in range(1, rounds + 1):
            progress.update(task, description=f"round {number}: working, then kill -9")
            kill_in_the_middle(home, ledger, f"r{number}")
            progress.update(task, advance=1, description=f"round {number}: restarting and counting")
            checks += count_after_restart(home, read_ledger(ledger), number)
            progress.update(task, advance=1)
        progress.update(task, description=f"{times(rounds, 'kill')} survived")
    return checks


def kill_in_the_middle(home: Path, ledger: Path, round_name: str) -> None:
    """Start the worker, let it work for a while after its first confirmation, and kill it."""
    before = ledger.stat().st_size if ledger.exists() else 0
    command = [sys.executable, "-m", "penstock.cli.demo_worker", NAME, str(home), str(ledger), round_name]
    with subprocess.Popen(command) as worker:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not ledger.exists() or ledger.stat().st_size == before:
            if worker.poll() is not None or time.monotonic() > deadline:
                worker.kill()
                raise RuntimeError(f"the demo's worker did not begin its work (exit {worker.poll()})")
            time.sleep(0.01)
        time.sleep(WORK_S)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()


def read_ledger(path: Path) -> Confirmed:
    """Read what the killed processes had been told was safe."""
    lines = path.read_text().splitlines()
    return Confirmed(
        {line[2:] for line in lines if line.startswith("P ")},
        {line[2:] for line in lines if line.startswith("M ")},
        lines.count("B"),
    )


def count_after_restart(home: Path, confirmed: Confirmed, number: int) -> list[Check]:
    """Open the queue manager again and hold its queues against the ledger.

    A call that was under way when the process died may have happened or not: each thread may have one.
    """
    import penstock

    begun = time.perf_counter()
    with penstock.embed(NAME, home=home) as qm:
        restart_ms = (time.perf_counter() - begun) * 1000
        orders = [demo_worker.key_of(message.body) for message in qm.browse("ORDERS")]
        bills = [demo_worker.key_of(message.body) for message in qm.browse("BILLING")]
    there = orders + bills
    lost = len(confirmed.put - set(there)) + len(confirmed.moved - set(bills))
    doubled = len(there) - len(set(there))
    unasked = len(set(there) - confirmed.put) - number * demo_worker.PRODUCERS
    early = len(set(bills) - confirmed.moved) - number * demo_worker.MOVE_MESSAGES_MAX
    extra = max(unasked, early, 0)
    ordered = in_order(orders) and in_order(bills)
    safe = f"{len(confirmed.put):,} puts, {len(confirmed.moved):,} moves"
    return [
        Check(f"kill {number}: {safe} confirmed", f"{lost} lost", lost == 0),
        Check(f"kill {number}: each message once", f"{doubled} doubled", doubled == 0),
        Check(f"kill {number}: no unfinished unit shows", f"{extra} too many", extra == 0),
        Check(f"kill {number}: order is kept", f"restart {restart_ms:,.0f} ms", ordered),
    ]


def in_order(keys: list[str]) -> bool:
    """Say whether the messages of each producer stand in the order they were put."""
    newest: dict[str, str] = {}
    for key in keys:
        producer = key.rpartition("-")[0]
        if key <= newest.get(producer, ""):
            return False
        newest[producer] = key
    return True


def times(number: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def depth(qm: QueueManager, queue: str) -> int:
    """Return how many messages can be browsed on a queue."""
    return sum(1 for _ in qm.browse(queue))


def show_checks(console: Console, checks: list[Check]) -> None:
    """Print the table of promises."""
    from rich import box
    from rich.table import Table

    table = Table("promise", "found", "kept", box=box.SIMPLE_HEAD)
    for check in checks:
        table.add_row(check.promise, check.found, "[green]yes[/]" if check.kept else "[bold red]NO[/]")
    console.print(table)
    broken = sum(not check.kept for check in checks)
    verdict = (
        f"{broken} of {len(checks)} promises broken"
        if broken
        else f"All {len(checks)} promises kept: nothing lost"
    )
    console.print(f"[bold]{verdict}[/]")
