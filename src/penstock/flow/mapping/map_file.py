"""`.map` files of the graphical mapping editor: field-to-field maps become a `Map`.

Supported: move, assign, local, foreach, and conditions that compare a field with a constant. Everything else
(functions, XPath, joins, Java, submaps) is listed in the notes with its target and left out: nothing is
guessed. The importer calls `import_map` and shows the notes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.importer.xml_reading import read_xml
from penstock.flow.mapping.definition import Each, Entry, Field, Fields, Map
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.importer.xml_reading import Element

NAMESPACE = "http://www.ibm.com/2008/ccl/Mapping}"
_MESSAGE = re.compile(r"mb:msg\(([^)]*)\)")
_TEST = re.compile(r"\s*\$(\w+)((?:/[^\s=!<>()]+)*)\s*(=|!=)\s*('[^']*'|-?\d+(?:\.\d+)?)\s*")
_FOLDERS = ("Properties", "MQMD")
DEPTH_MAX = 200  # entries within each other; what Python takes depends on who has asked it for more


class Imported(NamedTuple):
    """A map, and what was left out of its file."""

    map: Map
    notes: list[str]


def import_map(data: bytes, name: str = "map") -> Imported:
    """Read a `.map` file; 8304 if it is no map or its messages are unknown, 8361 if it is not XML."""
    root = read_xml(data, name).root
    declaration = root.first("mappingDeclaration")
    if root.tag != f"{NAMESPACE}mappingRoot" or declaration is None:
        raise error(mq.PSRC_FLOW_PROJECT, f"{name} is no .map file")
    return _Reading(root, name).read(declaration)


_TRANSFORMS = ("move", "assign", "local", "if", "foreach")  # each is read by the method of its name


class _Reading:
    def __init__(self, root: Element, name: str) -> None:
        self.name = name
        self.depth = 0
        self.notes: list[str] = []
        self.prefixes = {each.get("prefix", ""): each.get("uri", "") for each in root.below("namespace")}
        self.places: dict[str, str] = {}  # variable -> ESQL of the source
        self.loops = 0
        self.output = ""

    def read(self, declaration: Element) -> Imported:
        name = self.name
        source, target = (declaration.first(each) for each in ("input", "output"))
        if source is None or target is None:
            raise error(mq.PSRC_FLOW_PROJECT, f"{name} does not say what it maps from and to")
        self.places[source.get("var", "")] = "source"
        self.output = target.get("var", "")
        map = Map(_domain(target, name), name=declaration.get("name", name))
        self.entries(declaration, map, "")
        return Imported(map, self.notes)

    def entries(self, within: Element, into: Fields, target: str) -> None:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise error(
                mq.PSRC_FLOW_PROJECT, f"{self.name} has more than {DEPTH_MAX} entries within each other"
            )
        for each in within.children:
            kind = each.tag.removeprefix(NAMESPACE)
            if kind in _TRANSFORMS:
                getattr(self, f"_{kind}")(each, into, target)
            elif kind not in ("input", "output", "test", "filter", "override"):
                self._leave(each, f"{kind} {each.get('ref', '')}".strip(), target)
        self.depth -= 1

    def _move(self, each: Element, into: Fields, target: str) -> None:
        to, of = self._to(each, target), self._of(each)
        if to == "" or of is None:
            if not self._is_folder(each):
                self._leave(each, "move", target)
            return
        into.set(to, of, skip_null=True)
        if each.first("override") is not None:
            self._leave(each, "override", target)

    def _assign(self, each: Element, into: Fields, target: str) -> None:
        to = self._to(each, target)
        if to:
            value = each.get("value", "").replace("'", "''")
            into.set(to, f"'{value}'")

    def _local(self, each: Element, into: Fields, target: str) -> None:
        self._bind(each)
        condition = self._condition(each, "test")
        if condition is None:
            self._leave(each, "condition", target)
            return
        start = len(into.entries)
        self.entries(each, into, self._to(each, target))
        if condition:
            into.entries[start:] = [self._under(entry, condition) for entry in into.entries[start:]]

    _if = _local

    def _foreach(self, each: Element, into: Fields, target: str) -> None:
        of, to = self._of(each), self._to(each, target)
        found = each.first("input")
        if of is None or not to or found is None:
            self._leave(each, "foreach", target)
            return
        self.loops += 1
        variable = f"item{self.loops}"
        self.places[found.get("var", "")] = variable
        condition = self._condition(each, "filter")
        if condition is None:
            self._leave(each, "filter", target)
            return
        self.entries(each, into.each(to, of, variable=variable, when=condition), "")

    def _under(self, entry: Entry, condition: str) -> Entry:
        if isinstance(entry, Field):
            both = f"({entry.when}) AND {condition}" if entry.when else condition
            return replace(entry, when=both)
        if isinstance(entry, Each):
            entry.when = f"({entry.when}) AND {condition}" if entry.when else condition
        return entry

    # -- paths -----------------------------------------------------------------------------

    def _bind(self, each: Element) -> None:
        found, of = each.first("input"), self._of(each)
        if found is not None and of is not None:
            self.places[found.get("var", "")] = of

    def _of(self, each: Element) -> str | None:
        """Return the ESQL of an entry's only input; None if there are several, or for an unsupported path."""
        found = list(each.all("input"))
        return self._source(found[0].get("path", "")) if len(found) == 1 else None

    def _source(self, path: str) -> str | None:
        if not path.startswith("$"):
            return None
        variable, *steps = path[1:].split("/")
        place = self.places.get(variable)
        if place is None or (place == "source" and steps[:1] and steps[0] in _FOLDERS):
            return None
        made = [self._step(step) for step in steps]
        return None if None in made else ".".join([place, *(each for each in made if each)])

    def _step(self, step: str) -> str | None:
        attribute, name = step.startswith("@"), step.removeprefix("@")
        name, _, index = name.partition("[")
        if index and not index.removesuffix("]").isdigit():
            return None
        quoted = '"' + name.rpartition(":")[2].replace('"', '""') + '"'
        at = f"[{index}" if index else ""
        return f"(XMLNSC.Attribute)*:{quoted}" if attribute else f"*:{quoted}{at}"

    def _to(self, each: Element, target: str) -> str:
        """Return the path of an entry's target, relative to the enclosing entry's; "" for none."""
        found = each.first("output")
        path = "" if found is None else found.get("path", "")
        if path.startswith("$"):
            variable, _, path = path[1:].partition("/")
            if variable != self.output or path.split("/")[0] in _FOLDERS:
                return ""
            target = ""
        steps = [self._name(step) for step in path.split("/") if step and step != "."]
        return ".".join([target, *steps] if target else steps)

    def _name(self, step: str) -> str:
        attribute, name = "@" if step.startswith("@") else "", step.removeprefix("@")
        prefix, colon, local = name.rpartition(":")
        uri = "{" + self.prefixes.get(prefix, "") + "}" if colon and self.prefixes.get(prefix) else ""
        return f'{uri}{attribute}"{local}"'

    def _is_folder(self, each: Element) -> bool:
        found = each.first("output")
        path = "" if found is None else found.get("path", "")
        return path.startswith(f"${self.output}/") and path.split("/")[1] in _FOLDERS

    def _condition(self, each: Element, word: str) -> str | None:
        """Return the ESQL of a condition, "" for none, None for an unsupported one."""
        found = each.first(word)
        if found is None or not found.text.strip():
            return ""
        test = _TEST.fullmatch(found.text)
        if test is None:
            return None
        variable, path, operator, constant = test.groups()
        place = self._source(f"${variable}{path}")
        return None if place is None else f"{place} {'<>' if operator == '!=' else '='} {constant}"

    def _leave(self, each: Element, what: str, target: str) -> None:
        to = self._to(each, target) or "?"
        self.notes.append(f"{what} to {to} is left out: only field-to-field maps are taken")


def _domain(target: Element, name: str) -> str:
    """Return the domain of the output: the third word of `mb:msg(type,assembly,DOMAIN,...)`."""
    found = _MESSAGE.search(target.get("path", ""))
    words = [word.strip() for word in found.group(1).split(",")] if found else []
    domains = [word for word in words if word in ("XMLNSC", "JSON", "DFDL", "MRM", "SOAP", "BLOB")]
    if not domains:
        raise error(mq.PSRC_FLOW_PROJECT, f"{name} does not say the domain that it maps to")
    return domains[0]
