"""XSLTransform: an XSLT style sheet creates the output message. Needs lxml, the extra `penstock[xsl]`.

A style sheet may include others of its own folder; it has no network access, writes no files and expands no
entities of other documents. The sheet is read once, when the node starts. Parameters are those of
LocalEnvironment.XSL.Parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from penstock.flow.new_messages import body_of, without_body
from penstock.flow.node import OUT
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path as FilePath

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

_PARAMETERS = Path("XSL", "Parameters")


class XSLTransform(BodyProperties):
    """Transforms: `XSLTransform("sheets/order.xsl", domain="XMLNSC")`; the result is parsed in `domain`."""

    stylesheet: str

    def check(self) -> Iterable[str]:
        if not self.stylesheet:
            yield "an XSLTransform needs its style sheet"

    def start(self, at: NodeContext) -> Process:
        transform = load_sheet(at.instance.project.folder / self.stylesheet)
        model: Any = self.model_in(at.instance.project)
        onward = at.wire(OUT)

        def process(assembly: Assembly) -> None:
            data = transform(body_of(assembly.message), _parameters(assembly))
            made = self.arrived(data, model, base=without_body(assembly.message))
            if onward is not None:
                onward(assembly.sending(message=made))

        return process


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
