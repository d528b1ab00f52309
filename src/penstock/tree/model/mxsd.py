"""Message sets as models: `import_message_set` reads a folder with `messageSet.mset` and its `.mxsd` files.

The `.mset` names the physical formats (CWF, TDS, XML) with their defaults; annotations in the schemas have
each format's properties (`mxsd_annotations`). Messages are the global elements marked as such. Unsupported
parts are listed in the model's notes, with file, line and element; a message that cannot be imported is left
out with a note, and it is an error only if none is left.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.cwf import CwfFormat
from penstock.tree.model.logical import Model, Type
from penstock.tree.model.mxsd_annotations import Annotations, Words
from penstock.tree.model.schema_documents import XS, Documents, Node, read_document, wrong
from penstock.tree.model.schema_walk import SchemaWalk, Simple
from penstock.tree.model.tds import TdsFormat
from penstock.tree.model.xml import XmlFormat
from penstock.tree.model.xsd import namespace_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.tree.model.logical import Field, Group

_TYPE = "http://www.w3.org/2001/XMLSchema-instance}type"


def import_message_set(path: Path | str) -> Model:
    """Return the model of a message set: its folder, its `messageSet.mset`, or one of its `.mxsd` files."""
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    found = next((each for each in (folder, *folder.parents) if (each / "messageSet.mset").is_file()), None)
    if found is None:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"there is no messageSet.mset in {folder}, nor above it")
    mset = read_document((found / "messageSet.mset").read_bytes(), "messageSet.mset").root
    reps = {each.get("name"): each for each in mset if each.tag == "MRMessageSetRep"}
    documents = Documents(found)
    files = [path] if path.suffix == ".mxsd" else sorted(found.rglob("*.mxsd"))
    for file in files:
        documents.add_file(file)
    if not documents.all:
        raise error(mq.PSRC_MODEL_ERROR, f"{found}: the message set has no .mxsd file")
    walk = _Walk(documents)
    formats = {name: walk.format(name, rep) for name, rep in reps.items()} or {"XML": walk.plain_xml(mset)}
    messages = walk.messages()
    namespace = next((each.namespace for each in documents.all if each.namespace), "")
    name = mset.get("name") or found.name
    return Model(name, messages, formats, namespace=namespace, notes=tuple(walk.notes))


class _Walk(SchemaWalk):
    def __init__(self, documents: Documents) -> None:
        super().__init__(documents)
        self.annotations = Annotations(self.note)

    def format(self, name: str, rep: Node) -> object:
        """Return a physical format of the set; its defaults are kept for elements that leave them open."""
        kind = rep.get(_TYPE).rpartition(":")[2].removeprefix("MR").removesuffix("MessageSetRep")
        self.annotations.formats[name] = (kind, rep)
        words = self.annotations.of_set(name)
        if kind == "CWF":
            return CwfFormat(**words)
        if kind == "TDS":
            return TdsFormat(**words)
        if kind == "XML":
            return XmlFormat(**words)
        raise wrong(rep, f"format {name} is {kind or 'of no kind'}; there are CWF, TDS and XML")

    def plain_xml(self, mset: Node) -> XmlFormat:
        """Return the format of a set that has none: such sets describe plain XML."""
        self.annotations.formats["XML"] = ("XML", mset)
        return XmlFormat()

    def messages(self) -> dict[str, Type]:
        """Return the messages of all documents."""
        return self.messages_of(self._marked(), self.message, "the message set has no message")

    def _marked(self) -> list[Node]:
        elements = [node for (tag, _), node in self.documents.named.items() if tag == XS + "element"]
        marked = [each for each in elements if any(rep.tag == "MRMessage" for rep in appinfo(each))]
        return marked or elements

    def _complex(self, said: Node, depth: int) -> Type:
        """Return a type, with the message set's rules for the order of its fields and for unknown ones."""
        kind = super()._complex(said, depth)
        about = next((rep for rep in appinfo(said) if rep.tag == "MRComplexType"), None)
        if about is not None and about.get("composition") == "unorderedSet" and kind.compose == "sequence":
            kind.compose = "all"
        kind.open = about is not None and about.get("content", "closed") != "closed"
        return kind

    def about_field(
        self, use: Node, declared: Node, kind: Simple | Type, is_attribute: bool
    ) -> dict[str, Any]:
        """Return the formats' properties of a field."""
        reps = list(appinfo(use)) + (list(appinfo(declared)) if declared is not use else [])
        simple = kind if isinstance(kind, Simple) else None
        xml: Words = {"render": "attribute"} if is_attribute else {"namespace": namespace_of(use)}
        return self.annotations.of_field(declared, reps, simple, xml)

    def about_group(
        self, said: tuple[Node, ...], compose: str, members: list[Field | Group]
    ) -> dict[str, Any]:
        """Return the formats' properties of a type or group."""
        return self.annotations.of_group([rep for node in said for rep in appinfo(node)])


def appinfo(node: Node) -> Iterator[Node]:
    """Yield the annotations of a node."""
    for annotation in node:
        if annotation.tag == XS + "annotation":
            for info in annotation:
                if info.tag == XS + "appinfo":
                    yield from info
