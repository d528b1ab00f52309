"""Facts about a node's ESQL module before it runs: whether it exists, and which kind it gives the node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.reach import Reach, reach_of
from penstock.flow.kinds import Kind
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.esql.library import Module
    from penstock.flow.project import Project

_KINDS = {Reach.NOTHING: Kind.PURE, Reach.READS: Kind.READS, Reach.WRITES: Kind.EFFECT}


def reach_of_module(module: Module) -> Kind:
    """Return the kind of a node that runs a module."""
    return _KINDS[reach_of(module)]


def missing_module(project: Project, esql: str, name: str) -> Iterator[str]:
    """Yield why a module is not available: no such file or module, or ESQL that does not compile."""
    try:
        project.module(esql, name)
    except MQError as raised:
        yield raised.detail
