"""A user's own load as a test: a flow of a project with sample messages, or recorded traffic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.lab.catalogue.test_file import RampPlan, Test
from penstock.lab.load.replay import LEAD_SECONDS
from penstock.lab.run.folder import arrow
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.lab.run.tiers import Tier

COPIES_MAX = 4
COLUMNS = ("offset_us", "queue", "bytes", "persistent")
ROWS_MAX = 1_000_000
MARGIN_SECONDS = 0.1  # of a window, before a recording and behind it


def flow_test(place: Path, messages: Path, persistent: bool = False) -> Test:
    """Return the test of a flow: a project's folder, with `:name` where it has several flows."""
    from penstock.flow import Project, nodes

    folder, _, name = str(place).partition(":")
    project = Project(folder)
    flows = project.flows
    if not name and len(flows) == 1:
        name = next(iter(flows))
    if name not in flows:
        raise error(
            mq.PSRC_LAB_FILE, f"{folder} has the flows {', '.join(sorted(flows))}; name one: {folder}:NAME"
        )
    found = flows[name].nodes
    inputs = [node.queue for node in found if isinstance(node, nodes.MQInput)]
    outputs = [node.queue for node in found if isinstance(node, nodes.MQOutput) and node.queue]
    if not inputs or not outputs:
        raise error(
            mq.PSRC_LAB_FILE, f"{name} has no MQInput and MQOutput: nothing can be measured around it"
        )
    files = sorted(
        path for path in ([messages] if messages.is_file() else messages.rglob("*")) if path.is_file()
    )
    if not files:
        raise error(mq.PSRC_LAB_FILE, f"{messages} has no messages")
    size = round(sum(path.stat().st_size for path in files) / len(files))
    load: dict[str, Any] = {"work": "flow", "flow": name, "project": str(project.folder), "bytes": size}
    load |= {"files": [str(path.resolve()) for path in files], "source": inputs[0], "target": outputs[0]}
    load |= {"persistent": persistent, "others": [*inputs, *outputs]}
    what = f"messages of {size:,} bytes on average through the flow {name}"
    ramp = RampPlan(over="copies", first=1, last=COPIES_MAX, smoke=1)
    return Test(test=name, title=f"Flow {name}", seed="own", section="", what=what, load=load, ramp=ramp)


def replay_tier(tier: Tier, seconds: float, rounds: int = 1) -> Tier:
    """Return a tier whose window is around all of a recording."""
    return replace(tier.changed(rounds, seconds + 2 * MARGIN_SECONDS), warm_s=LEAD_SECONDS - MARGIN_SECONDS)


def replay_test(recording: Path, speed: float) -> tuple[Test, float]:
    """Return the test of a recording, and how long it takes."""
    try:
        table = arrow().parquet.read_table(recording, columns=list(COLUMNS))
    except (OSError, ValueError, KeyError) as failure:
        raise error(
            mq.PSRC_LAB_FILE, f"{recording}: {failure}; a recording has {', '.join(COLUMNS)}"
        ) from None
    if not 0 < table.num_rows <= ROWS_MAX:
        raise error(
            mq.PSRC_LAB_FILE, f"{recording} has {table.num_rows} rows; 1 to {ROWS_MAX:,} can be replayed"
        )
    rows = sorted([row[name] for name in COLUMNS] for row in table.to_pylist())
    seconds = rows[-1][0] / 1e6 / speed
    load = {"work": "replay", "via": "client", "rows": rows, "speed": speed}
    test = Test(
        test=recording.stem,
        title=f"Replay of {recording.name}",
        seed="own",
        section="",
        what=f"{len(rows):,} recorded messages at {speed:g} times their pace",
        load=load,
        points=({},),
    )
    return test, seconds
