"""Stubs for the Java of a project: Python modules with the classes and functions that its flows need.

`penstock flow import` writes one module per class into `python/`. A stub raises until you write what the
Java did; flows already call it by its name.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.esql.files import read_source
from penstock.flow.external_routines import outside_routines, plain
from penstock.flow.importer.xml_reading import read_xml
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.flow.project import Project

JAVA_COMPUTE = "ComIbmJavaCompute"
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Stub:
    """A Java class: its functions with their parameters, and whether a JavaCompute node runs it."""

    name: str
    functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_node: bool = False


def wanted_stubs(project: Project) -> dict[str, Stub]:
    """Return the classes that flows, ESQL and maps of a project need and that it has no Python for."""
    found: dict[str, Stub] = {}
    for class_ in _node_classes(project):
        if class_ not in project.flow_files.importer.node_classes and not project.stand_ins.place_of(class_):
            found.setdefault(class_, Stub(class_)).is_node = True
    for class_, function, parameters in (*_routines(project), *_map_functions(project)):
        if class_ and project.stand_ins.function(class_, function) is None:
            found.setdefault(class_, Stub(class_)).functions.setdefault(function, parameters)
    return found


def write_stubs(project: Project, folder: Path) -> list[Path]:
    """Write the missing modules into a folder; existing files are not changed."""
    written = []
    for stub in wanted_stubs(project).values():
        short = stub.name.rpartition(".")[2]
        path = folder / f"{short}.py"
        if not _NAME.fullmatch(short) or path.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(stub), "utf-8")
        project.stand_ins.promise(stub.name)
        written.append(path)
    return written


def text_of(stub: Stub) -> str:
    """Return the module of a stub."""
    short = stub.name.rpartition(".")[2]
    lines = [f'"""Stands in for the Java class {stub.name}."""', ""]
    if stub.is_node:
        lines += [
            *("", f"class {short}:", f'    """What the JavaCompute node with class {stub.name} does."""', ""),
            *("    def evaluate(self, call):", f'        raise NotImplementedError("{stub.name}")', ""),
        ]
    for name, parameters in stub.functions.items():
        safe = ", ".join(f"{each}_" if keyword.iskeyword(each) else each for each in parameters)
        lines += ["", f"def {name}({safe}):", f'    raise NotImplementedError("{stub.name}.{name}")', ""]
    return "\n".join(lines)


def _node_classes(project: Project) -> Iterator[str]:
    importer = project.flow_files.importer
    for _, name, path in project.workspace.flow_files():
        try:
            description = importer.describe(name, path)
        except MQError:
            continue  # the check lists it
        for node in description.nodes:
            if node.type == JAVA_COMPUTE and node.properties.get("javaClass"):
                yield node.properties["javaClass"]


def _routines(project: Project) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for each in project.workspace.projects:
        for _, path in each.of_ending(".esql"):
            for routine in outside_routines(plain(read_source(path).text)):
                class_, _, function = routine.external.rpartition(".")
                yield class_, function, routine.parameters


def _map_functions(project: Project) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    from penstock.flow.mapping.graphical.map_file import java_functions

    for each in project.workspace.projects:
        for name, path in each.of_ending(".map"):
            try:
                root = read_xml(path.read_bytes(), name).root
            except MQError:
                continue
            for _, class_, function in java_functions(root):
                yield class_, function, ("*arguments",)
