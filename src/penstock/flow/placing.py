"""Puts what a node has fetched where its properties say: a part of one tree into an assembly's trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.constants_reasons import PSRC_FLOW_NODE
from penstock.model.errors import error
from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.location import Location
    from penstock.tree import Message, Reference


def placed(assembly: Assembly, output: Location, result: Message, part: Location) -> Assembly:
    """Return an assembly with a part of a result at a place; a whole tree takes the place of a whole tree.

    The tree of `output` is changed: it is the caller's own, or Environment. 8302 when the result has no such
    part.
    """
    if output.path is None and part.path is None and output.tree == "message":
        return assembly.sending(result)
    source = part.find(assembly, result)
    if source is None:
        raise error(PSRC_FLOW_NODE, "the message that was got has nothing at the place of `result`")
    start = output.start(assembly)
    if start is None:
        raise error(PSRC_FLOW_NODE, "there is no body to place the result in")
    _copy(source, start if output.path is None else start.create(output.path))
    return assembly


def _copy(source: Reference, target: Reference) -> None:
    if source.is_root:
        target.delete_children()
        for folder in source:
            target.add_last_child(folder.name, namespace=folder.namespace, type=folder.type).assign(folder)
    else:
        target.assign(source)


def without_body(message: Message) -> Message:
    """Return a copy of a message with its headers alone."""
    copy = message.copy()
    body = copy.body
    if body is not None:
        copy.delete(Path(body.name))
    return copy
