"""Unit tests of the toolkit: the `@Test` methods of a test project, run by their Java source.

A test project has `testproject.descriptor`, or JUnit classes below `src/main/java`; recorded messages are in
`src/main/resources`. A test gives a recorded message to one node and compares what leaves it. A test class
that does more than is known here is a failure with file and line, never a pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.assembly import Assembly, Invocation
from penstock.flow.graph.compiled import CompiledFlow
from penstock.flow.graph.instance import Instance
from penstock.flow.graph.node_context import NodeContext
from penstock.flow.java.library.unit_testing import bench
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.running import failing
from penstock.flow.java.sources import JavaSources
from penstock.flow.java.throwables import Throwable
from penstock.flow.node import IN
from penstock.flow.nodes.subflow import Output
from penstock.flow.ports import CollectingPorts
from penstock.flow.testing.cases import Result, captured_log
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from penstock.flow.java.classes import JavaClass, JavaMethod
    from penstock.flow.node import Process
    from penstock.flow.project import Project
    from penstock.tree import Message

DESCRIPTOR = "testproject.descriptor"
RESOURCES = ("src/main/resources", "src/test/resources", "resources")


def test_files(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the test projects below a folder with each of their Java files that has tests."""
    for descriptor in sorted(folder.rglob(DESCRIPTOR)):
        for path in sorted(descriptor.parent.rglob("*.java")):
            if b"@Test" in path.read_bytes():
                yield descriptor.parent, path


def run_test_file(project: Project, folder: Path, path: Path) -> list[Result]:
    """Run the tests of a Java file against the flows of a project."""
    sources = JavaSources(project.folder)
    try:
        class_ = sources.class_at(path)
    except JavaProblem as found:
        return [Result(path.stem, [str(found)])]
    marked = {
        word: [each for each in class_.methods if word in each.declared.marks]
        for word in ("Test", "BeforeEach", "AfterEach")
    }
    return [
        _run(class_, [*marked["BeforeEach"], each], marked["AfterEach"], Bench(project, folder))
        for each in marked["Test"]
    ]


test_files.__test__ = False  # type: ignore[attr-defined] # no test of pytest


def _run(class_: JavaClass, methods: list[JavaMethod], after: list[JavaMethod], place: Bench) -> Result:
    """Run one test, with what comes before and after it."""
    result = Result(methods[-1].declared.name)
    before = bench.set(place)
    try:
        with captured_log() as result.log, failing(class_.name, place.project):
            for each in (*methods, *after, *class_.constructors):
                each.prepare()
            made = class_.new(())
            try:
                for each in methods:
                    each.call(made, ())
            except Throwable as raised:
                result.problems.append(_told(raised))
            finally:
                for each in after:
                    each.call(made, ())
    except (MQError, JavaProblem) as raised:
        result.problems.append(str(raised))
    finally:
        bench.reset(before)
    return result


def _told(raised: Throwable) -> str:
    """Return why a test failed: the first cause, with its line."""
    while isinstance(raised.cause, Throwable):
        raised = raised.cause
    return f"line {raised.line}: {raised.toString()}"


class Bench:
    """What a test works with: the flows of a project, and the resources of the test project."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.project = project
        self.folder = folder

    def resource(self, name: str) -> bytes | None:
        """Return a resource by its name; None if there is none."""
        for each in RESOURCES:
            root = (self.folder / each).resolve()
            path = (root / name.lstrip("/")).resolve()
            if path.is_relative_to(root) and path.is_file():
                return path.read_bytes()
        return None

    def run_node(
        self, flow: str, label: str, terminal: str, trees: tuple[Message, Message, Message]
    ) -> list[tuple[str, Assembly]]:
        """Run one node on a message; return what it sent, with the terminals."""
        compiled = CompiledFlow(self.project.flow(flow), self.project)
        sent: list[tuple[str, Assembly]] = []
        ports = CollectingPorts()
        processes = _processes(compiled, label, ports, sent)
        process = processes.get(IN if terminal == "in" else terminal)
        if process is None:
            raise error(mq.PSRC_FLOW_PROJECT, f"node {label} has no input terminal {terminal}")
        message, local_environment, environment = trees
        invocation = Invocation(ports)
        invocation.share_environment(environment)
        process(Assembly(message, invocation, local_environment))
        return sent


def _processes(
    flow: CompiledFlow, label: str, ports: CollectingPorts, sent: list[tuple[str, Assembly]]
) -> Mapping[str, Process]:
    """Return the functions of a node, or of a subflow, by its input terminals."""
    instance = Instance(flow, ports, flow.new_deployment(flow.project.databases))
    node = flow.flat.nodes.get(label)
    if node is not None:
        wires = {name: _kept(name, sent) for name in node.outputs}
        begun = node.start(NodeContext(node, label, instance, wires))
        return {IN: begun} if callable(begun) else begun
    inside = {
        name.removeprefix(f"{label}."): name for name in flow.flat.nodes if name.startswith(f"{label}.")
    }
    if not inside:
        known = ", ".join(flow.flat.nodes)
        raise error(mq.PSRC_FLOW_PROJECT, f"flow {flow.name} has no node {label}; there are: {known}")

    def tap(place: NodeContext, process: Process) -> Process:
        is_end = isinstance(place.node, Output) and place.label in inside.values()
        return _kept(place.label.rpartition(".")[2], sent) if is_end else process

    started = flow.start_in(instance, tap)
    return {short: started[name][IN] for short, name in inside.items() if name in started}


def _kept(name: str, sent: list[tuple[str, Assembly]]) -> Process:
    """Return a wire that keeps copies of what passes it."""

    def keep(assembly: Assembly) -> None:
        copied = assembly.sending(assembly.message.copy(), assembly.copied_local_environment())
        sent.append((name, copied))

    return keep
