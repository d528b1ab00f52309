"""Accounting messages: what one connection did, as PCF on SYSTEM.ADMIN.ACCOUNTING.QUEUE.

A connection's `Account` (`accounts`) counts by queue if ACCTMQI or ACCTQ was on when it connected. Messages
are written when it disconnects and every ACCTINT seconds. Whether a queue counts is its own ACCTQ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.pcf_parameters import (
    ByteString,
    Group,
    Integer,
    Integer64List,
    IntegerList,
    String,
)
from penstock.qmgr.monitoring.monitoring_messages import groups_in_messages, interval, moment, name, send

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.model.pcf_parameters import Parameter
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.monitoring.accounts import Account, QueueAccount, Traffic

ACCOUNTING_QUEUE = "SYSTEM.ADMIN.ACCOUNTING.QUEUE"


def is_on(engine: Engine) -> bool:
    """Return whether a connection that is made now is accounted for."""
    values = engine.definition.attributes
    queues = values["ACCTQ"] == "ON" or (values["ACCTQ"] == "OFF" and bool(engine.effects.accounted))
    return values["ACCTMQI"] != "OFF" or queues


def write(engine: Engine, connection: Connection, now: float, disconnects: bool) -> None:
    """Write what a connection did, and begin its next interval."""
    account = connection.account
    if not account.by_queue:
        return
    values = engine.definition.attributes
    about = (*interval(engine, account.began, now), *_identity(connection, account))
    if values["ACCTMQI"] == "ON":
        total = account.total()
        mqi = (*about, *_end(now if disconnects else 0.0), *_traffic(total.puts, total.gets))
        send(engine, ACCOUNTING_QUEUE, mq.MQCFT_ACCOUNTING, mq.MQCMD_ACCOUNTING_MQI, mqi, now)
    wanted = [each for id, each in account.queues.items() if _counts(engine, id, values["ACCTQ"])]
    for part in groups_in_messages(about, [_group(each, now) for each in wanted]):
        send(engine, ACCOUNTING_QUEUE, mq.MQCFT_ACCOUNTING, mq.MQCMD_ACCOUNTING_Q, part, now)
    account.begin_again(now)


def tick(engine: Engine, now: float) -> None:
    """Write what is due every ACCTINT seconds."""
    every = engine.definition.attributes["ACCTINT"]
    for connection in list(engine.connected.values()):
        account = connection.account
        if account.by_queue and now - account.began >= every:
            write(engine, connection, now, False)


def _counts(engine: Engine, id: int, of_qmgr: object) -> bool:
    queue = engine.queues_by_id.get(id)
    own = "QMGR" if queue is None else queue.definition.attributes["ACCTQ"]
    if of_qmgr == "NONE":
        return False
    return bool(own == "ON" or (own == "QMGR" and of_qmgr == "ON"))


def _identity(connection: Connection, account: Account) -> Iterable[Parameter]:
    date, at = moment(account.connected)
    yield ByteString(mq.MQBACF_CONNECTION_ID, connection.number.to_bytes(24, "big"))
    yield Integer(mq.MQIACF_SEQUENCE_NUMBER, account.sequence)
    yield String(mq.MQCACF_APPL_NAME, connection.application[:28].ljust(28))
    yield Integer(mq.MQIACF_PROCESS_ID, connection.process)
    yield String(mq.MQCACF_USER_IDENTIFIER, connection.user[:12].ljust(12))
    yield String(mq.MQCAMO_CONN_DATE, date.ljust(12))
    yield String(mq.MQCAMO_CONN_TIME, at)
    if connection.channel:
        yield String(mq.MQCACH_CHANNEL_NAME, connection.channel.ljust(20))
        yield String(mq.MQCACH_CONNECTION_NAME, connection.address)


def _end(when: float) -> Iterable[Parameter]:
    if when:
        date, at = moment(when)
        yield String(mq.MQCAMO_DISC_DATE, date.ljust(12))
        yield String(mq.MQCAMO_DISC_TIME, at)
        yield Integer(mq.MQIAMO_DISC_TYPE, mq.MQDISCONNECT_NORMAL)


def _traffic(puts: Traffic, gets: Traffic) -> Iterable[Parameter]:
    yield IntegerList(mq.MQIAMO_PUTS, _pair(puts.messages, puts.persistent_messages))
    yield Integer64List(mq.MQIAMO64_PUT_BYTES, _pair(puts.bytes, puts.persistent_bytes))
    yield Integer(mq.MQIAMO_PUT_MAX_BYTES, puts.largest)
    yield Integer(mq.MQIAMO_PUT_MIN_BYTES, max(puts.smallest, 0))
    yield IntegerList(mq.MQIAMO_GETS, _pair(gets.messages, gets.persistent_messages))
    yield Integer64List(mq.MQIAMO64_GET_BYTES, _pair(gets.bytes, gets.persistent_bytes))
    yield Integer(mq.MQIAMO_GET_MAX_BYTES, gets.largest)
    yield Integer(mq.MQIAMO_GET_MIN_BYTES, max(gets.smallest, 0))


def _pair(all: int, persistent: int) -> tuple[int, int]:
    """Return a count as MQ has it: non-persistent, persistent."""
    return all - persistent, persistent


def _group(account: QueueAccount, now: float) -> Group:
    date, at = moment(account.first)
    got = account.gets.messages
    mean = int(account.wait_seconds * 1e6 / got) if got else 0
    return Group(
        mq.MQGACF_Q_ACCOUNTING_DATA,
        (
            String(mq.MQCA_Q_NAME, name(account.name)),
            String(mq.MQCAMO_OPEN_DATE, date.ljust(12)),
            String(mq.MQCAMO_OPEN_TIME, at),
            *_traffic(account.puts, account.gets),
            Integer64List(mq.MQIAMO_Q_TIME_AVG, (mean, mean)),
            Integer64List(mq.MQIAMO_Q_TIME_MAX, (int(account.wait_max * 1e6),) * 2),
        ),
    )
