"""Makes one of our nodes from a description, by its row of the table.

A class of the project (`nodes/*.py`) takes precedence over the table: it implements a user-defined node of
its name, or the Java or .NET class of a JavaCompute. `NotAvailable` has the reason if there is none.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from penstock.flow import nodes
from penstock.flow.importer.node_table import ROWS, reason
from penstock.flow.importer.policies import with_policies

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.importer.building import Building
    from penstock.flow.importer.description import NodeDescription
    from penstock.flow.importer.row import Row
    from penstock.flow.node import Node

_ADDRESS = re.compile(r"esql://routine/(?P<schema>[^#]*)#(?P<module>[^.]+)(\..*)?")
_MAP = re.compile(r"msl://(?P<schema>[^#]*)#(?P<name>[^#]+)")
_LIBRARY = re.compile(r"\{(?:mbsharedlib:)?([^{}]+)\}(.+)")
_CLASS_PROPERTIES = ("javaClass", "nodeClassName")
MODELLED = ("MRM", "DFDL")
NOT_SET = ("", "none", "inherit")


class NotAvailable(Exception):
    """A node cannot be made, for a `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def make_node(node: NodeDescription, site: Building) -> Node:
    """Return the node for a description."""
    own = _own_class(node, site)
    if own is not None:
        return _constructed(own, dict(node.properties), node, site)
    if node.type == "ComIbmJavaCompute":
        return _java_compute(node, site)
    row = ROWS.get(node.type)
    if row is None:
        raise NotAvailable(reason(node.type))
    made: type[Node] | None = getattr(nodes, row.node, None)
    if made is None:
        raise NotAvailable(f"there is no {row.node} node yet")
    node = with_policies(node, site)
    refused = row.refuse(node)
    if refused is not None:
        raise NotAvailable(refused)
    return _constructed(made, _arguments(row, node, site), node, site)


def _own_class(node: NodeDescription, site: Building) -> type[Node] | None:
    names = [node.type, node.type.rpartition("_")[2]]
    names += [node.properties.get(each, "").rpartition(".")[2] for each in _CLASS_PROPERTIES]
    return next((site.node_classes[name] for name in names if name in site.node_classes), None)


def _java_compute(node: NodeDescription, site: Building) -> Node:
    """Return a PythonCompute with the Python that replaces a Java class."""
    class_ = node.properties.get("javaClass", "")
    stand_ins = site.importer.stand_ins
    place = "" if stand_ins is None else stand_ins.place_of(class_)
    if not place:
        short = class_.rpartition(".")[2]
        why = "" if stand_ins is None else stand_ins.problems.get(class_, f"there is no {short}.java")
        raise NotAvailable(
            f"Java class {class_} cannot be run ({why}): write class {short} with evaluate(self, call) in"
            f" python/{short}.py (`penstock flow import` writes a stub)"
        )
    return nodes.PythonCompute(place, name=node.label)


def _constructed(made: type[Node], arguments: dict[str, Any], node: NodeDescription, site: Building) -> Node:
    """Call a node's class with the arguments that it accepts; note the others."""
    known = inspect.signature(made).parameters
    for name in [name for name in arguments if name not in known]:
        value = arguments.pop(name)
        if value not in NOT_SET and value is not False:
            site.note(node.label, f"property {name}={value!r} is not known to {made.__name__}")
    missing = [
        each.name
        for each in known.values()
        if each.default is each.empty
        and each.kind == each.POSITIONAL_OR_KEYWORD
        and each.name not in arguments
    ]
    arguments.update(dict.fromkeys(missing, ""))
    return made(**arguments, **({"name": node.label} if "name" in known else {}))


def _arguments(row: Row, node: NodeDescription, site: Building) -> dict[str, Any]:
    """Return the arguments of a node; overrides may use our names of properties as well as IBM's."""
    found: dict[str, Any] = dict(row.defaults)
    if row.project:
        found[row.project] = site.project.name
    ours = {argument: (argument, convert) for argument, convert in row.properties.values()}
    for name, text in node.properties.items():
        if name == row.esql:
            found.update(_esql(text, site))
        elif name in row.properties or name in ours:
            argument, convert = row.properties.get(name) or ours[name]
            try:
                found[argument] = convert(text)
            except ValueError:
                raise NotAvailable(f"property {name} cannot be {text!r}") from None
        elif name not in row.silent:
            site.note(node.label, f"property {name}={text!r} is not taken over")
    found.update(row.tables(node) or {})
    _resolve_files(found, site)
    if row.node == "HTTPInput":
        found.update(_api(site))
    return found


def _esql(text: str, site: Building) -> dict[str, str]:
    """Return file and module of an address such as `esql://routine/a.b#Module.Main`."""
    found = _ADDRESS.fullmatch(unquote(text))
    if found is None:
        return {"expression": text}
    name = ".".join(part for part in (found["schema"], found["module"]) if part)
    path = site.workspace.find_module(site.project, name)
    if path is None:
        raise NotAvailable(f"there is no ESQL module {name} in this project or beside it")
    return {"esql": _relative(path, site), "module": name}


