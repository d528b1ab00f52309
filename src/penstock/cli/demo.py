"""`penstock demo`: a backlog of orders through a message flow on Spark, with a `kill -9` in the middle.

Starts a queue manager in a folder of its own, puts orders, runs the flow `orders` as `penstock flow run`
would, kills that job without warning once some batches are through, starts it again, runs further orders
with the inline engine for comparison, and counts: every order must have come out once, at the right queue.
Exit 1 when it has not. The orders are in `cli.demo_orders`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import demo_orders
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools.own_command import own_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from penstock.face.blocking import BlockingQueueManager

NAME = "DEMO"
INPUT = "ORDERS.IN"
DEFINITIONS = """
DEFINE QLOCAL(ORDERS.IN) DEFPSIST(YES) MAXDEPTH(1000000) BOTHRESH(3) BOQNAME(ORDERS.BACKOUT)
DEFINE QLOCAL(ORDERS.BACKOUT) DEFPSIST(YES)
DEFINE QLOCAL(BILLING) DEFPSIST(YES) MAXDEPTH(1000000)
DEFINE QLOCAL(WAREHOUSE) DEFPSIST(YES) MAXDEPTH(1000000)
DEFINE QLOCAL(REJECTED) DEFPSIST(YES) MAXDEPTH(1000000)
"""
ORDERS = 100_000
SHARED_MESSAGES = 3000  # of the demo of shared queues, unless --orders gives another number
PUT_AT_ONCE = 1000
KILLED_SHARE = 10  # the first job is killed after one in this many orders
FIRST_BATCHES = 40  # of the first job, so that the kill falls between some
WARM_BATCHES = 4  # of the second job, which is the one whose rate is shown
INLINE_SHARE = 4  # the inline engine gets one order for this many of Spark's
JOB_SECONDS = 300.0  # before a job that makes no progress is given up
POLL_SECONDS = 0.1
KILL_POLL_SECONDS = 0.02  # before the kill: some thousand orders are through in less than a second


@dataclass
class Check:
    """One guarantee, the result, and whether it was kept."""

    promise: str
    found: str
    kept: bool


@dataclass
class Pace:
    """How long an engine needed for its first orders, and its rate after that."""

    start_seconds: float
    rate: float


def demo(
    orders: Annotated[int, typer.Option(min=100, max=1_000_000, help="how many orders")] = ORDERS,
    engine: Annotated[str, typer.Option(help="spark or inline; spark where PySpark is installed")] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="leave the queue manager running, with the results")
    ] = False,
    shared: Annotated[
        bool, typer.Option("--shared", help="a queue-sharing group instead: kill one of two members")
    ] = False,
) -> None:
    """Run a message flow over 100,000 orders on Spark, kill it in the middle, and count."""
    from rich.console import Console

    console = Console(highlight=False)
    if shared:
        from penstock.cli import demo_shared

        messages = orders if orders != ORDERS else SHARED_MESSAGES
        raise typer.Exit(0 if demo_shared.run(console, messages) else 1)
    if engine not in ("", "spark", "inline"):
        raise typer.BadParameter(f"engine {engine!r} is not one of spark, inline")
    engine = engine or ("spark" if find_spec("pyspark") is not None else "inline")
    folder = Path(tempfile.mkdtemp(prefix="penstock-demo-"))
    os.environ["PENSTOCK_HOME"] = str(folder)
    compared = orders // INLINE_SHARE if engine == "spark" else 0
    show_plan(console, orders, engine, compared)
    with queue_manager(console, folder, keep) as qm:
        put_orders(console, qm, 1, orders)
        through, pace = run_with_a_kill(console, qm, orders, engine)
        inline = run_inline(console, qm, orders, compared) if compared else None
        count, samples = take_outputs(qm, keep)
        show_results(console, count, samples)
        checks = checks_of(qm, count, orders + compared, through, orders)
        show_checks(console, checks)
        show_rates(console, engine, pace, inline)
        if keep:
            print(f"Queue manager {NAME} goes on. Look around, and stop and remove it, with:")
            print(f"  export PENSTOCK_HOME={folder}")
            print(f"  penstock browse BILLING --qmgr {NAME} --count 3")
            print(f"  penstock qmgr stop {NAME}; rm -r {folder}")
    raise typer.Exit(0 if all(check.kept for check in checks) else 1)


def show_plan(console: Console, orders: int, engine: str, compared: int) -> None:
    """Print what will happen."""
    where = "on Spark, embedded in this machine" if engine == "spark" else "with the inline engine"
    console.print(
        f"This demo starts a queue manager, puts {orders:,} orders on a queue and runs a message flow over "
        f"them {where}. It kills the flow with kill -9 on the way, starts it again, and counts what came out."
        + (f" Then the inline engine gets {compared:,} more, for comparison." if compared else "")
        + " It takes one to two minutes and leaves nothing behind.\n"
    )


@contextmanager
def queue_manager(console: Console, folder: Path, keep: bool) -> Iterator[Any]:
    """Yield a connection to a queue manager in another process; it ends with the demo unless kept."""
    import shutil

    import penstock

    console.print(f"[bold]1.[/] A queue manager in {folder}, in a process of its own", soft_wrap=True)
    command("qmgr", "create", NAME)
    command("qmgr", "start", NAME, "--background")
    done = False
    try:
        with penstock.connect(NAME) as qm:
            for reply in qm.mqsc(DEFINITIONS):
                if reply.failed:
                    raise error(mq.PSRC_FLOW_ENGINE, f"{reply.id}: {reply.text}")
            yield qm
        done = True
    finally:
        if not keep or not done:
            command("qmgr", "stop", NAME, "--immediate")
            shutil.rmtree(folder, ignore_errors=True)


def put_orders(console: Console, qm: BlockingQueueManager, first: int, orders: int) -> None:
    """Put persistent orders, a thousand per unit of work, numbered from `first`."""
    console.print(f"[bold]2.[/] {orders:,} orders of about 1 KB of XML, persistent")
    begun = time.monotonic()
    with bar(console) as advance:
        for start in range(first, first + orders, PUT_AT_ONCE):
            numbers = range(start, min(start + PUT_AT_ONCE, first + orders))
            qm.put_many(INPUT, [demo_orders.order(number) for number in numbers], persistent=True)
            advance("putting", numbers[-1] - first + 1, orders)
    console.print(f"   {orders / (time.monotonic() - begun):,.0f} per second, on disk", style="dim")


def run_with_a_kill(console: Console, qm: BlockingQueueManager, orders: int, engine: str) -> tuple[int, Pace]:
    """Run the flow, kill it after a part, run it again; return that part and the second pace."""
    where = "on Spark, embedded (local[*])" if engine == "spark" else "with the inline engine"
    console.print(f"[bold]3.[/] Flow [bold]orders[/] {where}: filter, compute in ESQL, route")
    job = start_job(engine, orders // FIRST_BATCHES)
    try:
        with bar(console) as advance:
            part = orders // KILLED_SHARE
            through, _ = watch(qm, job, orders, advance, "working", until=part, poll=KILL_POLL_SECONDS)
    finally:
        kill_job(job)
    console.print(f"   kill -9, with {through:,} orders through; the job is started again")
    return through, run_to_the_end(console, qm, engine, orders // WARM_BATCHES, orders)


def run_inline(console: Console, qm: BlockingQueueManager, orders: int, more: int) -> Pace:
    """Put more orders and run the same flow over them with the inline engine."""
    console.print(f"[bold]4.[/] {more:,} more orders, with the inline engine: one message at a time")
    for start in range(orders + 1, orders + more + 1, PUT_AT_ONCE):
        numbers = range(start, min(start + PUT_AT_ONCE, orders + more + 1))
        qm.put_many(INPUT, [demo_orders.order(number) for number in numbers], persistent=True)
    return run_to_the_end(console, qm, "inline", 0, orders + more)


def run_to_the_end(console: Console, qm: BlockingQueueManager, engine: str, batch: int, until: int) -> Pace:
    """Run the flow until this many orders have been put out."""
    job = start_job(engine, batch)
    try:
        with bar(console) as advance:
            _, pace = watch(qm, job, until, advance, f"{engine} engine", until=until)
        job.wait(JOB_SECONDS)
    finally:
        if job.poll() is None:
            kill_job(job)
    return pace


def start_job(engine: str, batch: int) -> subprocess.Popen[bytes]:
    """Start `penstock flow run` in a new session, so that all its processes can be killed together."""
    project = Path(str(files("penstock.examples"))) / "orders"
    arguments = ["flow", "run", "orders", "--project", str(project), "--qmgr", NAME, "--engine", engine]
    arguments += ["--until-empty", "--quiet"]
    if batch:
        arguments += ["--batch-size", str(max(100, batch))]
    return subprocess.Popen(
        own_command(*arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PENSTOCK_SPARK_WARM": "0"},  # the demo kills all of it
    )


def kill_job(job: subprocess.Popen[bytes]) -> None:
    """Kill a job and every process it has started, without any clean-up."""
    try:
        os.killpg(job.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended by itself
    job.wait()


def watch(
    qm: BlockingQueueManager,
    job: subprocess.Popen[bytes],
    orders: int,
    advance: Any,
    what: str,
    until: int,
    poll: float = POLL_SECONDS,
) -> tuple[int, Pace]:
    """Wait until this many orders have been put out; return how many there are, and the pace."""
    begun = time.monotonic()
    through = before = outputs(qm)
    first, first_at = 0, 0.0
    while through < until:
        time.sleep(poll)
        through = outputs(qm)
        if not first and through > before:
            first, first_at = through, time.monotonic()
        advance(what, through, orders)
        if job.poll() not in (None, 0) or time.monotonic() > begun + JOB_SECONDS:
            told = job.stderr.read().decode(errors="replace") if job.poll() is not None and job.stderr else ""
            raise error(
                mq.PSRC_FLOW_ENGINE, f"the flow did not go on: {told.strip()[-2000:] or 'it printed nothing'}"
            )
        if job.poll() == 0 and through < until:
            break
    seconds = time.monotonic() - first_at
    rate = (through - first) / seconds if first and seconds > 0 else 0.0
    return through, Pace(first_at - begun if first else 0.0, rate)


def outputs(qm: BlockingQueueManager) -> int:
    """Return how many orders have been put out."""
    return sum(depth(qm, queue) for queue in demo_orders.QUEUES)


def take_outputs(qm: BlockingQueueManager, keep: bool) -> tuple[demo_orders.Count, dict[str, bytes]]:
    """Return the outputs by queue, and the first message of each; they stay on the queues if kept."""
    count = demo_orders.Count()
    samples: dict[str, bytes] = {}
    for queue in demo_orders.QUEUES:
        for part in parts_of(qm, queue, keep):
            samples.setdefault(queue, part[0])
            count.add(queue, part)
    return count, samples


def parts_of(qm: BlockingQueueManager, queue: str, keep: bool) -> Iterator[list[bytes]]:
    """Yield the bodies of a queue, some at a time."""
    if keep:
        yield from ([message.body or b""] for message in qm.browse(queue))
        return
    while found := qm.get_many(queue, PUT_AT_ONCE):
        yield [message.body or b"" for message in found]


def show_results(console: Console, count: demo_orders.Count, samples: dict[str, bytes]) -> None:
    """Show how many messages each queue got, and one order before and after."""
    console.print("[bold]5.[/] What came out")
    for queue in demo_orders.QUEUES:
        console.print(f"   {queue:<10} {len(count.found.get(queue, ())):>8,}")
    bill = samples.get(demo_orders.BILLING)
    if bill is not None:
        before = demo_orders.order(demo_orders.number_of(bill))
        console.print("   one of them before:", style="dim")
        console.print(f"   {before[:220].decode()}...", markup=False, soft_wrap=True)
        console.print("   and after:", style="dim")
        console.print(f"   {bill[:120].decode()}...{bill[-60:].decode()}", markup=False, soft_wrap=True)


def checks_of(
    qm: BlockingQueueManager, count: demo_orders.Count, orders: int, through: int, killed: int
) -> list[Check]:
    """Compare the outputs with what was put."""
    lost, doubled, astray, left = count.lost(orders), count.doubled(), count.astray(), depth(qm, INPUT)
    return [
        Check("the kill fell in the middle", f"{through:,} of {killed:,} through", 0 < through < killed),
        Check("every order came out", f"{lost} lost", lost == 0),
        Check("each came out once, in spite of the kill", f"{doubled} doubled", doubled == 0),
        Check("each at the right queue", f"{astray} astray", astray == 0),
        Check("nothing is left behind", f"{left} on {INPUT}", left == 0),
    ]


def show_checks(console: Console, checks: list[Check]) -> None:
    """Print the table of promises."""
    from rich import box
    from rich.table import Table

    table = Table("promise", "found", "kept", box=box.SIMPLE_HEAD)
    for check in checks:
        table.add_row(check.promise, check.found, "[green]yes[/]" if check.kept else "[bold red]NO[/]")
    console.print(table)
    broken = sum(not check.kept for check in checks)
    kept = f"All {len(checks)} promises kept: nothing lost, nothing doubled"
    console.print(f"[bold]{f'{broken} of {len(checks)} promises broken' if broken else kept}[/]")


def show_rates(console: Console, engine: str, pace: Pace, inline: Pace | None) -> None:
    """Show the start-up cost of each engine and its rate afterwards."""
    for name, each in ((engine, pace), ("inline", inline)):
        if each is not None:
            rate = f"then {each.rate:,.0f} orders per second" if each.rate else "then too quick to measure"
            console.print(f"{name:<8} first result after {each.start_seconds:.1f} s, {rate}", soft_wrap=True)
    if inline is not None:
        console.print(
            "Both do the same work on the same cores here. Inline starts at once; Spark pays off with more "
            "cores, several machines, or archives of old messages.",
            style="dim",
        )


def depth(qm: BlockingQueueManager, queue: str) -> int:
    """Return how many messages are on a queue."""
    (reply,) = qm.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
    attributes: Any = reply.attributes
    return int(attributes["CURDEPTH"])


def command(*arguments: str) -> None:
    """Run a penstock command; its errors are shown."""
    subprocess.run(own_command(*arguments), check=True, stdout=subprocess.DEVNULL)


@contextmanager
def bar(console: Console) -> Iterator[Any]:
    """Yield a function that moves a progress bar: the activity, the position, the total."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("   {task.description:<22}"),
        BarColumn(30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=None)

        def advance(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        yield advance
