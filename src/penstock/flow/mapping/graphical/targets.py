"""Where a map writes: places in the output's trees, made when something is written to them.

Steps on the way to a place are reused, the place of a loop is new in every turn. Names get the namespace,
and values the type, that the target's schema says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.mapping.graphical.places import ENVIRONMENT, LOCAL_ENVIRONMENT, Cell, Row
from penstock.flow.mapping.graphical.schema import UNKNOWN, Shape
from penstock.flow.mapping.graphical.values import as_type, text_of
from penstock.flow.new_messages import without_body
from penstock.tree import JSON_TYPES, MISSING, XMLNSC_TYPES, Path, Reference

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.mapping.graphical.map_file import TargetMessage
    from penstock.tree import Message

XML = ("XMLNSC", "XMLNS", "XML", "SOAP")
DOMAINS = (*XML, "JSON", "BLOB", "DFDL", "MRM", "MIME", "DataObject")
_DECLARATION = XMLNSC_TYPES["NamespaceDecl"]
_ATTRIBUTE = XMLNSC_TYPES["Attribute"]
_ARRAY = JSON_TYPES["Array"]


class MapResult:
    """The output assembly of one run: the message, and LocalEnvironment if something is written to it."""

    def __init__(self, assembly: Assembly, wanted: TargetMessage) -> None:
        self.assembly = assembly
        self.wanted = wanted
        self.message: Message = without_body(assembly.message)
        self._local: Message | None = None
        self._body: Reference | None = None

    @property
    def body(self) -> Reference:
        """The body, made when it is first needed."""
        if self._body is None:
            wanted = self.wanted
            self._body = self.message.body_as(
                wanted.domain, wanted.model, message=wanted.root if wanted.model is not None else None
            )
            for name, value in wanted.properties.items():
                self.message.set(Path("Properties", name), value)
        return self._body

    @property
    def local_environment(self) -> Message:
        """The LocalEnvironment, a copy of the input's."""
        if self._local is None:
            self._local = self.assembly.copied_local_environment()
        return self._local

    def sent(self) -> Assembly:
        """Return what the node sends on."""
        if self._local is not None:
            return self.assembly.sending(message=self.message, local_environment=self._local)
        return self.assembly.sending(message=self.message)

    def start(self, name: str) -> Reference | None:
        """Return the tree or folder that is a child of the assembly; None for an element of the body."""
        if name == LOCAL_ENVIRONMENT:
            return self.local_environment.reference()
        if name == ENVIRONMENT:
            return self.assembly.invocation.environment.reference()
        if name in DOMAINS:
            return self.body
        known = self.message.reference(Path(name))
        if known is not None:
            return known
        is_folder = name == "Properties" or name.startswith(("MQ", "HTTP", "JMS", "Email", "ROUTING"))
        return self.message.create(Path(name)) if is_folder else None


