"""XSLTransform: an XSLT style sheet creates the output message. Needs lxml, the extra `penstock[xsl]`.

A style sheet may include others of its own folder; it has no network access, writes no files and expands no
entities of other documents. The sheet is read once. Parameters are those of LocalEnvironment.XSL.Parameters.
LocalEnvironment.XSL.StyleSheetName, else the node, else `<?xml-stylesheet href="..."?>` of the message names
the sheet, by its path in the project.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from penstock.flow.new_messages import body_of, without_body
from penstock.flow.node import OUT
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as FilePath

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

_PARAMETERS, _NAME = Path("XSL", "Parameters"), Path("XSL", "StyleSheetName")
_INSTRUCTION = re.compile(rb"<\?xml-stylesheet\s[^?]*?\bhref=[\"']([^\"'?]+)[\"']")
HEAD_BYTES = 4096  # of a message, in which its instruction is looked for
SHEETS_MAX = 100


class XSLTransform(BodyProperties):
    """Transforms: `XSLTransform("sheets/order.xsl", domain="XMLNSC")`; the result is parsed in `domain`."""

    stylesheet: str = ""

    def start(self, at: NodeContext) -> Process:
        sheets = _Sheets(at.instance.project.folder)
        if self.stylesheet:
            sheets.named(self.stylesheet)
        model: Any = self.model_in(at.instance.project)
        onward = at.wire(OUT)

        def process(assembly: Assembly) -> None:
            body = body_of(assembly.message)
            name = _named_in(assembly) or self.stylesheet or _named_by(body)
            data = sheets.named(name)(body, _parameters(assembly))
            made = self.arrived(data, model, base=without_body(assembly.message))
            if onward is not None:
                onward(assembly.sending(message=made))

        return process


class _Sheets:
    """The style sheets of a project that were read."""

    def __init__(self, folder: FilePath) -> None:
        self._folder = folder.resolve()
        self._read: dict[str, Callable[[bytes, dict[str, str]], bytes]] = {}

    def named(self, name: str) -> Callable[[bytes, dict[str, str]], bytes]:
        """Return a style sheet; 8335 if no name is given, or it leads out of the project."""
        if not name:
            what = "neither the node, LocalEnvironment nor the message names a style sheet"
            raise error(mq.PSRC_FLOW_XSL, what)
        if name not in self._read:
            path = (self._folder / name).resolve()
            if self._folder not in path.parents:
                raise error(mq.PSRC_FLOW_XSL, f"the style sheet {name} is not in the project")
            if len(self._read) == SHEETS_MAX:
                self._read.clear()
            self._read[name] = load_sheet(path)
        return self._read[name]


def _named_in(assembly: Assembly) -> str:
    """Return the name that LocalEnvironment gives."""
    found = assembly.local_environment.get(_NAME) if assembly.has_local_environment else None
    return "" if found is MISSING or found is None else str(found)


def _named_by(body: bytes) -> str:
    """Return the name in the message's own instruction before its root element."""
    found = _INSTRUCTION.search(body[:HEAD_BYTES])
    return "" if found is None else unquote(found[1].decode("utf-8", "replace"))


def load_sheet(path: FilePath) -> Callable[[bytes, dict[str, str]], bytes]:
    """Return a function that transforms documents by a style sheet; 8335 with the line of an error."""
    try:
        from lxml import etree
    except ImportError as raised:
        raise error(mq.PSRC_FLOW_XSL, "lxml is not installed") from raised

    path = path.resolve()  # the parser asks for it by what it is called here
    root = path.parent

    class Beside(etree.Resolver):  # type: ignore[misc]
        """Resolves files in the sheet's folder and nothing else."""

        def resolve(self, url: str, public_id: str, context: Any) -> Any:
            asked = (root / unquote(url.removeprefix("file://"))).resolve()
            if root in asked.parents and asked.is_file():
                return self.resolve_filename(str(asked), context)
            raise error(mq.PSRC_FLOW_XSL, f"{path.name} asks for {url!r}, which is not beside it")

    def parser() -> Any:
        made = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        made.resolvers.add(Beside())
        return made

    access = etree.XSLTAccessControl(
        read_network=False, write_network=False, write_file=False, create_dir=False, read_file=True
    )
    if not path.is_file():
        raise error(mq.PSRC_FLOW_XSL, f"there is no style sheet {path}")
    try:
        sheet = etree.XSLT(etree.parse(str(path), parser()), access_control=access)
    except (etree.XMLSyntaxError, etree.XSLTParseError) as raised:
        raise error(mq.PSRC_FLOW_XSL, f"{path}: {raised}") from raised

    def transform(data: bytes, parameters: dict[str, str]) -> bytes:
        given = {name: etree.XSLT.strparam(value) for name, value in parameters.items()}
        try:
            return bytes(sheet(etree.fromstring(data, parser()), **given))
        except (etree.XMLSyntaxError, etree.XSLTApplyError) as raised:
            raise error(mq.PSRC_FLOW_XSL, f"{path.name}: {raised}") from raised

    return transform


def _parameters(assembly: Assembly) -> dict[str, str]:
    if not assembly.has_local_environment:
        return {}
    folder = assembly.local_environment.reference(_PARAMETERS)
    values = [] if folder is None else [(each.name, each.value) for each in folder]
    return {name: str(value) for name, value in values if value is not MISSING and value is not None}
