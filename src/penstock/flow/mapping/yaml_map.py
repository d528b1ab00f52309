"""Maps in YAML, with the words of `definition`: `read_map(text)`.

to: {domain: MRM, model: order, format: HOST}      # or only the domain
skip_null: true                                    # for all fields; a field may say otherwise
fields:
  Number: source.Order.Id
  Total: {value: CAST(source.Order.Sum AS DECIMAL), when: source.Order.Sum <> ''}
  Line: {each: source.Order.Line, variable: line, fields: {Sku: line.Sku}}
  Customer: {rows: Database.customer, where: row.id = source.Order.Customer, fields: {Name: row.name}}
"""

from __future__ import annotations

from typing import Any

from penstock.flow.graph.graph import near
from penstock.flow.mapping.definition import Fields, Map
from penstock.model import constants as mq
from penstock.model.errors import error

_TOP = ("to", "headers", "skip_null", "fields", "name")
_TO = ("domain", "model", "message", "format", "ccsid", "encoding")
_NUMBERS = ("ccsid", "encoding")
_FIELD = ("value", "skip_null", "when")
_EACH = ("each", "variable", "when", "fields")
_ROWS = ("rows", "variable", "where", "fields")


def read_map(text: str, origin: str = "map") -> Map:
    """Read a map; 8304 with the location of an error."""
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{origin}: {raised}") from raised
    said = _words(found, _TOP, origin)
    to = said.get("to")
    words = {"domain": to} if isinstance(to, str) else _words(to, _TO, f"{origin}: to")
    if not words.get("domain"):
        raise error(mq.PSRC_FLOW_PROJECT, f"{origin}: `to` has to name a domain")
    target: dict[str, Any] = {
        name: int(value) if name in _NUMBERS else str(value) for name, value in words.items()
    }
    made = Map(**target, headers=bool(said.get("headers", True)), name=str(said.get("name", origin)))
    _read_fields(made, said.get("fields"), bool(said.get("skip_null", False)), origin)
    return made


def _read_fields(into: Fields, said: Any, skip_null: bool, origin: str) -> None:
    if not isinstance(said, dict) or not said:
        raise error(mq.PSRC_FLOW_PROJECT, f"{origin}: fields are names with where they come from")
    for to, value in said.items():
        place = f"{origin}: {to}"
        if not isinstance(value, dict):
            into.set(str(to), _expression(value), skip_null=skip_null)
        elif "each" in value:
            words = _words(value, _EACH, place)
            of = str(words["each"])
            loop = into.each(
                str(to), of, variable=words.get("variable", "item"), when=str(words.get("when", ""))
            )
            _read_fields(loop, words.get("fields"), skip_null, place)
        elif "rows" in value:
            words = _words(value, _ROWS, place)
            rows = into.rows(
                str(to),
                str(words["rows"]),
                where=str(words.get("where", "")),
                variable=words.get("variable", "row"),
            )
            _read_fields(rows, words.get("fields"), skip_null, place)
        else:
            words = _words(value, _FIELD, place)
            if "value" not in words:
                raise error(mq.PSRC_FLOW_PROJECT, f"{place}: a field needs value, each or rows")
            skip = bool(words.get("skip_null", skip_null))
            when = str(words.get("when", ""))
            into.set(str(to), _expression(words["value"]), skip_null=skip, when=when)


def _expression(value: Any) -> str:
    """Return the ESQL of a value; numbers, TRUE and NULL are literals."""
    if value is None:
        return "NULL"
    return str(value).upper() if isinstance(value, bool) else str(value)


def _words(said: Any, known: tuple[str, ...], place: str) -> dict[str, Any]:
    if not isinstance(said, dict):
        raise error(mq.PSRC_FLOW_PROJECT, f"{place}: expected {', '.join(known)}")
    for word in said:
        if word not in known:
            raise error(
                mq.PSRC_FLOW_PROJECT,
                f"{place}: {word!r} means nothing here{near(str(word), known)}; known: {', '.join(known)}",
            )
    return said
