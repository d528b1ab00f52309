"""Models in YAML: the same terms as in Python, one mapping for each thing.

A model has `formats`, `types` and `messages`; a field has a format's properties under the format's name.
Files are read with the safe loader, so they hold only data. docs/reference/message-models.md has every term.
"""

from __future__ import annotations

from reprlib import Repr
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.cwf import Cwf, CwfFormat
from penstock.tree.model.logical import Field, Group, Model, Type, Value, check_depth
from penstock.tree.model.tds import Tds, TdsFormat, TdsType
from penstock.tree.model.xml import Xml, XmlFormat

_KINDS: dict[str, tuple[type, type, type | None]] = {
    "CWF": (CwfFormat, Cwf, Cwf),
    "TDS": (TdsFormat, Tds, TdsType),
    "XML": (XmlFormat, Xml, None),
}
_FIELD_WORDS = {
    "min": int,
    "max": int | None,
    "default": Any,
    "values": list,
    "namespace": str,
    "nillable": bool,
}
_TYPE_WORDS = {"compose": str, "open": bool}
FIELDS_MAX = 200_000
_VALUE_WORDS = {"default": Any, "values": list}
_GROUP_WORDS = {"min": int, "max": int | None, "compose": str}


def read_model(text: str, *, name: str = "model") -> Model:
    """Return the model in a YAML text; raise 8150 if it is invalid."""
    import yaml  # only who reads YAML needs it

    try:
        said = yaml.safe_load(text)
    except RecursionError as problem:
        raise error(mq.PSRC_MODEL_ERROR, "no model: the YAML is nested too deep") from problem
    except (yaml.YAMLError, ValueError) as problem:  # invalid dates and numbers
        raise error(mq.PSRC_MODEL_ERROR, f"no YAML: {problem}") from problem
    if not isinstance(said, dict) or not isinstance(said.get("messages"), dict):
        raise error(mq.PSRC_MODEL_ERROR, "a model is a mapping with formats, types and messages")
    reader = _Reader(said)
    messages = {str(key): reader.type(value, 0) for key, value in said["messages"].items()}
    return Model(
        str(said.get("model", name)), messages, reader.formats, namespace=str(said.get("namespace", ""))
    )


