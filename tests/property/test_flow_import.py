"""Flow files from strangers: whatever stands in them, the importer makes a flow or says what is wrong."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.flow import Project
from penstock.flow.drawing.layout import lay_out
from penstock.flow.drawing.svg import svg_of
from penstock.flow.drawing.text import text_of
from penstock.flow.importer.node_table import ROWS
from penstock.flow.importer.overrides import read_broker_xml, read_override_file
from penstock.flow.importer.python_writer import python_of
from penstock.flow.importer.xmi import read_flow
from penstock.model.errors import MQError
from tests.flow_files import FlowFile

LABELS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12)
VALUES = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=20) | st.sampled_from(
    ["true", "5", "esql://routine/a#B.Main", "msl://{default}#M", "MRM", "0"]
)


def valid_file() -> bytes:
    file = FlowFile().property("Who", "x").node("ComIbmMQInput", "In", queueName="Q")
    file.node("ComIbmRoute", "Route", '<filterTable filterPattern="1" routingOutputTerminal="x"/>')
    file.node("a/Sub.subflow", "Sub").node("ComIbmMQOutput", "Out", queueName="O").promote(
        "Who", "Out", "queueName"
    )
    return (
        file.wire("In.out", "Route.in").wire("Route.x", "Out.in").wire("Sub.Output", "Out.in").text().encode()
    )


VALID = valid_file()


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for read in (read_flow, read_broker_xml):
        try:
            read(content, "F.msgflow")
        except MQError as raised:
            assert raised.reason == 8361


@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.binary(max_size=6)), min_size=1, max_size=8))
def test_a_mutated_file_becomes_a_flow_or_is_refused(changes: list[tuple[int, bytes]]) -> None:
    content = bytearray(VALID)
    for at, piece in changes:
        content[at : at + len(piece)] = piece
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "F.msgflow")
        path.write_bytes(content)
        built_or_refused(Project(folder))


@st.composite
def flow_files(draw: st.DrawFn) -> FlowFile:
    """A well-formed file with any nodes, labels, properties and wires."""
    file = FlowFile()
    types = st.sampled_from([*ROWS, "ComIbmIMSRequest", "F.msgflow", "a/Other.subflow", "my_Node"])
    for number in range(draw(st.integers(1, 6))):
        type_ = draw(types)
        names = list(ROWS[type_].properties) if type_ in ROWS else ["x"]
        chosen = draw(st.lists(st.sampled_from(names), max_size=4, unique=True)) if names else []
        esql = ROWS[type_].esql if type_ in ROWS else ""
        values = {name: draw(VALUES) for name in [*chosen, *([esql] if esql else [])]}
        file.node(type_, f"{number}{draw(LABELS)}", **values)
    labels = list(file.ids)
    terminals = st.sampled_from(["out", "in", "failure", "catch", "true", "Input", "x"])
    for _ in range(draw(st.integers(0, 8))):
        source, target = draw(st.sampled_from(labels)), draw(st.sampled_from(labels))
        file.wire(f"{source}.{draw(terminals)}", f"{target}.{draw(terminals)}")
    return file


@settings(deadline=None)
@given(flow_files())
def test_any_nodes_become_a_flow_that_can_be_drawn_and_written(file: FlowFile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file.write(Path(folder, "F.msgflow"))
        project = Project(folder)
        built_or_refused(project)
        assert not project.flow_files.refused


def built_or_refused(project: Project) -> None:
    for flow in project.flows.values():
        layout = lay_out(flow)
        text_of(layout)
        svg_of(layout, flow.name)
        compile(python_of(flow), "written.py", "exec")
    assert all(raised.reason == 8361 for raised in project.flow_files.refused.values())


@given(st.text(max_size=200))
def test_any_text_is_an_override_file_or_refused(text: str) -> None:
    try:
        read_override_file(text, "o.properties")
    except MQError as raised:
        assert raised.reason == 8361
