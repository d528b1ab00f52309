"""Statistics messages: what happened in an interval, as PCF on SYSTEM.ADMIN.STATISTICS.QUEUE.

They are differences of counts that are always kept, taken every STATINT seconds by housekeeping: the way of
a message does not know whether statistics are on. STATMQI is about the queue manager, STATQ about queues,
STATCHL about message channels. Nothing is written about what was idle. Many queues are looked at in steps, so
so that nothing waits long. Called by `Effects.tick`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.pcf_parameters import Group, Integer, Integer64List, IntegerList, String
from penstock.qmgr.monitoring import counting
from penstock.qmgr.monitoring.counting import NOTHING, OBJECT_TYPES, Counts, WaitTimes
from penstock.qmgr.monitoring.monitoring_messages import groups_in_messages, interval, name, send

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from penstock.model.pcf_parameters import Parameter
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

STATISTICS_QUEUE = "SYSTEM.ADMIN.STATISTICS.QUEUE"
QUEUES_AT_ONCE = 500  # looked at while the engine is held
LOCAL_QUEUE = 1  # MQQT_LOCAL
DEFINITION_TYPES = {"PREDEFINED": 1, "PERMDYN": 2, "TEMPDYN": 3, "SHAREDYN": 4}
CHANNEL_TYPES = {"SDR": 1, "SVR": 2, "RCVR": 3, "RQSTR": 4, "CLUSRCVR": 8, "CLUSSDR": 9}
QMGR_IS_ON = ("LOW", "MEDIUM", "HIGH")


class Statistics:
    """The intervals of one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.channel_rows: Callable[[], list[Any]] | None = None  # of those who run channels
        self._began = 0.0
        self._before: dict[int, Counts] = {}  # by queue id
        self._gone = NOTHING  # of queues that were deleted in the interval
        self._calls: dict[str, Any] = {}
        self._units = (0, 0)
        self._channels: dict[str, tuple[int, int, int]] = {}
        self._steps: Iterator[None] | None = None
        self.deleted_waits = WaitTimes()  # of deleted queues

    @property
    def busy(self) -> bool:
        """Whether an interval is being written: `tick` again soon."""
        return self._steps is not None

    def tick(self, now: float) -> None:
        """Write what is due, some queues at a time."""
        if self._steps is None:
            values = self.engine.definition.attributes
            if not self._began:
                self._began = now
                return
            if now - self._began < values["STATINT"]:
                return
            self._steps = self._write(now)
        if next(self._steps, self) is self:
            self._steps = None

    def write_now(self, now: float) -> None:
        """End the interval at once, as RESET QMGR TYPE(STATISTICS) asks."""
        for _ in self._steps or ():
            pass
        self._steps = None
        for _ in self._write(now):
            pass

    def queue_deleted(self, queue: Queue) -> None:
        """Keep what happened on a queue that goes, for the sum of the queue manager."""
        self.deleted_waits.add(queue)
        self._gone = self._gone.plus(counting.counts_of(queue).since(self._before.pop(queue.id, NOTHING)))

    def _write(self, now: float) -> Iterator[None]:
        began, self._began = self._began or self.engine.started, now
        values = self.engine.definition.attributes
        total, self._gone = self._gone, NOTHING
        groups: list[Group] = []
        for place, queue in enumerate(list(self.engine.queues.values()), 1):
            grown = self._grown(queue)
            low, high = counting.take_interval(queue)
            if not grown.is_idle:
                total = total.plus(grown)
                if _is_on(queue.definition.attributes["STATQ"], values["STATQ"]):
                    groups.append(queue_group(queue, grown, low, high))
            if place % QUEUES_AT_ONCE == 0:
                yield
        about = interval(self.engine, began, now)
        if values["STATMQI"] == "ON":
            parameters = (*about, *self._mqi(total))
            send(self.engine, STATISTICS_QUEUE, mq.MQCFT_STATISTICS, mq.MQCMD_STATISTICS_MQI, parameters, now)
        for part in groups_in_messages(about, groups):
            send(self.engine, STATISTICS_QUEUE, mq.MQCFT_STATISTICS, mq.MQCMD_STATISTICS_Q, part, now)
            yield
        for part in groups_in_messages(about, self._channel_groups(values)):
            send(self.engine, STATISTICS_QUEUE, mq.MQCFT_STATISTICS, mq.MQCMD_STATISTICS_CHANNEL, part, now)
            yield

    def _grown(self, queue: Queue) -> Counts:
        counts = counting.counts_of(queue)
        grown = counts.since(self._before.get(queue.id, NOTHING))
        if not grown.is_idle:
            self._before[queue.id] = counts
        return grown

    def _mqi(self, total: Counts) -> Iterator[Parameter]:
        engine, calls, before = self.engine, self.engine.calls, self._calls

        def number(id: int, key: str) -> Integer:
            value = getattr(calls, key)
            return Integer(id, value - before.get(key, 0))

        def by_type(id: int, key: str) -> IntegerList:
            now: Counter[int] = getattr(calls, key)
            then: Counter[int] = before.get(key, {})
            return IntegerList(id, tuple(now[each] - then.get(each, 0) for each in range(OBJECT_TYPES)))

        yield number(mq.MQIAMO_CONNS, "connects")
        yield number(mq.MQIAMO_CONNS_FAILED, "connects_failed")
        yield Integer(mq.MQIAMO_CONNS_MAX, max(calls.connected_max, len(engine.connected)))
        yield IntegerList(mq.MQIAMO_DISCS, (calls.disconnects - before.get("disconnects", 0), 0, 0))
        yield by_type(mq.MQIAMO_OPENS, "opens")
        yield by_type(mq.MQIAMO_OPENS_FAILED, "opens_failed")
        yield by_type(mq.MQIAMO_CLOSES, "closes")
        yield by_type(mq.MQIAMO_INQS, "inquires")
        yield by_type(mq.MQIAMO_SETS, "sets")
        yield from _traffic(total)
        yield Integer(mq.MQIAMO_COMMITS, engine.commits - self._units[0])
        yield Integer(mq.MQIAMO_BACKOUTS, engine.backouts - self._units[1])
        yield Integer(mq.MQIAMO_MSGS_EXPIRED, total.expired)
        yield Integer(mq.MQIAMO_MSGS_PURGED, total.purged)
        self._units = (engine.commits, engine.backouts)
        keys = ("connects", "connects_failed", "disconnects", "opens", "opens_failed", "closes")
        self._calls = {key: _copied(getattr(calls, key)) for key in (*keys, "inquires", "sets")}
        calls.connected_max = len(engine.connected)

    def _channel_groups(self, values: Any) -> list[Group]:
        if self.channel_rows is None:
            return []
        found: list[Group] = []
        for row in self.channel_rows():
            definition = self.engine.objects.find("CHANNEL", row.channel)
            own = "QMGR" if definition is None else definition.attributes.get("STATCHL", "QMGR")
            now = (row.msgs, row.bytssent + row.bytsrcvd, row.batches)
            before = self._channels.get(row.channel, (0, 0, 0))
            if now[0] < before[0]:
                before = (0, 0, 0)  # it started anew
            self._channels[row.channel] = now
            messages, size, batches = (new - old for new, old in zip(now, before, strict=True))
            if messages and (own in QMGR_IS_ON or (own == "QMGR" and values["STATCHL"] in QMGR_IS_ON)):
                found.append(channel_group(row, messages, size, batches))
        return found


