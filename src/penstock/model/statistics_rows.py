"""Statistics and accounting messages as rows: one figure per row, for people, JSON and Spark.

Columns: qmgr, start, end, kind (mqi, queue, channel; accounting ...), object, field, persistence, value. The
names of fields are MQ's without their prefix, in small letters: MQIAMO64_PUT_BYTES is put_bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.pcf import decode_pcf
from penstock.model.pcf_names import parameter_name
from penstock.model.pcf_parameters import Group, Integer, Integer64, Integer64List, IntegerList, String

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.model.pcf_parameters import Parameter

KINDS = {
    mq.MQCMD_STATISTICS_MQI: "mqi",
    mq.MQCMD_STATISTICS_Q: "queue",
    mq.MQCMD_STATISTICS_CHANNEL: "channel",
    mq.MQCMD_ACCOUNTING_MQI: "accounting mqi",
    mq.MQCMD_ACCOUNTING_Q: "accounting queue",
}
PAIR = ("no", "yes")  # values of lists by persistence
BY_PERSISTENCE = {
    *(mq.MQIAMO_PUTS, mq.MQIAMO64_PUT_BYTES, mq.MQIAMO_GETS, mq.MQIAMO64_GET_BYTES),
    *(mq.MQIAMO_BROWSES, mq.MQIAMO64_BROWSE_BYTES, mq.MQIAMO_AVG_Q_TIME),
    *(mq.MQIAMO_Q_TIME_AVG, mq.MQIAMO_Q_TIME_MAX),
}
OBJECT = (mq.MQCA_Q_NAME, mq.MQCACH_CHANNEL_NAME)
NOT_FIGURES = {
    *(mq.MQIA_COMMAND_LEVEL, mq.MQIAMO_OBJECT_COUNT, mq.MQIA_Q_TYPE, mq.MQIA_DEFINITION_TYPE),
    *(mq.MQIACH_CHANNEL_TYPE, mq.MQIACF_PROCESS_ID, mq.MQIACF_SEQUENCE_NUMBER, mq.MQIAMO_DISC_TYPE),
}
COLUMNS = ("qmgr", "start", "end", "kind", "object", "field", "persistence", "value")


class Row(NamedTuple):
    """One figure of an interval."""

    qmgr: str
    start: str
    end: str
    kind: str
    object: str
    field: str
    persistence: str
    value: int


def rows_of(body: bytes, encoding: int, ccsid: int) -> Iterator[Row]:
    """Yield the figures of a message; none for a message of another kind. 2149 for bytes that are no PCF."""
    pcf = decode_pcf(body, encoding, ccsid)
    kind = KINDS.get(pcf.command)
    if kind is None:
        return
    head = (
        _text(pcf.parameters, mq.MQCA_Q_MGR_NAME),
        _moment(pcf.parameters, mq.MQCAMO_START_DATE, mq.MQCAMO_START_TIME),
        _moment(pcf.parameters, mq.MQCAMO_END_DATE, mq.MQCAMO_END_TIME),
        kind,
    )
    groups = [each for each in pcf.parameters if isinstance(each, Group)]
    program = _text(pcf.parameters, mq.MQCACF_APPL_NAME)
    for group in groups:
        name = next((_text(group.parameters, id) for id in OBJECT if _text(group.parameters, id)), "")
        label = f"{program}:{name}" if program else name
        yield from _figures(head, label, group.parameters)
    if not groups:
        yield from _figures(head, program, pcf.parameters)


def _figures(head: tuple[str, str, str, str], name: str, parameters: Iterable[Parameter]) -> Iterator[Row]:
    for each in parameters:
        if each.id in NOT_FIGURES:
            continue
        field = parameter_name(each.id).partition("_")[2].lower()
        if isinstance(each, Integer | Integer64):
            yield Row(*head, name, field, "", each.value)
        elif isinstance(each, IntegerList | Integer64List):
            if each.id in BY_PERSISTENCE and len(each.values) == len(PAIR):
                for lasting, value in zip(PAIR, each.values, strict=True):
                    yield Row(*head, name, field, lasting, value)
            else:
                yield Row(*head, name, field, "", sum(each.values))


def _text(parameters: Iterable[Parameter], id: int) -> str:
    return next((each.value.strip() for each in parameters if isinstance(each, String) and each.id == id), "")


def _moment(parameters: Iterable[Parameter], date: int, time: int) -> str:
    return f"{_text(parameters, date)}T{_text(parameters, time).replace('.', ':')}"
