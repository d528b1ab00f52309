"""A flow over rows, in the composable plan: messages as rows in, the flow's outputs as rows out.

For data that does not begin and end at queues: archives, DataFrames of other programs. `flow_rows` is a
`mapInArrow`; every output names the message it came from, its queue or topic, and its position among the
outputs of that message. A message that fails follows the rules of a queue without a backout queue: it goes to
the queue FAILED, unchanged; its outputs are marked as failed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.ports import PendingPut
from penstock.model.message import NO_ID, Descriptor, Message
from penstock.spark.format.columns import DESCRIPTOR_NAMES, property_texts, property_types, typed_properties
from penstock.spark.runs.slice_work import once

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from penstock.spark.runs.flow_work import FlowWork

FAILED = "FAILED"  # for messages that no terminal of the flow handled
OUTPUT_SCHEMA = (
    "source_id binary, place int, failed boolean, queue string, topic string, "
    "body binary, msg_id binary, correl_id binary, "
    "persistent boolean, priority int, expiry double, format string, ccsid int, encoding int, msg_type int, "
    "feedback int, report int, reply_to string, reply_to_qmgr string, group_id binary, seq_number int, "
    "offset int, flags int, original_length int, properties map<string,string>, "
    "property_types map<string,string>"
)
_OF_MESSAGE = ("body", "msg_id", "correl_id", "persistent", "priority", "expiry")
_OF_DESCRIPTOR = tuple(name for name in DESCRIPTOR_NAMES if f" {name} " in f" {OUTPUT_SCHEMA} ")


class Made(NamedTuple):
    """An output with the message it came from, its position among that message's outputs, and the outcome."""

    source_id: bytes
    place: int
    failed: bool
    output: PendingPut


def flow_rows(messages: DataFrame, arguments: dict[str, Any]) -> DataFrame:
    """Return a flow's outputs for messages; `arguments` are those of `flow_work.FlowWork`."""
    told = json.dumps({"options": {"deadLetterQueue": FAILED}, **arguments})

    def over(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from penstock.spark.runs.flow_rows import (
            run_batches,  # in the worker, which gets this function by value
        )

        return run_batches(batches, told)

    return messages.mapInArrow(over, OUTPUT_SCHEMA)


def run_batches(batches: Iterator[pa.RecordBatch], told: str) -> Iterator[pa.RecordBatch]:
    """Run the flow over record batches, in a worker."""
    work = _work(told)
    for batch in batches:
        made: list[Made] = []
        for message in messages_of(batch):
            outputs, failed = _run(work, message)
            made += [Made(message.msg_id, place, failed, output) for place, output in enumerate(outputs)]
        yield batch_of(made)


def _run(work: FlowWork, message: Message) -> tuple[list[PendingPut], bool]:
    """Run a message; return the outputs, and whether it has finally failed."""
    tally = work.tally
    given_up, lost = tally.given_up, tally.lost
    outputs = list(work.outputs([message]))
    if tally.lost > lost:  # outside a unit of work nothing leads it away
        outputs.append(PendingPut(FAILED, message))
    return outputs, tally.given_up > given_up or tally.lost > lost


def _work(told: str) -> FlowWork:
    from penstock.spark.runs.flow_work import FlowWork

    return once("rows", told, lambda: FlowWork(json.loads(told)))


def messages_of(batch: pa.RecordBatch) -> Iterator[Message]:
    """Yield the messages in rows; missing columns have MQ's defaults."""
    columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
    absent = [None] * batch.num_rows
    described = [name for name in DESCRIPTOR_NAMES if name in columns]
    known: dict[tuple[Any, ...], Descriptor] = {}
    rows = zip(
        *(columns.get(name, absent) for name in ("body", "msg_id", "correl_id", "persistent", "priority")),
        *(columns.get(name, absent) for name in ("put_time", "properties", "property_types")),
        zip(*(columns[name] for name in described), strict=True) if described else [()] * batch.num_rows,
        strict=True,
    )
    for body, msg_id, correl_id, persistent, priority, put_time, texts, types, fields in rows:
        descriptor = known.get(fields)
        if descriptor is None:
            told = {name: value for name, value in zip(described, fields, strict=True) if value is not None}
            descriptor = known[fields] = Descriptor(**told)
        yield Message(
            body or b"",
            msg_id or NO_ID,
            correl_id or NO_ID,
            True if persistent is None else persistent,
            priority or 0,
            0.0 if put_time is None else put_time.timestamp(),
            descriptor=descriptor,
            properties=typed_properties(dict(texts), dict(types or ())) if texts else None,
        )


def batch_of(made: list[Made]) -> pa.RecordBatch:
    """Return outputs as a record batch."""
    import pyarrow as pa

    messages = [each.output.message for each in made]
    columns: dict[str, list[Any]] = {
        "source_id": [each.source_id for each in made],
        "place": [each.place for each in made],
        "failed": [each.failed for each in made],
        "queue": [each.output.queue or None for each in made],
        "topic": [each.output.topic or None for each in made],
        "properties": [property_texts(message.properties) for message in messages],
        "property_types": [property_types(message.properties) for message in messages],
    }
    columns |= {name: [getattr(each, name) for each in messages] for name in _OF_MESSAGE}
    columns["persistent"] = [  # unknown where the queue decides
        None if each.output.persistence_of_queue else each.output.message.persistent for each in made
    ]
    columns |= {name: [getattr(each.descriptor, name) for each in messages] for name in _OF_DESCRIPTOR}
    types = arrow_types()
    arrays = [pa.array(columns[name], type=kind) for name, kind in types.items()]
    return pa.RecordBatch.from_arrays(arrays, names=list(types))


def arrow_types() -> dict[str, pa.DataType]:
    """Return the columns of outputs with their types in Arrow: workers have no session."""
    import pyarrow as pa

    known = {
        "binary": pa.binary(),
        "boolean": pa.bool_(),
        "double": pa.float64(),
        "int": pa.int32(),
        "string": pa.string(),
        "map<string,string>": pa.map_(pa.string(), pa.string()),
    }
    words = (word.split(" ", 1) for word in OUTPUT_SCHEMA.split(", "))
    return {name: known[kind] for name, kind in words}
