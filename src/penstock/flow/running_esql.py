"""The ESQL context of a node at work on an assembly: trees, names, clock, databases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.context import Context

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.place import Place


def context_of(assembly: Assembly, at: Place, databases: Any = None, **more: Any) -> Context:
    """Return the context in which a node's ESQL runs; `more` are output trees and callbacks."""
    ports = assembly.invocation.ports
    return Context(
        assembly.message,
        deployment=at.instance.deployment,
        environment=assembly.invocation.environment,
        local_environment=assembly.local_environment,
        exception_list=assembly.exception_list,
        labels=at.labels,
        log=lambda target, text, fields: ports.log(at.label, text),
        now=datetime.fromtimestamp(ports.clock(), UTC),
        randomness=ports.randomness,
        make_uuid=ports.make_uuid,
        databases=databases,
        **more,
    )
