"""The conversions of the broker's performance report as flows: each format to each, by ESQL and by Mapping.

A message of 30 fields with padding, as generic XML, CWF, MRM XML and TDS (section 3.8), three of the pairs by
Mapping nodes (3.7), and a SWIFT MT543 that is parsed and written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import tree
from penstock.flow import Flow, Node, Project, nodes
from penstock.flow.mapping import Map
from penstock.lab.flows.messages import ENVELOPE, FLOATS, INTEGERS, TEXTS
from penstock.lab.flows.programs import MODULE
from penstock.tree.convert import convert
from penstock.tree.model.yaml_model import read_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from penstock.tree.model import Model

FORMATS = ("generic XML", "CWF", "MRM XML", "TDS")  # in the order of the report's sections 10.8.1 to 10.8.4
BY_MAPPING = {"10.7.1": ("CWF", "TDS"), "10.7.2": ("MRM XML", "CWF"), "10.7.3": ("TDS", "generic XML")}
NAMES = (*TEXTS, *FLOATS, *INTEGERS, "PAD")
SIZES = (4096, 16384, 65536)
HEADERS = ("SET OutputRoot.Properties = InputRoot.Properties;", "SET OutputRoot.MQMD = InputRoot.MQMD;")


def conversion(model: Model, source: str, target: str) -> Callable[[bytes], bytes]:
    """Return the conversion from one format to another, without a flow."""
    given = (
        {"domain": "XMLNSC"}
        if source == "generic XML"
        else {"domain": "MRM", "model": model, "format": source}
    )

    def work(body: bytes) -> bytes:
        message = tree.parse(body, **given)
        if target == "generic XML":
            return convert(message, "XMLNSC", root="CSIM").serialise()
        return convert(message, "MRM", model, format=target).serialise()

    return work


def converting(source: str, target: str, size: int, by_map: bool, prefix: str = "") -> Flow:
    """Return the flow of a conversion, from IN to OUT."""
    node = (
        nodes.Mapping(map_of(source, target, size))
        if by_map
        else nodes.Compute(module=module_name(source, target, size))
    )
    if source == "generic XML":
        return between("XMLNSC", node, prefix)
    said = {"model": model_name(size), "message_type": "CSIM", "message_format": source}
    return between("MRM", node, prefix, **said)


def between(domain: str, node: Node, prefix: str = "", **said: Any) -> Flow:
    """Return a flow with one node between IN and OUT; both begin with the prefix."""
    flow = Flow("conversion")
    start = flow.add(nodes.MQInput(f"{prefix}IN", domain=domain, transaction="automatic", **said))
    middle, out = flow.add(node), flow.add(nodes.MQOutput(f"{prefix}OUT"))
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


def model_in_memory(size: int) -> Model:
    """Return the model for a size."""
    return read_model(model_text(size), name=model_name(size))


def project_in(folder: Path, sizes: Sequence[int] = SIZES) -> Project:
    """Write a model for each size and a module for each conversion."""
    (folder / "esql").mkdir()
    (folder / "models").mkdir()
    text = MODULE.format(
        kind="COMPUTE",
        name="Swift",
        body="SET OutputRoot = InputRoot;\nSET OutputRoot.SWIFT.Block4.SETDET.AMT.\"19A::SETT\" = 'EUR5,';",
    )
    for size in sizes:
        (folder / "models" / f"{model_name(size)}.yaml").write_text(model_text(size))
        for source in FORMATS:
            for target in FORMATS:
                name, body = module_name(source, target, size), program(source, target, size)
                text += MODULE.format(kind="COMPUTE", name=name, body=body)
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


def model_name(size: int) -> str:
    """Return the name of the model for a size."""
    return f"matrix{size}"


def module_name(source: str, target: str, size: int) -> str:
    """Return the name of the module for a conversion."""
    return f"{source}_to_{target}_{size}".replace(" ", "_")
