"""Messages as rows: the columns of the format "penstock", in both directions.

`SCHEMA` is the full schema of a source; `RowMaker` fills the requested columns; `OutputMaker` turns rows into
outputs. Properties are texts by name, with their types in a second map, so that a program which keeps both
writes what it read. Knows messages and Arrow, not batches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import NO_ID
from penstock.model.properties import Float32, Int8, Int16, Int32, Int64
from penstock.spark.format.body_columns import DATA, checked_values, form_of
from penstock.spark.format.dead_letter_columns import DEAD_LETTER_GETTERS
from penstock.spark.format.option_names import instead_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from penstock.model.message import Message

MICROSECONDS = 1_000_000
RESERVATION = "reservation"
_DESCRIPTOR = (
    "format string, ccsid int, encoding int, msg_type int, feedback int, report int, reply_to string, "
    "reply_to_qmgr string, user_id string, accounting_token binary, appl_identity_data string, "
    "put_appl_type int, put_appl_name string, appl_origin_data string, group_id binary, seq_number int, "
    "offset int, flags int, original_length int"
)
SCHEMA = (
    "body binary, msg_id binary, correl_id binary, persistent boolean, priority int, put_time timestamp, "
    f"expiry double, backout_count int, {_DESCRIPTOR}, properties map<string,string>, "
    f"property_types map<string,string>, {RESERVATION} string"
)
_KINDS = dict(word.split(" ", 1) for word in SCHEMA.split(", "))
_ALSO = {"body": ("string",), "int": ("bigint",), "timestamp": ("timestamp_ntz",)}  # types to read as
DESCRIPTOR_NAMES = tuple(word.split()[0] for word in _DESCRIPTOR.split(", "))
# set by the queue manager at a put: accepted in a row, and left out
NOT_WRITTEN = frozenset(
    ("put_time", "backout_count", "user_id", "accounting_token", "appl_identity_data", "put_appl_type",
     "put_appl_name", "appl_origin_data")
)  # fmt: skip
WRITTEN = frozenset(("body", "msg_id", "correl_id", "persistent", "priority", "expiry", "queue", "topic")) | (
    frozenset(DESCRIPTOR_NAMES) - NOT_WRITTEN
)
_TYPES: dict[str, Callable[[str], Any]] = {
    "boolean": lambda text: text == "true",
    "int8": lambda text: Int8(int(text)),
    "int16": lambda text: Int16(int(text)),
    "int32": lambda text: Int32(int(text)),
    "int64": lambda text: Int64(int(text)),
    "float32": lambda text: Float32(float(text)),
    "float64": float,
    "string": str,
    "bytes": bytes.fromhex,
    "null": lambda _: None,
}
_TYPE_NAMES: dict[type, str] = {
    bool: "boolean",
    Int8: "int8",
    Int16: "int16",
    Int32: "int32",
    Int64: "int64",
    int: "int64",
    Float32: "float32",
    float: "float64",
    str: "string",
    bytes: "bytes",
    type(None): "null",
}
_GETTERS: dict[str, Callable[[Message], Any]] = {
    "put_time": lambda message: round(message.put_time * MICROSECONDS),
    "properties": lambda message: property_texts(message.properties),
    "property_types": lambda message: property_types(message.properties),
    **DEAD_LETTER_GETTERS,
}


def check_columns(schema: StructType, options: Mapping[str, str] | None = None) -> None:
    """Refuse a schema with unknown columns or types: 8405. What the options add has the types that it has."""
    more = {*DEAD_LETTER_GETTERS, DATA} if options else set()
    for field in schema.fields:
        if field.name in more:
            continue
        kind, wanted = _KINDS.get(field.name), field.dataType.simpleString()
        if kind is None:
            meant = instead_of(field.name, _KINDS)
            raise error(mq.PSRC_SPARK_OPTION, f"a message has no column {field.name}; {meant}")
        allowed = (kind, *_ALSO.get("body" if field.name == "body" else kind, ()))
        if wanted not in allowed:
            raise error(mq.PSRC_SPARK_OPTION, f"column {field.name} is {' or '.join(allowed)}, not {wanted}")


def text_of(message: Message) -> str:
    """Return a body as text; 8405 with the message if it is not text."""
    try:
        return (message.body or b"").decode()
    except UnicodeDecodeError as cause:
        text = f"the body of message {message.msg_id.hex()} is no UTF-8: read the column body as binary"
        raise error(mq.PSRC_SPARK_OPTION, text) from cause


class RowMaker:
    """Turns messages into Arrow record batches with the columns of a schema."""

    def __init__(self, schema: StructType, options: Mapping[str, str] | None = None) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        check_columns(schema, options)
        self._form = form_of(options or {})
        self._schema = to_arrow_schema(schema, timezone="UTC")
        self._names = schema.fieldNames()
        self._text = "body" in self._names and schema["body"].dataType.simpleString() == "string"

    def batch(self, messages: list[Message], reservation: str) -> pa.RecordBatch:
        """Return a record batch of messages, which all come from one reservation."""
        import pyarrow as pa

        columns = [self._column(name, messages, reservation) for name in self._names]
        arrays = [
            pa.array(column, type=field.type) for column, field in zip(columns, self._schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _column(self, name: str, messages: list[Message], reservation: str) -> list[Any]:
        if name == RESERVATION:
            return [reservation] * len(messages)
        if name == DATA and self._form is not None:
            return [checked_values(self._form, message) for message in messages]
        getter = _GETTERS.get(name)
        if getter is not None:
            return [getter(message) for message in messages]
        if name in DESCRIPTOR_NAMES:
            return [getattr(message.descriptor, name) for message in messages]
        if name == "body" and self._text:
            return [text_of(message) for message in messages]
        return [getattr(message, name) for message in messages]


class OutputMaker:
    """Turns rows into outputs of a batch: queue, body, and the arguments of `qm.put`."""

    def __init__(self, names: list[str], options: Mapping[str, str]) -> None:
        queue, topic = options.get("queue", ""), options.get("topic", "")
        self._form = form_of(options)
        known = WRITTEN | NOT_WRITTEN | {"properties", "property_types", RESERVATION}
        if self._form is not None and DATA in names:
            known, names = known | {DATA}, [*names, "body"]
        unknown = [name for name in names if name not in known]
        if unknown:
            text = f"a message has no column {unknown[0]} that could be written"
            meant = instead_of(unknown[0], sorted(WRITTEN | {"properties", "property_types"}))
            raise error(mq.PSRC_SPARK_OPTION, f"{text}; {meant}")
        if "body" not in names:
            raise error(mq.PSRC_SPARK_OPTION, "a column body is needed: the bytes or the text of the message")
        if not queue and not topic and not {"queue", "topic"} & set(names):
            raise error(
                mq.PSRC_SPARK_OPTION, "where to? An option queue or topic is needed, or a column of that name"
            )
        self._queue, self._topic = queue, topic
        self._names = [name for name in names if name in WRITTEN and name not in ("body", "queue", "topic")]

    def outputs(self, rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Yield an output for each row."""
        for row in rows:
            body = row.get("body")
            if self._form is not None and row.get(DATA) is not None:
                body = self._form.write(row[DATA])
            if body is None:
                raise error(mq.PSRC_SPARK_OPTION, "a row has no body")
            yield self._target(row), body, self._details(row)

    def _target(self, row: dict[str, Any]) -> str:
        queue = row.get("queue") or (self._queue if not row.get("topic") else "")
        topic = row.get("topic") or (self._topic if not queue else "")
        if topic:
            return f"topic:{topic}"
        if not queue:
            raise error(mq.PSRC_SPARK_OPTION, "a row names no queue, and there is no option queue")
        return str(queue)

    def _details(self, row: dict[str, Any]) -> dict[str, Any]:
        details = {name: row[name] for name in self._names if row[name] is not None}
        for name in ("msg_id", "correl_id", "group_id"):
            if details.get(name) == NO_ID:
                del details[name]
        texts = row.get("properties")
        if texts:
            details["properties"] = typed_properties(dict(texts), dict(row.get("property_types") or ()))
        return details


def property_texts(properties: Any) -> list[tuple[str, str]]:
    """Return properties as texts, in a form that Arrow accepts for a map."""
    return [(name, _text(value)) for name, value in (properties or {}).items()]


def property_types(properties: Any) -> list[tuple[str, str]]:
    """Return the names of the types of properties, in a form that Arrow accepts for a map."""
    return [(name, _TYPE_NAMES.get(type(value), "string")) for name, value in (properties or {}).items()]


def typed_properties(texts: dict[str, str | None], types: dict[str, str]) -> dict[str, Any]:
    """Return properties from texts; one without a type is a text."""
    made = {}
    for name, text in texts.items():
        kind = types.get(name, "null" if text is None else "string")
        try:
            made[name] = _TYPES[kind](text or "")
        except (KeyError, ValueError):
            raise error(mq.PSRC_SPARK_OPTION, f"property {name} is no {kind}: {text!r}") from None
    return made


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    return "" if value is None else str(value)
