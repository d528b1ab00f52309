"""The conversions of the broker's performance report as flows: each format to each, by ESQL and by Mapping.

A message of 30 fields (10 short strings, 10 floats, 10 integers) with padding, as generic XML, CWF, MRM XML
and TDS (section 3.8), three of the pairs by Mapping nodes (3.7), and a SWIFT MT543 that is parsed and
written. Every conversion is checked once by its way back.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.flow import CompiledFlow, Project, nodes
from penstock.lab.flows.conversions import (
    BY_MAPPING,
    FORMATS,
    between,
    conversion,
    converting,
    model_name,
    project_in,
)
from penstock.lab.flows.messages import ENVELOPE, MT543, generic, values_of
from tests.bench.flow_driver import add_line, best_of, count_for, published, run_flow, table, timed
from tests.bench.tree_models import Scripts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Figures, Result
    from penstock.lab.load.setting import Setting


def measure(setting: Setting) -> Iterator[Result]:
    lines = table("Conversions")
    with tempfile.TemporaryDirectory(dir=setting.folder) as folder, setting.queue_manager("IN", "OUT") as qm:
        project = project_in(Path(folder))
        for section, (source, target) in BY_MAPPING.items():
            convert(setting, qm, project, lines, section, source, target, by_map=True)
        for row, source in enumerate(FORMATS, 1):
            for column, target in enumerate(FORMATS, 1):
                convert(setting, qm, project, lines, f"10.8.{row}.{column}", source, target)
        swift(setting, qm, project, lines)
    yield lines


def convert(
    setting: Setting,
    qm: Any,
    project: Project,
    lines: Figures,
    section: str,
    source: str,
    target: str,
    by_map: bool = False,
) -> None:
    """Measure one conversion in the sizes and kinds of the report."""
    for theirs in published(section, setting.quick):
        model = project.model(model_name(theirs.size))
        xml = generic(theirs.size)
        body = conversion(model, "generic XML", source)(xml) if source != "generic XML" else xml
        flow = CompiledFlow(converting(source, target, theirs.size, by_map), project)
        timed(qm, flow, body, 1, False)
        back = qm.get("OUT").body if target == "generic XML" else None
        back = back or conversion(model, target, "generic XML")(qm.get("OUT").body)
        assert Scripts(0).read_xml(back) == values_of(theirs.size - ENVELOPE), section
        once = partial(run_flow, qm, flow, body, count_for(setting, theirs.size), theirs.persistent)
        what = f"{source} to {target}" + (", Mapping" if by_map else "")
        add_line(lines, section, what, len(body), best_of(setting, once), theirs)


def swift(setting: Setting, qm: Any, project: Project, lines: Figures) -> None:
    flow = CompiledFlow(between("SWIFT", nodes.Compute(module="Swift")), project)
    for theirs in published("10.8.5"):
        once = partial(run_flow, qm, flow, MT543, count_for(setting, len(MT543)), theirs.persistent)
        add_line(lines, "10.8.5", "SWIFT MT543", len(MT543), best_of(setting, once), theirs)