def _resolve_files(found: dict[str, Any], site: Building) -> None:
    """Turn the names of message sets, maps and style sheets into paths of the project."""
    if found.get("model") or (found.get("domain") == "DFDL" and found.get("message_type")):
        found["model"] = _model(found, site)
    if found.get("map"):
        found["map"] = _map(found["map"], site)
    if found.get("stylesheet"):
        name = found["stylesheet"].replace("\\", "/").lstrip("/")
        found["stylesheet"] = _file(name, f"style sheet {name}", site)
    if found.get("definition"):
        library, name = _in_library(found["definition"].replace("\\", "/"))
        found["definition"] = _file(name, f"REST definition {name}", site, library)
    if found.get("wsdl"):  # without the file, the element in the body names the operation
        known = site.workspace.find(site.project, found["wsdl"].replace("\\", "/").lstrip("/"))
        found["wsdl"] = "" if known is None else _relative(known[1], site)


def _model(found: dict[str, Any], site: Building) -> str:
    """Return the path of a model; only MRM and DFDL messages need one."""
    domain, name = found.get("domain", ""), found.get("model", "")
    if domain not in MODELLED:
        return ""
    path = site.workspace.message_set(site.project, name) if name else None
    if path is None and domain == "DFDL":
        path = site.workspace.schema_file(site.project, found.get("message_type", ""))
    if path is None:
        what = name or found.get("message_type", "")
        raise NotAvailable(f"there is no message set or schema {what!r} in this project or beside it")
    return _relative(path, site)


def _map(text: str, site: Building) -> str:
    found = _MAP.fullmatch(unquote(text))
    if found is None:
        return text
    given = found["schema"]
    library, schema = _in_library(given[1:-1] if given.startswith("{{") else given)  # {{mbsharedlib:A}b}
    schema = "" if schema in ("{default}", "default") else schema.strip("{}").replace(".", "/")
    name = f"{schema}/{found['name']}.map" if schema else f"{found['name']}.map"
    return _file(name, f"map {name}", site, library)


def _in_library(text: str) -> tuple[str, str]:
    """Return the library that a name begins with, and the rest: `{mbsharedlib:Shop}{a.b}`, `{Shop}a.json`.

    >>> _in_library("{Shop}orders.json")
    ('Shop', 'orders.json')
    """
    found = _LIBRARY.fullmatch(text)
    return ("", text) if found is None else (found[1], found[2])


def _api(site: Building) -> dict[str, str]:
    """Return the definition of a REST API for the flow that implements it."""
    definition = site.project.api_of(site.files[0])
    if definition is None:
        return {}
    if not definition.is_file():
        raise NotAvailable(f"there is no {definition.name}, which restapi.descriptor names")
    return {"api": _relative(definition, site)}


def _file(name: str, what: str, site: Building, library: str = "") -> str:
    """Return the path of a file: of a library if one is named and has it."""
    around = site.workspace.around(site.project) if library else []
    start = next((each for each in around if each.name == library and name in each.files), site.project)
    found = site.workspace.find(start, name)
    if found is None:
        raise NotAvailable(f"there is no {what} in this project or beside it")
    return _relative(found[1], site)


def _relative(path: Path, site: Building) -> str:
    return path.relative_to(site.workspace.folder).as_posix()
