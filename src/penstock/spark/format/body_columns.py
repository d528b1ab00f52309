"""Bodies as columns: the column `data` has the fields of a message by its model, in both directions.

The options `domain`, `model`, `message` and `format` name the form of the bodies. The model is a file: an XML
or DFDL schema, a copybook, YAML, a message set; for domain JSON a JSON schema. `body_columns` is the schema;
`BodyForm` reads and writes. A body that does not fit is an error with its message id, and so is a field that
no column has, unless `extraFields` is `skip`. Repeated fields are arrays.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import tree
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.format.body_values import VALUE, is_repeated, to_tree, values_of
from penstock.spark.format.json_schema import type_of_schema
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
REFUSE, SKIP = "refuse", "skip"  # what happens to a field that no column has


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
    extra = options.get("extraFields", REFUSE)
    if extra not in (REFUSE, SKIP):
        raise error(mq.PSRC_SPARK_OPTION, f"extraFields is {REFUSE} or {SKIP}, not {extra[:40]!r}")
    found = _form(domain.upper(), model, options.get("message") or None, options.get("format") or None)
    return replace(found, skips=extra == SKIP)


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
    skips: bool = False

    def read(self, body: bytes, ccsid: int, encoding: int) -> dict[str, Any]:
        """Return the fields of a body."""
        how: dict[str, Any] = {"ccsid": ccsid, "encoding": encoding}
        if self.model is not None:
            how |= {"message": self.message, "format": self.format}
        parsed = tree.parse(body, self.domain, self.model, **how)
        place = parsed.body
        if place is not None and self.domain == "JSON":
            place = next(iter(place), place)
            if place.type == JSON_TYPES["Array"]:
                raise ValueError("it is an array, not an object")
        return {} if place is None else values_of(place, self.type, self.skips)

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
                place.value = to_tree(str(field.type), value)
                continue
            repeated = is_repeated(field)
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
            place.add_last_child(name, namespace=space).value = to_tree(field.type, value)


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
        yield f"`{name}`: {f'array<{kind}>' if is_repeated(field) else kind}"