class _Reader:
    def __init__(self, said: dict[str, Any]) -> None:
        self.types: dict[str, Any] = _mapping("types", said.get("types"))
        self.kinds: dict[str, str] = {}
        self.count = 0
        formats = _mapping("formats", said.get("formats"))
        self.formats = {str(key): self._format(str(key), value) for key, value in formats.items()}

    def _format(self, name: str, said: Any) -> object:
        words = _mapping(f"format {name}", said)
        kind = str(words.pop("kind", "")).upper()
        if kind not in _KINDS:
            raise error(
                mq.PSRC_MODEL_ERROR, f"format {name}: its kind is {', '.join(_KINDS)}, not {shown(kind)}"
            )
        self.kinds[name] = kind
        return _made(_KINDS[kind][0], words, f"format {name}")

    def type(self, said: Any, depth: int) -> Type:
        """Return a type: its fields and the formats' properties."""
        check_depth(depth, "a type")
        if isinstance(said, str):
            if said not in self.types:
                raise error(mq.PSRC_MODEL_ERROR, f"type {shown(said)} is not among the types of the model")
            return self.type(self.types[said], depth + 1)
        words, members = self._members(said, depth)
        own = _own(words, _TYPE_WORDS, "a type")
        return Type(*members, **own, **self._about(words, 2, "a type"))

    def _members(self, said: Any, depth: int) -> tuple[dict[str, Any], list[Field | Group]]:
        if not isinstance(said, dict) or not isinstance(said.get("fields"), list):
            raise error(mq.PSRC_MODEL_ERROR, f"a type or group has a list of fields, not {shown(said)}")
        words = dict(said)
        return words, [self._member(each, depth + 1) for each in words.pop("fields")]

    def _member(self, said: Any, depth: int) -> Field | Group:
        self.count += 1
        if self.count > FIELDS_MAX:
            raise error(mq.PSRC_MODEL_ERROR, f"the model would have more than {FIELDS_MAX} parts")
        if isinstance(said, dict) and "value" in said and "fields" not in said:
            return self._value(dict(said))
        if isinstance(said, dict) and "name" not in said:
            words, members = self._members(said, depth)
            own = _own(words, _GROUP_WORDS, "a group")
            return Group(*members, **own, **self._about(words, 2, "a group"))
        if not isinstance(said, dict):
            raise error(mq.PSRC_MODEL_ERROR, f"a field is a mapping with a name, not {shown(said)}")
        words = dict(said)
        name = str(words.pop("name"))
        kind = words.pop("type", "string")
        own = _own(words, _FIELD_WORDS, f"field {name}")
        if "values" in own:
            own["values"] = tuple(own["values"])
        simple = kind if isinstance(kind, str) and kind not in self.types else self.type(kind, depth)
        return Field(name, simple, **own, **self._about(words, 1, f"field {name}"))

    def _value(self, words: dict[str, Any]) -> Value:
        """Return the value of an element beside its fields."""
        kind = words.pop("value")
        if not isinstance(kind, str):
            raise error(mq.PSRC_MODEL_ERROR, f"a value is of a simple type, not {shown(kind)}")
        own = _own(words, _VALUE_WORDS, "a value")
        if "values" in own:
            own["values"] = tuple(own["values"])
        return Value(kind, **own, **self._about(words, 1, "a value"))

    def _about(self, words: dict[str, Any], place: int, what: str) -> dict[str, Any]:
        """Return the formats' properties of a thing."""
        found = {}
        for name, said in words.items():
            if name not in self.kinds:
                raise error(mq.PSRC_MODEL_ERROR, f"{what}: {name!r} is neither a word of models nor a format")
            make = _KINDS[self.kinds[name]][place]
            if make is None:
                raise error(mq.PSRC_MODEL_ERROR, f"{what}: {name} has nothing to say about it")
            found[name] = _made(make, _mapping(f"{what}: {name}", said), what)
        return found


def shown(value: Any) -> str:
    """Return a value for an error, shortened: aliases can make one endless."""
    brief = Repr()
    brief.maxlevel = 2
    return brief.repr(value)[:60]


def _mapping(what: str, said: Any) -> dict[Any, Any]:
    if said is not None and not isinstance(said, dict):
        raise error(mq.PSRC_MODEL_ERROR, f"{what} is a mapping, not {shown(said)}")
    return dict(said or {})


def _own(words: dict[str, Any], known: dict[str, Any], what: str) -> dict[str, Any]:
    own = {key: words.pop(key) for key in known if key in words}
    for key, value in own.items():
        _check(what, key, value, known[key])
    return own


def _made(make: type, words: dict[str, Any], what: str) -> Any:
    known = get_type_hints(make)
    unknown = sorted(str(word) for word in words if word not in known)
    if unknown:
        raise error(
            mq.PSRC_MODEL_ERROR, f"{what}: {unknown[0]!r} is unknown; there are {', '.join(sorted(known))}"
        )
    when = words.get("when")
    if isinstance(when, dict) and isinstance(when.get("values"), list):
        words["when"] = (str(when.get("field", "")), tuple(when["values"]))
    for word, value in words.items():
        _check(what, word, value, known[word])
    return make(**words)


def _check(what: str, word: str, value: Any, hint: Any) -> None:
    if not _fits(value, hint):
        wanted = getattr(hint, "__name__", str(hint))
        raise error(mq.PSRC_MODEL_ERROR, f"{what}: {word} is {wanted}, not {shown(value)}")


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of a type; true and false are not numbers."""
    if hint is Any:
        return True
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    plain = get_origin(hint) or hint
    if plain is int:
        return type(value) is int and value >= -1
    return isinstance(value, plain)
