"""CREATE: new fields with type, namespace, name, value, domain or a whole bit stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import BAD_ARGUMENT, esql_error
from penstock.esql.runtime.trees.fields import parse_into
from penstock.esql.runtime.trees.paths import HERE
from penstock.esql.runtime.trees.rows import put
from penstock.tree.core._domains import domain_names, find_domain

if TYPE_CHECKING:
    from penstock.esql.runtime.context import Context
    from penstock.tree import Path, Reference


def add_field(beside: Reference, place: str, **options: Any) -> Reference:
    """Add a field as a child or sibling of another; return it."""
    identity = options.pop("identity", None)
    kind, namespace, name = _identity(identity, options)
    domain = options.get("domain")
    if options.pop("repeat", False):
        kind, namespace, name = beside.type, beside.namespace, beside.name
    if name is None:
        name = domain or ""
    method = _ADDERS[place]
    made: Reference = getattr(beside, method)(name, namespace=namespace or "", type=kind)
    return created(made, **options)


_ADDERS = {
    "FIRSTCHILD": "add_first_child",
    "LASTCHILD": "add_last_child",
    "NEXTSIBLING": "add_next",
    "PREVIOUSSIBLING": "add_previous",
}


def _identity(identity: Path | None, options: dict[str, Any]) -> tuple[int | None, str | None, str | None]:
    if identity is None:
        return options.pop("type_", None), options.pop("namespace", None), options.pop("name", None)
    step = identity.steps[0]
    kind = _ATTRIBUTE if step.attribute and step.type is None else step.type
    return kind, step.namespace, step.name


_ATTRIBUTE = 0x03000100


def created(
    field: Reference,
    *,
    domain: str | None = None,
    identity: Path | None = None,
    type_: int | None = None,
    namespace: str | None = None,
    name: str | None = None,
    value: Any = None,
    source: Reference | None = None,
) -> Reference:
    """Set what the clauses of a CREATE specify in the new field; return it."""
    if identity is not None:
        type_, namespace, name = _identity(identity, {})
    if domain:
        _set_domain(field, domain)
    if name is not None:
        field.name = name
    if namespace is not None:
        field.namespace = namespace
    if type_ is not None:
        field.type = type_
    if source is not None:
        field.copy_from(HERE, source, HERE)
    elif value is not None:
        put(field, HERE, value)
    return field


def _set_domain(field: Reference, domain: str) -> None:
    """Put a field into a domain; a modelled domain takes effect when PARSE or a copy supplies the model."""
    if find_domain(domain) is not None or domain not in domain_names():
        field.domain = domain


def parse_below(ctx: Context, field: Reference, data: Any, domain: str | None, **options: Any) -> None:
    """Implement CREATE .. PARSE: fill a new field from a bit stream."""
    name = domain or field.name
    if name not in domain_names() and field.form is not None:
        name = field.form.name  # a field in a body belongs to the body's domain
    if not name:
        raise esql_error(BAD_ARGUMENT, "PARSE needs a DOMAIN clause")
    parse_into(ctx, field, data, name, **options)
