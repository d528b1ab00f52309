"""Activity trace: what programs put, get, commit and back out, as MQ's PCF messages.

Two ways to switch it on: a subscription to `$SYS/MQ/INFO/QMGR/NAME/ActivityTrace/KIND/ID`, where KIND is
ApplName, ChannelName or ConnectionId, for as long as it lasts; and ACTVTRC(ON) for all programs, to
SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE. Made of the records of the trace ring by housekeeping, at its pace: what
falls out of the ring between two looks is missing. What the queue manager does itself is not in it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.host.monitoring.system_topics import publish, root_of, wanted_below
from penstock.host.monitoring.trace import CHANNEL, CONNECTION, EVERYTHING, PROGRAM, WATCH_SECONDS
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.pcf_parameters import ByteString, Group, Integer, String
from penstock.qmgr.monitoring.monitoring_messages import groups_in_messages, interval, moment, name, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.host.host import Host
    from penstock.model.pcf_parameters import Parameter
    from penstock.qmgr.connections import Connection

KINDS = {"ApplName": PROGRAM, "ChannelName": CHANNEL, "ConnectionId": CONNECTION}
QUEUE = "SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE"
OPERATIONS = {"put": mq.MQXF_PUT, "get": mq.MQXF_GET, "commit": mq.MQXF_CMIT, "backout": mq.MQXF_BACK}
MESSAGE = (mq.MQCFT_APP_ACTIVITY, mq.MQCMD_ACTIVITY_TRACE)
CONNECTIONS_KEPT = 10_000  # ended ones among them, whose last calls are still to be reported


class ActivityTrace:
    """The activity trace of one queue manager."""

    def __init__(self) -> None:
        self._told: dict[str, int] = {}  # the last record, by topic; "" for the queue
        self._known: dict[int, Connection] = {}
        self._began = 0.0

    def look(self, host: Host, now: float) -> None:
        """Tell what was recorded since the last look. The gate is held."""
        began, self._began = self._began or now, now
        engine = host.engine
        wanted = {node.text: None for node in wanted_below(engine, f"{root_of(engine)}/ActivityTrace")}
        is_on = engine.definition.attributes["ACTVTRC"] == "ON"
        if not wanted and not is_on:
            self._told.clear()
            self._known.clear()
            return
        if len(self._known) > CONNECTIONS_KEPT:
            self._known.clear()
        self._known |= engine.connected
        for topic in wanted:
            kind, _, id = topic.removeprefix(f"{root_of(engine)}/ActivityTrace/").partition("/")
            if kind in KINDS and id:
                rows = self._new_rows(
                    host, topic, KINDS[kind], id.rjust(16, "0") if kind == "ConnectionId" else id
                )
                for parameters in self._messages(host, rows, began, now):
                    with suppress(MQError):
                        publish(
                            engine, topic, mq.MQCFT_APP_ACTIVITY, mq.MQCMD_ACTIVITY_TRACE, parameters, now
                        )
        if is_on:
            rows = self._new_rows(host, "", EVERYTHING, "")
            for parameters in self._messages(host, rows, began, now):
                send(engine, QUEUE, mq.MQCFT_APP_ACTIVITY, mq.MQCMD_ACTIVITY_TRACE, parameters, now)
        host.renew_tracer()

    def _new_rows(self, host: Host, key: str, kind: str, name: str) -> list[dict[str, Any]]:
        after = self._told.get(key)
        rows = host.trace.read(kind, name, after or 0, WATCH_SECONDS)
        self._told[key] = int(rows[-1]["number"]) if rows else after or host.trace.ring.number
        if after is None:
            return []  # what was recorded for others before anybody asked here
        return [
            row
            for row in rows
            if row["event"] in OPERATIONS and row.get("connection") and row["name"] != QUEUE
        ]

    def _messages(
        self, host: Host, rows: list[dict[str, Any]], began: float, now: float
    ) -> Iterator[tuple[Parameter, ...]]:
        by_connection: dict[int, list[dict[str, Any]]] = {}
        for row in rows:
            by_connection.setdefault(int(row["connection"]), []).append(row)
        for number, own in by_connection.items():
            about = (*interval(host.engine, began, now), *_identity(number, self._known.get(number)))
            yield from groups_in_messages(about, [_group(row) for row in own])


def _identity(number: int, connection: Connection | None) -> Iterator[Parameter]:
    yield ByteString(mq.MQBACF_CONNECTION_ID, number.to_bytes(24, "big"))
    if connection is None:
        return
    yield String(mq.MQCACF_APPL_NAME, connection.application[:28].ljust(28))
    yield Integer(mq.MQIACF_PROCESS_ID, connection.process)
    yield String(mq.MQCACF_USER_IDENTIFIER, connection.user[:12].ljust(12))
    if connection.channel:
        yield String(mq.MQCACH_CHANNEL_NAME, connection.channel.ljust(20))
        yield String(mq.MQCACH_CONNECTION_NAME, connection.address)


def _group(row: dict[str, Any]) -> Group:
    date, at = moment(row["time"])
    parameters: list[Parameter] = [
        Integer(mq.MQIACF_OPERATION_ID, OPERATIONS[row["event"]]),
        String(mq.MQCACF_OPERATION_DATE, date.ljust(12)),
        String(mq.MQCACF_OPERATION_TIME, at),
        Integer(mq.MQIACF_COMP_CODE, mq.MQCC_OK),
        Integer(mq.MQIACF_REASON_CODE, 0),
    ]
    if "msg_id" in row:
        parameters += [
            String(mq.MQCACF_OBJECT_NAME, name(row["name"])),
            Integer(mq.MQIACF_MSG_LENGTH, row["bytes"]),
            Integer(mq.MQIACF_PERSISTENCE, int(row["persistent"])),
            ByteString(mq.MQBACF_MSG_ID, bytes.fromhex(row["msg_id"])),
        ]
    return Group(mq.MQGACF_ACTIVITY_TRACE, tuple(parameters))
