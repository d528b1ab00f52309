"""Bodies as columns: the column `data` has the fields of a message by its model, in both directions.

The options `domain`, `model`, `message` and `format` name the form of the bodies. The model is a file: an XML
or DFDL schema, a copybook, YAML, a message set; for domain JSON a JSON schema. `body_columns` is the schema;
`BodyForm` reads and writes. A body that does not fit is an error with its message id; nothing is left out
silently. Repeated fields are arrays.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import tree
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.json_schema import type_of_schema
from penstock.tree.core._types import JSON_TYPES
from penstock.tree.model.files import load_model
from penstock.tree.model.logical import Type, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.tree.core._reference import Reference
    from penstock.tree.model.logical import Field, Model

DATA = "data"
DEPTH_MAX = 20  # of fields in fields; a type that contains itself has no end
SPARK_TYPES = {
    "string": "string",
    "integer": "bigint",
    "decimal": "decimal(38,18)",
    "float": "double",
    "boolean": "boolean",
    "binary": "binary",
    "date": "date",
    "time": "string",
    "dateTime": "timestamp",
}
XML_DOMAINS = ("XMLNSC", "XMLNS", "XML")
TRUE, FALSE = ("true", "1"), ("false", "0")
VALUE = "_value"  # what an element has besides its fields


def body_columns(options: Mapping[str, str]) -> str:
    """Return the column `data` as DDL; "" if the options name no form."""
    form = form_of(options)
    return f"{DATA} {_struct(form.type, 0)}" if form else ""


def form_of(options: Mapping[str, str]) -> BodyForm | None:
    """Return the form of bodies that the options name; None for none, 8405 for half of one."""
    domain, model = options.get("domain", ""), options.get("model", "")
    if not domain and not model:
        return None
    if not domain or not model:
        missing = "domain" if not domain else "model"
        raise error(
            mq.PSRC_SPARK_OPTION, f"domain and model belong together: the option {missing} is missing"
        )
    return _form(domain.upper(), model, options.get("message") or None, options.get("format") or None)


@lru_cache(maxsize=32)
def _form(domain: str, model: str, message: str | None, format: str | None) -> BodyForm:
    path = Path(model)
    if domain == "JSON":
        if not path.is_file():
            raise error(mq.PSRC_SPARK_OPTION, f"model: there is no file {path}")
        return BodyForm(domain, None, None, None, type_of_schema(json.loads(path.read_text())))
    loaded = load_model(path)
    if message is None and len(loaded.messages) != 1:
        raise error(mq.PSRC_SPARK_OPTION, f"message is one of {', '.join(loaded.messages)}")
    chosen = message or next(iter(loaded.messages))
    if chosen not in loaded.messages:
        raise error(
            mq.PSRC_SPARK_OPTION, f"model {path.name} has no message {chosen}: {', '.join(loaded.messages)}"
        )
    own = "MRM" if domain in XML_DOMAINS else domain  # with a model, XML has types too
    return BodyForm(own, loaded, chosen, format, loaded.messages[chosen])


@dataclass(frozen=True, eq=False)
class BodyForm:
    """How bodies become values and values bodies."""

    domain: str
    model: Model | None
    message: str | None
    format: str | None
    type: Type

    def read(self, body: bytes, ccsid: int, encoding: int) -> dict[str, Any]:
        """Return the fields of a body."""
        how: dict[str, Any] = {"ccsid": ccsid, "encoding": encoding}
        if self.model is not None:
            how |= {"message": self.message, "format": self.format}
        parsed = tree.parse(body, self.domain, self.model, **how)
        place = parsed.body
        if place is not None and self.domain == "JSON":
            place = next(iter(place), place)
        return {} if place is None else _values(place, self.type)

    def write(self, row: Mapping[str, Any]) -> bytes:
        """Return the body of a row's fields."""
        made = tree.Message()
        if self.model is None:
            place = made.body_as(self.domain).add_last_child("Data", type=JSON_TYPES["Object"])
        else:
            place = made.body_as(self.domain, self.model, message=self.message, format=self.format)
        self._fill(place, self.type, row)
        return made.serialise()

    def _fill(self, place: Reference, type: Type, row: Mapping[str, Any]) -> None:
        for field in type.fields():
            value = row.get(field.name or VALUE)
            if isinstance(field, Value):
                place.value = value
                continue
            repeated = _is_repeated(field)
            if value is None:
                continue
            if repeated and self.domain == "JSON":
                array = place.add_last_child(field.name, type=JSON_TYPES["Array"])
                for each in value:
                    self._add(array, field, each, "Item")
                continue
            for each in value if repeated else (value,):
                self._add(place, field, each, field.name)

    def _add(self, place: Reference, field: Field, value: Any, name: str) -> None:
        space = field.namespace if self.domain != "JSON" else ""
        if isinstance(field.type, Type):
            kind = {"type": JSON_TYPES["Object"]} if self.domain == "JSON" else {}
            self._fill(place.add_last_child(name, namespace=space, **kind), field.type, value)
        else:
            place.add_last_child(name, namespace=space).value = _to_tree(field.type, value)


