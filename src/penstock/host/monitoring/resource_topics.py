"""Resource topics: figures of the queue manager, published every 10 seconds while somebody subscribes.

`$SYS/MQ/INFO/QMGR/NAME/Monitor/CLASS/TYPE`, or `CLASS/OBJECT/TYPE` for queues. What there is, programs learn
from `Monitor/METADATA/CLASSES`, `METADATA/CLASS/TYPES` and `METADATA/CLASS/TYPE/ELEMENTS`, published when
somebody subscribes to them, at the next look. A publication has one integer for each element, with the
element's number as its parameter. Deltas are since the publication before. Called with the gate held.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.host.monitoring.resource_elements import CLASSES, Class, Type
from penstock.host.monitoring.system_topics import publish, root_of, wanted_below
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.pcf_parameters import Group, Integer, Integer64, String
from penstock.qmgr.monitoring.monitoring_messages import name

if TYPE_CHECKING:
    from penstock.host.host import Host
    from penstock.model.pcf_parameters import Parameter

INTERVAL_SECONDS = 10.0
CLASS_NUMBERS = {each.name: number for number, each in enumerate(CLASSES)}


class ResourceTopics:
    """The resource topics of one queue manager."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[float, list[int]]] = {}  # when and what, by topic
        self._described: set[tuple[str, bytes]] = set()  # metadata topics and subscriptions that have it

    def look(self, host: Host, now: float) -> None:
        """Publish what is due."""
        top = f"{root_of(host.engine)}/Monitor"
        wanted = [(node.text, set(node.subscriptions or ())) for node in wanted_below(host.engine, top)]
        if not wanted:
            self._before.clear()
            self._described.clear()
            return
        for topic, subscriptions in wanted:
            steps = topic.removeprefix(top + "/").split("/")
            with suppress(MQError):
                if steps[0] == "METADATA":
                    self._describe(host, topic, steps[1:], subscriptions, now)
                else:
                    self._measure(host, topic, steps, now)
        topics = {topic for topic, _ in wanted}
        self._before = {topic: known for topic, known in self._before.items() if topic in topics}

    def _describe(
        self, host: Host, topic: str, steps: list[str], subscriptions: set[bytes], now: float
    ) -> None:
        missing = {(topic, each) for each in subscriptions} - self._described
        parameters = metadata(host.engine.name, f"{root_of(host.engine)}/Monitor", steps) if missing else ()
        if parameters:
            self._described |= missing
            publish(host.engine, topic, mq.MQCFT_STATISTICS, mq.MQCMD_NONE, parameters, now)

    def _measure(self, host: Host, topic: str, steps: list[str], now: float) -> None:
        found = next((each for each in CLASSES if each.name == steps[0]), None)
        if found is None or len(steps) != 2 + found.has_objects:
            return
        type_ = next((each for each in found.types if each.name == steps[-1]), None)
        queue = host.engine.queues.get(steps[1].replace("&", "/")) if found.has_objects else None
        if type_ is None or (found.has_objects and queue is None):
            return
        known = self._before.get(topic)
        if known is not None and now - known[0] < INTERVAL_SECONDS:
            return
        values = [element.read(host, queue) for element in type_.elements]
        self._before[topic] = (now, values)
        if known is None:
            return  # deltas need a look before
        pairs = zip(type_.elements, values, known[1], strict=True)
        shown = [max(0, new - old) if element.is_delta else new for element, new, old in pairs]
        objects = (String(mq.MQCA_Q_NAME, name(queue.name)),) if queue is not None else ()
        parameters = (
            String(mq.MQCA_Q_MGR_NAME, name(host.engine.name)),
            *objects,
            Integer(mq.MQIAMO_MONITOR_CLASS, CLASS_NUMBERS[found.name]),
            Integer(mq.MQIAMO_MONITOR_TYPE, found.types.index(type_)),
            Integer64(mq.MQIAMO64_MONITOR_INTERVAL, int(1e6 * (now - known[0]))),
            *(Integer64(number, value) for number, value in enumerate(shown)),
        )
        publish(host.engine, topic, mq.MQCFT_STATISTICS, mq.MQCMD_NONE, parameters, now)


def metadata(qmgr: str, top: str, steps: list[str]) -> tuple[Parameter, ...]:
    """Return what a metadata topic says; nothing for one that is none."""
    about = String(mq.MQCA_Q_MGR_NAME, name(qmgr))
    known = {each.name: each for each in CLASSES}
    if steps == ["CLASSES"]:
        return (about, *(_class(each, top) for each in CLASSES))
    found = known.get(steps[0]) if steps else None
    if found is None:
        return ()
    if steps[1:] == ["TYPES"]:
        return (about, *(_type(found, each, top) for each in found.types))
    type_ = next((each for each in found.types if steps[1:] == [each.name, "ELEMENTS"]), None)
    if type_ is None:
        return ()
    place = f"{found.name}/%s/{type_.name}" if found.has_objects else f"{found.name}/{type_.name}"
    elements = (
        Group(
            mq.MQGACF_MONITOR_ELEMENT,
            (
                Integer(mq.MQIAMO_MONITOR_ELEMENT, number),
                Integer(mq.MQIAMO_MONITOR_DATATYPE, each.datatype),
                String(mq.MQCAMO_MONITOR_DESC, each.about),
            ),
        )
        for number, each in enumerate(type_.elements)
    )
    return (about, String(mq.MQCA_TOPIC_STRING, f"{top}/{place}"), *elements)


def _class(each: Class, top: str) -> Group:
    return Group(
        mq.MQGACF_MONITOR_CLASS,
        (
            Integer(mq.MQIAMO_MONITOR_CLASS, CLASS_NUMBERS[each.name]),
            Integer(mq.MQIAMO_MONITOR_FLAGS, int(each.has_objects)),
            String(mq.MQCAMO_MONITOR_CLASS, each.name),
            String(mq.MQCAMO_MONITOR_DESC, each.about),
            String(mq.MQCA_TOPIC_STRING, f"{top}/METADATA/{each.name}/TYPES"),
        ),
    )


def _type(found: Class, each: Type, top: str) -> Group:
    return Group(
        mq.MQGACF_MONITOR_TYPE,
        (
            Integer(mq.MQIAMO_MONITOR_TYPE, found.types.index(each)),
            Integer(mq.MQIAMO_MONITOR_FLAGS, int(found.has_objects)),
            String(mq.MQCAMO_MONITOR_TYPE, each.name),
            String(mq.MQCAMO_MONITOR_DESC, each.about),
            String(mq.MQCA_TOPIC_STRING, f"{top}/METADATA/{found.name}/{each.name}/ELEMENTS"),
        ),
    )
