"""The node tests of the broker's performance report as flows here: messages a second and CPU ms a message.

The table of the tests of sections 3.1 and 3.3 to 3.6, and 3.10; `flow_driver` runs them. Databases are SQLite
files without coordination. Each flow is also shown as a ratio to the trivial flow in the same round.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.lab.analysis.results import Result, Row
from penstock.lab.flows.messages import path_message
from penstock.lab.flows.nodes import CASES, LABELS, Case, flow_of, project_in
from tests.bench.flow_driver import add_line, best_of, count_for, published, run_flow, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting


def measure(setting: Setting) -> Iterator[Result]:
    lines = table("Nodes")
    with tempfile.TemporaryDirectory(dir=setting.folder) as folder, setting.queue_manager("IN", "OUT") as qm:
        project = project_in(Path(folder))
        flows = {case.section: CompiledFlow(flow_of(case), project) for case in CASES}
        for case in CASES:
            for theirs in published(case.section, setting.quick):
                body, count = case.message(theirs.size), count_for(setting, theirs.size)
                once = partial(run_flow, qm, flows[case.section], body, count, theirs.persistent)
                add_line(lines, case.section, case.what, theirs.size, best_of(setting, once), theirs)
            if case is not CASES[0]:
                yield beside_trivial(setting, qm, case, flows)
        yield list_of_queues(setting, qm, project)
    yield lines


def list_of_queues(setting: Setting, qm: Any, project: Project) -> Row:
    """Put to a destination list of a hundred queues, and of one: processor time of each destination.

    The report has destination lists for RouteToLabel alone; those stand in the table.
    """
    qm.mqsc("".join(f"DEFINE QLOCAL(LIST.{number})\n" for number in range(1, LABELS + 1)))
    body, flows = (
        path_message(4096),
        {count: CompiledFlow(list_flow(count), project) for count in (1, LABELS)},
    )

    def each(entries: int, count: int) -> float:
        taken = run_flow(qm, flows[entries], body, count, False).processor * 1e9 / entries
        for number in range(1, LABELS + 1):
            qm.mqsc(f"CLEAR QLOCAL(LIST.{number})")
        return taken

    count = setting.size(200, 50)
    values = setting.interleave(partial(each, LABELS, count), partial(each, 1, count))
    return Row(f"MQOutput, list of {LABELS} queues, each, CPU", "list of 1", "ns", *values)


def list_flow(entries: int) -> Flow:
    flow = Flow(f"list of {entries}")
    start = flow.add(nodes.MQInput("IN", domain="XML", transaction="automatic"))
    fill = flow.add(nodes.Compute(module=f"Queues{entries}", mode="destination"))
    out, last = flow.add(nodes.MQOutput(destination="list")), flow.add(nodes.MQOutput("OUT"))
    start.out >> fill.in_
    fill.out >> out.in_
    out.out >> last.in_
    return flow


def beside_trivial(setting: Setting, qm: Any, case: Case, flows: dict[str, CompiledFlow]) -> Row:
    """Compare processor time with that of the trivial flow, for 4 KB, not persistent."""
    body, count = case.message(4096), setting.size(400, 100)
    values = setting.interleave(
        lambda: run_flow(qm, flows[case.section], body, count, False).processor * 1e9,
        lambda: run_flow(qm, flows[CASES[0].section], body, count, False).processor * 1e9,
    )
    return Row(f"{case.what}, 4 KB, CPU", "MQInput to MQOutput", "ns", *values)