def checked_values(form: BodyForm, message: Any) -> dict[str, Any]:
    """Return the fields of a message's body; 8405 with the message for one that does not fit."""
    own = message.descriptor
    try:
        return form.read(message.body or b"", own.ccsid, own.encoding)
    except (MQError, ValueError, ArithmeticError) as cause:
        text = f"the body of message {message.msg_id.hex()} is not {form.message or form.domain}: {cause}"
        raise error(mq.PSRC_SPARK_OPTION, text) from cause


def _struct(type: Type, depth: int) -> str:
    if depth > DEPTH_MAX:
        raise error(mq.PSRC_SPARK_OPTION, "a type of the model contains itself, which columns cannot")
    return f"struct<{', '.join(_columns(type, depth))}>"


def _columns(type: Type, depth: int) -> Iterator[str]:
    seen = set()
    for field in type.fields():
        name = field.name or VALUE
        if name in seen:
            continue
        seen.add(name)
        kind = _struct(field.type, depth + 1) if isinstance(field.type, Type) else SPARK_TYPES[field.type]
        yield f"`{name}`: {f'array<{kind}>' if _is_repeated(field) else kind}"


def _is_repeated(field: Field) -> bool:
    return field.max != 1


def _values(place: Reference, type: Type) -> dict[str, Any]:
    found: dict[str, list[Reference]] = {}
    for child in place:
        found.setdefault(child.name, []).append(child)
    row: dict[str, Any] = {}
    for field in type.fields():
        if isinstance(field, Value):
            row[VALUE] = _from_tree(str(field.type), place.value if place.has_value else None)
            continue
        there = found.get(field.name, [])
        if _is_repeated(field):
            there = [item for each in there for item in (each if _is_array(each) else (each,))]
            row[field.name] = [_value(each, field) for each in there]
        else:
            row[field.name] = _value(there[0], field) if there else None
    return row


def _is_array(place: Reference) -> bool:
    return place.type == JSON_TYPES["Array"]


def _value(place: Reference, field: Field) -> Any:
    if isinstance(field.type, Type):
        return _values(place, field.type)
    return _from_tree(field.type, place.value)


def _from_tree(kind: str, value: Any) -> Any:
    """Return a value of the tree as one that Arrow takes for its column."""
    if value is None:
        return None
    match kind:
        case "integer":
            return int(value)
        case "decimal":
            return Decimal(str(value))
        case "float":
            return float(value)
        case "boolean":
            return _boolean(value)
        case "binary":
            return value if isinstance(value, bytes) else base64.b64decode(value)
        case "date":
            return value if isinstance(value, date) else date.fromisoformat(value)
        case "dateTime":
            return value if isinstance(value, datetime) else datetime.fromisoformat(value)
        case "time":
            return value.isoformat() if isinstance(value, time) else str(value)
    return str(value)


def _boolean(value: Any) -> bool:
    text = str(value).lower()
    if text not in (*TRUE, *FALSE):
        raise ValueError(f"{value!r} is neither true nor false")
    return text in TRUE


def _to_tree(kind: str, value: Any) -> Any:
    """Return a value of a column as one for the tree."""
    if kind == "time":
        return time.fromisoformat(value)
    if kind == "decimal" and isinstance(value, Decimal):
        return value.normalize() if value != value.to_integral_value() else value.quantize(Decimal(1))
    return value
