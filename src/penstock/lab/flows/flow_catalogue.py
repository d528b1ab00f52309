"""The flows of the catalogue by name, compiled for one test, and the messages that go through them.

A description is a dictionary that fits into JSON: `name`, `prefix` of the queues, `bytes`, and what a variant
changes. `project` names a user's own flow in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.lab.flows import conversions, nodes
from penstock.lab.flows.aggregation import fan_in, fan_out
from penstock.lab.flows.messages import MT543, generic, path_message, sale_message
from penstock.lab.flows.publication import publishing

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow import CompiledFlow, Flow, Project

REQUESTS = 4  # of an aggregation
FORMATS = {"xml": "generic XML", "cwf": "CWF", "mrmxml": "MRM XML", "tds": "TDS"}
SECTIONS = {
    "trivial": "10.1",
    "compute_simple": "10.3.1",
    "compute_complex": "10.3.2",
    "compute_multiple": "10.3.3",
    "compute_very_complex": "10.3.4",
    "compute_nested_select": "10.3.5",
    "database_insert_delete": "10.4.1",
    "database_update": "10.4.2",
    "database_read": "10.4.3",
    "filter": "10.5",
    "floworder_base": "10.6.1",
    "floworder": "10.6.2",
    "route_to_label_1": "10.10.1",
    "route_to_label_100": "10.10.2",
}
_CONVERSION = re.compile(r"(mapping|convert)_(xml|cwf|mrmxml|tds)_(xml|cwf|mrmxml|tds)$")


def compiled(about: dict[str, Any], folder: Path) -> CompiledFlow:
    """Return a flow ready to run; its files are in a folder of its own."""
    from penstock.flow import CompiledFlow

    if "project" in about:
        from penstock.flow import Project

        project = Project(about["project"])
        return CompiledFlow(project.flow(about["name"]), project)
    return CompiledFlow(_flow(about), _project(about, folder))


def _flow(about: dict[str, Any]) -> Flow:
    name, prefix = about["name"], about["prefix"]
    if name == "fan_out":
        folders = [f"F{number}" for number in range(REQUESTS)]
        return _fan_out(folders, about)
    if name == "fan_in":
        return _fan_in(about)
    if name == "both":
        return fan_in(flow=_flow({**about, "name": "fan_out"}), prefix=prefix)
    if name.startswith("publication"):
        return publishing("XMLNSC" if name == "publication_content" else "BLOB", prefix, f"{prefix}TOPIC")
    if name == "swift_mt543":
        from penstock.flow import nodes as kinds

        return conversions.between("SWIFT", kinds.Compute(module="Swift"), prefix)
    if found := _CONVERSION.match(name):
        by_map, source, target = found[1] == "mapping", FORMATS[found[2]], FORMATS[found[3]]
        return conversions.converting(source, target, about["bytes"], by_map, prefix)
    return nodes.flow_of(case(name), prefix)


def _fan_out(folders: list[str], about: dict[str, Any]) -> Flow:
    """Return the flow that sends requests, with control messages to the collecting flow if wanted."""
    from penstock.flow import nodes as kinds

    prefix, control = about["prefix"], bool(about.get("control"))
    made = fan_out(
        folders, prefix=prefix, transaction=about.get("transaction", "yes"), control_messages=control
    )
    if control:
        begin = made.node("AggregateControl")
        begin.terminal("control") >> made.add(kinds.MQOutput(f"{prefix}LATE"), name="control").in_
    return made


def _fan_in(about: dict[str, Any]) -> Flow:
    from penstock.flow import nodes as kinds

    made = fan_in(prefix=about["prefix"])
    if about.get("control"):
        source = made.add(kinds.MQInput(f"{about['prefix']}LATE", domain="XMLNSC"), name="Controls")
        source.out >> made.node("AggregateReply").terminal("control")
    return made


def case(name: str) -> nodes.Case:
    """Return a node test by its name in the catalogue."""
    return next(each for each in nodes.CASES if each.section == SECTIONS[name])


def _project(about: dict[str, Any], folder: Path) -> Project | None:
    folder.mkdir(parents=True, exist_ok=True)
    if _CONVERSION.match(about["name"]) or about["name"] == "swift_mt543":
        return conversions.project_in(folder, (about["bytes"],))
    return nodes.project_in(folder) if about["name"] in SECTIONS else None


def bodies(about: dict[str, Any]) -> list[bytes]:
    """Return the messages of a flow, or a user's own from files."""
    if "files" in about:
        from pathlib import Path

        return [Path(each).read_bytes() for each in about["files"]]
    name, size = about["name"], about["bytes"]
    if name == "swift_mt543":
        return [MT543]
    if found := _CONVERSION.match(name):
        xml = generic(size)
        source = FORMATS[found[2]]
        return [xml if source == "generic XML" else _converted(xml, source, size)]
    return [sale_message(size) if name == "compute_nested_select" else path_message(size)]


def _converted(xml: bytes, source: str, size: int) -> bytes:
    return conversions.conversion(conversions.model_in_memory(size), "generic XML", source)(xml)
