"""Models in YAML: the same words as in Python, one mapping for each thing.

A model has `formats`, `types` and `messages`; a field says under a format's name what that format needs.
Files are read with the safe loader, so they hold nothing but data. docs/reference/message-models.md has
every word.
"""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any

from penstock.model.errors import error
from penstock.tree.model.cwf import Cwf, CwfFormat
from penstock.tree.model.logical import Field, Group, Model, Type, check_depth
from penstock.tree.model.tds import Tds, TdsFormat, TdsType
from penstock.tree.model.xml import Xml, XmlFormat

_KINDS: dict[str, tuple[type, type, type | None]] = {
    "CWF": (CwfFormat, Cwf, Cwf),
    "TDS": (TdsFormat, Tds, TdsType),
    "XML": (XmlFormat, Xml, None),
}
_FIELD_WORDS = ("min", "max", "default", "values", "namespace")
_GROUP_WORDS = ("min", "max", "compose")


def read_model(text: str, *, name: str = "model") -> Model:
    """Return the model that a YAML text says; raise 8150 for what it cannot mean."""
    import yaml  # only who reads YAML needs it

    try:
        said = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise error(8150, f"no YAML: {problem}") from problem
    if not isinstance(said, dict) or not isinstance(said.get("messages"), dict):
        raise error(8150, "a model is a mapping with formats, types and messages")
    reader = _Reader(said)
    messages = {str(key): reader.type(value, 0) for key, value in said["messages"].items()}
    return Model(
        str(said.get("model", name)), messages, reader.formats, namespace=str(said.get("namespace", ""))
    )


class _Reader:
    def __init__(self, said: dict[str, Any]) -> None:
        self.types: dict[str, Any] = said.get("types") or {}
        self.kinds: dict[str, str] = {}
        self.formats = {
            str(key): self._format(str(key), value) for key, value in said.get("formats", {}).items()
        }

    def _format(self, name: str, said: dict[str, Any]) -> object:
        words = dict(said or {})
        kind = str(words.pop("kind", "")).upper()
        if kind not in _KINDS:
            raise error(8150, f"format {name}: its kind is {', '.join(_KINDS)}, not {kind!r}")
        self.kinds[name] = kind
        return _made(_KINDS[kind][0], words, f"format {name}")

    def type(self, said: Any, depth: int) -> Type:
        """Return a type: its fields and what formats say about it."""
        check_depth(depth, "a type")
        if isinstance(said, str):
            if said not in self.types:
                raise error(8150, f"type {said!r} is not among the types of the model")
            return self.type(self.types[said], depth + 1)
        words, members = self._members(said, depth)
        return Type(*members, compose=words.pop("compose", "sequence"), **self._about(words, 2, "a type"))

    def _members(self, said: Any, depth: int) -> tuple[dict[str, Any], list[Field | Group]]:
        if not isinstance(said, dict) or not isinstance(said.get("fields"), list):
            raise error(8150, f"a type or group has a list of fields, not {said!r}")
        words = dict(said)
        return words, [self._member(each, depth + 1) for each in words.pop("fields")]

    def _member(self, said: Any, depth: int) -> Field | Group:
        if isinstance(said, dict) and "name" not in said:
            words, members = self._members(said, depth)
            own = {key: words.pop(key) for key in _GROUP_WORDS if key in words}
            return Group(*members, **own, **self._about(words, 2, "a group"))
        if not isinstance(said, dict):
            raise error(8150, f"a field is a mapping with a name, not {said!r}")
        words = dict(said)
        name = str(words.pop("name"))
        kind = words.pop("type", "string")
        own = {key: words.pop(key) for key in _FIELD_WORDS if key in words}
        if "values" in own:
            own["values"] = tuple(own["values"])
        simple = kind if isinstance(kind, str) and kind not in self.types else self.type(kind, depth)
        return Field(name, simple, **own, **self._about(words, 1, f"field {name}"))

    def _about(self, words: dict[str, Any], place: int, what: str) -> dict[str, Any]:
        """Return what the formats say about a thing."""
        found = {}
        for name, said in words.items():
            if name not in self.kinds:
                raise error(8150, f"{what}: {name!r} is neither a word of models nor a format")
            make = _KINDS[self.kinds[name]][place]
            if make is None:
                raise error(8150, f"{what}: {name} has nothing to say about it")
            found[name] = _made(make, dict(said or {}), what)
        return found


def _made(make: type, words: dict[str, Any], what: str) -> Any:
    known = {each.name for each in dataclass_fields(make)}
    unknown = set(words) - known
    if unknown:
        raise error(8150, f"{what}: {sorted(unknown)[0]!r} is unknown; there are {', '.join(sorted(known))}")
    if isinstance(words.get("when"), dict):
        words["when"] = (words["when"]["field"], tuple(words["when"]["values"]))
    return make(**words)
