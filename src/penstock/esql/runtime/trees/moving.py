"""MOVE .. REPEAT, ATTACH and DELETE: operations that need more than one call of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree import Path, Step

if TYPE_CHECKING:
    from penstock.tree import Reference


def move_repeat(reference: Reference, forward: bool, same: tuple[str, ...]) -> bool:
    """Move to the next or previous sibling of the same type, name or both."""
    if same == ("NAME",) or (same == ("TYPE", "NAME") and not reference.is_attribute):
        return reference.to_next_same() if forward else reference.to_previous_same()
    name, namespace = (reference.name, reference.namespace) if "NAME" in same else (None, None)
    step = Path(Step(name, namespace, type=reference.type))
    return reference.to_next(step) if forward else reference.to_previous(step)


def attach(reference: Reference, target: Reference, place: str) -> None:
    """Detach a field and attach it beside or below another."""
    getattr(target, _PLACES[place])(reference)


_PLACES = {
    "FIRSTCHILD": "attach_first_child",
    "LASTCHILD": "attach_last_child",
    "NEXTSIBLING": "attach_next",
    "PREVIOUSSIBLING": "attach_previous",
}


def delete(field: Reference) -> None:
    """Delete a field; a whole tree is emptied."""
    if field.is_root:
        field.delete_children()
    else:
        field.delete()


def delete_all(fields: list[Reference]) -> None:
    """Delete every field of a list."""
    for field in fields:
        field.delete()


def delete_beside(field: Reference | None, place: str) -> None:
    """Delete the first or last child or a neighbour of a field, if there is one."""
    if field is None:
        return
    found = field.copy()
    moved = {
        "FIRSTCHILD": found.to_first_child,
        "LASTCHILD": found.to_last_child,
        "NEXTSIBLING": found.to_next,
        "PREVIOUSSIBLING": found.to_previous,
    }[place]()
    if moved:
        found.delete()
