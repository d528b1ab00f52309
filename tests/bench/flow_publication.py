"""The Publication tests of the broker's performance report: topics for 1 to 1,000 subscribers, and content.

An MQInput and a Publication; every subscriber has a queue of its own, and a rate is of messages published
(section 3.9). By content: ten subscriptions to one topic, of which one wants what the message holds. All that
was delivered is counted.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.flow import CompiledFlow
from penstock.lab.flows.messages import path_message
from penstock.lab.flows.publication import publishing
from tests.bench.flow_driver import add_line, best_of, count_for, published, table, timed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.setting import Setting
    from tests.bench.flow_driver import Cost

SUBSCRIBERS = {"10.9.1.1": 1, "10.9.1.2": 10, "10.9.1.3": 100, "10.9.1.4": 1000}
BY_CONTENT = "10.9.2"
FILTERS = 10


def measure(setting: Setting) -> Iterator[Result]:
    lines = table("Publication")
    for section, subscribers in SUBSCRIBERS.items():
        queues = [f"S{number}" for number in range(subscribers)]
        with setting.queue_manager("IN", *queues) as qm:
            for queue in queues:
                done = qm.mqsc(f"DEFINE SUB('{queue}') TOPICSTR('bench') DEST('{queue}')")
                assert not any(reply.failed for reply in done), done
            flow = CompiledFlow(publishing("BLOB"))
            for theirs in published(section, setting.quick):
                count = max(5, count_for(setting, theirs.size) // (1 + subscribers // 10))
                body = path_message(theirs.size)
                once = partial(run, qm, flow, body, count, theirs.persistent, queues)
                what = f"topic, {subscribers:,} subscribers"
                add_line(lines, section, what, theirs.size, best_of(setting, once), theirs)
    with setting.queue_manager("IN") as qm:
        wanted = [qm.subscribe("bench", selector="Body.CSIM.A1 = 'a'")]
        others = [qm.subscribe("bench", selector=f"Body.CSIM.A1 = 'no{n}'") for n in range(FILTERS - 1)]
        flow = CompiledFlow(publishing("XMLNSC"))
        for theirs in published(BY_CONTENT, setting.quick):
            body, count = path_message(theirs.size), count_for(setting, theirs.size)
            once = partial(run_by_content, qm, flow, body, count, theirs.persistent, wanted + others)
            add_line(lines, BY_CONTENT, "content, 1 of 10", theirs.size, best_of(setting, once), theirs)
        for each in wanted + others:
            each.close()
    yield lines


def run(qm: Any, flow: CompiledFlow, body: bytes, count: int, persistent: bool, queues: list[str]) -> Cost:
    """Publish; every subscriber's queue then has every message."""
    cost = timed(qm, flow, body, count, persistent)
    for queue in queues:
        done = len(qm.get_many(queue, 10_000))
        assert done == count, f"{queue} got {done} of {count}"
    return cost


def run_by_content(
    qm: Any, flow: CompiledFlow, body: bytes, count: int, persistent: bool, subscriptions: list[Any]
) -> Cost:
    """Publish; the first subscription gets all, the others nothing."""
    cost = timed(qm, flow, body, count, persistent)
    for number, each in enumerate(subscriptions):
        done = 0
        while each.get(wait=0.0) is not None:
            done += 1
        assert done == (0 if number else count), f"subscription {number} got {done} of {count}"
    return cost
