"""A flow as every engine runs it: loaded from its project, with its properties set, checked.

The inline engine, workers of the broker and tasks of Spark all use this, so that `--set` means the same
everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.graph.compiled import CompiledFlow
from penstock.flow.importer.overrides import Overrides
from penstock.flow.overrides import apply_overrides, check_owners
from penstock.flow.project import Project
from penstock.store.home import penstock_home

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ESQL_CACHE = "esql-cache"


def compiled_flow(folder: str, name: str, properties: Mapping[str, str]) -> CompiledFlow:
    """Return a flow of a project with its properties set; 8304 or 8301 if that is not possible."""
    project = Project(folder, cache=esql_cache(), overrides=Overrides(properties))
    flow = project.flow(name)
    check_owners(properties, project.flows)
    apply_overrides(flow, properties, project.flows.values())
    return CompiledFlow(flow, project)


def esql_cache() -> Path:
    """Return the folder of compiled ESQL, in PENSTOCK_HOME."""
    return penstock_home() / ESQL_CACHE
