"""`penstock bench`: a quick load on a queue manager of yours, with rates and times.

The laboratory's drivers do the work: one process per program. It uses queues of its own and deletes them,
or a queue that you name. For reports use `penstock lab`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.lab.load.crew import Observation

KINDS = ("one-way", "request")
PERCENTS = (50, 90, 99, 99.9)
WARM_SECONDS = 0.5
DEPTH_MAX = 5_000
BAR_COLUMNS = 40
BAR_ROWS_MAX = 16


def bench(
    qmgr: QmgrOption = "",
    kind: Annotated[
        str, typer.Option("--kind", help="one-way (put and get) or request (and reply)")
    ] = "one-way",
    queue: Annotated[
        str,
        typer.Option(
            "--queue",
            "-q",
            help="an empty queue of yours instead of new ones",
            autocompletion=completion.queues,
        ),
    ] = "",
    programs: Annotated[int, typer.Option("--programs", min=1, max=64, help="on each side")] = 2,
    size: Annotated[int, typer.Option("--size", min=0, help="bytes per message")] = 1024,
    seconds: Annotated[float, typer.Option("--seconds", min=0.2, help="that are measured")] = 5.0,
    persistent: Annotated[bool, typer.Option("--persistent", help="messages survive a crash")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put a load on a running queue manager; show messages per second and how long calls took."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_facts, show_json

    if kind not in KINDS:
        raise typer.BadParameter(f"--kind {kind}: there are {' and '.join(KINDS)}")
    os.environ["PENSTOCK_RUNNING"] = "1"  # the programs are processes of their own
    with connected(qmgr) as qm:
        own = [] if queue else [f"PENSTOCK.BENCH.{os.getpid()}"]
        target = queue or own[0]
        if kind == "request":
            own.append(f"{(own or ['PENSTOCK.BENCH'])[0]}.REPLY")
        try:
            for name in own:
                qm.mqsc(f"DEFINE QLOCAL({name}) MAXDEPTH({DEPTH_MAX})", check=True)
            seen = _measured(
                _way(qmgr), kind, target, own[-1] if own else "", programs, size, persistent, seconds
            )
        finally:
            for name in own:
                _delete(qm, name)
    facts = facts_of(seen, kind, size, persistent, programs)
    if as_json:
        show_json(facts)
        return
    show_facts({name: value for name, value in facts.items() if name != "histogram"})
    print()
    draw(facts["histogram"])


def _way(qmgr: str) -> dict[str, str]:
    """Return how the programs connect: as this command did."""
    from penstock.cli.connecting import USER, chosen, password_of

    user = os.environ.get(USER, "")
    way = {"via": "address", "address": chosen(qmgr)}
    if user:
        way |= {"user": user, "password": password_of(user) or ""}
    return way


def _measured(
    way: dict[str, str],
    kind: str,
    queue: str,
    replies: str,
    programs: int,
    size: int,
    persistent: bool,
    seconds: float,
) -> Observation:
    from functools import partial
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from penstock.lab.load import roles
    from penstock.lab.load.crew import Crew

    if kind == "request":
        work = {
            "put": partial(
                roles.request, way=way, requests=queue, replies=replies, size=size, persistent=persistent
            ),
            "get": partial(roles.serve, way=way, requests=queue, persistent=persistent),
        }
    else:
        work = {
            "put": partial(roles.put, way=way, queue=queue, size=size, persistent=persistent),
            "get": partial(roles.get, way=way, queue=queue),
        }
    tasks = [(name, each) for name, each in work.items() for _ in range(programs)]
    with TemporaryDirectory(prefix="penstock-bench") as folder, Crew(tasks, Path(folder)) as crew:
        return crew.observe(WARM_SECONDS, seconds)


def _delete(qm: BlockingQueueManager, name: str) -> None:
    from penstock.model.errors import MQError

    try:
        qm.mqsc(f"DELETE QLOCAL({name}) PURGE")
    except MQError as failure:
        print(f"{name} could not be deleted: {failure}")


def facts_of(seen: Observation, kind: str, size: int, persistent: bool, programs: int) -> dict[str, Any]:
    """Return what was measured."""
    from penstock.lab.load import histogram

    timed = seen.times["put"]
    rows = [
        {"up_to_ms": histogram.upper_ns(bucket) / 1e6, "calls": count}
        for bucket, count in enumerate(timed)
        if count
    ]
    return {
        "kind": kind,
        "bytes": size,
        "persistent": persistent,
        "programs": programs,
        "put_per_second": round(seen.rates["put"], 1),
        "got_per_second": round(seen.rates["get"], 1),
        "mean_ms": round(seen.mean_ms("put"), 4) if rows else None,
        **{f"p{each:g}_ms": round(seen.percentile_ms("put", each), 4) if rows else None for each in PERCENTS},
        "histogram": rows,
    }


def draw(rows: list[dict[str, Any]]) -> None:
    """Print a histogram with at most some rows."""
    while len(rows) > BAR_ROWS_MAX:
        rows = [
            {"up_to_ms": pair[-1]["up_to_ms"], "calls": sum(each["calls"] for each in pair)}
            for pair in (rows[place : place + 2] for place in range(0, len(rows), 2))
        ]
    most = max((row["calls"] for row in rows), default=0)
    for row in rows:
        bar = "#" * max(1, BAR_COLUMNS * row["calls"] // most)
        print(f"{row['up_to_ms']:>12.4f} ms  {row['calls']:>10,}  {bar}")