class Spot:
    """A place in the output that may not be there yet."""

    def __init__(
        self,
        output: MapResult,
        parent: Spot | None = None,
        name: str = "",
        shape: Shape = UNKNOWN,
        *,
        new: bool = False,
        names: tuple[str, ...] = (),
    ) -> None:
        self.output = output
        self.parent = parent
        self.uri, _, self.name = name[1:].rpartition("}") if name.startswith("{") else ("", "", name)
        self.shape = shape
        self.new = new
        self.names = names
        self._made: Reference | None = None

    def at(self, steps: tuple[str, ...], *, new: bool = False) -> Spot:
        """Return a place below this one; `new` makes another of its name instead of using one."""
        spot = self
        for number, step in enumerate(steps):
            is_last = number == len(steps) - 1
            spot = Spot(
                self.output,
                spot,
                step,
                spot.shape_of(step),
                new=new and is_last,
                names=(*spot.names, step.rpartition("}")[2]),
            )
        return spot

    def shape_of(self, step: str) -> Shape:
        """Return the shape of a child."""
        wanted, step = self.output.wanted, step.rpartition("}")[2]
        if self.parent is None:
            return wanted.schemas.root(step)
        if self.shape is UNKNOWN:  # an element that a cast put there
            return wanted.schemas.root(step) if self.names[0] in (*DOMAINS, LOCAL_ENVIRONMENT) else UNKNOWN
        return self.shape.child(step.removeprefix("@"), step.startswith("@"))

    def reference(self) -> Reference:
        """Return the place; it is created if it does not exist."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self) -> Reference:
        if self.parent is None:
            return self.output.message.reference()
        if self.parent.parent is None:
            found = self.output.start(self.name)
            if found is not None:
                return found
            place = self.output.wanted.place_of_root(self.output.body, self.name)
            if place is not None:
                return place
        parent = self.output.body if self.parent.parent is None else self.parent.reference()
        if self.name.startswith("@"):
            return self._attribute(parent, self.name[1:])
        if not self.new and not self.parent.is_array:
            last = [each for each in parent if each.name == self.name and not each.is_attribute]
            if last:
                return last[-1]
        made = parent.add_last_child(self.name, namespace=self._namespace())
        if self.is_array:
            made.type = _ARRAY
        return made

    @property
    def is_array(self) -> bool:
        """Whether a cast makes the place a JSON array."""
        return self.names in self.output.wanted.arrays

    def _namespace(self) -> str:
        if self.output.wanted.domain not in XML:
            return ""
        return self.shape.namespace if self.shape is not UNKNOWN else self.uri

    def _attribute(self, parent: Reference, name: str) -> Reference:
        known = [each for each in parent if each.is_attribute and each.name == name]
        if known:
            return known[0]
        is_xml = self.output.wanted.domain in XML
        return parent.add_last_child(name, type=_ATTRIBUTE if is_xml else None)

    def set(self, value: Any) -> None:
        """Write a value, in the type of the schema; NULL only where the target can have it."""
        target = self.reference()
        if target.is_domain_folder and self.output.wanted.domain == "BLOB":
            target = target.create(Path("BLOB"))
            value = value if isinstance(value, bytes) else text_of(value).encode()
        made = as_type(value, self.shape.simple_type)
        in_xml = self.output.wanted.domain in XML and self.names[0] not in (LOCAL_ENVIRONMENT, ENVIRONMENT)
        target.value = text_of(made) if in_xml and not isinstance(made, (str, bytes)) else made

    def copy(self, item: Any) -> None:
        """Write an item: a place with everything below it, or a value."""
        if isinstance(item, Row):
            return  # of a row without such a column
        if not isinstance(item, Reference):
            self.set(item.value if isinstance(item, Cell) else item)
            return
        if item.is_domain_folder and self.names and self.names[0] == item.name and len(self.names) == 1:
            self._whole_folder(item)
        elif any(not each.is_attribute for each in item):
            self._copy_below(item, self.reference())
        elif item.value is not MISSING:
            self.set(item.value)
            self._copy_attributes(item)

    def _whole_folder(self, item: Reference) -> None:
        """Copy a folder of the message: the output has it already unless it is the body."""
        if item.name in DOMAINS:
            self._copy_below(item, self.output.body)
        elif self.output.message.reference(Path(item.name)) is None:
            self.reference().assign(item)

    def _copy_attributes(self, item: Reference) -> None:
        if self.output.wanted.domain in XML:
            for each in item:
                if each.type == _ATTRIBUTE and not self.name.startswith("@"):
                    self.at((f"@{each.name}",)).set(each.value)

    def _copy_below(self, item: Reference, target: Reference) -> None:
        for each in item:
            if each.type == _DECLARATION and self.output.wanted.domain not in XML:
                continue
            if each.is_attribute:
                self._attribute(target, each.name).value = each.value
                continue
            child = target.add_last_child(
                each.name, namespace=each.namespace if self.output.wanted.domain in XML else ""
            )
            if any(not below.is_attribute for below in each):
                child.type = each.type if item.message.domain == self.output.wanted.domain else child.type
                self._copy_below(each, child)
            else:
                child.assign(each)
