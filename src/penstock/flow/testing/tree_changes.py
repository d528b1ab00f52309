"""What a node changed in the trees of a message: fields that came, went or have another value, by path.

    ~ XMLNSC.Order.Total: '1400' -> '1500'
    + XMLNSC.Order.Item[2].Price = '700.00'
    - LocalEnvironment.Destination.MQ.QName = 'A'
    - JSON (7 fields)

A folder that is gone as a whole is one line. A field without children and value is shown as its path.
Used by `penstock flow trace` and by stepping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.tree import Path
from penstock.tree.dump import value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.testing.rig import Seen
    from penstock.tree import Message, Reference

VALUE_SHOWN_MAX = 200
FIELDS_MAX = 100_000  # of one tree that are compared
HEADERS = ("Properties", "MQMD")  # long, and every message has them: not shown where all is new
_ITSELF = Path()
TREES = {
    "message": "",
    "local_environment": "LocalEnvironment.",
    "exception_list": "ExceptionList.",
    "environment": "Environment.",
}


class Journey:
    """A message on its way: what each wire's node has changed since the message came to that node."""

    def __init__(self) -> None:
        self._arrived: dict[str, Seen] = {}  # by node: its last input; of an input node, its first output

    def changes(self, here: Seen) -> list[str]:
        """Return what the source of a wire changed; wires are given in their order."""
        wire, _, target = here.place.partition(" -> ")
        source = wire.rpartition(".")[0]
        found = changes(self._arrived.get(source), here)
        self._arrived.setdefault(source, here)
        self._arrived[target] = here
        return found

    def replace(self, here: Seen) -> None:
        """Note that somebody changed what a wire carries: its target did not."""
        self._arrived[here.place.partition(" -> ")[2]] = here


def fields_of(here: Seen) -> dict[str, list[str]]:
    """Return the fields of all trees as lines `path = value`: `headers` apart from the rest."""
    found: dict[str, list[str]] = {"message": [], "headers": []}
    for name, prefix in TREES.items():
        for path, value in _fields(getattr(here, name), prefix).items():
            is_header = name == "message" and path.startswith(tuple(f"{each}." for each in HEADERS))
            found.setdefault("headers" if is_header else name, []).append(_line("", path, value).strip())
    return {name: lines for name, lines in found.items() if lines}


def changes(before: Seen | None, after: Seen) -> list[str]:
    """Return how the trees on a wire differ from those that came to its node; all of it if none came."""
    found: list[str] = []
    for name, prefix in TREES.items():
        new = _fields(getattr(after, name), prefix)
        if before is None:
            hidden = tuple(f"{each}." for each in HEADERS) if name == "message" else ()
            found += [_line("+", path, value) for path, value in new.items() if not path.startswith(hidden)]
        else:
            found += _differences(_fields(getattr(before, name), prefix), new)
    return found


def _differences(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    for path, value in new.items():
        if path not in old:
            yield _line("+", path, value)
        elif old[path] != value:
            yield f"~ {path}: {old[path]} -> {value}"
    kept = {_folder(path) for path in new}
    gone: dict[str, int] = {}
    for path, value in old.items():
        if path in new:
            continue
        if _folder(path) in kept:
            yield _line("-", path, value)
        else:
            gone[_folder(path)] = gone.get(_folder(path), 0) + 1
    yield from (f"- {folder} ({fields} field{'s' * (fields > 1)})" for folder, fields in gone.items())


def _folder(path: str) -> str:
    """Return the topmost folder of a path: JSON of JSON.Data.id; of other trees two steps."""
    first, _, rest = path.partition(".")
    return f"{first}.{rest.partition('.')[0]}" if f"{first}." in TREES.values() else first


def _line(sign: str, path: str, value: str) -> str:
    return f"{sign} {path} = {value}" if value else f"{sign} {path}"


def _fields(tree: Message, prefix: str) -> dict[str, str]:
    """Return the leaves and valued fields of a tree, by path; a body that cannot be parsed is its error."""
    found: dict[str, str] = {}
    for folder in tree:
        try:
            _add(folder, f"{prefix}{_name(folder)}", found)
        except MQError as raised:
            found[f"{prefix}{folder.name}"] = f"cannot be parsed: {raised}"
    return found


def _add(top: Reference, path: str, found: dict[str, str]) -> None:
    waiting = [(top, path)]
    while waiting and len(found) < FIELDS_MAX:
        field, path = waiting.pop()
        children = list(field)
        if field.has_value:
            found[path] = _value(field)
        elif not children:
            found[path] = ""
        waiting += reversed(list(_numbered(children, path)))


def _numbered(children: list[Reference], path: str) -> Iterator[tuple[Reference, str]]:
    """Yield fields with their paths; the second of a name is [2], and so on."""
    seen: dict[str, int] = {}
    for child in children:
        name = _name(child)
        seen[name] = number = seen.get(name, 0) + 1
        yield child, f"{path}.{name}[{number}]" if number > 1 else f"{path}.{name}"


def _name(field: Reference) -> str:
    name = f"@{field.name}" if field.is_attribute else field.name
    return f"{{{field.namespace}}}{name}" if field.namespace else name


def _value(field: Reference) -> str:
    """Return a value as text: a JSON number that nothing computed with as it is in the body, 123.45."""
    value = field.read_written(_ITSELF)
    text = "NULL" if value is None else value_text(value)
    shown = text[:VALUE_SHOWN_MAX] + "..." if len(text) > VALUE_SHOWN_MAX else text
    return shown if value is None else repr(shown)