def queue_group(queue: Queue, grown: Counts, low: int, high: int) -> Group:
    """Return what happened on a queue as a group QStatisticsData."""
    created = queue.definition.attributes
    mean_us = int(grown.wait_seconds * 1e6 / grown.gets) if grown.gets else 0
    return Group(
        mq.MQGACF_Q_STATISTICS_DATA,
        (
            String(mq.MQCA_Q_NAME, name(queue.name)),
            String(mq.MQCA_CREATION_DATE, str(created.get("CRDATE", "")).ljust(12)),
            String(mq.MQCA_CREATION_TIME, str(created.get("CRTIME", "")).ljust(8)),
            Integer(mq.MQIA_Q_TYPE, LOCAL_QUEUE),
            Integer(mq.MQIA_DEFINITION_TYPE, DEFINITION_TYPES.get(str(created.get("DEFTYPE")), 1)),
            Integer(mq.MQIAMO_Q_MIN_DEPTH, low),
            Integer(mq.MQIAMO_Q_MAX_DEPTH, high),
            Integer64List(mq.MQIAMO_AVG_Q_TIME, (mean_us, mean_us)),
            *_traffic(grown),
            Integer(mq.MQIAMO_MSGS_NOT_QUEUED, grown.handed_over),
            Integer(mq.MQIAMO_MSGS_EXPIRED, grown.expired),
            Integer(mq.MQIAMO_MSGS_PURGED, grown.purged),
        ),
    )


def channel_group(row: Any, messages: int, size: int, batches: int) -> Group:
    """Return what happened on a channel as a group ChlStatisticsData."""
    return Group(
        mq.MQGACF_CHL_STATISTICS_DATA,
        (
            String(mq.MQCACH_CHANNEL_NAME, row.channel.ljust(20)),
            Integer(mq.MQIACH_CHANNEL_TYPE, CHANNEL_TYPES.get(row.chltype, 0)),
            String(mq.MQCA_REMOTE_Q_MGR_NAME, name(row.rqmname)),
            String(mq.MQCACH_CONNECTION_NAME, row.conname),
            Integer(mq.MQIAMO_MSGS, messages),
            Integer64List(mq.MQIAMO64_BYTES, (size,)),
            Integer(mq.MQIAMO_AVG_BATCH_SIZE, messages // batches if batches else 0),
        ),
    )


def _traffic(counts: Counts) -> Iterator[Parameter]:
    """Yield puts, gets and browses: pairs of non-persistent and persistent, as MQ has them."""
    lasting = (counts.persistent_puts, counts.persistent_put_bytes)
    got = (counts.persistent_gets, counts.persistent_get_bytes)
    yield IntegerList(mq.MQIAMO_PUTS, (counts.puts - lasting[0], lasting[0]))
    yield Integer(mq.MQIAMO_PUTS_FAILED, counts.puts_failed)
    yield Integer64List(mq.MQIAMO64_PUT_BYTES, (counts.put_bytes - lasting[1], lasting[1]))
    yield IntegerList(mq.MQIAMO_GETS, (counts.gets - got[0], got[0]))
    yield Integer64List(mq.MQIAMO64_GET_BYTES, (counts.get_bytes - got[1], got[1]))
    yield Integer(mq.MQIAMO_GETS_FAILED, counts.gets_failed + counts.gets_empty)
    yield IntegerList(mq.MQIAMO_BROWSES, (counts.browses, 0))
    yield Integer64List(mq.MQIAMO64_BROWSE_BYTES, (counts.browse_bytes, 0))


def _is_on(own: Any, of_qmgr: Any) -> bool:
    if of_qmgr == "NONE":
        return False
    return bool(own == "ON" or (own == "QMGR" and of_qmgr == "ON"))


def _copied(value: Any) -> Any:
    return value if isinstance(value, int) else dict(value)
