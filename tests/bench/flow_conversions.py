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

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.mapping import Map
from tests.bench.flow_driver import add_line, best_of, count_for, published, run_flow, table, timed
from tests.bench.tree_models import FLOATS, INTEGERS, TEXTS, Scripts, conversion, values_of
from tests.unit.tree.swift_messages import MT543

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow import Node
    from penstock.lab.analysis.results import Figures, Result
    from penstock.lab.load.setting import Setting

FORMATS = ("generic XML", "CWF", "MRM XML", "TDS")  # in the order of the report's sections 10.8.1 to 10.8.4
BY_MAPPING = {"10.7.1": ("CWF", "TDS"), "10.7.2": ("MRM XML", "CWF"), "10.7.3": ("TDS", "generic XML")}
NAMES = (*TEXTS, *FLOATS, *INTEGERS, "PAD")
ENVELOPE = 900  # bytes of a message beside its padding, about
SIZES = (4096, 16384, 65536)
MODULE = """CREATE COMPUTE MODULE {name}
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
{body}
RETURN TRUE;
END;
END MODULE;
"""
HEADERS = ("SET OutputRoot.Properties = InputRoot.Properties;", "SET OutputRoot.MQMD = InputRoot.MQMD;")


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


# -- flows and what belongs to them ------------------------------------------------------------


def converting(source: str, target: str, size: int, by_map: bool) -> Flow:
    node = (
        nodes.Mapping(map_of(source, target, size))
        if by_map
        else nodes.Compute(module=module_name(source, target, size))
    )
    if source == "generic XML":
        return between("XMLNSC", node)
    said = {"model": model_name(size), "message_type": "CSIM", "message_format": source}
    return between("MRM", node, **said)


def between(domain: str, node: Node, **said: str) -> Flow:
    flow = Flow("conversion")
    start = flow.add(nodes.MQInput("IN", domain=domain, transaction="automatic", **said))
    middle, out = flow.add(node), flow.add(nodes.MQOutput("OUT"))
    start.out >> middle.in_
    middle.out >> out.in_
    return flow


def map_of(source: str, target: str, size: int) -> Map:
    """Return a map that copies every field, without the condition on NULL."""
    made = Map("XMLNSC") if target == "generic XML" else Map("MRM", model_name(size), "CSIM", target)
    into = "CSIM." if target == "generic XML" else ""
    from_ = "source.CSIM." if source == "generic XML" else "source."
    for name in NAMES:
        made.set(f"{into}{name}", f"{from_}{name}")
    return made


def project_in(folder: Path) -> Project:
    """Write a model for each size and a module for each conversion."""
    (folder / "esql").mkdir()
    (folder / "models").mkdir()
    text = MODULE.format(
        name="Swift",
        body="SET OutputRoot = InputRoot;\nSET OutputRoot.SWIFT.Block4.SETDET.AMT.\"19A::SETT\" = 'EUR5,';",
    )
    for size in SIZES:
        (folder / "models" / f"{model_name(size)}.yaml").write_text(model_text(size))
        text += "".join(
            MODULE.format(name=module_name(source, target, size), body=program(source, target, size))
            for source in FORMATS
            for target in FORMATS
        )
    (folder / "esql" / "conversions.esql").write_text(text)
    return Project(folder)


def program(source: str, target: str, size: int) -> str:
    """Return ESQL that copies field by field."""
    from_ = "InputRoot.XMLNSC.CSIM" if source == "generic XML" else "InputRoot.MRM"
    into = "OutputRoot.XMLNSC.CSIM" if target == "generic XML" else "OutputRoot.MRM"
    lines = list(HEADERS)
    if target != "generic XML":
        said = {"MessageSet": model_name(size), "MessageType": "CSIM", "MessageFormat": target}
        lines += [f"SET OutputRoot.Properties.{name} = '{value}';" for name, value in said.items()]
    return "\n".join([*lines, *(f"SET {into}.{name} = {from_}.{name};" for name in NAMES)])


def model_text(size: int) -> str:
    """Return the model in YAML."""
    fields = [f"{{name: {name}, CWF: {{length: 12}}, TDS: {{tag: {name}}}}}" for name in TEXTS]
    fields += [f"{{name: {name}, type: float, CWF: {{}}, TDS: {{tag: {name}}}}}" for name in FLOATS]
    fields += [f"{{name: {name}, type: integer, CWF: {{}}, TDS: {{tag: {name}}}}}" for name in INTEGERS]
    fields.append(f"{{name: PAD, CWF: {{length: {size - ENVELOPE}}}, TDS: {{tag: PAD}}}}")
    listed = "\n".join(f"      - {field}" for field in fields)
    return f"""model: {model_name(size).upper()}
formats:
  CWF: {{kind: CWF}}
  MRM XML: {{kind: XML}}
  TDS: {{kind: TDS}}
messages:
  CSIM:
    TDS: {{separation: tagged delimited, delimiter: "*", tag_data_separator: ":"}}
    fields:
{listed}
"""


def generic(size: int) -> bytes:
    """Return the message as generic XML."""
    values = values_of(size - ENVELOPE)
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
    return f"<CSIM>{inner}</CSIM>".encode()


def model_name(size: int) -> str:
    return f"matrix{size}"


def module_name(source: str, target: str, size: int) -> str:
    return f"{source}_to_{target}_{size}".replace(" ", "_")
